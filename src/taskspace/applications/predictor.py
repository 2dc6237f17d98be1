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
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.candidates import Table, candidates
from taskspace.applications.dependence import Dependence, find_dependence
from taskspace.applications.logged_answers import one_agent
from taskspace.applications.model_candidates import ModelCandidates, Profiler
from taskspace.applications.posterior import Posterior
from taskspace.applications.prior import choose_prior, spread
from taskspace.applications.return_answers import (
    check_return_width,
    ends,
    in_returns,
    noise_on_one_scale,
    on_one_scale,
    overall,
    quiz_returns,
    refuse_returns,
    warn_if_successes,
    widened,
)
from taskspace.applications.return_noise import ReturnNoise, calibrate
from taskspace.applications.scores import (
    LEAST_AGENTS,
    Scores,
    answers_needed,
    estimate_scores,
    groups_by,
)
from taskspace.applications.task_mixtures import (
    Embedder,
    KnownTasks,
    TaskMixture,
    check_embedder,
    one_per_task,
    quiz_results,
    vectors_of,
)
from taskspace.files import (
    atomic_path,
    check_format,
    check_seal,
    check_unfolded_size,
    read_arrays,
    seal,
    write_arrays,
)
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.dispersion import dispersion_of
from taskspace.models.success.factors import Floats
from taskspace.models.success.low_rank import fit, learn
from taskspace.outcomes.feature_rows import in_order
from taskspace.outcomes.labels import Labels, pack, unpack
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.outcomes.returns import pack_scale, unpack_scale
from taskspace.outcomes.task_names import positions

