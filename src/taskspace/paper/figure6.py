"""Figure 6: choosing the task that is most like another, or like it but harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from taskspace.agents.policies import ExpertPolicy
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper import baselines
from taskspace.paper.figure5 import fresh_tasks
from taskspace.paper.harness.task_selection import Pool, compare
from taskspace.paper.study import Result, Study, Table
from taskspace.report import plots
from taskspace.rollouts.evaluate import evaluate
from taskspace.rollouts.trajectories import record
from taskspace.runs.run import Run

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar")
METHODS = (
    "Random", "StateSim", "TrajectorySim", "PredModel", "Ours, no norm", "Ours", "OPT-50", "OPT",
)  # fmt: skip
QUERIES = {"similar": "Type 1", "harder": "Type 2", "easier": "easier"}
POOL, ROLLOUTS = 2000, 100
EXAMPLES = (50, 2000)  # in each of four data sets: the paper's number, and enough to tell


def reproduce(study: Study) -> Result:
    """The paper's number of examples, and many more for small errors."""
    tables, pictures = [], {}
    for environment in study.chosen(ENVIRONMENTS):
        runs = [_rows(study, environment, seed) for seed in range(study.seeds)]
        for examples in EXAMPLES:
            chosen = [[row for row in run if row["examples"] == examples] for run in runs]
            rows = [_row(chosen, method) for method in METHODS]
            title = f"{environment}: share of right choices, 4 x {examples} examples"
            tables.append(Table(f"figure6-{environment.lower()}-{examples}", title, rows))
        caption = f"{environment}: right choices, Top-1 (light) within Top-3 (dark)."
        pictures[study.draw(f"figure6-{environment.lower()}", _figure(chosen))] = caption
    note = (
        "Mean and spread over the seeds of the whole pipeline (with one seed: standard error over"
        " the four data sets). The pictures show the larger number of examples."
    )
    return Result("figure6", "Figure 6: task selection", tables, pictures, [note])


def selection_pool(study: Study, made: Run, seed: int) -> Pool:
    """Fresh tasks, played twice and kept, with what the baselines need."""
    env, rollouts = made.environment, ROLLOUTS // 10 if study.fast else ROLLOUTS
    tasks = fresh_tasks(env, POOL // 10 if study.fast else POOL, seed + 6000)

    def played(name: str, play_seed: int) -> Outcomes:
        return study.kept(
            f"{env.name.lower()}-{seed}-{name}",
            {"environment": env.name, "seed": play_seed, "rollouts": rollouts},
            lambda: evaluate(made.population, env, tasks, rollouts, seed=play_seed),
            Outcomes.save,
            Outcomes.load,
        )

    truth, again = played("choices", seed + 6000), played("choices-again", seed + 6001)
    expert = record(ExpertPolicy(env), env, tasks, seed=seed)
    return Pool(truth, again, tasks, [expert[i][1] for i in range(len(expert))])


def _rows(study: Study, environment: str, seed: int) -> list[dict[str, Any]]:
    made = study.map_of(environment, seed)
    models = {
        "PredModel": baselines.pred_model(study, made, seed),
        "Ours, no norm": baselines.without_norm(study, made, seed),
        "Ours": made.embedder,
    }

    pool = selection_pool(study, made, seed)

    def run() -> list[dict[str, Any]]:
        vectors = {name: model.transform(pool.features) for name, model in models.items()}
        return [
            asdict(row)
            for examples in EXAMPLES
            for row in compare(pool, vectors, examples=examples, seed=seed)
        ]

    return study.kept_rows(f"{environment.lower()}-{seed}-figure6", {"seed": seed}, run)


def _found(
    runs: Sequence[Sequence[Mapping[str, Any]]], method: str, query: str, top: str
) -> tuple[float, float]:
    """Mean and spread over seeds, or the error over data sets of a single seed."""
    rows = [row for run in runs for row in run if (row["method"], row["query"]) == (method, query)]
    values = [row[top] for row in rows]
    error = float(np.std(values)) if len(rows) > 1 else rows[0][f"{top}_error"]
    return float(np.mean(values)), error


def _row(runs: Sequence[Sequence[Mapping[str, Any]]], method: str) -> dict[str, Any]:
    row: dict[str, Any] = {"method": method}
    for query, told in QUERIES.items():
        for top in ("top1", "top3"):
            heading = f"{told}, Top-{top[-1]}"
            row[heading], row[f"{heading} ±"] = _found(runs, method, query, top)
    return row


def _figure(runs: Sequence[Sequence[Mapping[str, Any]]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    axes = figure.subplots(1, len(QUERIES), sharey=True)
    for ax, (query, told) in zip(axes, QUERIES.items(), strict=True):
        top1, top3 = (
            np.array([_found(runs, method, query, top) for method in METHODS]).T
            for top in ("top1", "top3")
        )
        plots.plot_selection(METHODS, *top1, *top3, title=told, ax=ax)
    return figure
