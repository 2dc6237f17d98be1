"""`SuccessModel`: every agent's probability of success, or expected return, on any task."""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from taskspace import checks
from taskspace.models.folders import ModelFolder
from taskspace.models.success.dispersion import dispersion_of, residual_dispersion
from taskspace.models.success.encoders import (
    Encoder,
    describe,
    is_frozen,
    make_encoder,
    restore,
)
from taskspace.models.success.few_tasks import (
    FOLDS,
    Candidate,
    choose,
    linear_candidates,
    means_candidate,
)
from taskspace.models.success.low_rank import fit_low_rank, log_loss
from taskspace.models.success.network import (
    Counts,
    Encoding,
    Training,
    calibrate,
    fit_network,
    linear_network,
    logits_of,
    precise,
    success_network,
)
from taskspace.outcomes import feature_rows
from taskspace.outcomes.feature_rows import in_order
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.outcomes.task_names import as_list, positions
from taskspace.progress import Advance, progress_bar
from taskspace.similarity.profiles import INFORMATION, check_measure, profile_similarity
from taskspace.torch_state import one_thread, torch_seed

Floats = NDArray[np.float64]

FEW = 100  # without features: with fewer tried pairs, nothing is held out
HELD_OUT = 0.1  # fraction for validation, and the same for the test
FEW_TASKS = 300  # with features: with fewer tasks, the model is chosen by cross-validation
FEW_HELD_OUT = 0.2  # fraction of few tasks on which training of a network is stopped
FEW_STEPS = 300  # of training a network for few tasks
ENOUGH_TO_COMPARE = 10  # with fewer tasks, the model is the agents' means
RELIABILITY_BINS = 15
MOST_BLOCKS = 100  # of the network
_FOLDER = ModelFolder("success model", "success-model.json", version=1)
SAMPLE = 1000  # tasks that are saved with the model


