"""Policy gradient: networks that learn from rewards, with Stable-Baselines3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taskspace import checks
from taskspace.agents.adapters import as_policy
from taskspace.agents.agent import Agent
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.to_gymnasium import TaskVectorEnv
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import DELTA, Report, Snapshots
from taskspace.training.subpopulations import Subpopulation


@dataclass(frozen=True)
class PolicyGradient:
    """How networks are trained; the same for all subpopulations.

    Rewards are normalized (PointMass has a reward of 10,000). Observations are not, because the
    networks must play with unscaled ones.
    """

    algorithm: str = "PPO"  # or "SAC" if actions are continuous
    steps: int = 250_000
    every: int = 8192  # steps between measurements of skill
    copies: int = 64
    rollout: int = 128  # steps per copy between updates (PPO)
    epochs: int = 10  # (PPO)
    batch: int = 1024
    rate: float = 1e-3
    discount: float = 0.99
    hidden: tuple[int, ...] = (64, 64)
    survival: bool = False  # a reward of 1 per step, instead of the shaped or sparse reward
    log_std: float = 0.0  # the initial log deviation of continuous actions (PPO)

    def __post_init__(self) -> None:
        if self.algorithm not in ("PPO", "SAC"):
            raise ValueError(
                f"algorithm must be 'PPO' or 'SAC', got {checks.brief(self.algorithm)}"
            )


def reinforce(
    env: Environment,
    subpopulation: Subpopulation,
    settings: PolicyGradient,
    tasks: Tasks,
    *,
    seed: int = 0,
    delta: float = DELTA,
    report: Report = lambda done: None,
) -> list[Agent]:
    """Train a network on the subpopulation's tasks; returns snapshots of rising skill on `tasks`.

    This sets PyTorch's global seed and number of threads (one is fastest for small networks), so
    `train_population` runs it in a separate process.
    """
    check_subpopulation(subpopulation)
    import_sb3()
    import torch

    from taskspace.training.sb3_env import PeriodicCallback

    torch.set_num_threads(1)
    model_seed, skill_seed = child_seeds(seed, 2)
    model = _model(env, subpopulation, settings, model_seed % 2**31)
    snapshots = Snapshots(subpopulation.name, env, tasks, delta, seed=skill_seed)
    before = 0

    def visit(steps: int) -> None:
        nonlocal before
        snapshots.offer(steps, as_policy(model, env))
        report(steps - before)
        before = steps

    model.learn(settings.steps, callback=PeriodicCallback(settings.every, visit))
    return snapshots.agents


def check_subpopulation(subpopulation: Subpopulation) -> None:
    """Check that policy gradient can train a subpopulation."""
    if subpopulation.masked or subpopulation.transform_examples:
        raise ValueError(
            f"the subpopulation {subpopulation.name} must have no masks and no transform_examples"
            " for policy gradient, only distributions of tasks"
        )


def import_sb3() -> Any:
    """Import Stable-Baselines3, or raise an error that says how to install it."""
    try:
        import stable_baselines3
    except ImportError as error:
        raise ImportError(
            "policy gradient needs Stable-Baselines3; install it with: pip install 'taskspace[rl]'"
        ) from error
    return stable_baselines3


def _model(
    env: Environment, subpopulation: Subpopulation, settings: PolicyGradient, seed: int
) -> Any:
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.vec_env import VecNormalize
    from torch.nn import ReLU

    from taskspace.training.sb3_env import SB3Env

    shaped = env.reward is not None
    copies = TaskVectorEnv(
        env, settings.copies, distribution=subpopulation.distribution, shaped=shaped
    )
    scaled = VecNormalize(
        SB3Env(copies, seed, survival=settings.survival),
        norm_obs=False, gamma=settings.discount,
    )  # fmt: skip
    network: dict[str, Any] = {"net_arch": list(settings.hidden), "activation_fn": ReLU}
    options: dict[str, Any] = {}
    if settings.algorithm == "PPO":
        options = {"n_steps": settings.rollout, "n_epochs": settings.epochs}
        if not env.discrete:
            network["log_std_init"] = settings.log_std
    model = getattr(import_sb3(), settings.algorithm)(
        "MlpPolicy", scaled,
        learning_rate=settings.rate, batch_size=settings.batch, gamma=settings.discount,
        policy_kwargs=network, seed=seed, device="cpu", **options,
    )  # fmt: skip
    model.set_logger(
        Logger(folder=None, output_formats=[])
    )  # the default one makes a folder in /tmp
    return model
