"""What will this agent solve? Prediction from how it did on a small quiz of other tasks.

A new agent is taken to be like one of many candidates: the known agents; imagined agents, drawn
from the low-rank model of the known ones; agents of their own skill, which find tasks hard that are
hard for others, more or less; and, where there is a map of the tasks, agents for which tasks near
each other are alike, whatever other agents do. The quiz answers say how likely each candidate is
(Bayes), and the probability of success on any task is the mean of theirs, so weighted.

Known agents are the best guide to an agent of a subpopulation that is known. The others keep the
predictor from being sure of the wrong thing if it is of a new one.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.candidates import Table, candidates
from taskspace.applications.model_candidates import ModelCandidates, Profiler
from taskspace.applications.posterior import Posterior
from taskspace.applications.prior import choose_prior, spread
from taskspace.applications.task_mixtures import (
    Embedder,
    KnownTasks,
    TaskMixture,
    quiz_results,
    vectors_of,
)
from taskspace.files import atomic_path, check_format, check_seal, read_arrays, seal, write_arrays
from taskspace.models.success.factors import Floats, fit_factors
from taskspace.models.success.low_rank import fit_low_rank
from taskspace.outcomes.outcomes import Outcomes

FORMAT, FORMAT_VERSION = "taskspace predictor", 1


class PerformancePredictor:
    """Says what an agent will solve, from its results on a few tasks and those of other agents.

    It is fitted to the `Outcomes` of other agents, or to a `SuccessModel` of them, which is the
    better way where tasks are new. Tasks are names or numbers of tasks that the others have tried,
    or rows of features. With outcomes, an `embedder` finds tried tasks that are like a new one, and
    helps with agents unlike all others; without one, new tasks are refused.

    Attributes:
        tasks_: The names of the tasks that it knows: those of the outcomes, or of the model's
            sample.
        posterior_: The candidates that a new agent may be like, and how they do on these tasks.

    >>> import taskspace as ts
    >>> outcomes = ts.Outcomes([[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9, 1, tasks=list("abcd"))
    >>> predictor = PerformancePredictor().fit(outcomes)
    >>> predictor.predict_proba(["a"], [1], ["b", "c", "d"]).round(1)
    array([1. , 0.3, 0. ])
    >>> low, high = predictor.interval(["a"], [1], ["b", "c"], level=0.9)
    >>> low.round(1), high.round(1)
    (array([0.9, 0. ]), array([1. , 0.8]))
    """

    def __init__(self, *, embedder: Embedder | None = None, random_state: int = 0) -> None:
        self.embedder = embedder
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------------------

    def fit(self, source: Outcomes | Profiler) -> PerformancePredictor:
        """Learn what a quiz tells about a new agent.

        How much is left for agents unlike the known ones, and how much an answer counts, is
        decided by how likely the results of left-out agents are. It takes seconds.

        Args:
            source: The outcomes of other agents, or a fitted `SuccessModel` of them.

        Returns:
            The predictor itself.

        Raises:
            TypeError: The source is something else.
        """
        seed = checks.seed(self.random_state)
        self.model_: Profiler | None = None
        if isinstance(source, Outcomes):
            self._know(source.tasks, source.features)
            self.posterior_ = _from_outcomes(source, self._vectors(source), seed)
        elif isinstance(source, Profiler):
            profiles = source.predict_proba(source.sample_)
            self.model_, self.candidates_ = source, ModelCandidates.fit(profiles, seed)
            self._know_profiles(source.sample_, profiles)
        else:
            raise TypeError(
                f"source must be Outcomes or a fitted SuccessModel, got {type(source).__name__}"
            )
        return self

    def _vectors(self, outcomes: Outcomes) -> Floats | None:
        if self.embedder is None:
            return None
        return vectors_of(self.embedder, outcomes.task_inputs, "the tasks of the outcomes")

    def _know(self, names: NDArray[np.str_], features: NDArray[Any] | None) -> None:
        self.tasks_, self._known = names, KnownTasks(names, features)
        self.__dict__.pop("_tree", None)  # that of an earlier fit

    def over(self, tasks: Any) -> PerformancePredictor:
        """The same predictor with other tasks to know by name or number, for a `Quiz` about them.

        Args:
            tasks: Rows of features, which are called task-0, task-1 and so on, or names that the
                success model knows.

        Returns:
            A predictor that knows these tasks.

        Raises:
            ValueError: The predictor was not fitted to a success model.
        """
        if self.model_ is None:
            raise ValueError("over() needs a predictor that was fitted to a SuccessModel")
        other = PerformancePredictor(random_state=self.random_state)
        other.model_, other.candidates_ = self.model_, self.candidates_
        rows = np.asarray(tasks)
        rows = rows.astype(np.str_) if rows.dtype.kind == "O" else rows
        other._know_profiles(rows, self.model_.predict_proba(rows))
        return other

    def _know_profiles(self, rows: NDArray[Any], profiles: Floats) -> None:
        if rows.dtype.kind in "US":
            self._know(rows.astype(np.str_), None)
        else:
            self._know(np.array([f"task-{number}" for number in range(len(rows))]), rows)
        self.posterior_ = self.candidates_.posterior(profiles)

    # -- predicting ----------------------------------------------------------------------------

    def predict_proba(self, quiz: Any, results: ArrayLike, tasks: Any) -> Floats:
        """The probability that an agent solves each task.

        Args:
            quiz: Tasks that the agent has tried; none at all gives the mean of all candidates.
            results: Its results on them: 0 and 1, booleans, or success rates, each of which counts
                as one attempt.
            tasks: The tasks in question.

        Returns:
            A probability for each task.

        Raises:
            ValueError: An argument has the wrong form, or a task is not known.
        """
        weights = self.weights(quiz, results)
        posterior, mixture = self._find(tasks, "tasks")
        return posterior.chances(weights, mixture)

    def interval(
        self, quiz: Any, results: ArrayLike, tasks: Any, level: float = 0.9
    ) -> tuple[Floats, Floats]:
        """Bounds of the agent's success probability on each task.

        It is the success rate in many attempts that is meant, not the result of the next one.
        Bounds are whole percents, and equal shares of the doubt lie outside.

        Args:
            quiz: As in `predict_proba`.
            results: As in `predict_proba`.
            tasks: As in `predict_proba`.
            level: The probability with which the bounds hold, as far as the answers and the other
                agents tell.

        Returns:
            Lower and upper bounds, one of each per task.

        Raises:
            ValueError: An argument has the wrong form, or a task is not known.
        """
        checked = check_level(level)
        weights = self.weights(quiz, results)
        posterior, mixture = self._find(tasks, "tasks")
        return posterior.interval(weights, mixture, checked)

    def weights(self, quiz: Any, results: ArrayLike, prior: Floats | None = None) -> Floats:
        """How likely each candidate is after a quiz, which may be empty.

        Args:
            quiz: As in `predict_proba`.
            results: As in `predict_proba`.
            prior: How likely each was before, if answers came earlier.

        Returns:
            A probability for each candidate.

        Raises:
            ValueError: An argument has the wrong form, or a task is not known.
        """
        given = quiz_results(results, quiz)
        if not len(given):
            return self.posterior_.prior if prior is None else prior
        posterior, mixture = self._find(quiz, "quiz")
        return posterior.weights(mixture, given, prior)

    def numbers(self, tasks: Any, what: str = "tasks") -> NDArray[np.int64]:
        """The numbers of known tasks.

        Args:
            tasks: Names, numbers or rows of features.
            what: What an error calls them.

        Returns:
            An index into `tasks_` for each task.

        Raises:
            ValueError: A task is not known.
        """
        numbers, given = self._known.find(tasks, what)
        self._known.refuse_new(numbers, given, what)
        return numbers

    def number(self, task: Any) -> int | None:
        """The number of one task, or None where it is not known.

        Args:
            task: A name, a number or a row of features.

        Returns:
            An index into `tasks_`.

        Raises:
            ValueError: There is no task of this number.
        """
        number = int(self._known.find([task], "task")[0][0])
        return number if number >= 0 else None

    def _find(self, tasks: Any, what: str) -> tuple[Posterior, TaskMixture]:
        """Candidates on a list of tasks, and where the tasks in question are in this list."""
        numbers, rows = self._known.find(tasks, what)
        if (numbers >= 0).all():
            return self.posterior_, TaskMixture.known(numbers)
        if self.model_ is not None:
            every = self.candidates_.posterior(self.model_.predict_proba(rows))
            return every, TaskMixture.known(np.arange(len(rows)))
        if self.embedder is None or rows.ndim == 1:  # a name says nothing about a new task
            self._known.refuse_new(numbers, rows, what)
        vectors = vectors_of(self.embedder, rows, what)
        return self.posterior_, TaskMixture.near(vectors, self._tree, numbers)

    @functools.cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(vectors_of(self.embedder, self._known.features, "the known tasks"))

    @classmethod
    def from_posterior(
        cls,
        posterior: Posterior,
        tasks: NDArray[np.str_],
        features: NDArray[Any] | None = None,
        embedder: Embedder | None = None,
    ) -> PerformancePredictor:
        """A predictor with candidates that are known already.

        Args:
            posterior: The candidates and how they do on the tasks.
            tasks: The names of the tasks.
            features: Their features.
            embedder: A map of the tasks, for new ones.

        Returns:
            The predictor, as if fitted.
        """
        predictor = cls(embedder=embedder)
        predictor.model_, predictor.posterior_ = None, posterior
        predictor._know(tasks, features)
        return predictor

    # -- files ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the embedder to one .npz file, all or nothing.

        Args:
            path: The file.

        Raises:
            ValueError: The predictor was fitted to a success model; save that instead.
        """
        if self.model_ is not None:
            raise ValueError("a predictor of a SuccessModel cannot be saved; save the model")
        posterior, features = self.posterior_, self._known.features
        arrays = {
            "format": np.array([FORMAT, str(FORMAT_VERSION)]),
            "tasks": self.tasks_,
            "profiles": posterior.profiles,
            "prior": posterior.prior,
            "numbers": np.array([posterior.temper, posterior.strength]),
            **({} if features is None else {"features": features}),
        }
        with atomic_path(path) as temporary:
            write_arrays(arrays, temporary)
            seal(temporary)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, embedder: Embedder | None = None
    ) -> PerformancePredictor:
        """Read what `save` wrote.

        Args:
            path: The file.
            embedder: The embedder that the predictor was fitted with, for tasks that are new.

        Returns:
            The predictor.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The file is damaged, or of another kind.
        """
        if not Path(path).is_file():
            raise FileNotFoundError(f"there is no file {path}")
        try:
            check_seal(path)
            found = read_arrays(Path(path))
            kind, version = found["format"].tolist()
            form = kind, int(version)
        except Exception as error:  # whatever NumPy and zipfile make of damaged bytes
            raise ValueError(f"{path} is damaged, or not a predictor") from error
        check_format(path, form, (FORMAT, FORMAT_VERSION))
        numbers = found["numbers"].tolist()
        posterior = Posterior(found["profiles"], found["prior"], *numbers)
        return cls.from_posterior(posterior, found["tasks"], found.get("features"), embedder)


def _from_outcomes(outcomes: Outcomes, vectors: Floats | None, seed: int) -> Posterior:
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(seed)
    table = Table(outcomes.successes.astype(float), outcomes.rollouts.astype(float), vectors)
    model = fit_low_rank(outcomes, seed=seed)

    def make(rest: Table) -> list[Floats]:
        rank, least = model.settings.rank, model.settings.least_spread
        factors = fit_factors(rest.successes, rest.attempts, rank, least)
        return candidates(rest, factors, model.settings, rng)

    with threadpool_limits(1):
        mix, temper = choose_prior(table, make, rng)
        groups = candidates(table, model.factors, model.settings, rng)
    profiles = np.concatenate(groups).T.astype(np.float32, order="C")
    return Posterior(profiles, spread(mix, groups), temper, model.settings.strength)


@overload
def predict(
    source: PerformancePredictor | Outcomes | Profiler,
    quiz: Any,
    results: ArrayLike,
    tasks: Any,
    *,
    embedder: Embedder | None = None,
    interval: None = None,
) -> Floats: ...


@overload
def predict(
    source: PerformancePredictor | Outcomes | Profiler,
    quiz: Any,
    results: ArrayLike,
    tasks: Any,
    *,
    embedder: Embedder | None = None,
    interval: float,
) -> tuple[Floats, Floats, Floats]: ...


def predict(
    source: PerformancePredictor | Outcomes | Profiler,
    quiz: Any,
    results: ArrayLike,
    tasks: Any,
    *,
    embedder: Embedder | None = None,
    interval: float | None = None,
) -> Floats | tuple[Floats, Floats, Floats]:
    """The probability that an agent solves each task, given its results on a quiz.

    It is `PerformancePredictor` in one call. Fitting takes seconds: for many quizzes, fit one
    predictor and give it as the source.

    Args:
        source: Outcomes of other agents, a `SuccessModel` of them, or a fitted predictor.
        quiz: Tasks that the agent has tried: names, numbers or rows of features.
        results: Its results on them: 0 and 1, booleans, or success rates.
        tasks: The tasks in question.
        embedder: With outcomes, a map that finds tried tasks like a new one.
        interval: With a level such as 0.9, bounds of the probabilities are returned, too.

    Returns:
        A probability for each task; with an interval also its lower and upper bounds.

    Raises:
        TypeError: The source is something else.
        ValueError: An argument has the wrong form, or a task is not known.

    >>> import taskspace as ts
    >>> outcomes = ts.Outcomes([[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9, 1, tasks=list("abcd"))
    >>> predict(outcomes, ["a"], [1], ["b", "c", "d"]).round(1)
    array([1. , 0.3, 0. ])
    """
    quiz_results(results, quiz)  # complain before the work starts
    level = None if interval is None else check_level(interval)
    predictor = as_predictor(source, embedder=embedder)
    chances = predictor.predict_proba(quiz, results, tasks)
    if level is None:
        return chances
    return (chances, *predictor.interval(quiz, results, tasks, level))


def as_predictor(
    source: PerformancePredictor | Outcomes | Profiler, *, embedder: Embedder | None = None
) -> PerformancePredictor:
    """A fitted predictor as it is, or a new one that is fitted to the source."""
    if not isinstance(source, PerformancePredictor):
        return PerformancePredictor(embedder=embedder).fit(source)
    if embedder is not None:
        raise ValueError("embedder must be given to the predictor before it is fitted")
    return source


def check_level(level: Any) -> float:
    """The level of an interval, or one sentence on what is wrong with it."""
    value = checks.array(level, "interval")
    if value.ndim or value.dtype.kind not in "iuf" or not 0 < value < 1:
        raise ValueError(f"interval must be a number between 0 and 1, such as 0.9, got {level!r}")
    return float(value)
