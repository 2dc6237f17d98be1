"""What following the doctor's advice once does to a map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from taskspace.applications.doctor import diagnose
from taskspace.envs.registry import make
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.agent_subsets import Reference, reference
from taskspace.paper.study import Study, Table, mean_and_spread
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.run import Run

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass")
ONE_KIND, HALF = "first subpopulation only", "a random half of the agents"
COLUMNS = ("before", "after", "others")
NOTE = (
    "Triplet accuracy, against the whole population, of a map of the agents at the start, of a map"
    " with the agents of the subpopulation that the doctor names, and of a map with as many other"
    " agents: further agents of the first subpopulation, from another seed, or random agents of the"
    " other half."
)

Row = dict[str, Any]


def tables(study: Study) -> list[Table]:
    """Accuracies before and after, means over seeds."""
    rows = []
    for name in study.chosen(ENVIRONMENTS):
        found = [row for seed in range(study.seeds) for row in _saved(study, name, seed)]
        for start in (ONE_KIND, HALF):
            rows.append(_mean(name, start, [row for row in found if row["start"] == start]))
    return [Table("doctor-advice", "Following the doctor's advice once", rows, NOTE)]


def _mean(name: str, start: str, same: list[Row]) -> Row:
    row: Row = {"environment": name, "start": start}
    row["agents"] = ", ".join(f"{one['agents']} + {one['added']}" for one in same)
    row["named"] = ", ".join(one["named"] for one in same)
    for column in COLUMNS:
        row |= mean_and_spread(column, [one[column] for one in same])
    return row


def _saved(study: Study, name: str, seed: int) -> list[Row]:
    return study.saved_rows(
        f"{name.lower()}-{seed}-advice",
        {"environment": name, "seed": seed, "of": study.seeds},
        lambda: list(_rows(study, name, seed)),
    )


def _rows(study: Study, name: str, seed: int) -> Iterator[Row]:
    made, whole = study.map_of(name, seed), reference(study, name, seed)
    kinds = {agent.name: agent.subpopulation for agent in made.population.agents}
    rng = np.random.default_rng(seed)
    first = [agent for agent in kinds if kinds[agent] == made.population.subpopulations[0]]
    named = _advised(made, whole, kinds, first)
    added = [agent for agent in kinds if kinds[agent] == named]
    further = _more_of_the_first(study, name, seed, whole, len(added))
    yield {
        **_row(ONE_KIND, whole, first, named, added),
        "others": whole.map_accuracy(_joined(whole.again.of_agents(first), further)),
    }
    half = sorted(rng.permutation(list(kinds))[: len(kinds) // 2].tolist())
    left = [agent for agent in kinds if agent not in half]
    named = _advised(made, whole, kinds, half)
    added = [agent for agent in left if kinds[agent] == named]
    others = rng.permutation(left)[: len(added)].tolist()
    yield {
        **_row(HALF, whole, half, named, added),
        "others": whole.map_accuracy(whole.again.of_agents([*half, *others])),
    }


def _advised(made: Run, whole: Reference, kinds: Mapping[str, str], agents: list[str]) -> str:
    """The subpopulation that the doctor names for these agents."""
    some, own = whole.again.of_agents(agents), [kinds[agent] for agent in agents]
    found = diagnose(made.variant(outcomes=some, subpopulations=own))
    return found.absent[0] if found.absent else str(found.subpopulation)


def _row(start: str, whole: Reference, agents: list[str], named: str, added: list[str]) -> Row:
    return {
        "start": start,
        "agents": len(agents),
        "named": named,
        "added": len(added),
        "before": whole.map_accuracy(whole.again.of_agents(agents)),
        "after": whole.map_accuracy(whole.again.of_agents([*agents, *added])),
    }


def _more_of_the_first(
    study: Study, name: str, seed: int, whole: Reference, count: int
) -> Outcomes:
    """Random agents of the first subpopulation of another seed, on the same tasks."""
    population = study.map_of(name, (seed + 1) % max(study.seeds, 2)).population
    more = population.select(population.subpopulations[0])
    outcomes = evaluate(more, make(name), whole.tasks, whole.rollouts, seed=seed + 9300)
    order = np.random.default_rng(seed).permutation(outcomes.agents)
    return outcomes.of_agents(order[:count].tolist())


def _joined(one: Outcomes, other: Outcomes) -> Outcomes:
    """The agents of both, on the same tasks."""
    return Outcomes(
        np.concatenate([one.successes, other.successes]),
        np.concatenate([one.rollouts, other.rollouts]),
    )
