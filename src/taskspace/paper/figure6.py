"""Figure 6: selection of the task most similar to another, optionally a harder one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from taskspace.agents.policies import ExpertPolicy
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper import baselines, information
from taskspace.paper.figure5 import fresh_tasks
from taskspace.paper.harness.task_selection import Pool, compare
from taskspace.paper.study import Result, Study, Table
from taskspace.report import plots
from taskspace.rollouts.evaluate import evaluate
from taskspace.rollouts.trajectories import record
from taskspace.runs.run import Run

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar")
METHODS = (
    "Random", "StateSim", "TrajectorySim", "PredModel", "Ours, no norm", "Ours", information.LABEL,
    "OPT-50", "OPT",
)  # fmt: skip
QUERIES = {"similar": "Type 1", "harder": "Type 2", "easier": "easier"}
POOL, ROLLOUTS = 2000, 100
EXAMPLES = (50, 2000)  # per data set (of four): as in the paper, and for small errors


def reproduce(study: Study) -> Result:
    """Run the benchmark with the paper's number of examples, and with many more."""
    tables, pictures = [], {}
    for environment in study.chosen(ENVIRONMENTS):
        runs = [_rows(study, environment, seed) for seed in range(study.seeds)]
        for examples in EXAMPLES:
            chosen = [[row for row in run if row["examples"] == examples] for run in runs]
            rows = [_row(chosen, method) for method in METHODS]
            title = f"{environment}: selection accuracy, 4 x {examples} examples"
            tables.append(Table(f"figure6-{environment.lower()}-{examples}", title, rows))
        caption = f"{environment}: selection accuracy, Top-1 (light) and Top-3 (dark)."
        pictures[study.draw(f"figure6-{environment.lower()}", _figure(chosen))] = caption
    note = (
        "Values are mean ± standard deviation over seeds of the whole pipeline (with one seed: ±"
        " standard error over the four data sets). The figures show the larger number of examples."
    )
    return Result("figure6", "Figure 6: task selection", tables, pictures, [note])


def selection_pool(study: Study, made: Run, seed: int) -> Pool:
    """New tasks, evaluated twice, and the data that the baselines need."""
    truth, again = evaluated_twice(study, made, seed)
    env, tasks = made.environment, truth.features
    assert tasks is not None
    expert = record(ExpertPolicy(env), env, tasks, seed=seed)
    return Pool(truth, again, tasks, [expert[i][1] for i in range(len(expert))])


def evaluated_twice(study: Study, made: Run, seed: int) -> tuple[Outcomes, Outcomes]:
    """Outcomes of the population on new tasks, and those of an independent re-evaluation."""
    env, rollouts = made.environment, ROLLOUTS // 10 if study.fast else ROLLOUTS
    tasks = fresh_tasks(env, POOL // 10 if study.fast else POOL, seed + 6000)

    def played(name: str, play_seed: int) -> Outcomes:
        return study.saved(
            f"{env.name.lower()}-{seed}-{name}",
            {"environment": env.name, "seed": play_seed, "rollouts": rollouts},
            lambda: evaluate(made.population, env, tasks, rollouts, seed=play_seed),
            Outcomes.save,
            Outcomes.load,
        )

    return played("choices", seed + 6000), played("choices-again", seed + 6001)


def _rows(study: Study, environment: str, seed: int) -> list[dict[str, Any]]:
    made = study.map_of(environment, seed)
    models = {
        "PredModel": baselines.pred_model(study, made, seed),
        "Ours, no norm": baselines.without_norm(study, made, seed),
        "Ours": made.embedder,
    }
    informed = information.information_map(study, made, seed)
    pool = selection_pool(study, made, seed)

    def run() -> list[dict[str, Any]]:
        judges: dict[str, Any] = {
            **{name: model.transform(pool.features) for name, model in models.items()},
            information.LABEL: information.judge(informed, pool.features),
        }
        return [
            asdict(row)
            for examples in EXAMPLES
            for row in compare(pool, judges, examples=examples, seed=seed)
        ]

    return study.saved_rows(f"{environment.lower()}-{seed}-figure6", {"seed": seed}, run)


def _found(
    runs: Sequence[Sequence[Mapping[str, Any]]], method: str, query: str, top: str
) -> tuple[float, float]:
    """Mean and standard deviation over seeds, or the standard error of a single seed."""
    rows = [row for run in runs for row in run if (row["method"], row["query"]) == (method, query)]
    values = [row[top] for row in rows]
    error = float(np.std(values)) if len(rows) > 1 else rows[0][f"{top}_error"]
    return float(np.mean(values)), error


def _row(runs: Sequence[Sequence[Mapping[str, Any]]], method: str) -> dict[str, Any]:
    row: dict[str, Any] = {"method": method}
    for query, label in QUERIES.items():
        for top in ("top1", "top3"):
            heading = f"{label}, Top-{top[-1]}"
            row[heading], row[f"{heading} ±"] = _found(runs, method, query, top)
    return row


def _figure(runs: Sequence[Sequence[Mapping[str, Any]]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    axes = figure.subplots(1, len(QUERIES), sharey=True)
    for ax, (query, label) in zip(axes, QUERIES.items(), strict=True):
        top1, top3 = (
            np.array([_found(runs, method, query, top) for method in METHODS]).T
            for top in ("top1", "top3")
        )
        plots.plot_selection(METHODS, *top1, *top3, title=label, ax=ax)
    return figure
