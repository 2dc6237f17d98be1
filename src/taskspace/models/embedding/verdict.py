"""The verdict on a map, in one line: reliable, usable with care, weak, or not tested.

A map is judged by the order of similarities in results that it was not learned from. The thresholds
were chosen on simulated tables of 5 to 60 tasks and 16 to 300 agents: of tables of independent
results, nearly all are called weak, and no map is called reliable that orders less than 70 % of the
triplets as the true similarities do. A map is no more reliable than the population that it is made
from: its agents must repeat their similarities, and differ in more than one way. If agents differ
in one ability only, the order depends on how well each task measures it; where all measure it
equally well, the map is called weak.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taskspace.models.embedding.pools import HELD_OUT
from taskspace.similarity.profiles import CORRELATION

RELIABLE, CARE, WEAK, UNTESTED = (
    "reliable",
    "usable with care",
    "weak: close to chance",
    "not tested",
)
CHANCE = 0.5

# The standard error of the triplet accuracy of maps of independent results: 0.12, 0.05, 0.023,
# 0.017 and 0.015 for 5, 10, 20, 40 and 60 tasks, whatever the number of agents.
_VARIANCE_PER_PAIR, _VARIANCE_PER_TRIPLET = 0.15, 0.25
_ERRORS = 2  # standard errors from chance within which a map is weak

_ENOUGH_BY_HALF = 0.65  # on other agents, as a lower bound: both halves of the agents are noisy
_ENOUGH = 0.75  # half of the way from chance to perfection
_ENOUGH_OF_CEILING, _LITTLE_OF_CEILING = 0.7, 0.25  # of the way from chance to the noise ceiling
_CLEARLY = 0.02  # a difference of two accuracies that is worth a word
_STABLE = 0.7  # Spearman correlation of the similarities of two seeds
_MANY_AGENTS, _MANY_TASKS = 100, 20  # with fewer, more of them are the first thing to try


class WeakMapWarning(UserWarning):
    """The map is hardly better than chance."""


@dataclass(frozen=True)
class PopulationEvidence:
    """What a diagnosis says about the population that a map is made from.

    Attributes:
        level: The verdict on the population, in the words of a verdict on a map.
        reliability: The reliability of similarities, from 0 to 1.
        accuracy: The share of triplets that its agents order as any number of such agents would.
        advice: One sentence on what would improve it; empty if nothing is known to.
    """

    level: str
    reliability: float
    accuracy: float
    advice: str = ""

    @property
    def poor(self) -> bool:
        """Whether a map of these agents must not be called reliable."""
        return self.level in (CARE, WEAK)


@dataclass(frozen=True)
class Evidence:
    """What is known about the quality of a map.

    Attributes:
        agents: The number of agents.
        tasks: The number of tasks.
        dimensions: The number of dimensions of the map.
        accuracy: The triplet accuracy; None if there is none.
        pairs: The number of pairs of tasks that it was tested on; 0 if nothing was held out.
        needs: What a test requires, if nothing was held out.
        plain: The triplet accuracy of the similarities themselves, without a map, if both were
            estimated from half of the agents and tested on the other half; else None.
        ceiling: The noise ceiling, if it is known.
        stability: The Spearman correlation of similarities with another seed, if it is known.
        signed: Whether similarities are correlations, so that tasks can be opposite.
        population: What is known about the population of agents.
    """

    agents: int
    tasks: int
    dimensions: int
    accuracy: float | None
    pairs: int
    needs: str = ""
    plain: float | None = None
    ceiling: float | None = None
    stability: float | None = None
    signed: bool = False
    population: PopulationEvidence | None = None

    @classmethod
    def from_results(cls, results: Mapping[str, Any]) -> Evidence:
        """The evidence in the results of a run."""
        tasks, population = int(results.get("tasks", 0)), results.get("population")
        return cls(
            agents=int(results.get("agents", 0)),
            tasks=tasks,
            dimensions=int(results.get("dimensions", 0)),
            accuracy=results.get("triplet_accuracy"),
            pairs=int(results.get("tested_pairs", math.comb(tasks, 2))),
            needs=str(results.get("test_needs", "")),
            plain=results.get("plain_triplet_accuracy"),
            ceiling=results.get("noise_ceiling"),
            stability=results.get("stability", {}).get("similarity"),
            signed=results.get("measure") == CORRELATION,
            population=PopulationEvidence(**population) if population else None,
        )

    @property
    def by_half(self) -> bool:
        """Whether a map of half of the agents was tested on the other half."""
        return self.plain is not None

    @property
    def margin(self) -> float:
        """How far from 50 % the accuracy of a map without any information may be."""
        variance = _VARIANCE_PER_PAIR / self.pairs + _VARIANCE_PER_TRIPLET / HELD_OUT
        return _ERRORS * math.sqrt(variance)


@dataclass(frozen=True)
class Verdict:
    """A verdict on a map.

    Attributes:
        level: "reliable", "usable with care", "weak: close to chance" or "not tested".
        reason: One sentence with the numbers that it is based on.
        advice: One sentence on what would help; empty for a reliable map.
    """

    level: str
    reason: str
    advice: str = ""

    @property
    def weak(self) -> bool:
        """Whether the map is hardly better than chance."""
        return self.level == WEAK

    @property
    def trusted(self) -> bool:
        """Whether the map was tested, and is clearly better than chance."""
        return self.level in (RELIABLE, CARE)

    def __str__(self) -> str:
        return f"This map is {self.level}. {self.reason} {self.advice}".rstrip()


def judge(evidence: Evidence) -> Verdict:
    """The verdict on a map.

    Args:
        evidence: What is known about its quality.

    Returns:
        The verdict; as text, it is one line.

    >>> print(judge(Evidence(300, 40, 2, accuracy=0.74, pairs=780, plain=0.72)))
    This map is reliable. A map of half of the agents orders 74.0% of the triplets of tasks as the
    other half does (chance: 50% ± 4%).
    """
    accuracy = evidence.accuracy
    if accuracy is None or not evidence.pairs:
        return _untested(evidence)
    if accuracy < CHANCE + evidence.margin or _of_ceiling(evidence, accuracy) < _LITTLE_OF_CEILING:
        return Verdict(WEAK, f"{_tested(evidence, accuracy)}.", _advice(evidence))
    if not _is_accurate(evidence, accuracy) or _is_poor(evidence):
        return Verdict(CARE, f"{_tested(evidence, accuracy)}.", _advice(evidence))
    if evidence.stability is not None and not evidence.stability >= _STABLE:
        return Verdict(
            CARE,
            f"{_tested(evidence, accuracy)}, but with another seed the similarities differ"
            f" (Spearman correlation {evidence.stability:.2f}).",
            "More agents, or more attempts per agent and task, would help.",
        )
    if evidence.dimensions == 1:
        some = "some better than others, and clusters mean little"
        if evidence.signed:
            some = "some better than others, or in the opposite direction"
        return Verdict(
            CARE,
            f"{_tested(evidence, accuracy)}, but it has one dimension: the tasks measure one"
            f" ability, {some}.",
            "Agents that differ in which tasks they solve would help, if there are such agents.",
        )
    return Verdict(RELIABLE, f"{_tested(evidence, accuracy)}.")


def warn_if_weak(verdict: Verdict, stacklevel: int = 2) -> None:
    """Warn, in the words of the verdict, if the map is weak."""
    if verdict.weak:
        warnings.warn(str(verdict), WeakMapWarning, stacklevel=stacklevel + 1)


def _untested(evidence: Evidence) -> Verdict:
    have = f"{evidence.agents} agents and {evidence.tasks} tasks"
    if evidence.accuracy is None:
        reason = f"Its similarities could not be tested on held-out results of {have}."
    else:
        reason = (
            f"Its triplet accuracy of {evidence.accuracy:.1%} is not held out: with {have}, the map"
            " was learned from the same results."
        )
    return Verdict(UNTESTED, reason, f"A test requires {evidence.needs}." if evidence.needs else "")


def _tested(evidence: Evidence, accuracy: float) -> str:
    """The tested accuracy in words, and what the population allows."""
    chance = f"chance: 50% ± {evidence.margin:.0%}"
    if evidence.by_half:
        tested = (
            f"A map of half of the agents orders {accuracy:.1%} of the triplets of tasks as the"
            f" other half does ({chance}){_lost(evidence, accuracy)}"
        )
    else:
        if evidence.ceiling is not None:
            chance += f", noise ceiling: {evidence.ceiling:.1%}"
        tested = f"It orders {accuracy:.1%} of the held-out triplets of tasks correctly ({chance})"
    return f"{tested}{_allowed(evidence)}"


def _lost(evidence: Evidence, accuracy: float) -> str:
    """What the map has lost, in words, if the similarities that it is made from are better."""
    if evidence.plain is None or evidence.plain < accuracy + _CLEARLY:
        return ""
    return f"; without a map, the similarities of single pairs order {evidence.plain:.1%} so"


def _allowed(evidence: Evidence) -> str:
    """What the population allows, in words; halves of agents are noisier than all of them."""
    population = evidence.population
    if population is None:
        return ""
    return (
        f"; with many more agents like these {evidence.agents:,}, about"
        f" {population.accuracy:.0%} of the triplets would keep their order (reliability"
        f" {population.reliability:.2f})"
    )


def _is_poor(evidence: Evidence) -> bool:
    return evidence.population is not None and evidence.population.poor


def _is_accurate(evidence: Evidence, accuracy: float) -> bool:
    if evidence.by_half:
        return accuracy - evidence.margin >= _ENOUGH_BY_HALF
    if evidence.ceiling is not None:
        return _of_ceiling(evidence, accuracy) >= _ENOUGH_OF_CEILING
    return accuracy >= _ENOUGH


def _of_ceiling(evidence: Evidence, accuracy: float) -> float:
    """The fraction of the way from chance to the noise ceiling; 1 if the ceiling is unknown."""
    if evidence.ceiling is None:
        return 1.0
    return (accuracy - CHANCE) / max(evidence.ceiling - CHANCE, evidence.margin)


def _advice(evidence: Evidence) -> str:
    """What would help a map that is not accurate."""
    if evidence.population is not None and evidence.population.poor and evidence.population.advice:
        return evidence.population.advice
    if evidence.ceiling is not None and evidence.ceiling < _ENOUGH:
        return "More agents, or more attempts per agent and task, would help."
    if evidence.ceiling is not None:  # the outcomes are accurate, but the map is not
        return "More tasks to learn from, or longer training, would help."
    if evidence.agents < _MANY_AGENTS:
        return (
            f"More agents than these {evidence.agents} would help, ideally {_MANY_AGENTS} or more."
        )
    if evidence.tasks < _MANY_TASKS:
        return f"More tasks than these {evidence.tasks} would help, ideally {_MANY_TASKS} or more."
    if evidence.by_half:
        return "More attempts, or agents that differ more in which tasks they solve, would help."
    return "More tasks to learn from, or features that say more about a task, would help."