FORMAT, FORMAT_VERSION = "taskspace predictor", 1


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
    attempt_noise_: float = 0.0

    def __init__(self, *, embedder: Embedder | None = None, random_state: int = 0) -> None:
        self.embedder = embedder
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------------------

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
        self.model_: Profiler | None = None
        if isinstance(source, Outcomes):
            source = widened(source)
            self._know(source.tasks, source.features, source.feature_names)
            self.labels_: Labels = source.task_labels
            self.scale_ = source.scale
            noise = _noise_of(source)
            self.attempt_noise_ = 0.0 if noise is None else noise.attempt - noise.measured
            self.posterior_, self.linear_share_, self.population_ = _from_outcomes(
                source, self._vectors(source), noise, seed
            )
        elif isinstance(source, Profiler):
            if self.embedder is not None:
                raise ValueError(
                    "embedder must be None for a SuccessModel, which predicts new tasks itself, got"
                    f" {type(self.embedder).__name__}"
                )
            profiles = source.predict_proba(source.sample_)
            noise = _noise_of_model(source)
            self.attempt_noise_ = 0.0 if noise is None else noise.attempt + noise.missed
            self.model_, self.candidates_ = source, ModelCandidates.fit(profiles, seed, noise)
            self._know_profiles(source.sample_, profiles)
        else:
            raise TypeError(
                f"source must be Outcomes or a fitted SuccessModel, got {type(source).__name__}"
            )
        return self

    def _check_fitted(self) -> None:
        if not hasattr(self, "posterior_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("this PerformancePredictor is not fitted; call fit first")

    def _vectors(self, outcomes: Outcomes) -> Floats | None:
        if self.embedder is None:
            return None
        return vectors_of(self.embedder, outcomes.task_inputs, "the tasks of the outcomes")

    def _know(
        self, names: NDArray[np.str_], features: NDArray[Any] | None, columns: tuple[str, ...] = ()
    ) -> None:
        self.tasks_, self._known = names, KnownTasks(names, features, columns)
        self.__dict__.pop("_tree", None)  # from an earlier fit

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
        other = PerformancePredictor(random_state=self.random_state)
        other.model_, other.candidates_ = self.model_, self.candidates_
        other.attempt_noise_ = self.attempt_noise_
        columns = getattr(self.model_, "feature_names_", ())
        rows = checks.array(in_order(tasks, columns), "tasks")
        profiles = self.model_.predict_proba(tasks)
        if names is not None and len(set(names)) != len(rows):
            raise ValueError(
                f"names must be different and one per task, got {len(set(names))} different names"
                f" for {len(rows)} tasks"
            )
        other._know_profiles(rows, profiles, names)
        return other

    def _know_profiles(self, rows: NDArray[Any], profiles: Floats, names: Any = None) -> None:
        if rows.dtype.kind in "OUS":
            self._know(rows.astype(np.str_), None)
        else:
            default = [f"task-{number}" for number in range(len(rows))]
            columns = getattr(self.model_, "feature_names_", ())
            self._know(np.array(default if names is None else names, np.str_), rows, columns)
        self.posterior_ = self.candidates_.posterior(profiles)
        self.scale_ = _scale_of_model(self.model_, rows)
        self.population_ = _population(profiles, None, self.random_state)
        self.linear_share_, self.labels_ = 0.0, {}

    # -- predicting ----------------------------------------------------------------------------

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
        return self._returned(self._predicted(quiz, results, tasks), tasks)

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
        return self.blend(posterior.after(*known).mean(weights, mixture), *known, mixture)

    def _given(
        self, quiz: Any, results: ArrayLike
    ) -> tuple[Floats, tuple[NDArray[np.int64], Floats]]:
        """The probabilities of candidates; the indices of answered tasks, or -1, and results."""
        self._check_fitted()
        given = self.normalised(quiz, results)  # once, because it may warn
        weights, numbers = self.weights_of(quiz, given), self._known.find(quiz, "quiz")[0]
        return weights, (numbers[~np.isnan(given)], given[~np.isnan(given)])

    def normalised(self, quiz: Any, results: ArrayLike) -> Floats:
        """Check the results on a quiz, and normalise them if they are returns.

        Args:
            quiz: As in `predict`.
            results: As in `predict`.

        Returns:
            One number from 0 to 1, or NaN, per quiz task.

        Raises:
            ValueError: If the results are not one per task, or not in the expected range.

        Warns:
            UserWarning: If a return is beyond those of the known agents, or if results look like
                successes but returns are expected.
        """
        if self.scale_ is None:
            return quiz_results(results, quiz)
        found = quiz_returns(results, quiz, self.scale_, self._scaled(quiz, "quiz"))
        self.warn_if_successes(quiz, one_per_task(results, quiz))
        return found

    def warn_if_successes(self, quiz: Any, results: Floats) -> None:
        """Warn if the results on a quiz are 0 and 1, but returns are expected.

        Args:
            quiz: As in `predict`.
            results: The results, in returns.

        Warns:
            UserWarning: If all of at least two results are 0 or 1, and no known agent has such a
                return on these tasks.
        """
        numbers = self._known.find(quiz, "quiz")[0]
        numbers = np.unique(numbers[numbers >= 0])
        if self.scale_ is None or self.population_ is None or not len(numbers):
            return
        known = self.scale_.returns(self.population_.rates[:, numbers].astype(np.float64), numbers)
        # A model does not know returns themselves, but their range.
        ends = () if self.model_ is None else (self.scale_.low, self.scale_.high)
        warn_if_successes(results, np.concatenate([known, *ends], axis=None))

    def _scaled(self, tasks: Any, what: str = "tasks") -> NDArray[np.int64] | None:
        """The indices of tasks of which each has its own scale, or None if all have one."""
        if self.scale_ is None or not self.scale_.low.ndim:
            return None
        return self.numbers(tasks, what)

    def _returned(self, normalised: Floats, tasks: Any) -> Floats:
        """Predictions for tasks in returns, if the predictor is one of returns."""
        if self.scale_ is None:
            return normalised
        return self.scale_.returns(normalised, self._scaled(tasks))

    def range_of(self, task: Any) -> tuple[float, float]:
        """The range of possible results on a task: 0 to 1, or the returns of the known agents.

        Args:
            task: A task, as in `number`.

        Returns:
            The lowest and the highest result.
        """
        if self.scale_ is None:
            return 0.0, 1.0
        low, high = (np.ravel(end) for end in ends(self.scale_, self._scaled([task])))
        return float(low[0]), float(high[0])

    def blend(
        self,
        probabilities: Floats,
        answered: NDArray[np.int64],
        results: Floats,
        tasks: TaskMixture,
    ) -> Floats:
        """Blend the probabilities of the candidates with those of the linear model.

        Without answers there is nothing to blend, and the linear model has only known tasks.

        Args:
            probabilities: The probabilities of the candidates, one per task.
            answered: The indices of the answered tasks; new ones are -1.
            results: The results on the answered tasks.
            tasks: The tasks.

        Returns:
            One probability per task.
        """
        if not self.linear_share_ or self.population_ is None or not len(answered):
            return probabilities
        if (answered < 0).any():
            return probabilities
        needed, index = np.unique(tasks.numbers, return_inverse=True)
        found = self.population_.predict(*each_once(answered, results), needed)
        linear = np.clip(found, 0.0, 1.0)[index.reshape(tasks.numbers.shape)]
        mixed = (linear * tasks.shares).sum(1)
        return (1 - self.linear_share_) * probabilities + self.linear_share_ * mixed

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
        blended = self.blend(found.mean(weights, mixture), *known, mixture)
        low, high = containing(found.interval(weights, mixture, checked), blended)
        return self._returned(low, tasks), self._returned(high, tasks)

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
        population, answered, given = self._answers(quiz, results)
        names, groups = groups_by(self.labels_, by, len(self.tasks_))
        found = estimate_scores(
            population, answered, given, names, groups, checked, self._attempt_noise
        )
        return found if self.scale_ is None else in_returns(found, self.scale_)

    @property
    def _attempt_noise(self) -> Floats | None:
        """The standard deviations of attempts at returns on one scale; None for successes."""
        if self.scale_ is None or self.population_ is None:
            return None
        return noise_on_one_scale(self.population_, self.scale_, self.attempt_noise_)

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
        wanted = self.check_width(width)
        checked = check_level(level, "level")
        population, answered, given = self._answers(quiz, results)
        names, groups = groups_by(self.labels_, by, len(self.tasks_))
        noise = self._attempt_noise
        found = estimate_scores(population, answered, given, names, groups, checked, noise)
        return answers_needed(population, answered, given, found, groups, wanted, noise)

    def check_width(self, width: Any) -> float:
        """Check the wanted width of the interval of a score.

        Args:
            width: The width, in returns if the predictor is one of returns.

        Returns:
            The width as a fraction of the range of scores.

        Raises:
            ValueError: If it is not a positive number, or above 1 for success rates.
        """
        if self.scale_ is None:
            return check_width(width)
        return check_return_width(width, self.scale_)

    def _answers(
        self, quiz: Any, results: ArrayLike | None
    ) -> tuple[LinearPopulation, NDArray[np.int64], Floats]:
        """The linear model, the tasks that were answered, each once, and the results on them.

        Returns are normalised by one range, so that the mean result is that of returns.
        """
        self._check_fitted()
        if results is None:
            quiz, results = one_agent(quiz, self.tasks_, self.labels_, self.scale_ is not None)
        given = self.normalised(quiz, results)
        numbers = self.numbers(quiz, "quiz")
        if len(np.unique(numbers)) < len(numbers):
            repeated = np.bincount(numbers).argmax()
            raise ValueError(
                f"quiz must have each task once, got {str(self.tasks_[repeated])!r} again"
            )
        if self.population_ is None:
            raise ValueError(
                "score() requires a predictor that was fitted to at least 2 agents by this version"
                " of taskspace, got one without their results; fit it again"
            )
        agents = len(self.population_.rates)
        if agents < LEAST_AGENTS:
            raise ValueError(
                f"score() requires the results of at least {LEAST_AGENTS} known agents, got"
                f" {agents}; the errors of so few do not tell how wide an interval must be"
            )
        answered = ~np.isnan(given)
        asked, found = numbers[answered], given[answered]
        if self.scale_ is None:
            return self.population_, asked, found
        same = overall(self.scale_).normalised(self.scale_.returns(found, asked))
        return on_one_scale(self.population_, self.scale_), asked, same

    def group_scores(
        self,
        quiz: Any,
        results: ArrayLike,
        names: NDArray[np.str_],
        groups: NDArray[np.int64],
        level: float,
    ) -> Scores:
        """Estimate the agent's full score on any groups of tasks, like `score`.

        Args:
            quiz: As in `score`.
            results: As in `score`.
            names: The names of the groups; those without tasks are left out.
            groups: The index of the group of each known task, or -1 if it is in none.
            level: As in `score`.

        Returns:
            The scores, one per group that has tasks.

        Raises:
            ValueError: As in `score`.
        """
        population, answered, given = self._answers(quiz, results)
        used = np.unique(groups[groups >= 0])
        compact = np.where(groups >= 0, np.searchsorted(used, groups), -1)
        found = estimate_scores(
            population, answered, given, names[used], compact, level, self._attempt_noise
        )
        return found if self.scale_ is None else in_returns(found, self.scale_)

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
        return self.weights_of(quiz, self.normalised(quiz, results), prior)

    def weights_of(self, quiz: Any, given: Floats, prior: Floats | None = None) -> Floats:
        """Return the probability of each candidate, as `weights` does, from normalised results.

        Args:
            quiz: As in `predict`.
            given: What `normalised` returned.
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
        numbers, given = self._known.find(tasks, what)
        self._known.refuse_new(numbers, given, what)
        return numbers

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
        if self.model_ is not None:
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
        predictor = cls(embedder=embedder)
        predictor.model_, predictor.posterior_ = None, posterior
        predictor.population_, predictor.linear_share_, predictor.labels_ = None, 0.0, {}
        predictor._know(tasks, features)
        return predictor

    # -- files ---------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the predictor, without its embedder or success model, to one .npz file.

        The file is written completely or not at all.

        Args:
            path: The path of the file.
        """
        self._check_fitted()
        posterior, features = self.posterior_, self._known.features
        arrays = {
            "format": np.array([FORMAT, str(FORMAT_VERSION)]),
            "tasks": self.tasks_,
            **({} if features is None else {"features": features}),
            "columns": np.array(self._known.feature_names, np.str_),
            "attempt_noise": np.array(self.attempt_noise_),
            **pack_scale(self.scale_),
        }
        arrays["profiles"], arrays["prior"] = posterior.profiles, posterior.prior
        arrays["numbers"] = np.array([posterior.temper, posterior.strength])
        arrays["noise"] = np.array([posterior.noise, *posterior.strengths])
        arrays["linear_share"] = np.array(self.linear_share_)
        if posterior.dependence is not None:
            arrays |= posterior.dependence.arrays()
        if self.model_ is not None:  # the success model gives the profiles of new tasks
            found = self.candidates_
            arrays["mix"] = np.array(found.mix)
            arrays["candidates"] = np.array([found.temper, found.centre, found.seed])
        if self.population_ is not None:
            arrays |= self.population_.arrays()
        labels = pack(self.labels_, {})
        if labels is not None:
            arrays["labels"] = labels
        with atomic_path(path) as temporary:
            write_arrays(arrays, temporary)
            seal(temporary)

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
        if not checks.path(path).is_file():
            raise FileNotFoundError(f"there is no file {path}")
        check_unfolded_size(path)
        try:
            check_seal(path)
            found = read_arrays(Path(path))
            kind, version = found["format"].tolist()
            form = kind, int(version)
        except Exception as error:  # NumPy and zipfile raise many types of errors on damaged bytes
            raise ValueError(f"{path} is damaged or not a predictor") from error
        check_format(path, form, (FORMAT, FORMAT_VERSION))
        labels = unpack(found["labels"])["task_labels"] if "labels" in found else {}
        if "mix" in found and model is None:
            raise ValueError(
                f"the predictor in {path} was fitted to a success model; pass it as model"
            )
        if "mix" in found and "profiles" not in found:  # saved by an earlier version
            predictor = cls._of_model(found, model)
        else:
            predictor = cls._of_posterior(found, embedder, path)
            if "mix" in found:
                _check_same_tasks(found.get("features", found["tasks"]), model, path)
                predictor._follow(found, model)
        predictor.attempt_noise_ = float(found.get("attempt_noise", 0.0))
        predictor.population_, predictor.labels_ = LinearPopulation.from_arrays(found), labels
        return predictor

    @classmethod
    def _of_posterior(
        cls, found: Mapping[str, Any], embedder: Embedder | None, path: str | os.PathLike[str]
    ) -> PerformancePredictor:
        parts = {"tasks", "profiles", "prior", "numbers"}
        if not parts <= set(found) or found["profiles"].shape != (
            len(found["tasks"]),
            len(found["prior"]),
        ):
            raise ValueError(f"{path} is damaged or not a predictor; some of its parts are missing")
        temper, strength = found["numbers"].tolist()
        given = found["profiles"], found["prior"], temper, strength
        dependence = Dependence.from_arrays(found)
        posterior = Posterior(*given, dependence, None, *_noise_in(found))
        predictor = cls.from_posterior(posterior, found["tasks"], found.get("features"), embedder)
        columns = tuple(found["columns"].tolist()) if "columns" in found else ()  # older: none
        predictor._know(found["tasks"], found.get("features"), columns)
        predictor.linear_share_ = float(found.get("linear_share", 0.0))
        predictor.scale_ = unpack_scale(dict(found)).get("scale")
        return predictor

    @classmethod
    def _of_model(cls, found: Mapping[str, Any], model: Any) -> PerformancePredictor:
        predictor = cls()
        predictor._follow(found, model)
        rows = found.get("features", found["tasks"])
        predictor._know_profiles(rows, model.predict_proba(rows), found["tasks"])
        return predictor

    def _follow(self, found: Mapping[str, Any], model: Profiler | None) -> None:
        """Predict new tasks by a success model."""
        temper, centre, seed = found["candidates"].tolist()
        mix = tuple(found["mix"].tolist())
        self.random_state, self.model_ = int(seed), model
        self.candidates_ = ModelCandidates(mix, temper, centre, int(seed), *_noise_in(found))


def _check_same_tasks(tasks: NDArray[Any], model: Any, path: str | os.PathLike[str]) -> None:
    """Refuse a success model of other tasks, as far as their form shows it."""
    sample = np.asarray(model.sample_)
    named = sample.dtype.kind in "US"
    if named != (tasks.dtype.kind in "US") or sample.shape[1:] != tasks.shape[1:]:
        raise ValueError(
            f"model must be the success model that the predictor in {path} was fitted to, got one"
            " of other tasks"
        )


def _noise_in(arrays: Mapping[str, Any]) -> tuple[float, tuple[float, ...]]:
    """The noise and the strengths in a file; older ones are of successes."""
    noise, *strengths = arrays["noise"].tolist() if "noise" in arrays else (1.0,)
    return noise, tuple(strengths)


def _noise_of_model(model: Profiler) -> ReturnNoise | None:
    """The noise of returns around the profiles of a success model; None for successes."""
    if getattr(model, "scale_", None) is None:
        return None
    found: Any = model
    return ReturnNoise(attempt=found.dispersion_, measured=0.0, missed=found.misfit_)


def _scale_of_model(model: Profiler | None, rows: NDArray[Any]) -> ReturnScale | None:
    """The scale of the returns of some tasks of a success model."""
    scale: ReturnScale | None = getattr(model, "scale_", None)
    names = getattr(model, "task_names_", None)
    if scale is None or names is None:
        return scale
    return scale.of_tasks(positions(names, rows, "model"))


def _population(rates: Floats, predicted: Floats | None, seed: int) -> LinearPopulation | None:
    """The linear model of at least two agents."""
    return LinearPopulation.from_rates(rates, predicted, seed) if len(rates) > 1 else None


def _from_outcomes(
    outcomes: Outcomes, vectors: Floats | None, noise: ReturnNoise | None, seed: int
) -> tuple[Posterior, float, LinearPopulation | None]:
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(seed)
    table = _table(outcomes, vectors, noise)
    with threadpool_limits(1):
        dispersion = None if noise is None else table.dispersion
        factors, settings = learn(table.successes, table.attempts, None, seed, dispersion)

        def make(rest: Table) -> list[Floats]:
            others = fit(rest.successes, rest.attempts, *settings.of_fit)
            return candidates(rest, others, settings, rng)

        chosen = choose_prior(table, make, rng)
        apart = () if noise is None else calibrate(table, make, chosen, rng)
        groups = candidates(table, factors, settings, rng)
    mix, known = chosen.mix, groups[0]
    if not mix[-1]:  # the map does not help
        mix, groups = mix[:-1], groups[:-1]
    every = np.concatenate(groups, dtype=np.float32, casting="same_kind")
    profiles, prior = np.ascontiguousarray(every.T), spread(mix, groups)
    population = _population(outcomes.rates, known, seed)
    del table, factors, groups, known, every  # several times the memory of what is left
    if noise is not None:
        strengths = noise.strengths(apart)
        how = chosen.temper, strengths[0], None, None, noise.answer(strengths), strengths
        return Posterior(profiles, prior, *how), chosen.linear, population
    with threadpool_limits(1):
        dependence = find_dependence(outcomes.rates, profiles, prior)
    posterior = Posterior(profiles, prior, chosen.temper, settings.strength, dependence)
    return posterior, chosen.linear, population


def _noise_of(outcomes: Outcomes) -> ReturnNoise | None:
    """The noise of returns; None for successes.

    If it is unknown, because each pair has one attempt, it is part of what sets agents apart.
    """
    if outcomes.scale is None:
        return None
    dispersion = dispersion_of(outcomes)
    if dispersion is None:
        return ReturnNoise(attempt=0.0, measured=0.0)
    tried = outcomes.rollouts > 0
    return ReturnNoise(dispersion, dispersion * float((1 / outcomes.rollouts[tried]).mean()))


def _table(outcomes: Outcomes, vectors: Floats | None, noise: ReturnNoise | None) -> Table:
    results = outcomes.successes.astype(float), outcomes.rollouts.astype(float)
    if noise is None:
        return Table(*results, vectors)
    # A result is a mean over attempts, whereas an answer is a single attempt.
    more = noise.attempt * (1 - 1 / np.maximum(results[1], 1))
    return Table(*results, vectors, noise.attempt or 1.0, more)


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


def containing(bounds: tuple[Floats, Floats], predicted: Floats) -> tuple[Floats, Floats]:
    """Widen intervals to full percents that contain the predicted probabilities."""
    low, high = bounds
    percents = 100 * predicted
    return np.minimum(low, np.floor(percents) / 100), np.maximum(high, np.ceil(percents) / 100)


def each_once(answered: NDArray[np.int64], results: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The different tasks among the answered ones, and the mean of the results on each."""
    tasks, attempt, counts = np.unique(answered, return_inverse=True, return_counts=True)
    if len(tasks) == len(answered):
        return answered, results
    return tasks, np.bincount(attempt, results) / counts


def check_level(level: Any, what: str = "interval") -> float:
    """Check the level of an interval."""
    value = checks.array(level, what)
    if value.ndim or value.dtype.kind not in "iuf" or not 0 < value < 1:
        raise ValueError(
            f"{what} must be a number between 0 and 1, e.g. 0.9, got {checks.brief(level)}"
        )
    return float(value)


def check_width(width: Any, what: str = "width") -> float:
    """Check the wanted width of the interval of a score."""
    wide = checks.numbers(width, what)
    if wide.ndim or not 0 < wide <= 1:
        raise ValueError(f"{what} must be a number above 0, up to 1, got {checks.brief(width)}")
    return float(wide)
