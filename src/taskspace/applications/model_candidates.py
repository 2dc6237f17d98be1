"""Candidates that a new agent may resemble, built from the profiles of a success model.

They are like those of `candidates.py`, but defined on any task: the known agents as predicted by
the model, and simulated agents as mixtures of their log odds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.candidates import SIMULATED, SPREADS, Table, of_skill_levels
from taskspace.applications.posterior import Posterior
from taskspace.applications.prior import choose_prior, spread
from taskspace.applications.return_noise import ReturnNoise, calibrate
from taskspace.models.success.factors import Floats
from taskspace.models.success.forward import sigmoid

STRENGTH = 30.0  # attempts that a candidate's success probability is worth, see `Posterior`
_FARTHEST = 8.0  # log odds: a profile of exactly 0 or 1 is overconfident


@runtime_checkable
class Profiler(Protocol):
    """The part of `SuccessModel` that the predictor uses."""

    @property
    def sample_(self) -> NDArray[Any]:
        """A sample of the tasks that the model was fitted to."""

    def predict_proba(self, tasks: Any, /) -> Floats:
        """The success probability of each known agent on each task (agents, tasks)."""


@dataclass(frozen=True)
class ModelCandidates:
    """How candidates on any task are built from the profiles of known agents."""

    mix: tuple[float, ...]  # prior probability of each type of candidate
    temper: float  # exponent of the likelihood of the answers
    centre: float  # mean log odds; tasks above it are easy, below it hard
    seed: int  # of the simulated agents
    noise: float = 1.0  # variance of a result given the candidate, see `Posterior`
    strengths: tuple[float, ...] = ()  # of returns, see `Posterior`

    @classmethod
    def fit(
        cls, profiles: Floats, seed: int, returns: ReturnNoise | None = None
    ) -> ModelCandidates:
        """Choose the prior of the types of candidates, and the weight of an answer.

        Known agents with these profiles (agents, tasks) are left out in turn, and their results
        are predicted as if they were new. `returns` is the noise of results if the profiles are of
        normalised returns.
        """
        from threadpoolctl import threadpool_limits

        rng = np.random.default_rng(seed)
        centre = float(_log_odds(profiles).mean())

        def make(rest: Table) -> list[Floats]:
            return _candidates(rest.successes, centre, rng)

        with threadpool_limits(1):
            table = Table(profiles, np.ones_like(profiles), None)
            if returns is not None:
                noise = min(returns.attempt + returns.missed, 1.0)
                table = replace(table, answers=np.full_like(profiles, noise))
            chosen = choose_prior(table, make, rng, shares=(0.0,))
            if returns is None:
                return cls(chosen.mix, chosen.temper, centre, seed)
            strengths = returns.strengths(calibrate(table, make, chosen, rng))
        noise = returns.answer(strengths)
        return cls(chosen.mix, chosen.temper, centre, seed, noise, strengths)

    def posterior(self, profiles: Floats) -> Posterior:
        """The candidates on the tasks of these profiles (agents, tasks)."""
        groups = _candidates(profiles, self.centre, np.random.default_rng(self.seed))
        both = np.concatenate(groups).T.astype(np.float32, order="C")
        prior, strength = spread(self.mix, groups), (*self.strengths, STRENGTH)[0]
        how = {"noise": self.noise, "strengths": self.strengths}
        return Posterior(both, prior, self.temper, strength, **how)  # type: ignore[arg-type]


def _candidates(profiles: Floats, centre: float, rng: np.random.Generator) -> list[Floats]:
    """Success probabilities (candidates, tasks) per type, from the profiles of known agents."""
    odds = _log_odds(profiles)
    simulated = sigmoid(_mixtures(len(odds), rng) @ odds)
    return [profiles, simulated, of_skill_levels(odds.mean(0) - centre)]


def _mixtures(agents: int, rng: np.random.Generator) -> Floats:
    """Coefficients (SIMULATED, agents) of known agents in the log odds of simulated agents.

    The mixtures have the mean of the known agents, and their covariance or twice their spread.
    """
    drawn = rng.standard_normal((SIMULATED, agents)) / np.sqrt(agents)
    apart: Floats = (drawn - drawn.mean(1, keepdims=True)) * np.resize(SPREADS, SIMULATED)[:, None]
    return 1 / agents + apart


def _log_odds(profiles: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # infinity is clipped
        odds: Floats = np.log(profiles) - np.log1p(-profiles)
    return np.clip(odds, -_FARTHEST, _FARTHEST, out=odds)
