"""What a fitted success model answers, with NumPy alone: probabilities, difficulty, similarity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.folders import ModelFolder
from taskspace.outcomes import feature_rows
from taskspace.outcomes.feature_rows import in_order
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.outcomes.task_names import as_list, positions
from taskspace.similarity.profiles import INFORMATION, check_measure, profile_similarity

Floats = NDArray[np.float64]

FEW_TASKS = 300  # with features: with fewer tasks, the model is chosen by cross-validation
FOLDER = ModelFolder("success model", "success-model.json", version=1)


class Predicting:
    """Predictions of a fitted success model, in memory or in a folder.

    A subclass sets the attributes and implements `_probabilities`.
    """

    agents_: NDArray[np.str_]
    task_names_: NDArray[np.str_] | None
    feature_names_: tuple[str, ...] = ()
    sample_: NDArray[Any]
    kind_: str
    held_out_: NDArray[np.int64]
    test_scores_: dict[str, float]
    history_: dict[str, list[float]]
    calibration_: dict[str, float]
    profiles_: Floats
    n_features_in_: int
    scale_: ReturnScale | None = None
    dispersion_: float | None = None
    misfit_: float | None = None

    def predict_proba(self, tasks: Any) -> Floats:
        """Predict the probability that each agent solves each task; the tasks may be new.

        For a model of returns, these are the expected normalised returns.

        Args:
            tasks: Rows of features. If the model was fitted without features, the names of tasks
                as text, or their positions in the outcomes as integers. One task is accepted too.

        Returns:
            The probabilities (agents, tasks).

        Raises:
            ValueError: If the tasks have the wrong form, if a name is unknown, or if an integer
                is a position and also the name of another task.
        """
        self._check_fitted()
        if self.task_names_ is not None:
            return self.profiles_[:, positions(self.task_names_, as_list(tasks), "model")]
        array = checks.array(in_order(tasks, self.feature_names_), "tasks")
        if array.dtype.kind in "US":
            raise ValueError(
                "tasks must be one row of features per task, got names; this model was fitted to"
                " features, so it cannot find a task by name"
            )
        rows = feature_rows.rows(array if array.ndim != 1 else array[None])
        _check_rows(rows, self.sample_.dtype)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"tasks must have {self.n_features_in_} features, got {rows.shape[1]}")
        features = rows.astype(self.sample_.dtype)
        checks.moderate(features, "the features of tasks")
        probabilities = self._probabilities(features).T
        checks.finite(probabilities, "the probabilities of success on these tasks")
        return probabilities

    def difficulty(self, tasks: Any) -> Floats:
        """Difficulty of tasks: 1 minus the mean probability of success of the population.

        For a model of returns, it follows from their scale; see `ReturnScale.difficulty`.

        Args:
            tasks: The tasks, as in `predict_proba`.

        Returns:
            One difficulty per task.
        """
        profiles = self.predict_proba(tasks)
        if self.scale_ is not None:
            return self.scale_.difficulty(profiles, self._numbers(tasks))
        failing: Floats = 1 - profiles.mean(0)
        return failing

    def expected_returns(self, tasks: Any) -> Floats:
        """Predict the expected return of each agent on each task.

        Args:
            tasks: The tasks, as in `predict_proba`.

        Returns:
            The expected returns (agents, tasks).

        Raises:
            ValueError: If the model is one of successes, or as in `predict_proba`.

        >>> import taskspace as ts
        >>> rng = np.random.default_rng(0)
        >>> outcomes = ts.Outcomes.from_returns(-rng.uniform(size=(12, 1)) * [100.0, 200.0, 10.0])
        >>> ts.SuccessModel(random_state=0).fit(outcomes).expected_returns(["task-0"]).shape
        (12, 1)
        """
        profiles = self.predict_proba(tasks)
        if self.scale_ is None:
            raise ValueError(
                "expected_returns() requires a model of returns, got one of successes; fit it to"
                " Outcomes.from_returns or to outcomes.by_return()"
            )
        return self.scale_.returns(profiles, self._numbers(tasks))

    def _numbers(self, tasks: Any) -> NDArray[np.int64] | None:
        """The positions of tasks without features, each of which may have its own scale."""
        if self.task_names_ is None:
            return None
        return positions(self.task_names_, as_list(tasks), "model")

    def similarity(self, tasks: Any, others: Any = None, measure: str = INFORMATION) -> Floats:
        """Similarity of tasks: the mutual information of their outcomes, in bits.

        It is computed from predicted probabilities instead of rollouts; see `taskspace.similarity`.
        For a model of returns, the ranks of the agents are compared, by the Gaussian copula.

        Args:
            tasks: The tasks in the rows, as in `predict_proba`.
            others: The tasks in the columns; the same tasks by default.
            measure: "information", or "correlation" for the correlation of outcomes.

        Returns:
            The similarities (tasks, others).

        Raises:
            ValueError: If there is no such measure.
        """
        check_measure(measure)
        rates = self.predict_proba(tasks)
        columns = rates if others is None else self.predict_proba(others)
        return profile_similarity(rates, columns, measure, self.dispersion_)

    def _check_fitted(self) -> None:
        """Raise an error if the model was not fitted."""

    def _probabilities(self, features: NDArray[Any]) -> Floats:
        """The probabilities (tasks, agents) of checked features."""
        raise NotImplementedError

    def _restore(self, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Set the attributes from what was saved; what is left in `arrays` is the network."""
        self.agents_ = np.array(settings["agents"], np.str_)
        self.test_scores_, self.task_names_ = settings["test_scores"], None
        self.feature_names_ = tuple(settings.get("feature_names", ()))  # older folders have none
        if "scale" in settings:
            self.scale_ = ReturnScale(**settings["scale"])
            self.dispersion_ = float(settings["dispersion"])
            self.misfit_ = float(settings["misfit"])
        if "task_names" in settings:
            self.task_names_ = np.array(settings["task_names"], np.str_)
            self.profiles_ = arrays["profiles"]
            self.sample_ = np.array(settings["sample"], np.str_)
            if self.profiles_.shape != (len(self.agents_), len(self.task_names_)):
                raise ValueError("the shape of profiles must agree with the names")
            return
        self.history_, self.calibration_ = settings["history"], settings["calibration"]
        # Older folders do not say what was held out, and are all of networks.
        self.kind_ = settings.get("kind", "network")
        self.held_out_ = arrays.pop("held_out", np.arange(0))
        self.sample_ = arrays.pop("sample")
        self.n_features_in_ = self.sample_.shape[1]


def _check_rows(rows: Any, kind: np.dtype[Any]) -> None:
    """Refuse what is not finite, and what is not a byte if the model was fitted to bytes."""
    if getattr(rows, "dtype", None) == np.uint8:
        return  # as numbers, bytes would take eight times the memory
    values = checks.numbers(rows, "tasks")
    if kind == np.uint8 and (wrong := values[values != values.clip(0, 255).round()]).size:
        raise ValueError(f"tasks must be integers from 0 to 255, got {wrong[0]:g}")
