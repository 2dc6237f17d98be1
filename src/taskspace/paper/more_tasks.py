"""What stops the success model of BasicKarel: more tasks, more rollouts, and a wider network."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from taskspace.paper import information
from taskspace.paper.figure6 import selection_pool
from taskspace.paper.harness.task_selection import compare
from taskspace.paper.study import Result, Study, Table
from taskspace.runs.run import Run
from taskspace.runs.sources.environment import evaluate_pool
from taskspace.runs.sources.plans import InformationPlan, information_plan

ENVIRONMENT = "BasicKarel"
FACTORS = (1, 2, 4)  # times the tasks of a run
MORE_ROLLOUTS = 8
WIDTH = 256  # twice that of a run
EXAMPLES = 2000
QUERIES = {"similar": "Type 1, Top-1", "harder": "Type 2, Top-1"}


def reproduce(study: Study) -> Result:
    """One table, with one row per success model."""
    study.chosen([ENVIRONMENT])
    made = study.map_of(ENVIRONMENT)
    name, measure = f"{ENVIRONMENT.lower()}-0-more-tasks", functools.partial(_rows, study, made)
    rows = study.saved_rows(name, {"seed": 0}, measure)
    note = (
        f"Top-1 selection accuracy on 4 x {EXAMPLES} examples, seed 0; seconds: CPU time of the"
        " rollouts and of learning. OPT-50 plays each task 100 times with half of the agents."
    )
    table = Table("more-tasks", f"{ENVIRONMENT}: success models by what they learn from", rows)
    return Result("more-tasks", "What more tasks bring", [table], notes=[note])


def _rows(study: Study, made: Run) -> list[dict[str, Any]]:
    pool = selection_pool(study, made, 0)
    judges, seconds = {}, {}
    for name, plan, changes in _variants(information_plan(ENVIRONMENT, study.preset)):
        start = time.process_time()
        outcomes = evaluate_pool(made.environment, made.population, plan, 7000)
        played = time.process_time()
        model = plan.success_model(0).set_params(**changes).fit(outcomes)
        seconds[name] = (played - start, time.process_time() - played)
        judges[name] = information.judge_of_model(model, pool.features)
    found = {(row.method, row.query): row.top1 for row in compare(pool, judges, examples=EXAMPLES)}
    return [
        {"learned from": name}
        | {label: found[name, query] for query, label in QUERIES.items()}
        | dict(zip(("playing, s", "learning, s"), seconds.get(name, (None, None)), strict=True))
        for name in [*judges, "OPT-50", "OPT"]
    ]


def _variants(plan: InformationPlan) -> Iterator[tuple[str, InformationPlan, dict[str, Any]]]:
    """Names, plans, and changes of the model."""
    from taskspace.models.success.grid_encoder import GridEncoder  # imports torch

    for factor in FACTORS:
        yield f"{factor * plan.tasks:,} tasks", replace(plan, tasks=factor * plan.tasks), {}
    more = replace(plan, rollouts=MORE_ROLLOUTS)
    yield f"{plan.tasks:,} tasks, {MORE_ROLLOUTS} rollouts each", more, {}
    wider = {"network": lambda tasks: GridEncoder(width=WIDTH)}
    yield f"{plan.tasks:,} tasks, twice the width", plan, wider
