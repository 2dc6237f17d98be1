"""`TaskEmbedder`: the map of tasks, which keeps what the outcomes say about similarity."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from taskspace import checks
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.constraints import check_orders
from taskspace.models.embedding.informative import check_agents, warn_if_uninformative
from taskspace.models.embedding.profile_map import fit_profiles
from taskspace.models.embedding.reading import ReadingInformation
from taskspace.models.embedding.scoring import (
    accuracies,
    drawn,
    given_statistics,
    pair_similarities,
    triplet_accuracy,
)
from taskspace.models.embedding.spectral import kept
from taskspace.models.embedding.storage import State
from taskspace.models.embedding.table_map import check_size, fit_table
from taskspace.models.embedding.verdict import judge, warn_if_weak
from taskspace.models.success.predicting import FEW_TASKS, Predicting
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.profiles import INFORMATION, check_measure
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.statistics import warn_if_anti_correlated
from taskspace.similarity.task_statistics import TaskStatistics

if TYPE_CHECKING:
    from taskspace.models.success.model import SuccessModel

Floats = NDArray[np.float64]

FEWEST_TASKS = 3
FEWEST_AGENTS = 16  # with fewer, half of the agents is too few to test a map of the other half


class TaskEmbedder(ReadingInformation, Embedding):
    """Learns a vector for every task, whose inner products are similarities of tasks.

    A vector has two readings: its direction shows which skills the task requires, and its squared
    length is the information that two attempts at this task by the same agent share. The difficulty
    of the task, the probability of failure, is a number of its own.

    If the tasks have features, a `SuccessModel` predicts the success probability of every agent on
    any task, its profile. The similarities of up to 1000 landmark tasks are decomposed into
    eigenvectors, and the vector of any task follows from its similarities to the landmarks. If they
    have no features, tasks are given by name, and the similarities that the table of results itself
    suggests are decomposed; pairs that too few agents tried may be missing.

    The axes are canonical: they are turned (by varimax) so that each one is a skill, as far as
    possible, the most informative one first. So two maps that agree look the same.

    Args:
        n_components: The number of dimensions, or "auto" to keep 95 % of the shared information.
        measure: "information", the mutual information of outcomes in bits, or "correlation", in
            which tasks that are solved by opposite agents are opposite and not similar.
        model: The `SuccessModel` to fit if there are features; one with default settings if None.
            It is cloned.
        random_state: The seed; None draws one from the operating system.

    Attributes:
        n_components_: The number of dimensions.
        spectrum_: The eigenvalues of the similarities, largest first: the information that another
            dimension adds. Without features, only those that exceed chance.
        kept_: The fraction of the shared information that the dimensions keep.
        test_scores_: The triplet accuracy ("similarity") and difficulty-pair accuracy
            ("difficulty") on tasks that the success model has not seen or, without features, of a
            map of one half of the agents on the results of the other half. There, "plain" is the
            triplet accuracy of the similarities of the first half themselves, without a map. Empty
            if there are too few tasks or agents, or if the map was fitted to a success model.
        model_: The fitted success model (only with features).
        map_: The `ProfileMap` from success profiles to vectors (only with features).
        task_names_: The names of the tasks if they have no features, otherwise None.

    >>> import numpy as np, taskspace as ts
    >>> rng = np.random.default_rng(0)
    >>> skills = np.repeat(rng.normal(size=(400, 2)), 10, axis=1)  # ten tasks for each of two
    >>> solved = rng.random((400, 20)) < 1 / (1 + np.exp(-2 * skills))
    >>> embedder = ts.TaskEmbedder(random_state=0).fit(ts.Outcomes(1 * solved, 1))
    >>> embedder.n_components_
    2
    >>> embedder.similarity("task-0", ["task-1", "task-11"]).round(1) + 0.0
    array([[0.1, 0. ]])
    """

    model_: SuccessModel
    _with_scores = True

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        measure: str = INFORMATION,
        model: SuccessModel | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.measure = measure
        self.model = model
        self.random_state = random_state

    def untested(self) -> TaskEmbedder:
        """Do not compute test scores of maps without features.

        Returns:
            The embedder itself.
        """
        self._with_scores = False
        return self

    # -- learning --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, outcomes: Outcomes | None = None) -> TaskEmbedder:
        """Learn the map.

        Args:
            X: `Outcomes`; or a fitted `SuccessModel` of tasks with features; or features of tasks.
            y: The scores of agents (tasks, agents), if `X` is features and there are no outcomes.
            outcomes: The outcomes, if `X` is the features of their tasks.

        Returns:
            The embedder itself.

        Raises:
            ValueError: If an argument is invalid, or if the outcomes do not differ between tasks
                or between agents.

        Warns:
            WeakMapWarning: If the map is hardly better than chance on held-out results.
            UserWarning: If the outcomes of different tasks share no information, or if tasks
                without features are solved by all agents or by none.
        """
        self._check_settings()
        self.task_names_, self.feature_names_ = None, ()
        rng = np.random.default_rng(self.random_state)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit
        if isinstance(X, Predicting):
            return self._fit_model(cast("SuccessModel", X))
        given = X if isinstance(X, Outcomes) else self._as_outcomes(X, y, outcomes)
        if given is X and given.features is not None:  # otherwise X has been validated
            self._validated(given.features)
            self.feature_names_ = given.feature_names
        if given.n_tasks < FEWEST_TASKS:
            raise ValueError(
                f"outcomes must have at least {FEWEST_TASKS} tasks, got {given.n_tasks}"
            )
        if y is None:  # with y, one agent is a regression target of scikit-learn
            check_agents(given)
        if given.features is None:
            check_size(self.n_components, given.n_tasks)
        statistics = statistics_of(given)
        if self.measure == INFORMATION:
            warn_if_anti_correlated(statistics, given.tasks)
        if given.features is None:
            check_orders(statistics, self.measure)
            warn_if_uninformative(given)
            self._fit_table(given, statistics, rng)
            warn_if_weak(judge(self.evidence(given.n_agents, given.n_tasks)))
            return self
        from taskspace.models.success.model import SuccessModel  # imports torch

        model = SuccessModel() if self.model is None else clone(self.model)
        if self.model is None or model.random_state is None:
            model.set_params(random_state=int(rng.integers(2**31)))
        self._fit_model(model.fit(given))
        if model.kind_ == "means":
            warnings.warn(
                "the features do not predict which agents solve a task, so all tasks have the same"
                " vector; leave the features out to map the tasks by their results",
                stacklevel=2,
            )
        self.test_scores_ = self._scores(given.features, statistics, model.held_out_, rng)
        warn_if_weak(judge(self.evidence(given.n_agents, given.n_tasks)))
        return self

    def _as_outcomes(self, X: Any, y: Any, outcomes: Outcomes | None) -> Outcomes:
        if outcomes is None and y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        tasks = self._validated(X, ensure_min_samples=3)
        if outcomes is not None:
            if not isinstance(outcomes, Outcomes):
                raise ValueError(f"outcomes must be Outcomes, got {checks.brief(outcomes)}")
            return dataclasses.replace(outcomes, features=tasks, feature_names=())
        rates = given_statistics(tasks, y, None).rates.T.astype(np.float64)
        return Outcomes(rates, np.array(1), features=tasks)

    def _fit_model(self, model: SuccessModel) -> TaskEmbedder:
        """The map of a success model."""
        from threadpoolctl import threadpool_limits

        model._check_fitted()
        if model.task_names_ is not None:
            raise ValueError(
                "the success model must be one of tasks with features; without features, fit the"
                " map to the outcomes"
            )
        # Single precision is enough for landmarks, and files are half as large.
        landmarks = model.predict_proba(model.sample_).astype(np.float32).astype(np.float64)
        with threadpool_limits(1):  # bit-identical on any number of cores
            self.map_, self.spectrum_ = fit_profiles(
                landmarks, self.n_components, self.measure, model.dispersion_
            )
        self.model_, self.test_scores_ = model, {}
        self.n_components_ = self.map_.weights.shape[1]
        self.n_features_in_ = model.n_features_in_
        self.feature_names_ = self.feature_names_ or model.feature_names_
        self._measure_kept()
        return self

    def _fit_table(
        self, outcomes: Outcomes, statistics: TaskStatistics, rng: np.random.Generator
    ) -> None:
        """The map of a table of results, whose tasks are known by name."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):  # bit-identical on any number of cores
            found = fit_table(statistics, self.n_components, self.measure, rng)
            self.test_scores_ = {}
            if self._with_scores:
                self.test_scores_ = self._scores_of_halves(outcomes, found[0].shape[1], rng)
        self.task_names_, self.n_features_in_ = outcomes.tasks, 1
        self._known, self.spectrum_ = found
        self._difficulty = 1 - statistics.success
        self.n_components_ = self._known.shape[1]
        self._measure_kept()

    def _measure_kept(self) -> None:
        self.kept_ = kept(self.spectrum_, self.n_components_)
        if not self.spectrum_.sum() > 0:
            warnings.warn(
                "the outcomes of different tasks share no information, so all vectors are 0; use"
                " agents that differ in what they solve",
                stacklevel=3,
            )

    def _scores_of_halves(
        self, outcomes: Outcomes, size: int, rng: np.random.Generator
    ) -> dict[str, float]:
        """The scores of a map of one half of the agents, on the results of the other half."""
        if outcomes.n_agents < FEWEST_AGENTS:
            return {}
        order = rng.permutation(outcomes.n_agents)
        halves = [np.sort(order[::2]), np.sort(order[1::2])]
        tried = np.all([(outcomes.rollouts[half] > 0).any(0) for half in halves], axis=0)
        if tried.sum() < 3:
            return {}
        one, other = (_part(outcomes, half, np.flatnonzero(tried)) for half in halves)
        vectors, _ = fit_table(one, min(size, one.n_tasks), self.measure, rng)
        constraints = drawn(other, np.arange(other.n_tasks), rng, measure=self.measure)
        found = accuracies(vectors, 1 - one.success, constraints)
        plain = triplet_accuracy(pair_similarities(one, self.measure), constraints.triplets)
        return found if plain is None else {**found, "plain": plain}

    def _tested(self, agents: int, tasks: int) -> tuple[int, str]:
        if self.task_names_ is None:
            return math.comb(len(self.model_.held_out_), 2), f"at least {FEW_TASKS} tasks"
        if agents < FEWEST_AGENTS:
            return 0, f"at least {FEWEST_AGENTS} agents"
        return math.comb(tasks, 2), "tasks that more of the agents tried"

    def _check_settings(self) -> None:
        checks.dimensions(self.n_components)
        check_measure(self.measure)
        if self.random_state is not None:
            checks.seed(self.random_state)
        if self.model is not None and not isinstance(self.model, Predicting):
            kind = type(self.model).__name__
            raise ValueError(f"model must be a SuccessModel or None, got {kind}")

    # -- reading the map -------------------------------------------------------------------------

    def score(self, X: Any, y: Any = None, *, outcomes: Outcomes | None = None) -> float:
        """Fraction of ordinal constraints that hold on given tasks.

        Args:
            X: `Outcomes`, or the features of the tasks.
            y: The scores of agents (tasks, agents), if there are no outcomes.
            outcomes: The outcomes, if `X` is the features of the tasks.

        Returns:
            The mean of the triplet accuracy and the difficulty-pair accuracy.

        Raises:
            ValueError: If the tasks have the wrong form.
        """
        check_is_fitted(self, "n_components_")
        if isinstance(X, Outcomes):
            X, outcomes = X.task_inputs if self.task_names_ is None else X.tasks, X
        tasks = self._validated(X, reset=False)
        statistics, rng = given_statistics(tasks, y, outcomes), np.random.default_rng(0)
        found = self._scores(tasks, statistics, np.arange(len(tasks)), rng)
        return float(np.mean(list(found.values())))

    def _scores(
        self,
        tasks: NDArray[Any],
        statistics: TaskStatistics,
        held_out: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> dict[str, float]:
        if len(held_out) < 3:
            return {}
        constraints = drawn(statistics, held_out, rng, measure=self.measure)
        used = np.union1d(constraints.triplets.tasks, constraints.pairs).astype(np.int64)
        vectors, difficulty = np.zeros((len(tasks), self.n_components_)), np.zeros(len(tasks))
        if len(used):  # profiles of all tasks would take long
            some = tasks[used]
            vectors[used], difficulty[used] = self._vectors(some), self._difficulties(some)
        return accuracies(vectors, difficulty, constraints)

    # -- files -----------------------------------------------------------------------------------

    def _state(self) -> State:
        settings = {"kept": self.kept_, "test_scores": self.test_scores_}
        arrays: dict[str, NDArray[Any]]
        if self.task_names_ is not None:
            arrays = {"vectors": self._known, "difficulty": self._difficulty}
        else:
            landmarks = self.map_.landmarks.astype(np.float32)  # exactly, see `_fit_model`
            arrays = {"landmarks": landmarks, "weights": self.map_.weights}
        arrays["spectrum"] = self.spectrum_
        return State(settings, arrays, None if self.task_names_ is not None else self.model_)

    def _restore(self, state: State) -> None:
        self._restore_arrays(state.settings, state.arrays, state.model)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.non_deterministic = False
        return tags


def _part(
    outcomes: Outcomes, agents: NDArray[np.int64], tasks: NDArray[np.int64]
) -> TaskStatistics:
    """The statistics of some agents on some tasks."""
    some = outcomes.of_tasks(outcomes.tasks[tasks].tolist())
    some = some.of_agents(outcomes.agents[agents].tolist())
    if some.scale is not None:  # the range that all agents reached would be known to both halves
        some = some.by_return(best=some.scale.best, success=some.scale.success)
    return statistics_of(some)
