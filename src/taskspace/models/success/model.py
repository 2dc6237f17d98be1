"""`SuccessModel`: every agent's chance of success on any task, from few rollouts on many tasks."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from taskspace import checks
from taskspace.models.folders import ModelFolder
from taskspace.models.success.low_rank import fit_low_rank, log_loss
from taskspace.models.success.network import (
    Counts,
    Encoding,
    Training,
    calibrate,
    fit_network,
    logits_of,
    success_network,
)
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.task_names import positions
from taskspace.progress import progress_bar
from taskspace.similarity.statistics import SuccessStatistics
from taskspace.torch_state import one_thread, torch_seed

Floats = NDArray[np.float64]

FEW = 100  # with fewer tasks (or, without features, tried pairs) nothing is held out
HELD_OUT = 0.1  # share for validation, and as much for the test
RELIABILITY_BINS = 15
_FOLDER = ModelFolder("success model", "success-model.json", version=1)
LARGEST = 1e100  # feature: squares of larger ones overflow
SAMPLE = 300  # tasks that are kept with the model


class SuccessModel(BaseEstimator):  # type: ignore[misc]
    """Learns how likely every agent of a population is to solve a task.

    A network leads from the features of a task to the success of all agents at once, so that what
    one agent shows helps with others. Many tasks with few rollouts each teach it more than few
    tasks with many: 40,000 tasks with 2 rollouts are a good budget. A tenth of the tasks
    decides when learning ends and calibrates (one scale and one shift of all logits), another
    tenth is for `test_scores_` alone. With under 100 tasks nothing is held out, and the scores
    say how well the model fits.

    Where outcomes come without features, `predict_proba` and the others take the names of tasks,
    and the chances are those of a low-rank model of the table (`low_rank`), which may have gaps.
    Pairs are held out then, not tasks, and the settings below are not used.

    `width` and `blocks` are the size of the network, `bins` into how many parts a column of
    many values is cut. Learning takes `epochs` passes, and at least 1000 steps.

    `sample_` are some tasks that it has learned from, as `predict_proba` takes them.
    `test_scores_` has `log_loss` (nats a rollout), `agent_mean_log_loss` (that of knowing each
    agent's mean alone), `brier` and `calibration_error` (how far chances are from the success
    rate among pairs with about this chance).

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
        random_state: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.width = width
        self.blocks = blocks
        self.bins = bins
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.random_state = random_state
        self.progress = progress

    # -- learning --------------------------------------------------------------------------------

    def fit(self, outcomes: Outcomes) -> SuccessModel:
        """Learn from success counts; pairs never tried count for nothing."""
        self._check_settings()
        if not isinstance(outcomes, Outcomes):
            kind = type(outcomes).__name__
            raise ValueError(f"SuccessModel learns from Outcomes, as evaluate gives, not {kind}")
        idle = ~(outcomes.rollouts > 0).any(1)
        if idle.any():
            raise ValueError(
                f"{outcomes.agents[idle.argmax()]} tried no task; every agent must have tried some"
            )
        rng = np.random.default_rng(self.random_state)
        if outcomes.features is None:
            self._fit_table(outcomes, rng)
        else:
            self._fit_features(outcomes, rng)
        self.agents_ = outcomes.agents
        self.task_names_ = outcomes.tasks if outcomes.features is None else None
        return self

    def _fit_features(self, outcomes: Outcomes, rng: np.random.Generator) -> None:
        features = validate_data(self, outcomes.features, dtype=np.float64)
        if np.abs(features).max() > LARGEST:
            raise ValueError(f"features must be numbers up to {LARGEST:g}; rescale the larger ones")
        train, validation, test = _parts(features, outcomes, rng)
        encoding = Encoding.of(train.tasks.numpy(), self.bins)
        generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
        training = Training(self.learning_rate, self.batch_size, self.epochs)
        with torch_seed(int(rng.integers(2**31))), one_thread():
            network = success_network(encoding, self.width, self.blocks, outcomes.n_agents)
            steps = training.steps(len(train))
            with progress_bar("Learning success", steps, self.progress) as advance:
                self.history_ = fit_network(
                    network, train, validation, training, generator,
                    lambda done, loss: advance(done, f"held-out loss {loss:.3f}"),
                )  # fmt: skip
            self.calibration_ = calibrate(network, validation)
            predicted = torch.sigmoid(logits_of(network, test.tasks)).double().numpy()
        self.network_ = network.eval()
        self.sample_ = train.tasks[:SAMPLE].numpy()
        means = _means(train.successes.double().numpy(), train.rollouts.double().numpy(), axis=0)
        counts = (test.successes.double().numpy(), test.rollouts.double().numpy())
        self.test_scores_ = scores(predicted, np.broadcast_to(means, predicted.shape), *counts)

    def _fit_table(self, outcomes: Outcomes, rng: np.random.Generator) -> None:
        """Profiles of the low-rank model; it is tested on pairs that it is fitted without."""
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
            predicted = fit_low_rank(rest, settings=model.settings, seed=seed).profiles
        means = _means(np.where(seen > 0, successes, 0), seen, axis=1)[:, None]
        base = np.broadcast_to(means, tested.shape)
        self.test_scores_ = scores(*(a[tested] for a in (predicted, base, successes, attempts)))
        self.profiles_ = model.profiles
        self.sample_ = rng.permutation(outcomes.tasks)[:SAMPLE]

    def _check_settings(self) -> None:
        for name, least in (
            ("width", 1), ("blocks", 0), ("bins", 1), ("batch_size", 1), ("epochs", 0),
        ):  # fmt: skip
            checks.whole(getattr(self, name), name, least)
        rate = checks.numbers(self.learning_rate, "learning_rate")
        if rate.ndim or rate <= 0:
            raise ValueError(f"learning_rate must be a positive number, not {self.learning_rate!r}")
        if self.random_state is not None:
            checks.seed(self.random_state)

    # -- what was learned ------------------------------------------------------------------------

    def predict_proba(self, tasks: Any) -> Floats:
        """The chance of each agent on each task (agents, tasks), tried before or not.

        Tasks are rows of features, or names where the model was fitted without features.
        """
        check_is_fitted(self, "test_scores_")
        if self.task_names_ is not None:
            return self.profiles_[:, positions(self.task_names_, np.atleast_1d(tasks), "model")]
        if np.asarray(tasks).dtype.kind in "US":
            raise ValueError(
                "this model was learned from the features of tasks; expected a row of numbers for"
                " each task, not its name"
            )
        rows = tasks if np.ndim(tasks) != 1 else np.asarray(tasks)[None]
        checks.numbers(rows, "tasks")
        features = validate_data(self, rows, dtype=np.float64, reset=False)
        logits = logits_of(self.network_, torch.from_numpy(features.copy()))
        chances: Floats = torch.sigmoid(logits.double()).numpy().T
        return chances

    def difficulty(self, tasks: Any) -> Floats:
        """The chance that an agent drawn from the population fails, for each task."""
        failing: Floats = 1 - self.predict_proba(tasks).mean(0)
        return failing

    def similarity(self, tasks: Any, others: Any = None) -> NDArray[np.float32]:
        """Bits that outcomes on these tasks (rows) share with outcomes on others, or themselves.

        It is the mutual information of `taskspace.similarity`, from profiles and not from rollouts.
        """
        rates = self.predict_proba(tasks)
        if others is None:
            return SuccessStatistics.from_rates(rates).matrix()
        both = np.concatenate([rates, self.predict_proba(others)], axis=1)
        everything, size = np.arange(both.shape[1]), rates.shape[1]
        return SuccessStatistics.from_rates(both).matrix(everything[:size], everything[size:])

    # -- files -----------------------------------------------------------------------------------

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: JSON settings and safetensors, no pickle."""
        check_is_fitted(self, "test_scores_")
        settings = {
            "parameters": {name: _plain(value) for name, value in self.get_params().items()},
            "agents": self.agents_.tolist(),
            "test_scores": self.test_scores_,
        }
        if self.task_names_ is not None:
            settings["task_names"] = self.task_names_.tolist()
            settings["sample"] = self.sample_.tolist()
            tensors = {"profiles": torch.from_numpy(self.profiles_)}
        else:
            settings |= {"history": self.history_, "calibration": self.calibration_}
            tensors = {**self.network_.state_dict(), "sample": torch.from_numpy(self.sample_)}
        _FOLDER.save(folder, settings, tensors)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> SuccessModel:
        """Read a folder that `save` wrote."""
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
        if "task_names" in settings:
            model.task_names_ = np.array(settings["task_names"], np.str_)
            model.profiles_ = tensors["profiles"].numpy()
            model.sample_ = np.array(settings["sample"], np.str_)
            if model.profiles_.shape != (len(model.agents_), len(model.task_names_)):
                raise ValueError("profiles and names do not agree")
            return model
        model.history_, model.calibration_ = settings["history"], settings["calibration"]
        model.sample_ = tensors.pop("sample").numpy()
        encoding = Encoding({name: tensors[f"0.{name}"] for name in Encoding.parts})
        with torch.random.fork_rng(devices=[]):  # fresh layers draw weights, which no one will see
            network = success_network(encoding, model.width, model.blocks, len(model.agents_))
        network.load_state_dict(tensors)
        model.network_, model.n_features_in_ = network.eval(), len(encoding.mean)
        return model


def _parts(
    features: Floats, outcomes: Outcomes, rng: np.random.Generator
) -> tuple[Counts, Counts, Counts]:
    """Counts to train, validate and test on; few tasks serve all three."""
    tried = np.flatnonzero((outcomes.rollouts > 0).any(0))
    order = rng.permutation(tried)
    size = round(HELD_OUT * len(order)) if len(order) >= FEW else 0
    everything = Counts(
        torch.from_numpy(features),
        torch.from_numpy(np.ascontiguousarray(outcomes.successes.T, np.float32)),
        torch.from_numpy(np.ascontiguousarray(outcomes.rollouts.T, np.float32)),
    )
    parts = (order[2 * size :], order[:size], order[size : 2 * size]) if size else (order,) * 3
    train, validation, test = (everything.of(torch.from_numpy(part)) for part in parts)
    return train, validation, test


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _means(successes: Floats, attempts: Floats, axis: int) -> Floats:
    """Success rates of agents, drawn to a half by two attempts."""
    means: Floats = (successes.sum(axis) + 1) / (attempts.sum(axis) + 2)
    return means


def scores(
    predicted: Floats, agent_means: Floats, successes: Floats, attempts: Floats
) -> dict[str, float]:
    """How good chances are, a rollout: what results on held-out tasks say of them.

    >>> found = scores(*np.array([[0.2, 0.6], [0.5, 0.5], [0.0, 2.0], [2.0, 2.0]]))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'log_loss': 0.367, 'agent_mean_log_loss': 0.693, 'brier': 0.1, 'calibration_error': 0.3}
    """
    total = float(attempts.sum())
    squares = successes * (1 - predicted) ** 2 + (attempts - successes) * predicted**2
    return {
        "log_loss": log_loss(predicted, successes, attempts) / total,
        "agent_mean_log_loss": log_loss(agent_means, successes, attempts) / total,
        "brier": float(squares.sum()) / total,
        "calibration_error": calibration_error(predicted, successes, attempts),
    }


def calibration_error(predicted: Floats, successes: Floats, attempts: Floats) -> float:
    """How far chances are from success rates, over bins of chances (ECE).

    >>> chances, half = np.full(4, 0.7), np.array([1.0, 0.0, 1.0, 0.0])
    >>> round(calibration_error(chances, half, np.ones(4)), 3)
    0.2
    """
    places = np.minimum((predicted * RELIABILITY_BINS).astype(np.int64), RELIABILITY_BINS - 1)
    surplus = np.bincount(places.ravel(), (successes - attempts * predicted).ravel())
    return float(np.abs(surplus).sum() / attempts.sum())
