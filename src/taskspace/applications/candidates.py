"""Who a new agent might be like: agents that are known, and agents that there might be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.models.success.factors import Factors, Floats, Gaussians
from taskspace.models.success.low_rank import Settings, blend

IMAGINED = 800  # agents that are drawn from the low-rank model
SPREADS = (1.0, 2.0)  # of the imagined agents, in turn: twice as far apart as the known ones, too
SKILLS, TILTS = 50, (0.0, 0.5, 1.0, 1.5)  # of agents of their own skill: every pair is one
SKILL_SPREAD = 2.0
ON_MAP = 900  # agents that are drawn on the map
REACHES = (0.25, 0.5, 1.0)  # of likeness on the map, as shares of the median distance
SWINGS = (1.0, 2.0, 4.0)  # of the log odds on the map
WAVES = 200  # that a function on the map is made of


@dataclass(frozen=True, eq=False)
class Table:
    """What there is to learn from."""

    successes: Floats  # (agents, tasks)
    attempts: Floats  # (agents, tasks)
    places: Floats | None  # (tasks, dimensions)

    def of_agents(self, agents: NDArray[np.int64]) -> Table:
        """Some of the rows."""
        return Table(self.successes[agents], self.attempts[agents], self.places)

    def of_tasks(self, tasks: NDArray[np.int64]) -> Table:
        """Some of the columns."""
        places = None if self.places is None else self.places[tasks]
        return Table(self.successes[:, tasks], self.attempts[:, tasks], places)

    @property
    def ease(self) -> Floats:
        """Log odds of success on each task, around their mean."""
        rate = (self.successes.sum(0) + 1) / (self.attempts.sum(0) + 2)
        odds = np.log(rate / (1 - rate))
        centred: Floats = odds - odds.mean()
        return centred


def candidates(
    table: Table, factors: Factors, settings: Settings, rng: np.random.Generator
) -> list[Floats]:
    """Success probabilities (agents, tasks) of every kind of candidates."""
    known = blend(factors.probabilities(), table.successes, table.attempts, settings.strength)
    groups = [known, imagine(factors, rng), of_their_own_skill(table.ease)]
    return groups if table.places is None else [*groups, on_map(table.places, table.ease, rng)]


def imagine(factors: Factors, rng: np.random.Generator) -> Floats:
    """Success probabilities (IMAGINED, tasks) of agents that there might be.

    The known agents' factors have mean 0 and covariance 1 when learning ends.
    """
    rank = factors.agents.mean.shape[1]
    drawn = rng.standard_normal((IMAGINED, rank)) * np.resize(SPREADS, IMAGINED)[:, None]
    agents = Gaussians(drawn, np.zeros((IMAGINED, rank, rank)))
    return Factors(agents, factors.tasks).probabilities()


def of_their_own_skill(ease: Floats) -> Floats:
    """Success probabilities (agents, tasks) that rise with a skill and fall with difficulty.

    A tilt of 0 is an agent to which all tasks are the same, 1 one that finds tasks as hard as
    the known agents do.
    """
    from scipy.special import expit, ndtri

    skills = SKILL_SPREAD * ndtri((np.arange(SKILLS) + 0.5) / SKILLS)
    logits = np.multiply.outer(TILTS, ease)[:, None] + skills[:, None]
    chances: Floats = expit(logits.reshape(-1, len(ease)))
    return chances


def on_map(places: Floats, ease: Floats, rng: np.random.Generator) -> Floats:
    """Success probabilities (ON_MAP, tasks) of agents for which tasks near each other are alike.

    Their log odds are a skill, the ease of the task more or less, and a smooth random function of
    its place: a Gaussian process, drawn as a sum of waves.
    """
    from scipy.special import expit

    logits = []
    for reach in REACHES:
        count = ON_MAP // len(REACHES)
        lengths = rng.normal(size=(places.shape[1], WAVES)) / (reach * _scale(places, rng))
        waves = np.cos(places @ lengths + rng.uniform(0, 2 * np.pi, WAVES))
        smooth = rng.normal(0, np.sqrt(2 / WAVES), (count, WAVES)) @ waves.T
        skill, tilt = rng.normal(0, SKILL_SPREAD, (count, 1)), rng.uniform(0, TILTS[-1], (count, 1))
        logits.append(rng.choice(SWINGS, (count, 1)) * smooth + tilt * ease + skill)
    chances: Floats = expit(np.concatenate(logits))
    return chances


def _scale(places: Floats, rng: np.random.Generator) -> float:
    """The median distance between two tasks."""
    first, second = places[rng.integers(0, len(places), (2, 1000))]
    median = float(np.median(np.linalg.norm(first - second, axis=1)))
    return median if median > 0 else 1.0
