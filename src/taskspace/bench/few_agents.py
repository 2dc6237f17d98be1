"""Few known agents: are predictions and short tests ever worse than simple ones, beyond noise?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from taskspace.applications.distributions import student_quantile
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.subset import choose_subset
from taskspace.applications.subset_choices import at_random
from taskspace.applications.subset_errors import Question
from taskspace.applications.subset_limits import Limits
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.item_response import fit_item_response
from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]

COUNTS = (10, 15, 20, 30, 60, 150)  # of known agents
NEW, TASKS, QUIZ, DRAWS = 40, 150, 20, 2
SEED = 100  # settings were chosen with others
LEVEL = 0.95
RANDOM_TESTS = 8


@dataclass(frozen=True, eq=False)
class Paired:
    """Errors of ours minus those of a simple method, one per new agent; negative is better."""

    differences: Floats

    @property
    def interval(self) -> tuple[float, float, float]:
        """The mean difference and its interval."""
        count = len(self.differences)
        spread = self.differences.std(ddof=1) / np.sqrt(count)
        half = student_quantile((1 + LEVEL) / 2, count - 1) * spread
        mean = float(self.differences.mean())
        return mean, mean - half, mean + half

    @property
    def worse(self) -> bool:
        """Whether ours is worse beyond noise."""
        return self.interval[1] > 0

    def __str__(self) -> str:
        mean, low, high = self.interval
        return f"{mean:+.4f} ({low:+.4f} to {high:+.4f}){' worse' if self.worse else ''}"


def simulated(seed: int = SEED) -> Outcomes:
    """Agents that differ in two skills, and tasks of different difficulty."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(COUNTS[-1] + NEW, 2))[:, rng.integers(0, 2, TASKS)]
    logits = 1.5 * skills - rng.normal(size=TASKS)
    return Outcomes(rng.binomial(1, 1 / (1 + np.exp(-logits))), np.array(1))


def parts(outcomes: Outcomes, count: int) -> Iterator[tuple[Outcomes, Outcomes]]:
    """So many known agents and some new ones, on some tasks that known agents tried."""
    for draw in range(DRAWS):
        rng = np.random.default_rng(SEED + draw)
        order = rng.permutation(outcomes.n_agents)
        some = rng.permutation(outcomes.n_tasks)[:TASKS]
        known, new = outcomes.agents[order[:count]], outcomes.agents[order[count:][:NEW]]
        tried = outcomes.rollouts[order[:count]].sum(0)[some] > 0
        table = outcomes.of_tasks(outcomes.tasks[some[tried]])
        yield table.of_agents(known), table.of_agents(new)


def beside_rasch(known: Outcomes, new: Outcomes, seed: int = SEED) -> Floats:
    """Brier scores minus those of Rasch's model, after a quiz of random tasks."""
    rng, found = np.random.default_rng(seed), []
    rasch, ours = fit_item_response(known, same_slopes=True), PerformancePredictor().fit(known)
    for results in new.rates:
        tried = rng.permutation(np.flatnonzero(~np.isnan(results)))
        quiz, rest = tried[:QUIZ], tried[QUIZ:]
        if len(rest):
            each = (
                np.mean((predict(quiz, results[quiz], rest) - results[rest]) ** 2)
                for predict in (ours.predict_proba, rasch.predict)
            )
            found.append(next(each) - next(each))
    return np.array(found)


def beside_random(known: Outcomes, new: Outcomes, seed: int = SEED) -> Floats:
    """Errors of full scores from a chosen short test, minus those from random ones."""
    rates, rng = new.rates, np.random.default_rng(seed)
    truth = rates.mean(1)
    chosen = choose_subset(known, QUIZ, seed=seed)
    limits = Limits(np.zeros(known.n_tasks, np.int64), 0)
    question, population = Question(limits, labelled=False), LinearPopulation.fit(known)

    def errors(tasks: NDArray[np.int64]) -> Floats:
        formula = question.formula(population, tasks)
        return np.abs(formula.apply(rates[:, tasks])[:, 0] - truth)

    place = {name: number for number, name in enumerate(known.tasks.tolist())}
    ours = errors(np.array([place[name] for name in chosen.tasks.tolist()]))
    others = [errors(at_random(QUIZ, limits, rng)) for _ in range(RANDOM_TESTS)]
    return ours - np.mean(others, axis=0)


def compared(outcomes: Outcomes, count: int) -> dict[str, Paired]:
    """Both comparisons with so many known agents; short tests need tables without gaps."""
    drawn = list(parts(outcomes, count))
    found = {"Brier score − Rasch": [beside_rasch(known, new) for known, new in drawn]}
    if (outcomes.rollouts > 0).all():  # slower, so of one draw
        found["error of scores − random tasks"] = [beside_random(*drawn[0])]
    return {name: Paired(np.concatenate(each)) for name, each in found.items()}


def print_compared(console: Console, title: str, outcomes: Outcomes) -> None:
    """Print one table, with one row per number of known agents."""
    found = {
        count: compared(outcomes, count) for count in COUNTS if count <= outcomes.n_agents - 10
    }
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    for name in ("known agents", *next(iter(found.values()))):
        table.add_column(name, justify="right")
    for count, each in found.items():
        table.add_row(str(count), *map(str, each.values()))
    console.print(table)


def print_report(console: Console) -> None:
    """Print the comparison on a simulated table."""
    title = f"Two skills, {TASKS} tasks: differences to simple methods (negative is better)"
    print_compared(console, title, simulated())
    console.print(
        f"In brackets: {LEVEL:.0%} intervals over new agents. A quiz or a test has {QUIZ} tasks."
    )
