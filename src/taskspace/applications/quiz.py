"""The adaptive quiz: ask an agent what tells most about the tasks that one wants to know about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.model_candidates import Profiler
from taskspace.applications.predictor import PerformancePredictor, as_predictor, check_level
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.success.factors import Floats
from taskspace.outcomes.outcomes import Outcomes

Numbers = NDArray[np.int64]

MOST_TASKS = 1000  # to ask, and to be informed about, at a time: more would take long
_ROWS = 64  # of a table that are worked on at a time: they stay in the cache


class Quiz:
    """A conversation with one agent: a task, its result, the next task.

    Args:
        source: The outcomes of other agents, a `SuccessModel` with its own sample of tasks, or a
            fitted `PerformancePredictor`, which spares seconds where many agents are quizzed.
        targets: The tasks that one wants to know about, by name or number; all by default.
        pool: The tasks that may be asked, by name or number; all by default.
        choose: How the next task is chosen. "information": its answer tells most about the outcome
            on the targets (mutual information, the mean over targets). "uncertain": its answer is
            least certain. "random": any task. No task is proposed twice. Of more than a thousand
            tasks a random thousand may be asked, and counts as targets when tasks are chosen.
        seed: Of what is drawn at random.

    Attributes:
        answers: Tasks and results so far.

    >>> outcomes = Outcomes([[1, 1, 1, 0]] * 9 + [[1, 0, 0, 1]] * 9, 1, tasks=list("abcd"))
    >>> quiz = Quiz(outcomes, targets=["b", "d"], pool=["a", "c"])
    >>> quiz.next()  # everybody solves a
    'c'
    >>> quiz.answer(1)
    >>> quiz.chances().round()
    array([1., 0.])

    `ask` is the same as a loop:

    >>> for task in quiz.ask(until=0.05, at_most=2):
    ...     quiz.answer(1)
    >>> quiz.answers
    [('c', 1.0), ('a', 1.0)]
    """

    def __init__(
        self,
        source: PerformancePredictor | Outcomes | Profiler,
        targets: Any = None,
        *,
        pool: Any = None,
        choose: str = "information",
        seed: int = 0,
    ) -> None:
        if choose not in CHOICES:
            raise ValueError(f"choose must be one of {', '.join(CHOICES)}, not {choose!r}")
        key = checks.seed(seed)
        self._predictor = as_predictor(source)
        self._posterior, self._tasks = self._predictor.posterior_, self._predictor.tasks_
        rng = np.random.default_rng(key)
        self._targets = self._numbers(targets, "the targets")
        self._pool = _some(self._numbers(pool, "the pool"), rng)
        self._aims = _some(self._targets, rng)
        self._order = rng.permutation(len(self._pool))
        self._score = CHOICES[choose]
        self._asked: list[int | None] = []  # None: a task that the predictor does not know
        self.answers: list[tuple[str, float]] = []
        self._proposed: int | None = None
        self._weights = self._posterior.prior

    def next(self) -> str:
        """The task to ask now; the same one until there is an answer."""
        return str(self._tasks[self.next_number()])

    def next_number(self) -> int:
        """The task to ask now, by its number in the outcomes."""
        if self._proposed is None:
            left = self._left
            if not left.any():
                raise ValueError(f"no task is left to ask; the pool has {len(self._pool)} tasks")
            scores = np.where(left, self._score(self), -np.inf)
            self._proposed = int(self._pool[scores.argmax()])
        return self._proposed

    def answer(self, result: float, task: Any = None) -> None:
        """Take the result of the proposed task, or of another.

        Args:
            result: 0, 1 or a success rate.
            task: The task, if it is not the proposed one: a name, a number or features.

        Raises:
            ValueError: The result is something else, or there is no such task.
        """
        value = checks.numbers(result, "the result")
        if value.ndim or not 0 <= value <= 1:
            raise ValueError(f"the result must be 0, 1 or a rate between them, not {result!r}")
        asked = self._proposed if task is None else task
        if asked is None:
            raise ValueError("no task was asked: call next() first, or say which task it is")
        # Answers are independent given the candidate, so that one can be taken after the other.
        self._weights = self._predictor.weights([asked], [float(value)], prior=self._weights)
        number = self._predictor.number(asked)
        self._asked.append(number)
        name = str(asked) if number is None else str(self._tasks[number])
        self.answers.append((name, float(value)))
        self._proposed = None

    def ask(self, *, until: float = 0.0, at_most: int = 20) -> Iterator[str]:
        """Propose tasks until the uncertainty is that low, or so many answers are there."""
        most, enough = checks.whole(at_most, "at_most"), checks.numbers(until, "until")
        if enough.ndim:
            raise ValueError(f"until must be one number, not {until!r}")
        while len(self._asked) < most and self.uncertainty > enough:
            if not self._left.any():
                return
            answers, task = len(self._asked), self.next()
            yield task
            if len(self._asked) == answers:
                raise ValueError(f"there is no answer to {task!r}; give it to answer()")

    @property
    def _left(self) -> NDArray[np.bool_]:
        """Which tasks of the pool have not been asked."""
        return ~np.isin(self._pool, [number for number in self._asked if number is not None])

    @property
    def uncertainty(self) -> float:
        """How many of the targets one would expect to guess wrong now, as a share of them.

        It falls as answers come, on average, but not to 0 if the agent depends on luck.
        """
        chances = self.chances()
        return float(np.minimum(chances, 1 - chances).mean())

    def chances(self, tasks: Any = None) -> Floats:
        """The agent's success probabilities on the targets, or on other tasks."""
        numbers = self._targets if tasks is None else self._numbers(tasks, "the tasks")
        return self._posterior.chances(self._weights, TaskMixture.known(numbers))

    def interval(self, level: float, tasks: Any = None) -> tuple[Floats, Floats]:
        """Bounds of these success probabilities, as `predict` gives them with an interval."""
        numbers = self._targets if tasks is None else self._numbers(tasks, "the tasks")
        return self._posterior.interval(
            self._weights, TaskMixture.known(numbers), check_level(level)
        )

    def _numbers(self, tasks: Any, what: str) -> Numbers:
        if tasks is None:
            return np.arange(len(self._tasks))
        if not checks.listed(tasks, what):
            raise ValueError(f"{what} are empty; give at least one task")
        return self._predictor.numbers(tasks, what)

    # -- scores of the tasks in the pool: the highest is asked ------------------------------------

    def _information(self) -> Floats:
        likely = np.flatnonzero(self._weights > self._weights.max() * 1e-4)  # of all candidates
        weights = self._weights[likely] / self._weights[likely].sum()
        same = np.array_equal(self._pool, self._aims)
        asked = self._posterior.profiles[self._pool].take(likely, axis=1)
        wanted = asked if same else self._posterior.profiles[self._aims].take(likely, axis=1)
        return information(asked, wanted, weights)

    def _doubt(self) -> Floats:
        return -np.abs(self.chances(self._pool) - 0.5)

    def _luck(self) -> Floats:
        return -self._order.astype(np.float64)


