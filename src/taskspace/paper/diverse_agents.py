"""Few agents chosen for diversity against the best ones and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.additions import choose_by_gain
from taskspace.applications.diverse import ROLLOUTS, TASKS, choose_diverse
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.agent_subsets import Reference, reference
from taskspace.paper.study import Study, Table, mean_and_spread
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.sources.plans import ordinal_plan
from taskspace.similarity.agent_kernel import AgentProfiles, ridge

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar")
SIZES = (6, 10, 15, 25, 40)
DRAWS = 8  # of random agents
DIVERSE, UNUSUAL, BEST, RANDOM = "diverse", "largest determinant", "best", "random"
METHODS = (DIVERSE, UNUSUAL, BEST, RANDOM)
NOTE = (
    "Triplet accuracy, against the similarities of the whole population, of {what} of some of its"
    f" agents. diverse: `choose_diverse`, from {ROLLOUTS} rollouts on {TASKS} other tasks; largest"
    " determinant: greedy choice by the log-determinant of the agents' kernel; best: the highest"
    f" success rates; random: mean over {DRAWS} draws. all: the whole population."
)

Row = dict[str, Any]


def tables(study: Study) -> list[Table]:
    """Accuracies by number of agents, means over seeds."""
    chosen = [name for name in ENVIRONMENTS if name in study.chosen([*ENVIRONMENTS, "PointMass"])]
    runs = {name: [_saved(study, name, seed) for seed in range(study.seeds)] for name in chosen}
    return [
        Table(
            f"doctor-diverse-{key}",
            f"Few agents: {what}, {study.over_seeds()}",
            [
                {"environment": name, **_mean(same, key)}
                for name, found in runs.items()
                for same in zip(*found, strict=True)
            ],
            NOTE.format(what=what),
        )
        for key, what in (
            ("similarities", "the similarities"),
            ("map", "a map with the paper's dimensions"),
        )
        if runs
    ]


def _mean(same: tuple[Row, ...], key: str) -> Row:
    row: Row = {"agents": same[0]["agents"]}
    for method in (*METHODS, "all"):
        row |= mean_and_spread(method, [one[f"{method}, {key}"] for one in same])
    return row


def _saved(study: Study, name: str, seed: int) -> list[Row]:
    return study.saved_rows(
        f"{name.lower()}-{seed}-diverse",
        {"environment": name, "seed": seed, "sizes": list(SIZES)},
        lambda: list(_rows(study, name, seed)),
    )


def _rows(study: Study, name: str, seed: int) -> Iterator[Row]:
    made, whole = study.map_of(name, seed), reference(study, name, seed)
    env, dimensions = made.environment, ordinal_plan(name, study.preset).n_components
    tasks = env.sample_tasks(TASKS, seed=seed + 9400)
    pool = evaluate(made.population, env, tasks, ROLLOUTS, seed=seed + 9400)
    for size in SIZES:
        if size < pool.n_agents:
            row: Row = {"agents": size}
            for method, choices in _choices(pool, size, seed).items():
                row |= _accuracies(method, whole, choices, dimensions)
            yield {**row, **_accuracies("all", whole, [pool.agents], dimensions)}


def _accuracies(
    method: str, whole: Reference, choices: list[NDArray[np.str_]], dimensions: int
) -> Row:
    results = [whole.again.of_agents(names.tolist()) for names in choices]
    return {
        f"{method}, similarities": float(np.mean([whole.accuracy(some) for some in results])),
        f"{method}, map": float(
            np.mean([whole.map_accuracy(some, dimensions) for some in results])
        ),
    }


def _choices(pool: Outcomes, size: int, seed: int) -> dict[str, list[NDArray[np.str_]]]:
    """The agents that each method chooses, from results on other tasks."""
    profiles, rng = AgentProfiles.of(pool), np.random.default_rng(seed)
    nobody = AgentProfiles(profiles.deviations[:0], profiles.tried[:0], profiles.noise[:0])
    unusual = choose_by_gain(nobody, profiles, ridge(profiles), size)[0]
    best = np.argsort(-pool.rates.mean(1), kind="stable")[:size]
    return {
        DIVERSE: [choose_diverse(pool, size).agents],
        UNUSUAL: [pool.agents[unusual]],
        BEST: [pool.agents[best]],
        RANDOM: [pool.agents[rng.permutation(pool.n_agents)[:size]] for _ in range(DRAWS)],
    }
