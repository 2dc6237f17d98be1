"""Does the doctor say how good a map will be, does its advice help, and do few agents suffice?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from taskspace.agents.population import Population
from taskspace.applications.doctor import diagnose
from taskspace.envs.registry import make
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper import diverse_agents, followed_advice
from taskspace.paper.agent_subsets import Reference, reference
from taskspace.paper.figure4 import MASKED
from taskspace.paper.study import Result, Study, Table
from taskspace.paper.table1 import OTHER_POPULATIONS, PARTS
from taskspace.rollouts.evaluate import evaluate
from taskspace.training.recipes import train_population

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass")
VARIANTS = {"MultiKeyNav": ("MultiKeyNavAB", "MultiKeyNavA")}  # of Figure 4, seed 0
HALVES = {"half": 2, "quarter": 4}
DRAWS = 2  # random halves, and random quarters, of each population
FEWEST = 8  # agents whose reliability can be measured
COMPARED = {
    "reliability × (1 - 1 / skills)": "trust",
    "reliability": "reliability",
    "skills above chance": "skills",
    "effective number of agents": "effective",
    "number of agents": "agents",
}
MAIN = ("reliability × (1 - 1 / skills)", "reliability")
NOTE = (
    "The populations of Figure 4 and of the second table of Table 1, and random halves and quarters"
    " of them. triplets: triplet accuracy, against the similarities of the environment's whole"
    " population, of a map of these agents only; they were evaluated again for it. effective: the"
    " effective number of agents; skills: those above chance; trust: reliability × (1 - 1 /"
    " skills). The first table has the Spearman correlations of these figures with the accuracy,"
    " over all seeds and draws."
)

MEANS = "means over seeds and draws"
FIGURES = ("agents", "effective", "skills", "reliability", "trust", "triplets")

Row = dict[str, Any]


def reproduce(study: Study) -> Result:
    """Rank correlations of the doctor's figures with map quality; advice; diverse agents."""
    rows = [row for name in study.chosen(ENVIRONMENTS) for row in _of_environment(study, name)]
    return Result(
        "doctor",
        "Is a population good enough? The doctor's answer and measured maps",
        tables=[
            Table("doctor-quality", "Map quality and the doctor's figures", _correlations(rows)),
            Table("doctor-populations", f"The populations, {MEANS}", _means(rows), NOTE),
            *followed_advice.tables(study),
            *diverse_agents.tables(study),
        ],
        notes=list(_by_seed(rows)),
    )


def _of_environment(study: Study, name: str) -> Iterator[Row]:
    for seed in range(study.seeds):
        yield from _saved(study, name, seed)
    for variant in VARIANTS.get(name, ()):
        yield from _saved(study, variant, 0)


def _saved(study: Study, name: str, seed: int) -> list[Row]:
    folder = f"{name.lower()}-{seed}-doctor"
    return study.saved_rows(
        folder, {"environment": name, "seed": seed}, lambda: list(_rows(study, name, seed))
    )


def _rows(study: Study, name: str, seed: int) -> Iterator[Row]:
    whole = reference(study, name, seed)
    rng = np.random.default_rng(seed)
    for label, outcomes in _populations(study, name, seed, whole):
        for part, names in _parts(outcomes.agents.tolist(), rng):
            found = diagnose(outcomes.of_agents(names), seed=seed)
            yield {
                "environment": name,
                "seed": seed,
                "population": label,
                "part": part,
                "agents": len(names),
                "effective": found.effective_agents,
                "skills": found.skills,
                "reliability": found.reliability["information"].value,
                "trust": found.trust,
                "triplets": whole.map_accuracy(outcomes.of_agents(names)),
            }


def _populations(
    study: Study, name: str, seed: int, whole: Reference
) -> Iterator[tuple[str, Outcomes]]:
    """The paper's population and its ablations, with their results on the tasks of reference."""
    ours = study.map_of(name, seed).population
    yield "all", whole.again
    parts = {label: select(ours) for label, select in PARTS.items()}
    if name == "MultiKeyNav":
        parts["ours, agents that cannot pick keys"] = list(ours.select(MASKED))
    for label, names in parts.items():
        yield label, whole.again.of_agents(names)
    if seed == 0 and name in OTHER_POPULATIONS:
        label = OTHER_POPULATIONS[name][0]
        others = _others(study, name)
        yield label, evaluate(others, make(name), whole.tasks, whole.rollouts, seed=9200)


def _others(study: Study, name: str) -> Population:
    """The population of seed 0 that is trained as in the second table of Table 1."""
    recipe = OTHER_POPULATIONS[name][1]
    return study.saved(
        f"{name.lower()}-0-other-agents",
        {"environment": name, "seed": 0},
        lambda: train_population(make(name), recipe=recipe, fast=study.fast),
        Population.save,
        Population.load,
    )


def _parts(agents: list[str], rng: np.random.Generator) -> Iterator[tuple[str, list[str]]]:
    """All agents, and random halves and quarters of them, if these have enough agents."""
    if len(agents) >= FEWEST:
        yield "all", agents
    for part, divisor in HALVES.items():
        for _ in range(DRAWS):
            drawn = rng.permutation(agents)[: len(agents) // divisor].tolist()
            if len(drawn) >= FEWEST:
                yield part, drawn


def _correlations(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """The rank correlation of each figure with triplet accuracy, over groups of populations."""
    environments = list(dict.fromkeys(row["environment"] for row in rows))
    groups = {"all": rows, "without quarters": [row for row in rows if row["part"] != "quarter"]}
    for name in environments:
        groups[name] = [row for row in rows if row["environment"] == name]
    return [
        {
            "figure": label,
            **{group: _rank_correlation(some, key) for group, some in groups.items()},
            "populations": len(rows),
        }
        for label, key in COMPARED.items()
    ]


def _by_seed(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The two main correlations of each environment and seed."""
    yield "Rank correlations with triplet accuracy, by environment and seed:"
    for name, seed in dict.fromkeys((row["environment"], row["seed"]) for row in rows):
        some = [row for row in rows if (row["environment"], row["seed"]) == (name, seed)]
        found = [f"{figure} {_shown(some, COMPARED[figure])}" for figure in MAIN]
        yield f"- {name}, seed {seed}: {len(some)} populations, {', '.join(found)}"


def _shown(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    found = _rank_correlation(rows, key)
    return "unknown" if found is None else f"{found:.2f}"


def _means(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    keys = ("environment", "population", "part")
    groups = dict.fromkeys(tuple(row[key] for key in keys) for row in rows)
    found = []
    for group in groups:
        same = [row for row in rows if tuple(row[key] for key in keys) == group]
        means = {name: float(np.mean([row[name] for row in same])) for name in FIGURES}
        found.append({**dict(zip(keys, group, strict=True)), **means, "number": len(same)})
    return found


def _rank_correlation(rows: Sequence[Mapping[str, Any]], key: str) -> float | None:
    from scipy.stats import spearmanr

    known = [(row[key], row["triplets"]) for row in rows if row[key] == row[key]]
    return float(spearmanr(*zip(*known, strict=True)).statistic) if len(known) > 2 else None
