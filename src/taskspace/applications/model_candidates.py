"""Candidates for who a new agent is like, by the profiles of a success model.

They are those of `candidates.py`, but on any task: the known agents as the model has them, and
imagined agents as mixtures of their log odds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.candidates import IMAGINED, SPREADS, Table, of_their_own_skill
from taskspace.applications.posterior import Posterior
from taskspace.applications.prior import choose_prior, spread
from taskspace.models.success.factors import Floats

STRENGTH = 30.0  # attempts that a candidate's word on a task is worth, see `Posterior.interval`
_FARTHEST = 8.0  # log odds: a profile of 0 or 1 is never meant so


@runtime_checkable
class Profiler(Protocol):
    """What is needed of a `SuccessModel`."""

    @property
    def sample_(self) -> NDArray[Any]:
        """Some tasks."""

    def predict_proba(self, tasks: Any, /) -> Floats:
        """The success probability of each known agent on each task (agents, tasks)."""


@dataclass(frozen=True)
class ModelCandidates:
    """How to make the candidates from the profiles of known agents, on any task."""

    mix: tuple[float, ...]  # prior shares of the kinds of candidates
    temper: float  # power to which the likelihood of the answers is raised
    centre: float  # mean log odds, around which tasks are easy or hard
    seed: int  # of the imagined agents

    @classmethod
    def fit(cls, profiles: Floats, seed: int) -> ModelCandidates:
        """How much is left for agents unlike the known ones, and how much an answer counts.

        It is decided by how well known agents, of these profiles (agents, tasks), would be told if
        they were new.
        """
        from threadpoolctl import threadpool_limits

        rng = np.random.default_rng(seed)
        centre = float(_log_odds(profiles).mean())

        def make(rest: Table) -> list[Floats]:
            return _candidates(rest.successes, centre, rng)

        with threadpool_limits(1):
            mix, temper = choose_prior(Table(profiles, np.ones_like(profiles), None), make, rng)
        return cls(mix, temper, centre, seed)

    def posterior(self, profiles: Floats) -> Posterior:
        """The candidates on the tasks of these profiles (agents, tasks)."""
        groups = _candidates(profiles, self.centre, np.random.default_rng(self.seed))
        both = np.concatenate(groups).T.astype(np.float32, order="C")
        return Posterior(both, spread(self.mix, groups), self.temper, STRENGTH)


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