class SuccessModel(BaseEstimator):  # type: ignore[misc]
    """Learns the probability that each agent of a population solves a task.

    A network maps the features of a task to the probabilities of all agents at once, so that agents
    inform each other. Many tasks with few rollouts are better than few tasks with many: 40,000
    tasks with 2 rollouts each are a good budget. A tenth of the tasks is used for early stopping
    and calibration (one scale and one shift of all logits), and another tenth for the test scores.

    With fewer than 300 tasks, cross-validation over tasks (five folds) chooses between the network,
    a linear model (logistic regression of every agent, with shared penalties) and the agents' mean
    success rates, which are the choice unless another model is clearly better. The chosen model is
    fitted to all tasks, and the test scores are those of the cross-validation.

    If the outcomes have no features, tasks are given by name, and the probabilities come from a
    low-rank model of the table (`low_rank`), in which pairs may be missing. Then pairs are held out
    instead of tasks, and only `random_state` is used.

    If the outcomes are returns (`Outcomes.from_returns`), the same models learn the expected
    normalised return, from 0 to 1, and "probability" means that wherever it is said here.

    Args:
        width: The width of the network.
        blocks: The number of residual blocks.
        bins: The number of bins into which a feature with many values is divided.
        learning_rate: The largest learning rate.
        batch_size: The number of tasks per step.
        epochs: The number of passes over the tasks; there are at least 1000 steps (300 if tasks
            are few), unless it is 0.
        network: A function for tasks that are not rows of numbers, e.g. bytes that describe a
            program. It gets the training tasks and returns an `Encoder`, which replaces the bins.
        random_state: The seed; None draws one from the operating system.
        progress: Whether to show a progress bar; by default only on a terminal.

    Attributes:
        agents_: The names of the agents.
        task_names_: The names of the tasks if they have no features, otherwise None.
        sample_: A random sample of up to 1000 training tasks, as `predict_proba` takes them.
        feature_names_: The names of the features; empty without features. Columns of a DataFrame of
            tasks are found by these names.
        kind_: The kind of the model: "network", "linear" or "means" (only with features).
        held_out_: The indices of the tasks of the test scores, which were used for nothing else;
            empty if the scores are cross-validated (only with features).
        test_scores_: Held-out or cross-validated scores: `log_loss` (nats per rollout),
            `agent_mean_log_loss` (the same if each agent's mean success rate is the prediction),
            `brier`, and `calibration_error` (the expected calibration error). For returns also
            `error`, the root mean square error of normalised returns, and `dispersion`, its square
            relative to the largest possible variance.
        scale_: The scale of the returns, or None if the model is one of successes.
        dispersion_: How much attempts vary around the expected return: 1 if as much as successes,
            0 if not at all; an upper bound if there is one attempt per pair. None without returns.
        misfit_: How far expected returns are from predicted ones: the part of the `dispersion` of
            the test that attempts do not explain. None without returns.
        network_: The network from tasks to logits; a linear model has one layer (only with
            features).
        history_: The training and validation losses of a network, with their steps (only with
            features).
        calibration_: The temperature and the shift of the logits of a network (only with features).
        profiles_: The success probabilities (agents, tasks) (only without features).

    >>> import taskspace as ts
    >>> rng = np.random.default_rng(0)
    >>> tasks, skills = rng.uniform(size=(500, 2)), rng.uniform(size=(20, 2))
    >>> solved = np.all(skills[:, None] > tasks, axis=2)  # agents x tasks
    >>> outcomes = ts.Outcomes(2 * solved, 2, features=tasks)
    >>> model = SuccessModel(width=32, epochs=1, random_state=0).fit(outcomes)
    >>> model.predict_proba([[0.1, 0.1], [0.9, 0.9]]).mean(0).round()
    array([1., 0.])
    >>> model.fit(ts.Outcomes(2 * solved, 2)).difficulty(["task-3", "task-7"]).shape
    (2,)
    """

    feature_names_: tuple[str, ...] = ()
    history_: dict[str, list[float]]
    calibration_: dict[str, float]
    scale_: ReturnScale | None = None
    dispersion_: float | None = None
    misfit_: float | None = None

    def __init__(
        self,
        *,
        width: int = 128,
        blocks: int = 2,
        bins: int = 64,
        learning_rate: float = 2e-3,
        batch_size: int = 256,
        epochs: int = 20,
        network: Callable[[NDArray[Any]], Encoder] | None = None,
        random_state: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.width = width
        self.blocks = blocks
        self.bins = bins
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.network = network
        self.random_state = random_state
        self.progress = progress

    # -- learning --------------------------------------------------------------------------------

    def fit(self, outcomes: Outcomes) -> SuccessModel:
        """Learn from success counts or from returns.

        Args:
            outcomes: The outcomes, in which each agent tried at least one task; pairs may be
                missing.

        Returns:
            The model itself.

        Raises:
            ValueError: If an argument is invalid, or if training diverges.

        Warns:
            UserWarning: If tasks with features are few, or if the features do not help.
        """
        self._check_settings()
        if not isinstance(outcomes, Outcomes):
            kind = type(outcomes).__name__
            raise ValueError(f"outcomes must be Outcomes, e.g. from evaluate, got {kind}")
        idle = ~(outcomes.rollouts > 0).any(1)
        if idle.any():
            raise ValueError(
                "each agent must have tried at least one task, got no attempts of"
                f" {outcomes.agents[idle.argmax()]}"
            )
        self.scale_ = _new_tasks_scale(outcomes)
        rng = np.random.default_rng(self.random_state)
        if outcomes.features is None:
            self._fit_table(outcomes, rng)
        else:
            self._fit_features(outcomes, rng)
        self.agents_, self.feature_names_ = outcomes.agents, outcomes.feature_names
        self.task_names_ = outcomes.tasks if outcomes.features is None else None
        self.dispersion_ = self.misfit_ = None
        if self.scale_ is not None:
            self._set_dispersion(outcomes)
        return self

    def _set_dispersion(self, outcomes: Outcomes) -> None:
        """How much attempts vary, and how much of the errors this does not explain."""
        within, errors = dispersion_of(outcomes), self.test_scores_["dispersion"]
        if within is None:  # errors and noise cannot be told apart
            self.dispersion_ = self.misfit_ = errors
            return
        attempts = outcomes.rollouts[outcomes.rollouts > 0]
        self.dispersion_ = within
        self.misfit_ = max(errors - within * float((1 / attempts).mean()), 0.0)

    def _fit_features(self, outcomes: Outcomes, rng: np.random.Generator) -> None:
        everything = Counts(
            torch.from_numpy(self._validated(outcomes.features)),
            torch.from_numpy(np.ascontiguousarray(outcomes.successes.T, np.float32)),
            torch.from_numpy(np.ascontiguousarray(outcomes.rollouts.T, np.float32)),
        )
        order = rng.permutation(np.flatnonzero((outcomes.rollouts > 0).any(0)))
        if len(order) < FEW_TASKS:
            self._fit_few(everything.of(torch.from_numpy(order)), rng)
        else:
            self._fit_many(everything, order, rng)

    def _fit_many(
        self, everything: Counts, order: NDArray[np.int64], rng: np.random.Generator
    ) -> None:
        """Train the network, and test it on held-out tasks."""
        size = round(HELD_OUT * len(order))
        parts = (order[2 * size :], order[:size], order[size : 2 * size])
        train, validation, test = (everything.of(torch.from_numpy(part)) for part in parts)
        training = Training(self.learning_rate, self.batch_size, self.epochs)
        steps = training.steps(len(train))
        with progress_bar(self._learning, steps, self.progress) as advance:
            self.network_ = self._learn(train, validation, training, rng, advance)
        self.kind_, self.sample_, self.held_out_ = "network", train.tasks[:SAMPLE].numpy(), parts[2]
        predicted = torch.sigmoid(logits_of(self.network_, test.tasks))
        means = _means(train.successes.double().numpy(), train.rollouts.double().numpy(), axis=0)
        self._set_scores(predicted, means, test)

    @property
    def _learning(self) -> str:
        return "Learning success" if self.scale_ is None else "Learning returns"

    def _fit_few(self, counts: Counts, rng: np.random.Generator) -> None:
        """Fit the kind of model that is best in cross-validation, and keep its scores there."""
        warnings.warn(
            f"{len(counts)} tasks are few, so the test scores are cross-validated; with"
            f" {FEW_TASKS} or more, tasks are held out",
            stacklevel=4,
        )
        training = Training(self.learning_rate, self.batch_size, self.epochs, FEW_STEPS)
        total = (FOLDS + 1) * training.steps(len(counts))
        enough = len(counts) >= ENOUGH_TO_COMPARE
        with (
            torch_seed(int(rng.integers(2**31))),
            progress_bar(self._learning, total, self.progress) as advance,
        ):
            learn = functools.partial(self._learn_few, training=training, rng=rng, advance=advance)
            encoder = self._encoder(counts.tasks.numpy(), bins=0)
            others = [Candidate("network", learn)]
            if self.network is None:
                others += linear_candidates(encoder)
            choice = choose(means_candidate(encoder), others if enough else [], counts, rng)
            self.network_ = choice.candidate.fit(counts).eval()
        self.kind_, self.sample_ = choice.candidate.kind, counts.tasks[:SAMPLE].numpy()
        self.held_out_ = np.arange(0)
        if self.kind_ != "network":
            self.history_, self.calibration_ = {}, {}
        if self.kind_ == "means" and enough:
            what = "success" if self.scale_ is None else "returns"
            warnings.warn(f"features do not predict {what} beyond the agents' means", stacklevel=4)
        predicted, means = torch.sigmoid(choice.logits), torch.sigmoid(choice.means)
        self._set_scores(predicted, means, counts)

    def _set_scores(self, predicted: torch.Tensor, means: Any, test: Counts) -> None:
        """Score the probabilities (tasks, agents) of the model and of the agents' means."""
        chances = predicted.double().numpy()
        base = np.broadcast_to(np.asarray(means, np.float64), chances.shape)
        results = test.successes.double().numpy(), test.rollouts.double().numpy()
        self.test_scores_ = scores(chances, base, *results, returns=self.scale_ is not None)

    def _validated(self, features: Any) -> NDArray[Any]:
        """The features in double precision, or as they are if an encoder takes them."""
        rows = validate_data(self, features, dtype=np.float64 if self.network is None else None)
        checks.moderate(rows, "features")
        checked: NDArray[Any] = rows
        return checked

    def _learn(
        self,
        train: Counts,
        validation: Counts,
        training: Training,
        rng: np.random.Generator,
        advance: Advance,
    ) -> torch.nn.Sequential:
        """Train and calibrate a network."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
        agents = train.successes.shape[1]
        with torch_seed(int(rng.integers(2**31))):
            encoder = self._encoder(train.tasks.numpy(), self.bins)
            network = success_network(encoder, self.width, self.blocks, agents)
            layers, small = network, self.network is None
            if self.network is not None and is_frozen(encoder):
                layers, small = torch.nn.Sequential(*list(network)[1:]), True
                train, validation = train.encoded(encoder), validation.encoded(encoder)
            with one_thread() if small else contextlib.nullcontext():
                self.history_ = fit_network(
                    layers, train, validation, training, generator,
                    lambda done, loss: advance(done, f"held-out loss {loss:.3f}"),
                )  # fmt: skip
                self.calibration_ = calibrate(layers, validation)
        return network.eval()

    def _learn_few(self, counts: Counts, **how: Any) -> torch.nn.Sequential:
        """Train a network on most of a few tasks; the others decide when to stop."""
        size = round(FEW_HELD_OUT * len(counts))
        most, others = torch.arange(size, len(counts)), torch.arange(size)
        return self._learn(counts.of(most), counts.of(others), **how)

    def _encoder(self, tasks: NDArray[Any], bins: int) -> torch.nn.Module:
        if self.network is None:
            return Encoding.of(tasks, bins)
        return make_encoder(self.network, tasks)

    def _fit_table(self, outcomes: Outcomes, rng: np.random.Generator) -> None:
        """Fit the low-rank model, and test it on held-out pairs."""
        seed = int(rng.integers(2**31))
        model = fit_low_rank(outcomes, seed=seed)
        successes = outcomes.successes.astype(np.float64)
        attempts = outcomes.rollouts.astype(np.float64)
        tested, predicted, seen = attempts > 0, model.profiles, attempts
        if tested.sum() >= FEW:
            tested = tested & (rng.random(tested.shape) < HELD_OUT)
            seen = np.where(tested, 0, attempts)
            counts = np.where(tested, 0, outcomes.rollouts)
            rest = Outcomes(np.where(tested, 0, outcomes.successes), counts)
            again = fit_low_rank(
                rest, settings=model.settings, seed=seed, dispersion=model.dispersion
            )
            predicted = again.profiles
        means = _means(np.where(seen > 0, successes, 0), seen, axis=1)[:, None]
        base = np.broadcast_to(means, tested.shape)
        pairs = (a[tested] for a in (predicted, base, successes, attempts))
        self.test_scores_ = scores(*pairs, returns=self.scale_ is not None)
        self.profiles_ = model.profiles
        self.sample_ = rng.permutation(outcomes.tasks)[:SAMPLE]

    def _check_settings(self) -> None:
        for name, least, most in (
            ("width", 1, checks.WIDEST), ("blocks", 0, MOST_BLOCKS), ("bins", 1, checks.WIDEST),
            ("batch_size", 1, checks.LARGEST_BATCH), ("epochs", 0, checks.MOST),
        ):  # fmt: skip
            checks.whole(getattr(self, name), name, least, most)
        if checks.number(self.learning_rate, "learning_rate") <= 0:
            raise ValueError(
                f"learning_rate must be a positive number, got {checks.brief(self.learning_rate)}"
            )
        if self.network is not None and not callable(self.network):
            raise ValueError(
                f"network must be a function or None, got {checks.brief(self.network)}"
            )
        if self.random_state is not None:
            checks.seed(self.random_state)

    # -- predicting ------------------------------------------------------------------------------

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
        check_is_fitted(self, "test_scores_")
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
        features = validate_data(self, rows, dtype=self.sample_.dtype, reset=False)
        checks.moderate(features, "the features of tasks")
        with one_thread():  # bit-identical on any number of cores
            logits = logits_of(precise(self.network_), torch.from_numpy(features.copy()))
        probabilities: Floats = torch.sigmoid(logits.double()).numpy().T
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
        >>> SuccessModel(random_state=0).fit(outcomes).expected_returns(["task-0"]).shape
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

    # -- files -----------------------------------------------------------------------------------

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: settings in JSON, weights in safetensors, no pickle.

        The encoder of structured tasks is saved, but not the function `network` that made it.

        Args:
            folder: The path of the folder; an existing success model is replaced.

        Raises:
            ValueError: If the folder contains other files, or if the encoder is not one of this
                library (`taskspace.models.success.encoders.ENCODERS`).
        """
        check_is_fitted(self, "test_scores_")
        parameters = {k: _plain(v) for k, v in self.get_params().items() if k != "network"}
        settings = {
            "parameters": parameters,
            "agents": self.agents_.tolist(),
            "feature_names": self.feature_names_,
            "test_scores": self.test_scores_,
        }
        if self.scale_ is not None:
            settings |= {"scale": _listed(self.scale_), "dispersion": self.dispersion_}
            settings["misfit"] = self.misfit_
        if self.task_names_ is not None:
            settings["task_names"] = self.task_names_.tolist()
            settings["sample"] = self.sample_.tolist()
            tensors = {"profiles": torch.from_numpy(self.profiles_)}
        else:
            settings |= {"history": self.history_, "calibration": self.calibration_}
            settings["kind"] = self.kind_
            if not isinstance(self.network_[0], Encoding):
                settings["encoder"] = describe(self.network_[0])
            found = {"sample": self.sample_, "held_out": self.held_out_}
            tensors = {name: torch.from_numpy(array) for name, array in found.items()}
            tensors |= self.network_.state_dict()
        _FOLDER.save(folder, settings, tensors)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> SuccessModel:
        """Read a model written by `save`.

        Args:
            folder: The path of the folder.

        Returns:
            The fitted model.

        Raises:
            FileNotFoundError: If there is no success model in the folder.
            ValueError: If the model is damaged.
        """
        settings = _FOLDER.load_settings(folder)
        tensors = _FOLDER.load_tensors(folder, settings)
        try:
            return cls._restored(settings, tensors)
        except (AttributeError, KeyError, TypeError, RuntimeError, ValueError) as error:
            raise _FOLDER.damaged(folder, error) from error

    @classmethod
    def _restored(cls, settings: dict[str, Any], tensors: dict[str, torch.Tensor]) -> SuccessModel:
        model = cls(**settings["parameters"])
        model.agents_ = np.array(settings["agents"], np.str_)
        model.test_scores_, model.task_names_ = settings["test_scores"], None
        model.feature_names_ = tuple(settings.get("feature_names", ()))  # older folders have none
        if "scale" in settings:
            model.scale_ = ReturnScale(**settings["scale"])
            model.dispersion_ = float(settings["dispersion"])
            model.misfit_ = float(settings["misfit"])
        if "task_names" in settings:
            model.task_names_ = np.array(settings["task_names"], np.str_)
            model.profiles_ = tensors["profiles"].numpy()
            model.sample_ = np.array(settings["sample"], np.str_)
            if model.profiles_.shape != (len(model.agents_), len(model.task_names_)):
                raise ValueError("the shape of profiles must agree with the names")
            return model
        model.history_, model.calibration_ = settings["history"], settings["calibration"]
        model.sample_ = tensors.pop("sample").numpy()
        model.kind_ = settings.get("kind", "network")
        # Older folders do not say what was held out, and are all of networks.
        model.held_out_ = tensors.pop("held_out", torch.arange(0)).numpy()
        with torch.random.fork_rng(
            devices=[]
        ):  # new layers draw weights, which are then overwritten
            encoder = _saved_encoder(settings, tensors)
            if model.kind_ == "network":
                network = success_network(encoder, model.width, model.blocks, len(model.agents_))
            else:
                network = linear_network(encoder, len(model.agents_))
        network.load_state_dict(tensors)
        model.network_, model.n_features_in_ = network.eval(), model.sample_.shape[1]
        return model


def _check_rows(rows: Any, kind: np.dtype[Any]) -> None:
    """Refuse what is not finite, and what is not a byte if the model was fitted to bytes."""
    if getattr(rows, "dtype", None) == np.uint8:
        return  # as numbers, bytes would take eight times the memory
    values = checks.numbers(rows, "tasks")
    if kind == np.uint8 and (wrong := values[values != values.clip(0, 255).round()]).size:
        raise ValueError(f"tasks must be integers from 0 to 255, got {wrong[0]:g}")


def _saved_encoder(settings: dict[str, Any], tensors: dict[str, torch.Tensor]) -> torch.nn.Module:
    if "encoder" in settings:
        return restore(settings["encoder"])
    return Encoding({name: tensors[f"0.{name}"] for name in Encoding.parts})


def _new_tasks_scale(outcomes: Outcomes) -> ReturnScale | None:
    """The scale of returns, which must hold for new tasks too if the tasks have features."""
    scale = outcomes.scale
    if scale is None or outcomes.features is None:
        return scale
    for name, value in vars(scale).items():
        if value is not None and value.ndim:
            raise ValueError(
                f"{name} must be one number if tasks have features, because it must hold for new"
                f" tasks too, got one for each of {len(value)} tasks"
            )
    return scale


def _listed(scale: ReturnScale) -> dict[str, Any]:
    """A scale as numbers and lists."""
    return {name: part.tolist() for name, part in vars(scale).items() if part is not None}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _means(successes: Floats, attempts: Floats, axis: int) -> Floats:
    """Success rates of agents, shrunk towards 0.5 by two pseudo-attempts."""
    means: Floats = (successes.sum(axis) + 1) / (attempts.sum(axis) + 2)
    return means


def scores(
    predicted: Floats,
    agent_means: Floats,
    successes: Floats,
    attempts: Floats,
    *,
    returns: bool = False,
) -> dict[str, float]:
    """Scores of predicted probabilities per rollout, given the results.

    If these are normalised returns, there are also their error and dispersion.

    >>> found = scores(*np.array([[0.2, 0.6], [0.5, 0.5], [0.0, 2.0], [2.0, 2.0]]))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'log_loss': 0.367, 'agent_mean_log_loss': 0.693, 'brier': 0.1, 'calibration_error': 0.3}
    """
    total = float(attempts.sum())
    squares = successes * (1 - predicted) ** 2 + (attempts - successes) * predicted**2
    found = {
        "log_loss": log_loss(predicted, successes, attempts) / total,
        "agent_mean_log_loss": log_loss(agent_means, successes, attempts) / total,
        "brier": float(squares.sum()) / total,
        "calibration_error": calibration_error(predicted, successes, attempts),
    }
    if returns:
        tried = attempts > 0
        rates, guesses = successes[tried] / attempts[tried], predicted[tried]
        found["error"] = float(np.sqrt(np.mean((guesses - rates) ** 2)))
        found["dispersion"] = residual_dispersion(guesses, rates)
    return found


def calibration_error(predicted: Floats, successes: Floats, attempts: Floats) -> float:
    """Expected calibration error (ECE) of predicted probabilities, over equal-width bins.

    >>> predicted, half = np.full(4, 0.7), np.array([1.0, 0.0, 1.0, 0.0])
    >>> round(calibration_error(predicted, half, np.ones(4)), 3)
    0.2
    """
    bins = np.minimum((predicted * RELIABILITY_BINS).astype(np.int64), RELIABILITY_BINS - 1)
    surplus = np.bincount(bins.ravel(), (successes - attempts * predicted).ravel())
    return float(np.abs(surplus).sum() / attempts.sum())
