"""Who is this agent like, on tasks that nobody has tried? A success model tells how each fares.

The candidates are those of `posterior.py`, but their chances come from the model's profiles: those
of the known agents as they are, and those of imagined agents as mixtures of their log odds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.candidates import IMAGINED, SPREADS, Table, of_their_own_skill
from taskspace.applications.posterior import AgentPosterior, Posterior, choose_prior, spread
from taskspace.outcomes import Outcomes
from taskspace.success.factors import Floats

STRENGTH = 30.0  # attempts that a candidate's word on a task is worth, see `Posterior.interval`
_FARTHEST = 8.0  # log odds: a profile of 0 or 1 is never meant so


@runtime_checkable
class Profiler(Protocol):
    """What is needed of a `SuccessModel`."""

    @property
    def sample_(self) -> NDArray[Any]:
        """Some tasks."""

    def profile(self, tasks: Any, /) -> Floats:
        """The chance of each known agent on each task (agents, tasks)."""


@dataclass(frozen=True)
class ModelPosterior:
    """Candidates for who a new agent is like, on any task."""

    model: Profiler
    mix: tuple[float, ...]  # prior shares of the kinds of candidates
    temper: float  # power to which the likelihood of the answers is raised
    centre: float  # mean log odds, around which tasks are easy or hard
    seed: int  # of the imagined agents

    def on(self, tasks: Any) -> Posterior:
        """The candidates on these tasks, which count from 0."""
        return self.of(self.model.profile(tasks))

    def over(self, tasks: Any) -> AgentPosterior:
        """The same with names for the tasks (task-0, task-1, … if they have none), for a `Quiz`."""
        rows = np.asarray(tasks)
        rows = rows.astype(np.str_) if rows.dtype.kind == "O" else rows
        chances = self.model.profile(rows)
        told: dict[str, Any] = {"tasks": rows} if rows.dtype.kind in "US" else {"features": rows}
        known = Outcomes(chances, np.array(1), **told)
        return AgentPosterior(**vars(self.of(chances)), outcomes=known)

    def of(self, chances: Floats) -> Posterior:
        """The same, from the chances (agents, tasks) of the known agents, or of some of them."""
        groups = _candidates(chances, self.centre, np.random.default_rng(self.seed))
        profiles = np.concatenate(groups).T.astype(np.float32, order="C")
        return Posterior(profiles, spread(self.mix, groups), self.temper, STRENGTH)


def fit_model_posterior(model: Profiler, *, seed: int = 0) -> ModelPosterior:
    """Learn from the profiles of known agents what a quiz tells about a new one.

    How much is left for agents unlike the known ones, and how much an answer counts, is decided
    by how well known agents would be told if they were new.

    >>> from taskspace.applications.known_tasks import Mix
    >>> class Halves:  # each of two kinds of agents solves its half of the tasks
    ...     sample_ = np.linspace(0, 1, 50)[:, None]
    ...
    ...     def profile(self, tasks):
    ...         left = np.asarray(tasks)[:, 0] < 0.5
    ...         return np.array([0.1 + 0.8 * left, 0.9 - 0.8 * left] * 10)
    >>> posterior = fit_model_posterior(Halves())
    >>> weights = posterior.on([[0.2]]).weights(Mix.known([0]), np.ones(1))
    >>> posterior.on([[0.3], [0.7]]).chances(weights, Mix.known([0, 1])).round(1)
    array([0.8, 0.2])
    """
    from threadpoolctl import threadpool_limits

    if not isinstance(model, Profiler):
        raise TypeError(f"expected a fitted SuccessModel, not {type(model).__name__}")
    key = checks.seed(seed)
    rng = np.random.default_rng(key)
    chances = model.profile(model.sample_)
    centre = float(_log_odds(chances).mean())

    def make(rest: Table) -> list[Floats]:
        return _candidates(rest.successes, centre, rng)

    with threadpool_limits(1):
        mix, temper = choose_prior(Table(chances, np.ones_like(chances), None), make, rng)
    return ModelPosterior(model, mix, temper, centre, key)


def _candidates(chances: Floats, centre: float, rng: np.random.Generator) -> list[Floats]:
    """Success probabilities (candidates, tasks) of every kind, from those of known agents."""
    from scipy.special import expit

    odds = _log_odds(chances)
    imagined: Floats = expit(_mixtures(len(odds), rng) @ odds)
    return [chances, imagined, of_their_own_skill(odds.mean(0) - centre)]


def _mixtures(agents: int, rng: np.random.Generator) -> Floats:
    """Shares of known agents (IMAGINED, agents) in the log odds of imagined ones.

    These have the mean and the covariance that the known agents have, or twice their spread.
    """
    drawn = rng.standard_normal((IMAGINED, agents)) / np.sqrt(agents)
    apart: Floats = (drawn - drawn.mean(1, keepdims=True)) * np.resize(SPREADS, IMAGINED)[:, None]
    return 1 / agents + apart


def _log_odds(chances: Floats) -> Floats:
    from scipy.special import logit

    odds: Floats = np.clip(logit(chances), -_FARTHEST, _FARTHEST)
    return odds
