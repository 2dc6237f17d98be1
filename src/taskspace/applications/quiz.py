"""The adaptive quiz: ask an agent the question that is most informative about the target tasks."""

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

MOST_TASKS = 1000  # in the pool and among the targets; more would make each choice slow
_ROWS = 64  # rows of a table per block, so that a block stays in the cache


class Quiz:
    """An adaptive quiz with one agent: it proposes a task, takes the result and chooses the next.

    No task is proposed twice. If the pool or the targets have more than 1000 tasks, a random
    sample of 1000 is used to choose the next task.

    Args:
        source: The outcomes of other agents, a `SuccessModel` of them, or a fitted
            `PerformancePredictor`. Fitting takes seconds, so pass a fitted predictor if you quiz
            several agents.
        targets: The tasks to learn about, by name (text) or position (integers); all tasks by
            default.
        pool: The tasks that may be asked, in the same form; all tasks by default.
        choose: How to choose the next task. "information" takes the task whose answer reduces the
            expected error of the aim most, given everything asked so far; near-copies of an
            answered task reduce it little. "uncertain" takes the task whose probability of success
            is nearest to 0.5. "random" takes a random task.
        aim: What to learn. "tasks": the result on every target. "score": the mean result over the
            targets. "labels": the mean result over the targets with each value of the label `by`.
        by: The name of a label of the tasks, for `aim="labels"` and `at_most_per_label`.
        at_most_per_label: The largest number of answers on tasks with the same value of the label
            `by`; tasks without a value are not limited.
        among: To limit how often a task is asked over many agents, the next task is drawn at random
            from this number of best ones; give each agent its own seed.
        seed: The seed of all random choices.

    Attributes:
        answers: The (task, result) pairs so far.

    Raises:
        TypeError: If `source` has another type.
        ValueError: If an argument is invalid, or if a task or label is unknown.

    >>> outcomes = Outcomes([[1, 1, 1, 0]] * 9 + [[1, 0, 0, 1]] * 9, 1, tasks=list("abcd"))
    >>> quiz = Quiz(outcomes, targets=["b", "d"], pool=["a", "c"])
    >>> quiz.next()  # all agents solve a
    'c'
    >>> quiz.answer(1)
    >>> quiz.predict_proba().round()
    array([1., 0.])

    `ask` runs the same steps as a loop:

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
        aim: str = "tasks",
        by: str | None = None,
        at_most_per_label: int | None = None,
        among: int = 1,
        seed: int = 0,
    ) -> None:
        _check_choice(choose, "choose", CHOICES)
        _check_choice(aim, "aim", AIMS)
        _check_label(aim, by, at_most_per_label)
        self._most_per_label = at_most_per_label
        self._among = checks.whole(among, "among", 1)
        key = checks.seed(seed)
        named = {"the targets": targets, "the pool": pool}
        self._predictor = as_predictor(source, tasks=named)
        self._posterior, self._tasks = self._predictor.posterior_, self._predictor.tasks_
        self._rng = rng = np.random.default_rng(key)
        self._targets = self._numbers(targets, "the targets")
        self._pool = _some(self._numbers(pool, "the pool"), rng)
        self._labels = self._predictor.label_numbers(by)
        self._objective = self._objective_of(aim, _some(self._targets, rng))
        self._order = rng.permutation(len(self._pool))
        self._value = CHOICES[choose]
        self._asked: list[int | None] = []  # None stands for a task that is new to the predictor
        self.answers: list[tuple[str, float]] = []
        self._proposed: int | None = None
        self._weights = self._posterior.prior

    def next(self) -> str:
        """Propose the next task; repeated calls return the same task until it is answered.

        Returns:
            The name of the task.

        Raises:
            ValueError: If all tasks of the pool have been asked.
        """
        return str(self._tasks[self.next_number()])

    def next_number(self) -> int:
        """Propose the next task, like `next`.

        Returns:
            The position of the task in the outcomes.

        Raises:
            ValueError: If all tasks of the pool have been asked.
        """
        if self._proposed is None:
            left = self._left
            if not left.any():
                raise ValueError(f"no task is left to ask; all {len(self._pool)} have been asked")
            scores = np.where(left, self._score(self), -np.inf)
            self._proposed = int(self._pool[scores.argmax()])
        return self._proposed

    def answer(self, result: float, task: Any = None) -> None:
        """Record the result of the proposed task, or of another task.

        Args:
            result: 0, 1 or a success rate.
            task: The task, by name (text), position (an integer) or features; the proposed task
                by default.

        Raises:
            ValueError: If `result` is not between 0 and 1, or if the task is unknown.
        """
        value = checks.numbers(result, "the result")
        if value.ndim or not 0 <= value <= 1:
            raise ValueError(f"the result must be a number from 0 to 1, got {checks.brief(result)}")
        if task is None and self._proposed is None:
            raise ValueError("there is no proposed task to answer; call next() first, or pass task")
        asked = str(self._tasks[self._proposed]) if task is None else task
        # Answers are independent given the candidate, so the weights can be updated one by one.
        self._weights = self._predictor.weights([asked], [float(value)], prior=self._weights)
        number = self._predictor.number(asked)
        self._asked.append(number)
        name = str(asked) if number is None else str(self._tasks[number])
        self.answers.append((name, float(value)))
        self._proposed = None

    def ask(self, *, until: float = 0.0, at_most: int = 20) -> Iterator[str]:
        """Propose tasks one after another; answer each one before the next.

        Args:
            until: Stop when `expected_error_rate` is at most this, from 0 to 1.
            at_most: Stop after this number of answers, earlier answers included.

        Yields:
            The name of each proposed task.

        Raises:
            ValueError: If a proposed task was not answered, or if an argument is invalid.
        """
        return self._ask(check_until(until), checks.whole(at_most, "at_most"))

    def _ask(self, enough: float, most: int) -> Iterator[str]:
        while len(self._asked) < most and self.expected_error_rate > enough:
            if not self._left.any():
                return
            answers, task = len(self._asked), self.next()
            yield task
            if len(self._asked) == answers:
                raise ValueError(f"there is no answer to {task!r}; pass its result to answer()")

    @property
    def _left(self) -> NDArray[np.bool_]:
        """Which tasks of the pool have not been asked."""
        return ~np.isin(self._pool, [number for number in self._asked if number is not None])

    @property
    def expected_error_rate(self) -> float:
        """The expected error rate if the result on each target is guessed now.

        On average it falls with every answer. It does not reach 0 if the agent's results vary
        from attempt to attempt.
        """
        predicted = self.predict_proba()
        return float(np.minimum(predicted, 1 - predicted).mean())

    def predict_proba(self, tasks: Any = None) -> Floats:
        """Predict the agent's probability of success, given the answers so far.

        Args:
            tasks: The tasks, by name (text) or position (integers); the targets by default.

        Returns:
            One probability per task.

        Raises:
            ValueError: If a task is unknown.
        """
        return self._probabilities(
            self._targets if tasks is None else self._numbers(tasks, "the tasks")
        )

    def _probabilities(self, numbers: Numbers) -> Floats:
        return self._posterior.mean(self._weights, TaskMixture.known(numbers))

    def interval(self, level: float, tasks: Any = None) -> tuple[Floats, Floats]:
        """Return bounds of the agent's probability of success, given the answers so far.

        Args:
            level: The probability that a bound pair contains the true value, e.g. 0.9.
            tasks: The tasks, by name (text) or position (integers); the targets by default.

        Returns:
            The lower and the upper bounds, one of each per task.

        Raises:
            ValueError: If `level` is not between 0 and 1, or if a task is unknown.
        """
        numbers = self._targets if tasks is None else self._numbers(tasks, "the tasks")
        return self._posterior.interval(
            self._weights, TaskMixture.known(numbers), check_level(level)
        )

    def _numbers(self, tasks: Any, what: str) -> Numbers:
        if tasks is None:
            return np.arange(len(self._tasks))
        if not checks.listed(tasks, what):
            raise ValueError(f"{what} must have at least one task, got an empty list")
        return self._predictor.numbers(tasks, what)

    # -- scores of the tasks in the pool: the highest is proposed ---------------------------------

    def _information(self) -> Floats:
        likely = np.flatnonzero(self._weights > self._weights.max() * 1e-4)
        weights = self._weights[likely] / self._weights[likely].sum()
        same = np.array_equal(self._pool, self._aims)
        asked = self._posterior.profiles[self._pool].take(likely, axis=1)
        wanted = asked if same else self._posterior.profiles[self._aims].take(likely, axis=1)
        return information(asked, wanted, weights)

    def _uncertainty(self) -> Floats:
        return -np.abs(self._probabilities(self._pool) - 0.5)

    def _random(self) -> Floats:
        return -self._order.astype(np.float64)


def check_until(until: Any, what: str = "until") -> float:
    """Check the error rate at which a quiz ends."""
    rate = checks.numbers(until, what)
    if rate.ndim or not 0 <= rate <= 1:
        raise ValueError(f"{what} must be an error rate from 0 to 1, got {checks.brief(until)}")
    return float(rate)


def _some(numbers: Numbers, rng: np.random.Generator) -> Numbers:
    """The distinct numbers in order, or a random sample of MOST_TASKS of them."""
    every = np.unique(numbers)
    return every if len(every) <= MOST_TASKS else np.sort(rng.permutation(every)[:MOST_TASKS])


CHOICES: dict[str, Callable[[Quiz], Floats]] = {
    "information": Quiz._information,
    "uncertain": Quiz._uncertainty,
    "random": Quiz._random,
}
