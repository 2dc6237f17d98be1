"""Policy gradient: networks that learn from rewards, by Stable-Baselines3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taskspace.agents.adapters import as_policy
from taskspace.agents.agent import Agent
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.to_gymnasium import TaskVectorEnv
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import DELTA, Report, Snapshots
from taskspace.training.subpopulations import Subpopulation


@dataclass(frozen=True)
class PolicyGradient:
    """How a network is trained, for every subpopulation alike.

    Rewards are scaled as they come (PointMass has a prize of 10,000), observations are not:
    the networks must play on raw ones.
    """

    algorithm: str = "PPO"  # or SAC, where actions are continuous
    steps: int = 250_000
    every: int = 8192  # steps from one measurement of skill to the next
    copies: int = 64
    rollout: int = 128  # steps of each copy from one update to the next (PPO)
    epochs: int = 10  # (PPO)
    batch: int = 1024
    rate: float = 1e-3
    discount: float = 0.99
    hidden: tuple[int, ...] = (64, 64)
    survival: bool = False  # reward every step; else the shaped reward, or the sparse one
    log_std: float = 0.0  # of the first actions, where they are continuous (PPO)

    def __post_init__(self) -> None:
        if self.algorithm not in ("PPO", "SAC"):
            raise ValueError(f"the algorithm is 'PPO' or 'SAC', not {self.algorithm!r}")


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
    """Train a network on the subpopulation's tasks; snapshots of rising skill on `tasks`.

    It sets PyTorch's global seed and number of threads (one: more would only wait for each
    other), so `train_population` runs it in a process of its own.
    """
    if subpopulation.masked or subpopulation.blur:
        raise ValueError(
            f"{subpopulation.name}: policy gradient takes no masks, only distributions"
        )
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


def import_sb3() -> Any:
    """Stable-Baselines3, or a sentence on how to get it."""
    try:
        import stable_baselines3
    except ImportError as error:
        raise ImportError(
            "policy gradient needs Stable-Baselines3: pip install 'taskspace[rl]'"
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
    model.set_logger(Logger(folder=None, output_formats=[]))  # or it leaves a folder in /tmp
    return model
