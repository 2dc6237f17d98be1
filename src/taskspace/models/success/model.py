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
from taskspace.models.success.dispersion import dispersion_of
from taskspace.models.success.encoders import (
    Encoder,
    is_frozen,
    make_encoder,
    wants_one_thread,
)
from taskspace.models.success.few_tasks import (
    FOLDS,
    Candidate,
    choose,
    linear_candidates,
    means_candidate,
)
from taskspace.models.success.forward import Forward
from taskspace.models.success.low_rank import fit_low_rank
from taskspace.models.success.model_files import contents, saved_network
from taskspace.models.success.network import (
    BLOCK,
    Counts,
    Encoding,
    Training,
    calibrate,
    fit_network,
    logits_of,
    success_network,
)
from taskspace.models.success.predicting import FEW_TASKS, FOLDER, Predicting
from taskspace.models.success.scores import scores, shrunk_means
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.progress import Advance, progress_bar
from taskspace.torch_state import one_thread, torch_seed

Floats = NDArray[np.float64]

FEW = 100  # without features: with fewer tried pairs, nothing is held out
HELD_OUT = 0.1  # fraction for validation, and the same for the test
MOST_HELD_OUT = 20_000  # tasks of each of the two; more only takes memory
FEW_HELD_OUT = 0.2  # fraction of few tasks on which training of a network is stopped
FEW_STEPS = 300  # of training a network for few tasks
ENOUGH_TO_COMPARE = 10  # with fewer tasks, the model is the agents' means
MOST_BLOCKS = 100  # of the network
SAMPLE = 1000  # tasks that are saved with the model
MOST_STORED = 1 << 26  # numbers in the codes of features of all tasks, a quarter of a gigabyte


class SuccessModel(Predicting, BaseEstimator):  # type: ignore[misc]
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
        features = self._validated(outcomes.features)
        order = rng.permutation(np.flatnonzero((outcomes.rollouts > 0).any(0)))
        if len(order) < FEW_TASKS:
            self._fit_few(_counts(outcomes, features, order), rng)
        else:
            self._fit_many(outcomes, features, order, rng)

    def _fit_many(
        self,
        outcomes: Outcomes,
        features: NDArray[Any],
        order: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> None:
        """Train the network, and test it on held-out tasks."""
        size = min(round(HELD_OUT * len(order)), MOST_HELD_OUT)
        parts = (order[2 * size :], order[:size], order[size : 2 * size])
        train, validation, test = (_counts(outcomes, features, part) for part in parts)
        training = Training(self.learning_rate, self.batch_size, self.epochs)
        steps = training.steps(len(train))
        with progress_bar(self._learning, steps, self.progress) as advance:
            self.network_ = self._learn(train, validation, training, rng, advance)
        self.kind_, self.sample_, self.held_out_ = "network", train.tasks[:SAMPLE].numpy(), parts[2]
        with one_thread() if wants_one_thread(self.network_[0]) else contextlib.nullcontext():
            predicted = torch.sigmoid(logits_of(self.network_, test.tasks))
        solved, tried = (total.double().numpy()[None] for total in train.totals())
        self._set_scores(predicted, shrunk_means(solved, tried, axis=0), test)

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
            layers, small = network, wants_one_thread(encoder)
            if is_frozen(encoder) and self._may_store_codes(len(train), encoder):
                layers, small = torch.nn.Sequential(*list(network)[1:]), True
                train, validation = train.encoded(encoder), validation.encoded(encoder)
            with one_thread() if small else contextlib.nullcontext():
                self.history_ = fit_network(
                    layers, train, validation, training, generator,
                    lambda done, loss: advance(done, f"held-out loss {loss:.3f}"),
                )  # fmt: skip
                self.calibration_ = calibrate(layers, validation)
        return network.eval()

    def _may_store_codes(self, tasks: int, encoder: torch.nn.Module) -> bool:
        """Whether tasks are encoded once; codes of features are computed quickly, but are large."""
        size: Any = encoder.size
        return self.network is not None or tasks * size <= MOST_STORED

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
        means = shrunk_means(np.where(seen > 0, successes, 0), seen, axis=1)[:, None]
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

    def _check_fitted(self) -> None:
        check_is_fitted(self, "test_scores_")

    def _probabilities(self, features: NDArray[Any]) -> Floats:
        if isinstance(self.network_[0], Encoding):
            arrays = {name: tensor.numpy() for name, tensor in self.network_.state_dict().items()}
            return Forward(arrays).probabilities(features)
        with one_thread():  # bit-identical on any number of cores
            logits = logits_of(self.network_, torch.from_numpy(features))
        found: Floats = torch.sigmoid(logits.double()).numpy()
        return found

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
        FOLDER.save(folder, *contents(self))

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
        settings = FOLDER.load_settings(folder)
        arrays = FOLDER.load_arrays(folder, settings)
        try:
            return cls._restored(settings, arrays)
        except (AttributeError, KeyError, TypeError, RuntimeError, ValueError) as error:
            raise FOLDER.damaged(folder, error) from error

    @classmethod
    def _restored(cls, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> SuccessModel:
        model = cls(**settings["parameters"])
        model._restore(settings, arrays)
        if model.task_names_ is None:
            model.network_ = saved_network(model, settings, arrays)
        return model


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


def _counts(outcomes: Outcomes, features: NDArray[Any], chosen: NDArray[np.int64]) -> Counts:
    """The counts of some of the tasks."""
    tables = (_by_task(table, chosen) for table in (outcomes.successes, outcomes.rollouts))
    return Counts(torch.from_numpy(features[chosen]), *tables)


def _by_task(table: NDArray[Any], chosen: NDArray[np.int64]) -> torch.Tensor:
    """The rows of some tasks (tasks, agents), in one byte per pair if the counts are small."""
    small = table.dtype.kind in "bui" and table.max() <= np.iinfo(np.uint8).max
    found = np.empty((len(chosen), len(table)), np.uint8 if small else np.float32)
    for start in range(0, len(chosen), BLOCK):  # so that nothing else is as large as the table
        found[start : start + BLOCK] = table[:, chosen[start : start + BLOCK]].T
    return torch.from_numpy(found)
