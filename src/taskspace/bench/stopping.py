"""Evaluations that end when the score is known: how often the interval then contains the score."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from threadpoolctl import threadpool_limits

from taskspace.applications.replay import replay
from taskspace.applications.scores import EVERY, scores_given
from taskspace.applications.stopping_rule import FEWEST, next_look, stricter
from taskspace.bench.printing import print_lines
from taskspace.models.linear_population import LinearPopulation

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

LEVEL, FOLDS, SEED = 0.9, 5, 100  # settings of the rule were chosen with the seeds 0 to 9
N_TABLES, AGENTS, TASKS = 8, 60, 300  # simulated; each agent is evaluated once
ABILITY = (2.0, 2.0)  # of the beta distribution of abilities
HALF_WIDTHS = (0.04, 0.07)


@dataclass(frozen=True, eq=False)
class Stops:
    """Evaluations that ended: one entry per new agent and order of the tasks."""

    agents: Numbers
    answered: Numbers
    covered: NDArray[np.bool_]  # whether the interval contains the full score
    errors: Floats  # of the estimated score

    @property
    def standard_error(self) -> float:
        """That of the coverage; evaluations of one agent are not independent."""
        _, agent = np.unique(self.agents, return_inverse=True)
        means = np.bincount(agent, self.covered) / np.bincount(agent)
        return float(means.std() / np.sqrt(len(means)))


Row = tuple[int, int, bool, float]  # an entry of `Stops`


def stops(
    rates: Floats, half_widths: Sequence[float], orders: int, seed: int = SEED
) -> dict[float, Stops]:
    """Let left-out agents be evaluated until the interval is narrow, with tasks in random order.

    Args:
        rates: Results (agents, tasks), all of them known.
        half_widths: Halves of the width of the interval at which an evaluation ends.
        orders: How often every agent is left out, each time with tasks in another order.
        seed: The seed of folds and orders.

    Returns:
        The evaluations by half-width. One that did not end early has the exact score.
    """
    rng, rows = np.random.default_rng(seed), {half: list[Row]() for half in half_widths}
    with threadpool_limits(1):
        for _ in range(orders):
            for new in np.array_split(rng.permutation(len(rates)), FOLDS):
                order = rng.permutation(rates.shape[1])
                known = LinearPopulation.from_rates(np.delete(rates, new, 0), None, 0)
                for half, row in _ends(known, rates, new, order, half_widths):
                    rows[half].append(row)
    return {half: _stops(found) for half, found in rows.items()}


def _stops(rows: list[Row]) -> Stops:
    agents, answered, covered, errors = (np.array(part) for part in zip(*rows, strict=True))
    return Stops(agents, answered, covered, errors)


def _ends(
    known: LinearPopulation,
    rates: Floats,
    new: Numbers,
    order: Numbers,
    half_widths: Sequence[float],
) -> Iterator[tuple[float, Row]]:
    """Where the evaluations of some new agents end, all with the tasks in this order."""
    under_way = {(agent, half) for agent in new.tolist() for half in half_widths}
    for count in _looks(len(order)):
        agents = sorted({agent for agent, _ in under_way})
        for agent, (score, low, high) in _told(known, rates, agents, order[:count]):
            for half in half_widths:
                if (agent, half) in under_way and (high - low) / 2 <= half:
                    under_way.remove((agent, half))
                    yield half, _row(agent, count, score, low, high, float(rates[agent].mean()))
    for agent, half in sorted(under_way):
        yield half, (agent, len(order), True, 0.0)


def _row(agent: int, count: int, score: float, low: float, high: float, truth: float) -> Row:
    return agent, count, low - 1e-9 <= truth <= high + 1e-9, abs(score - truth)


def _looks(tasks: int) -> Iterator[int]:
    count = FEWEST
    while count < tasks:
        yield count
        count = next_look(count)


def _told(
    known: LinearPopulation, rates: Floats, agents: list[int], answered: Numbers
) -> Iterator[tuple[int, tuple[float, float, float]]]:
    """The score of each agent, and the interval of the rule, after these answers."""
    if not agents:
        return
    groups, names = np.zeros(rates.shape[1], np.int64), np.array([EVERY])
    errors = replay(known, answered, groups)  # the same for all
    for agent in agents:
        given = rates[agent, answered]
        found = scores_given(errors, answered, given, names, groups, stricter(LEVEL))
        yield agent, (float(found.scores[0]), float(found.low[0]), float(found.high[0]))


# -- a population whose intervals are known --------------------------------------------------------


def simulated(seed: int) -> Floats:
    """Agents of different ability that solve every task with the same probability."""
    rng = np.random.default_rng(seed)
    return (rng.random((AGENTS, TASKS)) < rng.beta(*ABILITY, AGENTS)[:, None]).astype(np.float64)


def closed_form(
    rates: Floats, half_widths: Sequence[float], orders: int, seed: int = SEED
) -> dict[float, Stops]:
    """The same with exact intervals: the number of solved tasks is beta-binomial, given answers."""
    rng, rows = np.random.default_rng(seed), {half: list[Row]() for half in half_widths}
    for _ in range(orders):
        for agent, results in enumerate(rates):
            solved = np.cumsum(results[rng.permutation(len(results))])
            for half in half_widths:
                rows[half].append(_exact_end(agent, solved, half))
    return {half: _stops(found) for half, found in rows.items()}


def _exact_end(agent: int, solved: Floats, half_width: float) -> Row:
    tasks = len(solved)
    for count in (*_looks(tasks), tasks):
        low, high = _exact(int(solved[count - 1]), count, tasks)
        if (high - low) / 2 <= half_width:
            break
    return _row(agent, count, (low + high) / 2, low, high, float(solved[-1]) / tasks)


@functools.cache
def _exact(solved: int, count: int, tasks: int) -> tuple[float, float]:
    """The exact interval of the score, after so many solved tasks of so many answered ones."""
    from scipy.stats import betabinom

    rest = betabinom(tasks - count, ABILITY[0] + solved, ABILITY[1] + count - solved)
    low, high = rest.ppf([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return (solved + low) / tasks, (solved + high) / tasks


def together(found: list[Stops]) -> Stops:
    """The evaluations of several tables, whose agents are different ones."""
    shifts = np.cumsum([0, *(each.agents.max() + 1 for each in found[:-1])])
    agents = [each.agents + shift for each, shift in zip(found, shifts, strict=True)]
    names = ("answered", "covered", "errors")
    joined = (np.concatenate([getattr(each, name) for each in found]) for name in names)
    return Stops(np.concatenate(agents), *joined)


def print_stops(console: Console, title: str, found: dict[str, Stops]) -> None:
    """Print one table, with one column per way and half-width."""
    lines: dict[str, Callable[[Stops], str]] = {
        f"{LEVEL:.0%} intervals that contain the score": lambda each: (
            f"{each.covered.mean():.1%} ± {each.standard_error:.1%}"
        ),
        "answered tasks": lambda each: f"{each.answered.mean():.0f}",
        "mean absolute error": lambda each: f"{each.errors.mean():.4f}",
        "evaluations": lambda each: f"{len(each.covered)}",
    }
    print_lines(console, title, lines, found)


def print_report(console: Console) -> None:
    """Print what the rule reaches on simulated tables, beside exact intervals."""
    tables = [simulated(SEED + number) for number in range(N_TABLES)]
    found = {}
    for way, measure in {"the rule": stops, "exact intervals": closed_form}.items():
        each = [measure(table, HALF_WIDTHS, 1) for table in tables]
        for half in HALF_WIDTHS:
            found[f"{way}, ± {half:g}"] = together([one[half] for one in each])
    title = f"Evaluations that end early: {AGENTS} agents, {TASKS} tasks of one ability"
    print_stops(console, title, found)
