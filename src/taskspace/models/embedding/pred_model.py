"""`PredModel`: a baseline from prior work, which learns to predict the transitions of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from taskspace import checks
from taskspace.envs.base import Environment, check_environment
from taskspace.models.embedding.network import perceptron
from taskspace.models.embedding.network_embedding import NetworkEmbedding, check_layers
from taskspace.progress import progress_bar
from taskspace.rollouts.trajectories import Episodes, record
from taskspace.torch_state import one_thread, torch_seed

CHECK_EVERY = 250  # steps between two entries of the history
LOSSES = ("loss", "kl", "reward", "state")


class PredModel(NetworkEmbedding):
    """Learns a vector for every task from which reward and next state can be predicted.

    An inference network returns a Gaussian q(z | task), and a second network predicts reward and
    next state from state, action and a sample of z. The loss is
    `kl_weight` KL(q || N(0, I)) + `reward_weight` (error of the reward)^2 + `state_weight` |error
    of the next state|^2. The vector of a task is the mean of its Gaussian.

    Tasks, states and continuous actions are standardized, so that `state_weight` has the same
    meaning in every column and environment. Rewards are not: they are 0 or 1.

    Args:
        n_components: The number of dimensions.
        context: The indices of the columns that describe the task and not the state
            (`env.context_columns`). They are hidden from the predicting network, so that it has to
            use z.
        hidden: The sizes of the hidden layers of both networks.
        reward_weight: The weight of the error of the reward.
        state_weight: The weight of the error of the next state.
        kl_weight: The weight of the KL divergence.
        learning_rate: The learning rate.
        batch_size: The number of transitions per step.
        epochs: The number of passes over the transitions.
        most_steps: The largest number of steps. In CartPoleVar, the paper's 500 passes would be 2
            million steps, and the loss hardly falls after the first 20,000.
        random_state: The seed; None draws one from the operating system.
        progress: Whether to show a progress bar; by default only on a terminal.

    Attributes:
        n_components_: The number of dimensions.
        network_: The inference network, without its variances.
        mean_: The mean of each column of the tasks.
        scale_: The standard deviation of each column of the tasks.
        history_: The losses during training, with their steps.

    >>> import taskspace as ts
    >>> from taskspace.models.embedding.pred_model import PredModel, expert_episodes
    >>> env = ts.make("MultiKeyNav")
    >>> from taskspace.agents.policies import ExpertPolicy
    >>> episodes = expert_episodes(ExpertPolicy(env), env, 200)
    >>> model = PredModel(6, context=env.context_columns, epochs=2, random_state=0).fit(episodes)
    >>> model.transform(env.sample_tasks(5, seed=1)).shape
    (5, 6)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        context: Sequence[int] | NDArray[np.int64] = (),
        hidden: Sequence[int] = (128, 128),
        reward_weight: float = 1.0,
        state_weight: float = 1.0,
        kl_weight: float = 0.01,
        learning_rate: float = 1e-3,
        batch_size: int = 512,
        epochs: int = 500,
        most_steps: int = 20_000,
        random_state: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_components = n_components
        self.context = context
        self.hidden = hidden
        self.reward_weight = reward_weight
        self.state_weight = state_weight
        self.kl_weight = kl_weight
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.most_steps = most_steps
        self.random_state = random_state
        self.progress = progress

    def fit(self, episodes: Episodes) -> PredModel:
        """Learn from the transitions of episodes.

        Args:
            episodes: The episodes; the first state of an episode is its task.

        Returns:
            The model itself.

        Raises:
            ValueError: If an argument is invalid.
        """
        self._check_settings()
        if not isinstance(episodes, Episodes):
            kind = type(episodes).__name__
            raise ValueError(f"episodes must be Episodes, e.g. from record, got {kind}")
        tasks = validate_data(self, episodes.states[episodes.starts[:-1]], dtype=np.float64)
        transitions = Transitions.of(episodes, self._learn_scale(tasks).float(), self.context)
        rng = np.random.default_rng(self.random_state)
        with torch_seed(int(rng.integers(2**31))):
            encoder, predictor = self._networks(transitions)
        steps = min(self.epochs * -(-len(transitions) // self.batch_size), self.most_steps)
        noise = torch.Generator().manual_seed(int(rng.integers(2**31)))
        with one_thread(), progress_bar("Learning to predict", steps, self.progress) as advance:
            self.history_ = self._train(encoder, predictor, transitions, steps, noise, advance)
        self.n_components_ = int(self.n_components)
        self.network_ = _mean_half(encoder).double()
        return self

    def _networks(self, transitions: Transitions) -> tuple[torch.nn.Sequential, ...]:
        """The inference network (mean and log variance of z) and the predicting network."""
        encoder = (transitions.tasks.shape[1], *self.hidden, 2 * self.n_components)
        seen = transitions.inputs.shape[1] + self.n_components
        predictor = (seen, *self.hidden, transitions.targets.shape[1])
        return perceptron(encoder), perceptron(predictor)

    def _train(
        self,
        encoder: torch.nn.Module,
        predictor: torch.nn.Module,
        transitions: Transitions,
        steps: int,
        noise: torch.Generator,
        advance: Callable[[int], None],
    ) -> dict[str, list[float]]:
        """Train with Adam; the history has the mean losses since the last entry."""
        weights = [*encoder.parameters(), *predictor.parameters()]
        optimizer = torch.optim.Adam(weights, self.learning_rate, fused=True)
        batches = transitions.batches(self.batch_size, noise)
        history: dict[str, list[float]] = {"step": [], **{name: [] for name in LOSSES}}
        for start in range(0, steps, CHECK_EVERY):
            count = min(CHECK_EVERY, steps - start)
            total = torch.zeros(len(LOSSES))
            for _ in range(count):
                losses = self._losses(encoder, predictor, next(batches), noise)
                optimizer.zero_grad()
                losses[0].backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                total += torch.stack(losses).detach()
            history["step"].append(start + count)
            for name, value in zip(LOSSES, (total / count).tolist(), strict=True):
                history[name].append(value)
            advance(count)
        return history

    def _losses(
        self,
        encoder: torch.nn.Module,
        predictor: torch.nn.Module,
        batch: tuple[torch.Tensor, ...],
        noise: torch.Generator,
    ) -> tuple[torch.Tensor, ...]:
        """The loss on a batch, and its three parts."""
        tasks, inputs, targets = batch
        mean, log_variance = encoder(tasks).chunk(2, dim=1)
        drawn = torch.randn(mean.shape, generator=noise)
        z = torch.addcmul(mean, torch.exp(0.5 * log_variance), drawn)
        errors = (predictor(torch.cat([inputs, z], dim=1)) - targets).square().mean(0)
        reward, state = errors[0], errors[1:].sum()
        kl = gaussian_kl(mean, log_variance)
        total = self.kl_weight * kl + self.reward_weight * reward + self.state_weight * state
        return total, kl, reward, state

    def _check_settings(self) -> None:
        for name, most in (
            ("n_components", checks.MOST_DIMENSIONS), ("batch_size", checks.LARGEST_BATCH),
            ("epochs", checks.MOST), ("most_steps", checks.MOST),
        ):  # fmt: skip
            checks.whole(getattr(self, name), name, 1, most)
        check_layers(self.hidden)
        for name in ("reward_weight", "state_weight", "kl_weight"):
            if not getattr(self, name) >= 0:
                raise ValueError(
                    f"{name} must be at least 0, got {checks.brief(getattr(self, name))}"
                )
        if not self.learning_rate > 0:
            raise ValueError(
                f"learning_rate must be positive, got {checks.brief(self.learning_rate)}"
            )

    def _findings(self) -> dict[str, Any]:
        return {"history": self.history_}

    def _restore_findings(self, settings: dict[str, Any]) -> None:
        self.history_ = settings["history"]


def gaussian_kl(mean: torch.Tensor, log_variance: torch.Tensor) -> torch.Tensor:
    """Mean KL divergence of diagonal Gaussians, one per row, from the standard normal."""
    each = mean.square() + log_variance.exp() - log_variance - 1
    return 0.5 * each.sum(1).mean()


def _mean_half(encoder: torch.nn.Sequential) -> torch.nn.Sequential:
    """The inference network without its log variances."""
    *hidden, last = encoder
    assert isinstance(last, torch.nn.Linear)
    size = last.out_features // 2
    mean = torch.nn.utils.skip_init(  # type: ignore[no-untyped-call]
        torch.nn.Linear, last.in_features, size
    )
    mean.load_state_dict({"weight": last.weight[:size], "bias": last.bias[:size]})
    return torch.nn.Sequential(*hidden, mean)


# -- transitions -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Transitions:
    """All transitions as tensors, in the form that the networks take."""

    tasks: torch.Tensor  # (episodes, columns)
    episode: torch.Tensor  # (steps,), the task of each transition
    inputs: torch.Tensor  # (steps, …): state without context, action
    targets: torch.Tensor  # (steps, …): reward, next state without context

    @classmethod
    def of(cls, episodes: Episodes, tasks: torch.Tensor, context: Any) -> Transitions:
        """Extract the transitions of episodes; `tasks` are their standardized first states."""
        states, following = _standardized_states(episodes, context)
        rewards = checks.numbers(episodes.rewards, "rewards")[:, None]
        episode = np.repeat(np.arange(len(episodes)), episodes.lengths)
        return cls(
            tasks,
            torch.from_numpy(episode),
            _single(states, _action_columns(episodes.actions)),
            _single(rewards, following),
        )

    def __len__(self) -> int:
        return len(self.episode)

    def batches(self, size: int, generator: torch.Generator) -> Iterator[tuple[torch.Tensor, ...]]:
        """Endless passes in random order: tasks, inputs and targets of each batch."""
        while True:
            for chosen in torch.split(torch.randperm(len(self), generator=generator), size):
                yield (  # index_select is several times faster than indexing
                    self.tasks.index_select(0, self.episode.index_select(0, chosen)),
                    self.inputs.index_select(0, chosen),
                    self.targets.index_select(0, chosen),
                )


def _standardized_states(episodes: Episodes, context: Any) -> tuple[NDArray[np.float64], ...]:
    """States and next states without context, standardized together."""
    columns = episodes.states.shape[1]
    dropped = [checks.whole(column, "a context column") for column in context]
    if len(set(dropped)) < len(dropped) or not all(column < columns for column in dropped):
        raise ValueError(f"context must be distinct columns below {columns}, got {dropped}")
    if len(dropped) == columns:
        raise ValueError(
            f"context must leave at least one column of the state, got all {columns} columns"
        )
    visible = np.setdiff1d(np.arange(columns), dropped)
    both = [
        checks.numbers(s[:, visible], "states") for s in (episodes.states, episodes.next_states)
    ]
    # Over both: a column may be constant in all states and vary in the next states.
    mean = (both[0].mean(0) + both[1].mean(0)) / 2
    variance = sum(np.square(part - mean).mean(0) for part in both) / 2
    scale = np.maximum(np.sqrt(variance), 1e-6)
    return tuple((part - mean) / scale for part in both)


def _action_columns(actions: NDArray[Any]) -> NDArray[np.float64]:
    """Discrete actions one-hot encoded; continuous actions standardized."""
    if actions.ndim == 1 and actions.dtype.kind in "iu":
        return np.eye(int(actions.max()) + 1)[actions]
    numbers = checks.numbers(actions, "actions").reshape(len(actions), -1)
    return (numbers - numbers.mean(0)) / np.maximum(numbers.std(0), 1e-6)


def _single(*columns: NDArray[np.float64]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate([part.astype(np.float32) for part in columns], axis=1))


# -- the data --------------------------------------------------------------------------------------

ROUND = 4096  # largest number of tasks per round
FEWEST = 256  # smallest number of tasks per round
HARDLY_ANY = 0.01  # smallest fraction of solved tasks


def expert_episodes(expert: Any, env: Environment, n: int = 10_000, *, seed: int = 0) -> Episodes:
    """Record episodes of random tasks that the expert, or any other agent, solved.

    The reward is 1 in the step that solves the task and 0 before, even if the environment shapes
    its reward for training.

    Args:
        expert: The agent.
        env: The environment.
        n: The number of solved episodes.
        seed: The seed of tasks and rollouts.

    Returns:
        The episodes.

    Raises:
        TypeError: If `env` is not an environment.
        ValueError: If an argument is invalid, or if the agent solves hardly any task.

    >>> import taskspace as ts
    >>> env = ts.make("MultiKeyNav")
    >>> from taskspace.agents.policies import ExpertPolicy
    >>> episodes = expert_episodes(ExpertPolicy(env), env, 30)
    >>> len(episodes), bool(episodes.solved.all())
    (30, True)
    """
    wanted = checks.whole(n, "the number of episodes", 1)
    table = check_environment(env).table("all")
    most = ROUND if table is None else min(ROUND, len(table))
    rng = np.random.default_rng(checks.seed(seed))
    found: list[Episodes] = []
    played, missing = 0, wanted
    while missing:
        tasks_seed, play_seed = (int(number) for number in rng.integers(2**63, size=2))
        tasks = env.sample_tasks(min(max(missing, FEWEST), most), seed=tasks_seed)
        found.append(_solved(record(expert, env, tasks, seed=play_seed), missing))
        played, missing = played + len(tasks), missing - len(found[-1])
        if played >= 1000 and wanted - missing < HARDLY_ANY * played:
            raise ValueError(
                f"the expert must solve most tasks of {env.name},"
                f" got {wanted - missing} solved of {played}"
            )
    return _joined(found)


def _solved(episodes: Episodes, most: int) -> Episodes:
    """The first solved episodes, at most `most`, with reward 1 at the end."""
    chosen = episodes.solved & (np.cumsum(episodes.solved) <= most)
    steps = np.repeat(chosen, episodes.lengths)
    starts = np.concatenate([[0], np.cumsum(episodes.lengths[chosen])])
    rewards = np.zeros(starts[-1])
    rewards[starts[1:] - 1] = 1.0
    return Episodes(
        episodes.states[steps],
        episodes.actions[steps],
        episodes.next_states[steps],
        rewards,
        episodes.solved[chosen],
        starts,
    )


def _joined(parts: Sequence[Episodes]) -> Episodes:
    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    names = ("states", "actions", "next_states", "rewards", "solved")
    starts = np.concatenate([[0], np.cumsum(column("lengths"))])
    return Episodes(**{name: column(name) for name in names}, starts=starts)
