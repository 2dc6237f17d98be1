"""What a run of an environment does: tasks, rollouts, and the map, by preset and method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from taskspace import checks
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.success.encoders import encoder_factory
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity import profiles

INFORMATION, ORDINAL = METHODS = ("information", "ordinal")


@dataclass(frozen=True)
class Plan(ABC):
    """Settings that both methods have."""

    n_components: int
    tasks: int
    rollouts: int
    shown: int = 1000  # tasks per silhouette
    fast: bool = False  # short training of the population

    @abstractmethod
    def learn(self, outcomes: Outcomes, seed: int, measure: str) -> Embedding:
        """Learn a map from outcomes, by a measure of similarity."""


@dataclass(frozen=True)
class InformationPlan(Plan):
    """Many tasks with few rollouts, a success model of them, and the eigenvectors of its map.

    The run folder lists some of the tasks: more would make the page and the answers slow.
    """

    tasks: int = 40_000
    rollouts: int = 2
    distribution: str = "all"  # of the tasks
    listed: int = 5000  # tasks of the run folder, the first ones
    encoder: str | None = None  # the name of the encoder that reads tasks, see `encoders.ENCODERS`
    learning_rate: float = 2e-3
    epochs: int = 20

    def success_model(self, seed: int) -> SuccessModel:
        """The success model, not yet fitted."""
        return SuccessModel(
            network=None if self.encoder is None else encoder_factory(self.encoder),
            learning_rate=self.learning_rate,
            epochs=self.epochs,
            random_state=seed,
        )

    def learn(
        self, outcomes: Outcomes, seed: int, measure: str = profiles.INFORMATION
    ) -> TaskEmbedder:
        """Learn the success model and its map."""
        embedder = TaskEmbedder(self.n_components, measure=measure)
        return embedder.fit(self.success_model(seed).fit(outcomes))


@dataclass(frozen=True)
class OrdinalPlan(Plan):
    """Fewer tasks with more rollouts, and the paper's network."""

    distribution: ClassVar[str] = "all"
    listed: ClassVar[None] = None  # all tasks

    tasks: int = 5000
    rollouts: int = 20
    hidden: tuple[int, ...] = (32, 32)
    norm_weight: float = 0.4
    steps: int = 6000
    learning_rate: float = 3e-3
    n_constraints: int | None = None  # as in the paper; None draws new constraints at every step

    def learn(
        self, outcomes: Outcomes, seed: int, measure: str = profiles.INFORMATION
    ) -> OrdinalEmbedder:
        """Learn the paper's map, which has one measure."""
        embedder = OrdinalEmbedder(
            self.n_components,
            norm_weight=self.norm_weight,
            hidden=self.hidden,
            steps=self.steps,
            learning_rate=self.learning_rate,
            n_constraints=self.n_constraints,
            random_state=seed,
        )
        return embedder.fit(outcomes)


AnyPlan = InformationPlan | OrdinalPlan

INFORMATION_PLANS = {
    "MultiKeyNav": InformationPlan(6),
    "MultiKeyNavAB": InformationPlan(4),
    "MultiKeyNavA": InformationPlan(3),
    "CartPoleVar": InformationPlan(3),
    "PointMass": InformationPlan(3),
    # The fixed tasks of BasicKarel are too few; its generator makes more.
    "BasicKarel": InformationPlan(
        3,
        tasks=200_000,
        rollouts=1,
        distribution="generated",
        encoder="GridEncoder",
        learning_rate=4e-3,
        epochs=1,
        shown=5000,
    ),
}
# The paper's dimensions with C_NORM; MultiKeyNavAB and MultiKeyNavA need fewer keys.
ORDINAL_PLANS = {
    "MultiKeyNav": OrdinalPlan(6),
    "MultiKeyNavAB": OrdinalPlan(4),
    "MultiKeyNavA": OrdinalPlan(3),
    "CartPoleVar": OrdinalPlan(3),
    "PointMass": OrdinalPlan(3),
    "BasicKarel": OrdinalPlan(1, hidden=(64, 32), tasks=20_000, rollouts=10, shown=5000),
}
INFORMATION_PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"fast": True, "tasks": 2000, "listed": 500, "shown": 300},
    "default": {},
    "paper": {"rollouts": 12},  # about as many rollouts as in the paper
}
ORDINAL_PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"fast": True, "tasks": 500, "rollouts": 10, "steps": 750, "shown": 300},
    "default": {},
    "paper": {"rollouts": 100, "steps": 12_000, "learning_rate": 1e-3, "n_constraints": 5000},
}
PRESETS = tuple(ORDINAL_PRESETS)


def check_method(method: str) -> str:
    """Check the name of the method that makes the map."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {checks.brief(method)}")
    return method


def check_map(method: str, measure: str) -> tuple[str, str]:
    """Check the method that makes the map, and its measure of similarity.

    >>> check_map("information", "correlation")
    ('information', 'correlation')
    """
    check_method(method)
    if profiles.check_measure(measure) != profiles.INFORMATION and method == ORDINAL:
        raise ValueError(
            f"measure must be {profiles.INFORMATION} with method ordinal, got {measure}; the"
            " paper's map is learned from orders of mutual information"
        )
    return method, measure


def measure_settings(measure: str) -> dict[str, str]:
    """The measure as a setting, if it is not the default, which older run folders do not name."""
    return {} if measure == profiles.INFORMATION else {"measure": measure}


def information_plan(environment: str, preset: str = "default") -> InformationPlan:
    """The plan of a preset for the information map of an environment."""
    _check(environment, preset)
    return replace(INFORMATION_PLANS[environment], **INFORMATION_PRESETS[preset])


def ordinal_plan(environment: str, preset: str = "default") -> OrdinalPlan:
    """The plan of a preset for the paper's map of an environment."""
    _check(environment, preset)
    return replace(ORDINAL_PLANS[environment], **ORDINAL_PRESETS[preset])


def _check(environment: str, preset: str) -> None:
    if environment not in ORDINAL_PLANS:
        raise ValueError(
            f"the environment of a run must be one of {', '.join(ORDINAL_PLANS)} and Karel, got"
            f" {environment}; train your own agents, and pass the outcomes of `evaluate` to `fit`"
        )
    if preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {checks.brief(preset)}")
