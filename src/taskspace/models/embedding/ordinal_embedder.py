"""`OrdinalEmbedder`: the paper's estimator, which learns a map from ordinal constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from taskspace import checks
from taskspace.models.embedding.axes import append, best_rotation, fold, spectral_map
from taskspace.models.embedding.base import features_of
from taskspace.models.embedding.constraints import check_orders
from taskspace.models.embedding.informative import check_agents, warn_if_uninformative
from taskspace.models.embedding.lookup import Lookup
from taskspace.models.embedding.network_embedding import (
    NetworkEmbedding,
    check_device,
    check_layers,
)
from taskspace.models.embedding.pools import (
    FEW_FOR_PAIRS,
    FEW_TASKS,
    HELD_OUT,
    Constraints,
    pair_pools,
    task_pools,
    tested_pairs,
)
from taskspace.models.embedding.scoring import accuracies, drawn, given_statistics
from taskspace.models.embedding.training import Batches, Training, fit_network
from taskspace.models.embedding.verdict import judge, warn_if_weak
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import progress_bar
from taskspace.similarity.statistics import warn_if_anti_correlated
from taskspace.similarity.task_statistics import TaskStatistics
from taskspace.torch_state import one_thread, torch_seed

MOST_CONSTRAINTS = 100_000_000
MOST_COMPONENTS = 10  # upper limit of "auto"
WORTH_ANOTHER = 0.01  # "auto" adds a dimension if the test loss falls by this fraction
ENOUGH_FOR_AXES = 1000  # tasks; Karel tasks are slow to encode

# Measured on 50 to 5000 tasks of an item response model: free vectors need larger steps.
FASTER = 30  # times the learning rate of a network
TASKS_PER_CONSTRAINT = 8  # per step at most, so that the vectors of many tasks converge in time


class OrdinalEmbedder(NetworkEmbedding):
    """The paper's Algorithm 1: inner products are ordered like similarity, lengths like difficulty.

    The two orders contradict each other, so the map is a compromise (see "The map" in the
    documentation); `TaskEmbedder` keeps more of the information in the outcomes.

    A network maps the features of a task to its vector, and is tested on held-out tasks. If the
    outcomes have no features, each task has a free vector, and tasks are given by name. Then pairs
    of tasks are held out instead of tasks: the test scores show how well the map predicts unseen
    similarities between known tasks. With fewer than 100 tasks, or fewer than 30 without features,
    nothing is held out, and the test scores show the fit to the training data.

    The axes are canonical: the map is rotated towards the principal axes of the similarities, which
    do not depend on the seed. So maps that agree look the same; see
    `taskspace.models.embedding.agreement`.

    Args:
        n_components: The number of dimensions, or "auto" to increase it until the test loss stops
            falling.
        norm_weight: The weight of the difficulty constraints (lambda in the paper); 0 ignores
            difficulty.
        hidden: The sizes of the hidden layers, or a function from (inputs, outputs) to a torch
            module. It is not used without features.
        learning_rate: The initial learning rate. Free vectors use 30 times this rate.
        batch_size: The number of constraints of each type per step. Free vectors of many tasks use
            more.
        steps: The largest number of training steps; with 0, the weights stay random.
        patience: Training stops after this number of checks without a better validation loss; there
            is one check every 250 steps.
        n_constraints: The number of constraints to draw once, in random order as in the paper. By
            default, new constraints are drawn for every step.
        random_state: The seed; None draws one from the operating system.
        device: The torch device to train on.
        progress: Whether to show a progress bar; by default only on a terminal.

    Attributes:
        n_components_: The number of dimensions.
        network_: The trained network.
        mean_: The mean of each feature.
        scale_: The standard deviation of each feature.
        task_names_: The names of the tasks if they have no features, otherwise None.
        test_scores_: The held-out triplet accuracy ("similarity") and difficulty-pair accuracy
            ("difficulty").
        dimension_losses_: The test loss for each tried number of dimensions.
        history_: The training and validation losses, with their steps.

    >>> import numpy as np, taskspace as ts
    >>> rng = np.random.default_rng(0)
    >>> tasks = rng.uniform(size=(60, 2))
    >>> skills = rng.uniform(size=(20, 2))
    >>> solved = np.all(skills[:, None] > tasks, axis=2)  # agents x tasks
    >>> outcomes = ts.Outcomes(10 * solved, 10, features=tasks)
    >>> embedder = ts.OrdinalEmbedder(n_components=2, steps=200, random_state=0).fit(outcomes)
    >>> embedder.transform(tasks).shape
    (60, 2)
    >>> embedder.fit(ts.Outcomes(10 * solved, 10)).transform(["task-3", "task-7"]).shape
    (2, 2)
    """

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        norm_weight: float = 0.4,
        hidden: Sequence[int] | Callable[[int, int], torch.nn.Module] = (32, 32),
        learning_rate: float = 3e-3,
        batch_size: int = 128,
        steps: int = 6_000,
        patience: int = 20,
        n_constraints: int | None = None,
        random_state: int | None = None,
        device: str = "cpu",
        progress: bool | None = None,
    ) -> None:
        self.n_components = n_components
        self.norm_weight = norm_weight
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.steps = steps
        self.patience = patience
        self.n_constraints = n_constraints
        self.random_state = random_state
        self.device = device
        self.progress = progress

    def fit(self, X: Any, y: Any = None, *, outcomes: Outcomes | None = None) -> OrdinalEmbedder:
        """Learn the map.

        Args:
            X: `Outcomes`, or the features of the tasks.
            y: The scores of agents (tasks, agents), if neither `X` nor `outcomes` is `Outcomes`.
            outcomes: The outcomes, if `X` is the features of the tasks.

        Returns:
            The embedder itself.

        Raises:
            ValueError: If an argument is invalid, or if the outcomes do not differ between tasks
                or between agents.

        Warns:
            WeakMapWarning: If the map is hardly better than chance on held-out tasks or pairs.
        """
        names, self.feature_names_ = None, ()
        if isinstance(X, Outcomes):
            outcomes, names = X, X.tasks if X.features is None else None
            X = outcomes.features if names is None else names
            self.feature_names_ = outcomes.feature_names
        if outcomes is None and y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        self._check_settings()
        if names is not None and callable(self.hidden):
            raise ValueError("there are no features of the tasks, which a custom network requires")
        if outcomes is not None and not isinstance(outcomes, Outcomes):
            raise ValueError(f"outcomes must be Outcomes, got {checks.brief(outcomes)}")
        self.task_names_ = names
        tasks = self._validated(X, ensure_min_samples=3)
        if outcomes is not None:
            check_agents(outcomes)
        statistics = given_statistics(tasks, y, outcomes)
        check_orders(statistics)
        if outcomes is not None:
            warn_if_anti_correlated(statistics, outcomes.tasks)
            if names is not None:
                warn_if_uninformative(outcomes)
        rng = np.random.default_rng(self.random_state)
        inputs = self._training_inputs(tasks)
        pools = task_pools(len(tasks), rng) if names is None else pair_pools(len(tasks), rng)
        self._fit_dimensions(inputs.to(self.device), statistics, pools, rng)
        self._turn_to_canonical_axes(tasks, statistics)
        self.test_scores_ = self._accuracies(tasks, self.test_)
        warn_if_weak(judge(self.evidence(statistics.rates.shape[1], len(tasks))))
        return self

    def _training_inputs(self, tasks: NDArray[Any]) -> torch.Tensor:
        """The inputs of the network during training, which is in single precision."""
        if self.task_names_ is not None:
            return self._inputs(tasks)
        return self._learn_scale(tasks).float()

    def _accuracies(self, tasks: NDArray[Any], constraints: Constraints) -> dict[str, float]:
        """The fraction of constraints that hold, per type."""
        vectors = self._vectors(tasks)
        return accuracies(vectors, np.linalg.norm(vectors, axis=1), constraints)

    def _fit_dimensions(
        self, inputs: torch.Tensor, statistics: TaskStatistics, pools: Any, rng: Any
    ) -> None:
        """Fit the given number of dimensions, or increase it until the test loss stops falling."""
        train, validation, test = pools
        self.test_ = Constraints.draw(statistics, test, HELD_OUT, self.norm_weight, rng)
        auto = self.n_components == "auto"
        sizes = range(1, MOST_COMPONENTS + 1) if auto else [int(self.n_components)]
        seeds = rng.integers(0, 2**31, size=len(sizes))
        self.dimension_losses_: dict[int, float] = {}
        best = np.inf
        for size, seed in zip(sizes, seeds, strict=True):
            network, history = self._fit_one(
                size, int(seed), inputs, statistics, (train, validation)
            )
            with torch.no_grad():
                batch = Batches.of(self.test_)
                loss = float(batch.loss(0, network, inputs, self.norm_weight))
            self.dimension_losses_[size] = loss
            if auto and loss > best * (1 - WORTH_ANOTHER):
                break
            best = loss
            self.n_components_ = size
            self.network_ = network.to("cpu", self.precision)
            self.history_ = {"step": history.step, "loss": history.loss}
            self.history_["validation"] = history.validation

    def _fit_one(
        self, size: int, seed: int, inputs: torch.Tensor, statistics: TaskStatistics, pools: Any
    ) -> Any:
        rate, batch = self.learning_rate, self.batch_size
        if self.task_names_ is not None:
            rate, batch = rate * FASTER, max(batch, len(inputs) // TASKS_PER_CONSTRAINT)
        training = Training(
            self.norm_weight, rate, batch, self.steps, self.patience, self.n_constraints
        )
        with torch_seed(seed):
            network = self._network(inputs.shape[1], size).to(self.device)
        title = f"Learning the map ({size} dimension{'s' if size > 1 else ''})"
        with one_thread(), progress_bar(title, self.steps, self.progress) as advance:
            rng = np.random.default_rng(seed)
            history = fit_network(
                network, inputs, statistics, pools, training, rng,
                lambda done, loss: advance(done, f"held-out loss {loss:.3f}"),
            )  # fmt: skip
        return network, history

    def _network(self, inputs: int, outputs: int) -> torch.nn.Module:
        if self.task_names_ is not None:
            return Lookup(len(self.task_names_), outputs)
        if callable(self.hidden):
            return self.hidden(inputs, outputs)
        return super()._network(inputs, outputs)

    def _turn_to_canonical_axes(self, tasks: NDArray[Any], statistics: TaskStatistics) -> None:
        """Rotate the map to the canonical axes, which do not depend on the seed."""
        from threadpoolctl import threadpool_limits

        some = np.arange(0, len(tasks), -(-len(tasks) // ENOUGH_FOR_AXES))
        with threadpool_limits(1):  # bit-identical on any number of cores
            reference = spectral_map(statistics.matrix(some, some), self.n_components_)
            rotation = best_rotation(self._vectors(tasks[some]), reference)
        self.network_ = self._turned(self.network_, rotation)

    def _turned(self, network: torch.nn.Module, rotation: Any) -> torch.nn.Module:
        """The same network with its vectors rotated."""
        return append(network, rotation) if callable(self.hidden) else fold(network, rotation)

    def _inputs(self, tasks: NDArray[Any]) -> torch.Tensor:
        if self.task_names_ is not None:
            return torch.from_numpy(tasks).long()
        return super()._inputs(tasks)

    def _tested(self, agents: int, tasks: int) -> tuple[int, str]:
        named = self.task_names_ is not None
        needs = f"at least {FEW_FOR_PAIRS if named else FEW_TASKS} tasks"
        return tested_pairs(tasks, named), needs

    def _check_settings(self) -> None:
        checks.dimensions(self.n_components)
        checks.whole(self.batch_size, "batch_size", 1, checks.LARGEST_BATCH)
        for name, least in (("steps", 0), ("patience", 1)):
            checks.whole(getattr(self, name), name, least)
        if self.n_constraints is not None:
            checks.whole(self.n_constraints, "n_constraints", 1, MOST_CONSTRAINTS)
        if not callable(self.hidden):
            check_layers(self.hidden)
        check_device(self.device)
        if self.random_state is not None:
            checks.seed(self.random_state)
        if not checks.number(self.norm_weight, "norm_weight") >= 0:
            raise ValueError(
                f"norm_weight must be at least 0, got {checks.brief(self.norm_weight)}"
            )
        if not checks.number(self.learning_rate, "learning_rate") > 0:
            raise ValueError(
                f"learning_rate must be positive, got {checks.brief(self.learning_rate)}"
            )

    def score(self, X: Any, y: Any = None, *, outcomes: Outcomes | None = None) -> float:
        """Fraction of constraints that hold on given tasks.

        Args:
            X: `Outcomes`, or the features of the tasks.
            y: The scores of agents (tasks, agents), if neither `X` nor `outcomes` is `Outcomes`.
            outcomes: The outcomes, if `X` is the features of the tasks.

        Returns:
            The mean of the triplet accuracy and the difficulty-pair accuracy.

        Raises:
            ValueError: If the tasks have the wrong form.
        """
        check_is_fitted(self, "network_")
        if isinstance(X, Outcomes):
            X, outcomes = features_of(X) if self.task_names_ is None else X.tasks, X
        tasks = self._validated(X, reset=False)
        statistics = given_statistics(tasks, y, outcomes)
        everything, rng = np.arange(len(tasks)), np.random.default_rng(0)
        asked = drawn(statistics, everything, rng, self.norm_weight)
        return float(np.mean(list(self._accuracies(tasks, asked).values())))

    def _findings(self) -> dict[str, Any]:
        return {
            "history": self.history_,
            "test_scores": self.test_scores_,
            "dimension_losses": self.dimension_losses_,
        }

    def _restore_findings(self, settings: dict[str, Any]) -> None:
        self.history_, self.test_scores_ = settings["history"], settings["test_scores"]
        self.dimension_losses_ = {int(k): v for k, v in settings["dimension_losses"].items()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.non_deterministic = False
        return tags
