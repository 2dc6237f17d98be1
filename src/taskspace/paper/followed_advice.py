"""What following the doctor's advice once does to a map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from taskspace.agents.population import Population
from taskspace.applications.doctor import diagnose
from taskspace.envs.registry import make
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.agent_subsets import Reference, reference
from taskspace.paper.study import Study, Table, mean_and_spread
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.run import Run

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass")
ONE, MOST = "first subpopulation only", "all but the second subpopulation"
COLUMNS = ("before", "after", "others")
NOTE = (
    "Triplet accuracy, against the whole population, of a map of the agents at the start, of a map"
    " with the agents of the subpopulation that the doctor names, and of a map with as many further"
    " agents of the subpopulations at the start, from another seed."
)

Row = dict[str, Any]


def tables(study: Study) -> list[Table]:
    """Accuracies before and after, means over seeds."""
    rows = []
    for name in study.chosen(ENVIRONMENTS):
        found = [row for seed in range(study.seeds) for row in _saved(study, name, seed)]
        for start in (ONE, MOST):
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
    first, _, *others = made.population.subpopulations
    for start, present in ((ONE, [first]), (MOST, [first, *others])):
        agents = [agent for agent in kinds if kinds[agent] in present]
        named = _advised(made, whole, kinds, agents)
        added = [agent for agent in kinds if kinds[agent] == named]
        at_start = whole.again.of_agents(agents)
        more = _further(study, name, seed, whole, present, len(added))
        yield {
            "start": start,
            "agents": len(agents),
            "named": named,
            "added": len(added),
            "before": whole.map_accuracy(at_start),
            "after": whole.map_accuracy(whole.again.of_agents([*agents, *added])),
            "others": whole.map_accuracy(_joined(at_start, more)),
        }


def _advised(made: Run, whole: Reference, kinds: Mapping[str, str], agents: list[str]) -> str:
    """The subpopulation that the doctor names for these agents."""
    some, own = whole.again.of_agents(agents), [kinds[agent] for agent in agents]
    found = diagnose(made.variant(outcomes=some, subpopulations=own))
    return found.absent[0]


def _further(
    study: Study, name: str, seed: int, whole: Reference, present: list[str], count: int
) -> Outcomes:
    """Random agents of these subpopulations of another seed, on the same tasks."""
    population = study.map_of(name, (seed + 1) % max(study.seeds, 2)).population
    known = [agent for agent in population.agents if agent.subpopulation in present]
    drawn = np.random.default_rng(seed).permutation(len(known))[:count]
    more = Population([known[index] for index in drawn], population.environment)
    return evaluate(more, make(name), whole.tasks, whole.rollouts, seed=seed + 9300)


def _joined(one: Outcomes, other: Outcomes) -> Outcomes:
    """The agents of both, on the same tasks."""
    return Outcomes(
        np.concatenate([one.successes, other.successes]),
        np.concatenate([one.rollouts, other.rollouts]),
    )
