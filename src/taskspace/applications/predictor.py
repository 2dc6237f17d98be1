"""Prediction of an agent's success on tasks from its results on a small quiz of other tasks.

A new agent is assumed to resemble one of many candidates: the known agents; simulated agents drawn
from the low-rank model of the known agents; agents described by a skill level and by how strongly
they depend on the difficulty of a task; and, if there is a map of the tasks that helps to predict
left-out agents, agents for which neighbouring tasks are similar. Bayes' rule gives the probability
of each candidate after the quiz, and the predicted probability of success on a task is the weighted
mean of the candidates' probabilities. If it helps to predict left-out agents, the prediction of a
linear population model has a share in it.

If the results are returns, a predicted probability is an expected normalised return; answers and
predictions are in returns.

Known agents predict an agent from a known subpopulation best. The other candidates prevent
overconfident predictions for an agent from a new subpopulation.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications import predictor_files
from taskspace.applications.answer_scale import AnswerScale
from taskspace.applications.full_scores import FullScores, width_on
from taskspace.applications.intervals import check_level, containing
from taskspace.applications.learned import Learned, from_model, from_outcomes, of_model
from taskspace.applications.linear_share import blend
from taskspace.applications.logged_answers import one_agent
from taskspace.applications.model_candidates import Profiler
from taskspace.applications.posterior import Posterior
from taskspace.applications.return_answers import refuse_returns
from taskspace.applications.scores import Scores, groups_by
from taskspace.applications.task_mixtures import (
    Embedder,
    KnownTasks,
    TaskMixture,
    check_embedder,
    one_per_task,
    quiz_results,
    vectors_of,
)
from taskspace.models.success.factors import Floats
from taskspace.outcomes.feature_rows import in_order
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale


class PerformancePredictor:
    """Predicts which tasks an agent solves, from its results on a few tasks and other agents' data.

    It is fitted to the `Outcomes` of other agents or to a `SuccessModel` of them; the latter is
    better for new tasks. Tasks are given as rows of features, or as tasks that the other agents
    have tried: by name (text) or by position in `tasks_` (integers).

    If the outcomes or the model are of returns, results are given in returns, and predictions,
    intervals and scores come back in returns.

    Args:
        embedder: A map of the tasks, used if the predictor is fitted to outcomes. It finds tried
            tasks that are similar to a new one. Known tasks are predicted with it only if this
            helps with left-out agents. Without an embedder, new tasks are refused.
        random_state: The seed of all random choices.

    Attributes:
        tasks_: The names of the known tasks: those of the outcomes, or of the model's sample.
        posterior_: The candidates that a new agent may resemble, with their success probabilities
            on these tasks.
        model_: The success model that the predictor was fitted to, or None.
        candidates_: How candidates are built from the profiles of the success model, if any.
        population_: The linear model of the known agents, from which scores are estimated; None
            if there are fewer than two, or if the predictor was saved by an earlier version.
        linear_share_: The share of the linear model in a predicted probability, from 0 to 1.
        labels_: The labels of the known tasks, by name.
        scale_: The scale of the returns of the known tasks, or None if results are successes.
        attempt_noise_: For returns: the variance of an answer around the mean of several attempts,
            as a fraction of the largest possible one.

    >>> import taskspace as ts
    >>> outcomes = ts.Outcomes([[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9, 1, tasks=list("abcd"))
    >>> predictor = PerformancePredictor().fit(outcomes)
    >>> predictor.predict_proba(["a"], [1], ["b", "c", "d"]).round(1)
    array([1. , 0.3, 0. ])
    >>> low, high = predictor.interval(["a"], [1], ["b", "c"], level=0.9)
    >>> low.round(1), high.round(1)
    (array([0.9, 0. ]), array([1. , 0.8]))
    """

    scale_: ReturnScale | None = None

    def __init__(self, *, embedder: Embedder | None = None, random_state: int = 0) -> None:
        self.embedder = embedder
        self.random_state = random_state

    def fit(self, source: Outcomes | Profiler) -> PerformancePredictor:
        """Learn how to predict a new agent's results from a quiz.

        The prior weight of agents unlike the known ones, and the weight of an answer, are those
        under which the results of left-out agents are most likely, and so is the weight of the map.
        Fitting takes seconds. Of more than 2,000 agents, 2,000 drawn with the seed decide about
        these settings; all agents are learned from.

        Args:
            source: The outcomes of other agents, or a fitted `SuccessModel` of them.

        Returns:
            The predictor itself.

        Raises:
            TypeError: If `source` has another type.
            ValueError: If `random_state` is not a valid seed, or an embedder comes with a success
                model.
        """
        seed = checks.seed(self.random_state)
        if self.embedder is not None:
            check_embedder(self.embedder)
        if isinstance(source, Outcomes):
            return self._know(from_outcomes(source, self.embedder, seed))
        if not isinstance(source, Profiler):
            raise TypeError(
                f"source must be Outcomes or a fitted SuccessModel, got {type(source).__name__}"
            )
        if self.embedder is not None:
            raise ValueError(
                "embedder must be None for a SuccessModel, which predicts new tasks itself, got"
                f" {type(self.embedder).__name__}"
            )
        return self._know(from_model(source, seed), source)

    def _know(self, learned: Learned, model: Profiler | None = None) -> PerformancePredictor:
        self._known, self.tasks_ = learned.tasks, learned.tasks.names
        self.posterior_, self.labels_ = learned.posterior, learned.labels
        self.model_, self.candidates_ = model, learned.candidates
        self.population_, self.linear_share_ = learned.population, learned.linear_share
        self.scale_, self.attempt_noise_ = learned.scale, learned.attempt_noise
        self.__dict__.pop("_tree", None)  # from an earlier fit
        return self

    def _check_fitted(self) -> None:
        if not hasattr(self, "posterior_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("this PerformancePredictor is not fitted; call fit first")

    def over(self, tasks: Any, names: Any = None) -> PerformancePredictor:
        """Return the same predictor with other known tasks, e.g. for a `Quiz` about them.

        Args:
            tasks: Rows of features, or names of tasks that the success model knows.
            names: The names of the tasks if they are rows of features; by default task-0, task-1
                and so on.

        Returns:
            A predictor whose known tasks are these.

        Raises:
            ValueError: If the predictor was not fitted to a success model, or if the names are
                not different or not one per task.
        """
        self._check_fitted()
        if self.model_ is None:
            raise ValueError("over() requires a predictor that was fitted to a SuccessModel")
        assert self.candidates_ is not None
        columns = getattr(self.model_, "feature_names_", ())
        rows = checks.array(in_order(tasks, columns), "tasks")
        profiles = self.model_.predict_proba(tasks)
        if names is not None and len(set(names)) != len(rows):
            raise ValueError(
                f"names must be different and one per task, got {len(set(names))} different names"
                f" for {len(rows)} tasks"
            )
        known = of_model(self.model_, self.candidates_, rows, profiles, names, self.attempt_noise_)
        return PerformancePredictor(random_state=self.random_state)._know(known, self.model_)

    def predict(self, quiz: Any, results: ArrayLike, tasks: Any) -> Floats:
        """Predict the result of an agent on each task: its probability of success or its return.

        Args:
            quiz: The tasks that the agent has tried; with an empty quiz, the prediction is the
                mean over all candidates.
            results: Its results on the quiz: 0 and 1, booleans, or success rates; or returns, if
                the predictor was fitted to returns. Each counts as one attempt; NaN is a skipped
                answer, which does not count.
            tasks: The tasks to predict.

        Returns:
            One probability, or one expected return, per task.

        Raises:
            ValueError: If an argument has the wrong form, or if a task is unknown.

        Warns:
            UserWarning: If a return is beyond those of the known agents.

        >>> import taskspace as ts
        >>> returns = [[-10, -90, -20]] * 9 + [[-50, -10, -60]] * 9
        >>> outcomes = ts.Outcomes.from_returns(returns, tasks=list("abc"))
        >>> PerformancePredictor().fit(outcomes).predict(["a"], [-10], ["b", "c"]).round(-1)
        array([-90., -20.])
        """
        return self.answer_scale.returned(self._predicted(quiz, results, tasks), tasks)

    def predict_proba(self, quiz: Any, results: ArrayLike, tasks: Any) -> Floats:
        """Predict the probability that an agent solves each task.

        Args:
            quiz: As in `predict`.
            results: As in `predict`.
            tasks: As in `predict`.

        Returns:
            One probability per task.

        Raises:
            ValueError: If an argument has the wrong form, if a task is unknown, or if the
                predictor is one of returns.
        """
        refuse_returns(self.scale_, "predict_proba() is, unlike predict(), for successes only")
        return self._predicted(quiz, results, tasks)

    def _predicted(self, quiz: Any, results: ArrayLike, tasks: Any) -> Floats:
        """The predicted probabilities, or expected normalised returns."""
        weights, known = self._given(quiz, results)
        posterior, mixture = self._find(tasks, "tasks")
        return self._blend(posterior.after(*known).mean(weights, mixture), known, mixture)

    def _given(
        self, quiz: Any, results: ArrayLike
    ) -> tuple[Floats, tuple[NDArray[np.int64], Floats]]:
        """The probabilities of candidates; the indices of answered tasks, or -1, and results."""
        self._check_fitted()
        given = self.answer_scale.normalised(quiz, results)  # once, because it may warn
        weights, numbers = self.weights_of(quiz, given), self._known.find(quiz, "quiz")[0]
        return weights, (numbers[~np.isnan(given)], given[~np.isnan(given)])

    def _blend(
        self, probabilities: Floats, known: tuple[NDArray[np.int64], Floats], tasks: TaskMixture
    ) -> Floats:
        return blend(probabilities, self.population_, self.linear_share_, *known, tasks)

    @property
    def answer_scale(self) -> AnswerScale:
        """The scale of answers and predictions, for a `Quiz`."""
        self._check_fitted()
        of_model = self.model_ is not None
        return AnswerScale(self._known, self.scale_, self.population_, of_model)

    def range_of(self, task: Any) -> tuple[float, float]:
        """The range of possible results on a task: 0 to 1, or the returns of the known agents.

        Args:
            task: A task, as in `number`.

        Returns:
            The lowest and the highest result.
        """
        return self.answer_scale.range_of(task)

    def interval(
        self, quiz: Any, results: ArrayLike, tasks: Any, level: float = 0.9
    ) -> tuple[Floats, Floats]:
        """Return bounds of the agent's probability of success, or expected return, on each task.

        The bounds are for the mean result over many attempts, not for the next result. They are
        rounded outwards to full percents (of the range, for returns), and the two tails have equal
        probability.

        Args:
            quiz: As in `predict`.
            results: As in `predict`.
            tasks: As in `predict`.
            level: The probability that the interval contains the true mean result.

        Returns:
            The lower and the upper bounds, one of each per task.

        Raises:
            ValueError: If an argument has the wrong form, or if a task is unknown.
        """
        checked = check_level(level)
        weights, known = self._given(quiz, results)
        posterior, mixture = self._find(tasks, "tasks")
        found = posterior.after(*known)
        blended = self._blend(found.mean(weights, mixture), known, mixture)
        low, high = containing(found.interval(weights, mixture, checked), blended)
        scale = self.answer_scale
        return scale.returned(low, tasks), scale.returned(high, tasks)

    def score(
        self,
        quiz: Any,
        results: ArrayLike | None = None,
        *,
        by: str | None = None,
        level: float = 0.9,
    ) -> Scores:
        """Estimate the agent's full score: its mean success rate, or return, over all known tasks.

        Answered tasks count with their results. The others are predicted by a regression of the
        agent on the known agents, and corrected by what the regression missed on the answered
        tasks of the same group. The known agents take the same quiz, each predicted from the
        others, and their errors decide how strong the correction and how wide the interval is.

        Args:
            quiz: The tasks that the agent has answered, all of them known tasks. Or the outcomes of
                the agent, as `read_results` reads them, or the path of its logs: tasks are known
                by their names, and a warning says how many are unknown and do not count.
            results: As in `predict_proba`; None with outcomes or logs.
            by: The name of a label of the tasks, for one score per value of it; by default, there
                is one score over all tasks.
            level: The probability that an interval contains the full score.

        Returns:
            The scores, one per group of tasks. A group that was answered completely has its exact
            score and an interval of width 0.

        Raises:
            ValueError: If an argument has the wrong form, if a task is unknown or is answered
                twice, if there is no such label, or if fewer than 5 agents are known.

        >>> import taskspace as ts
        >>> outcomes = ts.Outcomes([[1, 1, 1, 0]] * 9 + [[0, 0, 1, 0]] * 9, 1, tasks=list("abcd"))
        >>> PerformancePredictor().fit(outcomes).score(["a"], [1]).scores.round(1)
        array([0.7])
        """
        checked = check_level(level, "level")
        estimator, answers = self._answers(quiz, results)
        groups = groups_by(self.labels_, by, len(self.tasks_))
        return estimator.estimate(*answers, *groups, checked)

    def answers_needed(
        self,
        quiz: Any,
        results: ArrayLike | None,
        width: float,
        *,
        by: str | None = None,
        level: float = 0.9,
    ) -> NDArray[np.int64]:
        """Estimate how many more answers make the interval of a score narrow enough.

        Args:
            quiz: As in `score`.
            results: As in `score`.
            width: The wanted width of an interval, e.g. 0.04 for 2 percentage points to each side;
                for returns, in returns.
            by: As in `score`.
            level: As in `score`.

        Returns:
            One number per group of tasks, in the order of `score`: of further answers to random
            tasks of the group, if each other group gets as many. The number is 0 if the interval
            is narrow enough, and at most that of the tasks left.

        Raises:
            ValueError: As in `score`, or if `width` is not a number above 0, up to 1.

        >>> import taskspace as ts
        >>> outcomes = ts.Outcomes([[1, 1, 1, 0]] * 9 + [[0, 0, 1, 0]] * 9, 1, tasks=list("abcd"))
        >>> PerformancePredictor().fit(outcomes).answers_needed([], [], 0.5)
        array([2])
        """
        wanted, checked = width_on(self.scale_, width), check_level(level, "level")
        estimator, answers = self._answers(quiz, results)
        groups = groups_by(self.labels_, by, len(self.tasks_))
        return estimator.answers_needed(*answers, *groups, checked, wanted)

    def _answers(
        self, quiz: Any, results: ArrayLike | None
    ) -> tuple[FullScores, tuple[NDArray[np.int64], Floats]]:
        """The estimator of scores; the answered tasks, each once, and normalised results."""
        self._check_fitted()
        if results is None:
            quiz, results = one_agent(quiz, self.tasks_, self.labels_, self.scale_ is not None)
        given = self.answer_scale.normalised(quiz, results)
        numbers = self.numbers(quiz, "quiz")
        if len(np.unique(numbers)) < len(numbers):
            repeated = np.bincount(numbers).argmax()
            raise ValueError(
                f"quiz must have each task once, got {str(self.tasks_[repeated])!r} again"
            )
        answered = ~np.isnan(given)
        return self.full_scores, (numbers[answered], given[answered])

    @property
    def full_scores(self) -> FullScores:
        """The estimator of full scores, for a `Quiz`; refused if too few agents are known."""
        return FullScores.of(self.population_, self.scale_, self.attempt_noise_)

    def weights(self, quiz: Any, results: ArrayLike, prior: Floats | None = None) -> Floats:
        """Return the probability of each candidate after a quiz, which may be empty.

        Args:
            quiz: As in `predict_proba`.
            results: As in `predict_proba`.
            prior: The probabilities before this quiz, e.g. after earlier answers.

        Returns:
            One probability per candidate.

        Raises:
            ValueError: If an argument has the wrong form, or if a task is unknown.
        """
        self._check_fitted()
        return self.weights_of(quiz, self.answer_scale.normalised(quiz, results), prior)

    def weights_of(self, quiz: Any, given: Floats, prior: Floats | None = None) -> Floats:
        """Return the probability of each candidate, as `weights` does, from normalised results.

        Args:
            quiz: As in `predict`.
            given: One number from 0 to 1, or NaN, per quiz task.
            prior: As in `weights`.

        Returns:
            One probability per candidate.

        Raises:
            ValueError: If a task is unknown, or if the prior has the wrong form.
        """
        size = self.posterior_.prior.shape
        if prior is not None and checks.numbers(prior, "prior").shape != size:
            raise ValueError(
                f"prior must be one number for each of the {size[0]} candidates, got an array of"
                f" shape {np.shape(prior)}"
            )
        posterior, mixture = self._find(quiz, "quiz")
        answered = ~np.isnan(given)
        if not answered.any():
            return self.posterior_.prior if prior is None else prior
        return posterior.weights(mixture.of(answered), given[answered], prior)

    def numbers(self, tasks: Any, what: str = "tasks") -> NDArray[np.int64]:
        """Return the indices of known tasks.

        Args:
            tasks: Names (text), positions (integers) or rows of features.
            what: What error messages call the tasks.

        Returns:
            One index into `tasks_` per task.

        Raises:
            ValueError: If a task is unknown.
        """
        self._check_fitted()
        return self._known.numbers(tasks, what)

    def number(self, task: Any) -> int | None:
        """Return the index of one task, or None if it is unknown.

        Args:
            task: A name (text), a position (an integer) or a row of features.

        Returns:
            An index into `tasks_`, or None.

        Raises:
            ValueError: If the task has the wrong form, or if a position is out of range.
        """
        self._check_fitted()
        number = int(self._known.find([task], "task")[0][0])
        return number if number >= 0 else None

    def _find(self, tasks: Any, what: str) -> tuple[Posterior, TaskMixture]:
        """Candidates on a list of tasks, and the given tasks in terms of that list."""
        numbers, rows = self._known.find(tasks, what)
        if (numbers >= 0).all():
            return self.posterior_, TaskMixture.known(numbers)
        if self.model_ is not None and self.candidates_ is not None:
            every = self.candidates_.posterior(self.model_.predict_proba(rows))
            return every, TaskMixture.known(np.arange(len(rows)))
        if self.embedder is None or rows.ndim == 1:  # a new name has no features to embed
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
        """Build a fitted predictor from given candidates.

        Args:
            posterior: The candidates, with their success probabilities on the tasks.
            tasks: The names of the tasks.
            features: The features of the tasks, if any.
            embedder: A map of the tasks, which makes predictions for new tasks possible.

        Returns:
            The predictor.
        """
        return cls(embedder=embedder)._know(Learned(KnownTasks(tasks, features), posterior))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the predictor, without its embedder or success model, to one .npz file.

        The file is written completely or not at all.

        Args:
            path: The path of the file.
        """
        self._check_fitted()
        learned = Learned(
            self._known,
            self.posterior_,
            self.population_,
            self.linear_share_,
            self.labels_,
            self.scale_,
            self.attempt_noise_,
            self.candidates_,
        )
        predictor_files.write(learned, path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        embedder: Embedder | None = None,
        model: Profiler | None = None,
    ) -> PerformancePredictor:
        """Read a predictor written by `save`.

        Args:
            path: The path of the file.
            embedder: The embedder that the predictor was fitted with, if any.
            model: The success model that the predictor was fitted to, if any.

        Returns:
            The predictor.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is damaged or in another format, or if it needs a success model
                that is not given.
        """
        learned = predictor_files.read(path, model)
        if learned.candidates is None:
            return cls(embedder=embedder)._know(learned)
        seed = learned.candidates.seed
        return cls(embedder=embedder, random_state=seed)._know(learned, model)


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
    """Predict the result of an agent on each task, given its results on a quiz.

    It is the probability that the agent solves the task, or its expected return if the source is
    one of returns. This is `PerformancePredictor` in one call. Fitting takes seconds, so for
    several quizzes fit one predictor and pass it as the source.

    Args:
        source: The outcomes of other agents, a `SuccessModel` of them, or a fitted predictor.
        quiz: The tasks that the agent has tried: names (text), positions in the outcomes
            (integers) or rows of features.
        results: Its results on the quiz: 0 and 1, booleans, or success rates; or returns, if the
            source is one of returns. NaN is a skipped answer.
        tasks: The tasks to predict.
        embedder: A map of the tasks, used if the source is outcomes: it finds tried tasks that
            are similar to a new one.
        interval: A level, e.g. 0.9, to return bounds of the predictions too.

    Returns:
        One prediction per task; with `interval`, a tuple of the predictions, their lower bounds
        and their upper bounds.

    Raises:
        TypeError: If `source` has another type.
        ValueError: If an argument has the wrong form, or if a task is unknown.

    >>> import taskspace as ts
    >>> outcomes = ts.Outcomes([[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9, 1, tasks=list("abcd"))
    >>> predict(outcomes, ["a"], [1], ["b", "c", "d"]).round(1)
    array([1. , 0.3, 0. ])
    """
    scale = getattr(source, "scale", None) or getattr(source, "scale_", None)
    if scale is None:  # fails before the slow part
        quiz_results(results, quiz)
    else:
        one_per_task(results, quiz)
    level = None if interval is None else check_level(interval)
    predictor = as_predictor(source, embedder=embedder, tasks={"quiz": quiz, "tasks": tasks})
    predicted = predictor.predict(quiz, results, tasks)
    if level is None:
        return predicted
    return (predicted, *predictor.interval(quiz, results, tasks, level))


def as_predictor(
    source: PerformancePredictor | Outcomes | Profiler,
    *,
    embedder: Embedder | None = None,
    tasks: Mapping[str, Any],
) -> PerformancePredictor:
    """The source itself if it is a predictor, otherwise a predictor fitted to it.

    `tasks` are lists of tasks by what errors call them. They are checked before the fit, which
    takes seconds; None stands for all tasks.
    """
    if isinstance(source, Outcomes):
        known = KnownTasks(source.tasks, source.features, source.feature_names)
        for what, given in tasks.items():
            if given is not None:
                found = known.find(given, what)
                if embedder is None:
                    known.refuse_new(*found, what)
    if isinstance(source, PerformancePredictor):
        source._check_fitted()
    else:
        return PerformancePredictor(embedder=embedder).fit(source)
    if embedder is not None:
        raise ValueError("embedder must be passed to the predictor before it is fitted")
    return source