def _some(numbers: Numbers, rng: np.random.Generator) -> Numbers:
    """Each number once, in order, or a random part of too many."""
    every = np.unique(numbers)
    return every if len(every) <= MOST_TASKS else np.sort(rng.permutation(every)[:MOST_TASKS])


CHOICES: dict[str, Callable[[Quiz], Floats]] = {
    "information": Quiz._information,
    "uncertain": Quiz._doubt,
    "random": Quiz._luck,
}


def information(asked: NDArray[np.float32], wanted: NDArray[np.float32], weights: Floats) -> Floats:
    """What an answer to each asked task tells about the outcome on a wanted one, in nats.

    Both are profiles (tasks, candidates), and the candidates have `weights`. Given the candidate,
    outcomes are independent. The result (asked,) is the mean mutual information over wanted tasks.

    >>> profiles = np.array([[0, 1], [1, 0], [0.5, 0.5]], np.float32)
    >>> information(profiles, profiles[:2], np.array([0.5, 0.5])).round(3)  # log 2, and nothing
    array([0.693, 0.693, 0.   ])
    """
    from threadpoolctl import threadpool_limits

    share = np.sqrt(weights).astype(np.float32)
    # Where both are the same tasks, so are the factors, and NumPy computes half of the product.
    left = asked * share
    right = left if wanted is asked else wanted * share
    with threadpool_limits(1):  # the same bits on any number of cores
        both = left @ right.T  # (asked, wanted): both are solved
    first, second = (p @ weights.astype(np.float32) for p in (asked, wanted))
    blocks = range(0, len(asked), _ROWS)
    cells = [_cells(both[i : i + _ROWS], first[i : i + _ROWS, None], second) for i in blocks]
    alone = _negative_entropy(first[:, None]) + _negative_entropy(1 - first[:, None])
    others = _negative_entropy(second[None]) + _negative_entropy(1 - second[None])
    found: Floats = np.maximum(np.concatenate(cells) - alone - others, 0.0).astype(np.float64)
    return found


def _cells(
    both: NDArray[np.float32], first: NDArray[np.float32], second: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The negative entropy of both outcomes together, over all four ways that they can go."""
    only_second = second - both
    parts = (both, first - both, only_second, 1 - first - only_second)
    total: NDArray[np.float32] = np.sum([_negative_entropy(part) for part in parts], axis=0)
    return total


def _negative_entropy(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of p log p in every row."""
    logs = np.maximum(chances, np.float32(1e-9))
    np.log(logs, out=logs)
    total: NDArray[np.float32] = np.einsum("aw,aw->a", chances, logs) / chances.shape[1]
    return total
