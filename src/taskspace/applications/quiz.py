"""The adaptive quiz: ask an agent the question whose answer tells most about the target tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.full_scores import width_on
from taskspace.applications.intervals import check_level, containing
from taskspace.applications.linear_share import blend, each_once
from taskspace.applications.model_candidates import Profiler
from taskspace.applications.predictor import PerformancePredictor, as_predictor
from taskspace.applications.question_value import Objective
from taskspace.applications.quiz_checks import check_aim, check_choice, check_until
from taskspace.applications.return_answers import refuse_returns
from taskspace.applications.scores import LEAST_AGENTS, Scores, groups_by
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.success.factors import Floats
from taskspace.outcomes.outcomes import Outcomes

Numbers = NDArray[np.int64]

MOST_TASKS = 1000  # in the pool and among the targets; more would make each choice slow
ALL_TARGETS = "all targets"


class Quiz:
    """An adaptive quiz with one agent: it proposes a task, takes the result and chooses the next.

    If the source is one of returns, answers and predictions are in returns.

    No task is proposed twice, and none on which all known agents have the same return. If the pool
    or the targets have more than 1000 tasks, a random sample of 1000 is used to choose the next
    task.

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
            is nearest to 0.5, or whose expected return is least certain. "random" takes a random
            task.
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
        scale: The scale of returns, or None if results are successes.

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
        check_choice(choose, "choose", tuple(CHOICES))
        check_aim(aim, by, at_most_per_label)
        self._aim, self._most_per_label = aim, at_most_per_label
        self._among = checks.whole(among, "among", 1)
        key = checks.seed(seed)
        named = {"the targets": targets, "the pool": pool}
        self._predictor = as_predictor(source, tasks=named)
        self._posterior, self._tasks = self._predictor.posterior_, self._predictor.tasks_
        self.scale = self._predictor.scale_
        self._rng = rng = np.random.default_rng(key)
        self._targets = self._numbers(targets, "the targets")
        self._pool = _some(self._telling(self._numbers(pool, "the pool")), rng)
        self._names, self._labels = groups_by(self._predictor.labels_, by, len(self._tasks))
        self._objective = self._objective_of(_some(self._targets, rng))
        self._order = rng.permutation(len(self._pool))
        self._value = CHOICES[choose]
        self._asked: list[int] = []  # -1 stands for a task that is new to the predictor
        self._normalised: list[float] = []  # the results, from 0 to 1
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
            left = np.flatnonzero(self._left)
            if not len(left):
                limit = self._most_per_label
                raise ValueError(
                    f"no task is left to ask; all {len(self._pool)} have been asked"
                    + ("" if limit is None else f", or {limit} with the same label")
                )
            best = left[np.argsort(-self._value(self)[left], kind="stable")[: self._among]]
            drawn = self._rng.integers(len(best)) if self._among > 1 else 0
            self._proposed = int(self._pool[best[drawn]])
        return self._proposed

    def answer(self, result: float, task: Any = None) -> None:
        """Record the result of the proposed task, or of another task.

        Args:
            result: 0, 1 or a success rate; or a return, if the source is one of returns.
            task: The task, by name (text), position (an integer) or features; the proposed task
                by default.

        Raises:
            ValueError: If `result` is not between 0 and 1, or not a possible return, or if the
                task is unknown.

        Warns:
            UserWarning: If a return is beyond those of the known agents, or if several answers look
                like successes but returns are expected.
        """
        value = checks.numbers(result, "the result")
        if value.ndim:
            raise ValueError(f"the result must be one number, got {checks.brief(result)}")
        if self.scale is None and not 0 <= value <= 1:
            raise ValueError(f"the result must be a number from 0 to 1, got {checks.brief(result)}")
        if task is None and self._proposed is None:
            raise ValueError("there is no proposed task to answer; call next() first, or pass task")
        asked = str(self._tasks[self._proposed]) if task is None else task
        normalised = self._predictor.answer_scale.normalised([asked], [float(value)])
        # Answers are independent given the candidate, so the weights can be updated one by one.
        self._weights = self._predictor.weights_of([asked], normalised, prior=self._weights)
        number = self._predictor.number(asked)
        self._asked.append(-1 if number is None else number)
        name = str(asked) if number is None else str(self._tasks[number])
        self.answers.append((name, float(value)))
        self._normalised.append(float(normalised[0]))
        self._posterior = self._predictor.posterior_.after(*self._answered)
        self._proposed = None
        if self.scale is not None:
            self._warn_if_successes()

    def _warn_if_successes(self) -> None:
        """Warn if all answers look like successes, but returns are expected."""
        known = np.array(self._asked, np.int64) >= 0
        tasks, results = (np.array(part)[known] for part in zip(*self.answers, strict=True))
        self._predictor.answer_scale.warn_if_successes(tasks, results)

    def ask(
        self,
        *,
        until: float = 0.0,
        at_most: int = 20,
        width: float | None = None,
        level: float = 0.9,
    ) -> Iterator[str]:
        """Propose tasks one after another; answer each one before the next.

        Args:
            until: Stop when `expected_error_rate` is at most this, from 0 to 1.
            at_most: Stop after this number of answers, earlier answers included.
            width: Stop when the interval of the score is at most this wide, from 0 to 1, e.g. 0.1
                for ± 5 %, or in returns; with `aim="labels"`, that of every label's score. See
                `score`.
            level: The level of this interval.

        Yields:
            The name of each proposed task.

        Raises:
            ValueError: If a proposed task was not answered, or if an argument is invalid.
        """
        enough, most = check_until(until), checks.whole(at_most, "at_most")
        sure, wide = check_level(level, "level"), None
        if width is not None:
            width_on(self.scale, width)
            wide = float(width)
            self.score(level=sure)  # fails before the first question
        return self._ask(enough, most, wide, sure)

    def _ask(self, enough: float, most: int, width: float | None, level: float) -> Iterator[str]:
        while len(self._asked) < most and self.expected_error_rate > enough:
            if not self._left.any() or (width is not None and self._is_narrow(width, level)):
                return
            answers, task = len(self._asked), self.next()
            yield task
            if len(self._asked) == answers:
                raise ValueError(f"there is no answer to {task!r}; pass its result to answer()")

    def _is_narrow(self, width: float, level: float) -> bool:
        found = self.score(level=level)
        return bool((found.high - found.low <= width).all())

    @property
    def _given(self) -> tuple[Numbers, Floats]:
        """The answered tasks, of which those that are new to the predictor are -1, and results.

        Returns are normalised.
        """
        return np.array(self._asked, np.int64), np.array(self._normalised)

    @property
    def _answered(self) -> tuple[Numbers, Floats]:
        """The known tasks among the answered ones, and the results on them."""
        numbers, results = self._given
        return numbers[numbers >= 0], results[numbers >= 0]

    @property
    def _left(self) -> NDArray[np.bool_]:
        """Which tasks of the pool may still be asked."""
        asked = self._answered[0]
        left: NDArray[np.bool_] = ~np.isin(self._pool, asked)
        if self._most_per_label is not None:
            labels = self._labels[asked]
            counts = np.bincount(labels[labels >= 0], minlength=len(self._names))
            full = np.flatnonzero(counts >= self._most_per_label)
            left &= ~np.isin(self._labels[self._pool], full)
        return left

    @property
    def has_score(self) -> bool:
        """Whether `score` can be estimated: the predictor knows the results of enough agents."""
        population = self._predictor.population_
        return population is not None and len(population.rates) >= LEAST_AGENTS

    def score(self, *, level: float = 0.9) -> Scores:
        """Estimate the full score on the targets, given the answers so far.

        See `PerformancePredictor.score`. A task that was answered several times counts with the
        mean of its results. Answers on tasks that are new to the predictor do not count.

        Args:
            level: The probability that an interval contains the full score.

        Returns:
            The score over all targets, or with `aim="labels"` one per value of the label.

        Raises:
            ValueError: If `level` is not between 0 and 1, or if the predictor cannot estimate
                scores.
        """
        sure = check_level(level, "level")
        tasks, means = each_once(*self._answered)
        names, groups = np.array([ALL_TARGETS]), np.zeros(len(self._tasks), np.int64)
        if self._aim == "labels":
            names, groups = self._names, self._labels
        is_target = np.isin(np.arange(len(groups)), self._targets)
        among = names, np.where(is_target, groups, -1)
        return self._predictor.full_scores.estimate(tasks, means, *among, sure)

    @property
    def expected_error_rate(self) -> float:
        """The expected error rate if the result on each target is guessed now.

        On average it falls with every answer. Answered targets are known: their error rate is 0.
        For returns, it is the expected error (a standard deviation) of normalised returns.
        """
        if self.scale is None:
            predicted = self._probabilities(self._targets)
            errors = np.minimum(predicted, 1 - predicted)
        else:
            tasks = TaskMixture.known(self._targets)
            errors = np.sqrt(self._posterior.variances(self._weights, tasks))
        answered = np.isin(self._targets, self._answered[0])
        known = answered | self._is_constant(self._targets)
        return float(np.where(known, 0.0, errors).mean())

    def predict(self, tasks: Any = None) -> Floats:
        """Predict the agent's probability of success, or its return, given the answers so far.

        Args:
            tasks: The tasks, by name (text) or position (integers); the targets by default.

        Returns:
            One probability, or one expected return, per task.

        Raises:
            ValueError: If a task is unknown.

        >>> returns = [[-10, -90, -20]] * 9 + [[-50, -10, -60]] * 9
        >>> quiz = Quiz(Outcomes.from_returns(returns, tasks=list("abc")))
        >>> quiz.answer(-10, "a")
        >>> quiz.predict(["b"]).round(-1)
        array([-90.])
        """
        numbers = self._targets if tasks is None else self._numbers(tasks, "the tasks")
        return self._returned(self._probabilities(numbers), numbers)

    def predict_proba(self, tasks: Any = None) -> Floats:
        """Predict the agent's probability of success, given the answers so far.

        Args:
            tasks: The tasks, by name (text) or position (integers); the targets by default.

        Returns:
            One probability per task.

        Raises:
            ValueError: If a task is unknown, or if the source is one of returns.
        """
        refuse_returns(self.scale, "predict_proba() is, unlike predict(), for successes only")
        return self.predict(tasks)

    def _returned(self, normalised: Floats, numbers: Numbers) -> Floats:
        return normalised if self.scale is None else self.scale.returns(normalised, numbers)

    def _probabilities(self, numbers: Numbers) -> Floats:
        tasks = TaskMixture.known(numbers)
        found = self._posterior.mean(self._weights, tasks)
        known = self._predictor.population_, self._predictor.linear_share_
        return blend(found, *known, *self._given, tasks)

    def interval(self, level: float, tasks: Any = None) -> tuple[Floats, Floats]:
        """Return bounds of the agent's probability of success or return, given the answers so far.

        Args:
            level: The probability that a bound pair contains the true value, e.g. 0.9.
            tasks: The tasks, by name (text) or position (integers); the targets by default.

        Returns:
            The lower and the upper bounds, one of each per task.

        Raises:
            ValueError: If `level` is not between 0 and 1, or if a task is unknown.
        """
        numbers = self._targets if tasks is None else self._numbers(tasks, "the tasks")
        tasks = TaskMixture.known(numbers)
        bounds = self._posterior.interval(self._weights, tasks, check_level(level))
        low, high = containing(bounds, self._probabilities(numbers))
        return self._returned(low, numbers), self._returned(high, numbers)

    def _numbers(self, tasks: Any, what: str) -> Numbers:
        if tasks is None:
            return np.arange(len(self._tasks))
        if not checks.listed(tasks, what):
            raise ValueError(f"{what} must have at least one task, got an empty list")
        return self._predictor.numbers(tasks, what)

    def _is_constant(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which tasks have a range of returns of 0: all known agents have the same."""
        if self.scale is None or not self.scale.low.ndim:
            return np.zeros(len(numbers), bool)
        same: NDArray[np.bool_] = self.scale.low[numbers] == self.scale.high[numbers]
        return same

    def _telling(self, pool: Numbers) -> Numbers:
        """The tasks of the pool without those whose returns tell nothing."""
        telling = pool[~self._is_constant(pool)]
        if not len(telling):
            raise ValueError(
                "the pool must have a task on which known agents have different returns, got"
                f" {len(pool)} without"
            )
        return telling

    def _objective_of(self, targets: Numbers) -> Objective:
        if self._aim == "tasks":
            return Objective(self._pool, targets, None)
        if self._aim == "score":
            return Objective(self._pool, targets, np.zeros(len(targets), np.int64))
        labelled = targets[self._labels[targets] >= 0]
        if not len(labelled):
            raise ValueError("the targets must have at least one task with the label by, got none")
        groups = np.unique(self._labels[labelled], return_inverse=True)[1]
        return Objective(self._pool, labelled, groups)

    # -- the value of each task in the pool: the highest is proposed ------------------------------

    def _information(self) -> Floats:
        found = self._objective.reductions(self._posterior, self._weights, self._answered[0])
        population = self._predictor.population_
        if self._aim == "tasks" or population is None:
            return found
        # A task on which the known agents do not differ tells of scores only if an agent is unlike
        # all of them: such tasks come last.
        differ = np.ptp(population.rates[:, self._pool], axis=0) > 0
        return np.where(differ, found, 0.0)

    def _uncertainty(self) -> Floats:
        if self.scale is not None:
            return self._posterior.variances(self._weights, TaskMixture.known(self._pool))
        return -np.abs(self._probabilities(self._pool) - 0.5)

    def _random(self) -> Floats:
        return -self._order.astype(np.float64)


def _some(numbers: Numbers, rng: np.random.Generator) -> Numbers:
    """The distinct numbers in order, or a random sample of MOST_TASKS of them."""
    every = np.unique(numbers)
    return every if len(every) <= MOST_TASKS else np.sort(rng.permutation(every)[:MOST_TASKS])


CHOICES: dict[str, Callable[[Quiz], Floats]] = {
    "information": Quiz._information,
    "uncertain": Quiz._uncertainty,
    "random": Quiz._random,
}
