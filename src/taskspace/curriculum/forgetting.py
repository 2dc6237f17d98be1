"""Forgetting: how long episodes are remembered, decided by how well the next ones are predicted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from taskspace.curriculum.estimators import Episodes, Estimator, Floats

MEMORIES = (1000.0, 4000.0, 16_000.0)  # episodes
FIRST = 1  # the memory that is used until others predict better
_SCORE_MEMORY = 5000.0  # episodes over which the memories are compared
_CERTAIN = 1e-6


class AdaptiveForgetting:
    """The same estimator with several memories; the one that predicts new episodes best counts.

    New episodes are predicted before the estimators learn from them, so the likelihood is held
    out. A learner that changes quickly needs a short memory, one that has converged a long one.

    Attributes:
        memories: The memories, in episodes.
        scores: The recent log-likelihood of each.

    >>> from taskspace.curriculum.estimators import TaskEstimator
    >>> forgetting, rng = AdaptiveForgetting(lambda: TaskEstimator(1)), np.random.default_rng(0)
    >>> for _ in range(100):  # nothing changes
    ...     forgetting.update(Episodes.of(np.zeros(100, int), rng.random(100) < 0.5))
    >>> forgetting.memory
    16000.0
    """

    def __init__(self, make: Callable[[], Estimator], memories: Sequence[float] = MEMORIES) -> None:
        self.memories = tuple(memories)
        self.estimators = [make() for _ in self.memories]
        self.scores = np.zeros(len(self.memories))

    @property
    def best(self) -> int:
        """The position of the memory that predicts best."""
        if not self.scores.any():
            return min(FIRST, len(self.memories) - 1)
        return int(self.scores.argmax())

    @property
    def memory(self) -> float:
        """The memory that predicts best, in episodes."""
        return self.memories[self.best]

    def update(self, episodes: Episodes) -> None:
        """Score all memories on these episodes, and learn from them."""
        self.scores = self.scores * np.exp(-episodes.weights.sum() / _SCORE_MEMORY)
        for index, estimator in enumerate(self.estimators):
            rates = np.clip(estimator.probabilities(episodes.tasks), _CERTAIN, 1 - _CERTAIN)
            logs = np.log(np.where(episodes.successes > 0, rates, 1 - rates))
            self.scores[index] += episodes.weights @ logs
            estimator.update(episodes, self.memories[index])

    def probabilities(self) -> Floats:
        """The probability of success on all tasks."""
        return self.estimators[self.best].probabilities()

    def fast_and_slow(self) -> tuple[Floats, Floats]:
        """Probabilities by a short and by a long memory, whose difference is progress."""
        return self.estimators[0].probabilities(), self.estimators[-1].probabilities()

    def state(self) -> dict[str, NDArray[np.float64]]:
        """What `restore` needs."""
        found = {"scores": self.scores}
        for index, estimator in enumerate(self.estimators):
            found |= {f"{index}.{name}": value for name, value in estimator.state().items()}
        return found

    def restore(self, state: dict[str, NDArray[np.float64]]) -> None:
        """Return to a state."""
        self.scores = state["scores"]
        for index, estimator in enumerate(self.estimators):
            start = f"{index}."
            estimator.restore(
                {name.removeprefix(start): v for name, v in state.items() if name.startswith(start)}
            )
