"""Candidates that a new agent may resemble: the known agents, and simulated agents."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.success.factors import Factors, Floats, Gaussians
from taskspace.models.success.forward import sigmoid
from taskspace.models.success.low_rank import Settings, blend

SIMULATED = 800  # agents drawn from the low-rank model
SPREADS = (1.0, 2.0)  # of simulated agents, in turn: that of the known agents, and twice that
SKILLS, TILTS = 50, (0.0, 0.5, 1.0, 1.5)  # of skill-level agents: one agent per pair
SKILL_SPREAD = 2.0
ON_MAP = 900  # agents drawn on the map
REACHES = (0.25, 0.5, 1.0)  # length scales on the map, relative to the median distance
SWINGS = (1.0, 2.0, 4.0)  # amplitudes of the log odds on the map
WAVES = 200  # random Fourier features of a function on the map


@dataclass(frozen=True, eq=False)
class Table:
    """The results of known agents, and the vectors of the tasks."""

    successes: Floats  # (agents, tasks)
    attempts: Floats  # (agents, tasks)
    vectors: Floats | None  # (tasks, dimensions)
    dispersion: float = 1.0  # of attempts, if the results are normalised returns
    answers: Floats | None = None  # then: dispersion of an attempt around a result, for each pair

    def of_agents(self, agents: NDArray[np.int64]) -> Table:
        """The rows of these agents."""
        return self._part(np.s_[agents], self.vectors)

    def of_tasks(self, tasks: NDArray[np.int64]) -> Table:
        """The columns of these tasks."""
        return self._part(np.s_[:, tasks], None if self.vectors is None else self.vectors[tasks])

    def _part(self, cells: Any, vectors: Floats | None) -> Table:
        answers = None if self.answers is None else self.answers[cells]
        tables = self.successes[cells], self.attempts[cells]
        return Table(*tables, vectors, self.dispersion, answers)

    @property
    def rates(self) -> Floats:
        """Success rates (agents, tasks); NaN for pairs that were never tried."""
        with np.errstate(invalid="ignore"):
            return self.successes / self.attempts

    @property
    def ease(self) -> Floats:
        """Log odds of success on each task, centred."""
        rate = (self.successes.sum(0) + 1) / (self.attempts.sum(0) + 2)
        odds = np.log(rate / (1 - rate))
        centred: Floats = odds - odds.mean()
        return centred


def candidates(
    table: Table, factors: Factors, settings: Settings, rng: np.random.Generator
) -> list[Floats]:
    """Success probabilities (candidates, tasks), one table per type of candidate."""
    strength = settings.strength * table.dispersion
    known = blend(factors.probabilities(), table.successes, table.attempts, strength)
    groups = [known, simulate(factors, rng), of_skill_levels(table.ease)]
    if table.vectors is None:
        return groups
    # A stream of its own: with or without a map, the other candidates are the same.
    return [*groups, on_map(table.vectors, table.ease, rng.spawn(1)[0])]


def simulate(factors: Factors, rng: np.random.Generator) -> Floats:
    """Success probabilities (SIMULATED, tasks) of agents drawn from the low-rank model.

    The known agents' factors have mean 0 and covariance 1 when learning ends.
    """
    rank = factors.agents.mean.shape[1]
    drawn = rng.standard_normal((SIMULATED, rank)) * np.resize(SPREADS, SIMULATED)[:, None]
    agents = Gaussians(drawn, np.zeros((SIMULATED, rank, rank)))
    return Factors(agents, factors.tasks).probabilities()


def of_skill_levels(ease: Floats) -> Floats:
    """Success probabilities (agents, tasks) that rise with a skill and fall with difficulty.

    With a tilt of 0, all tasks are equally hard for the agent; with a tilt of 1, they differ in
    difficulty as much as for the known agents.
    """
    levels = [NormalDist().inv_cdf((level + 0.5) / SKILLS) for level in range(SKILLS)]
    skills = SKILL_SPREAD * np.array(levels)
    logits = np.multiply.outer(TILTS, ease)[:, None] + skills[:, None]
    return sigmoid(logits.reshape(-1, len(ease)))


def on_map(vectors: Floats, ease: Floats, rng: np.random.Generator) -> Floats:
    """Success probabilities (ON_MAP, tasks) of agents for which neighbouring tasks are similar.

    Their log odds are the sum of a skill, a multiple of the ease of the task, and a smooth random
    function of its vector: a Gaussian process, drawn as a sum of cosine waves.
    """
    logits = []
    for reach in REACHES:
        count = ON_MAP // len(REACHES)
        lengths = rng.normal(size=(vectors.shape[1], WAVES)) / (reach * _scale(vectors, rng))
        waves = np.cos(vectors @ lengths + rng.uniform(0, 2 * np.pi, WAVES))
        smooth = rng.normal(0, np.sqrt(2 / WAVES), (count, WAVES)) @ waves.T
        skill, tilt = rng.normal(0, SKILL_SPREAD, (count, 1)), rng.uniform(0, TILTS[-1], (count, 1))
        logits.append(rng.choice(SWINGS, (count, 1)) * smooth + tilt * ease + skill)
    return sigmoid(np.concatenate(logits))


def _scale(vectors: Floats, rng: np.random.Generator) -> float:
    """The median distance between two tasks."""
    first, second = vectors[rng.integers(0, len(vectors), (2, 1000))]
    median = float(np.median(np.linalg.norm(first - second, axis=1)))
    return median if median > 0 else 1.0
