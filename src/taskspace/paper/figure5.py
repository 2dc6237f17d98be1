"""Figure 5: prediction of the success of an agent on a task from a quiz."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.envs.base import Environment, Tasks
from taskspace.models.embedding.base import Embedding
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper import baselines, information
from taskspace.paper.harness.quiz_prediction import QUIZ_SIZES, benchmark_prediction
from taskspace.paper.study import Result, Study, Table
from taskspace.report import plots
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.run import Run

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar")
METHODS = ("Random", "IgnoreTask", "IgnoreAgent", "PredModel", "Ours", information.LABEL, "OPT")
POOL, ROLLOUTS = 3000, 11  # tasks for quizzes and tests; one rollout is the ground truth
SHOWN = (1, 5, 10, 15, 20)  # quiz sizes of the table


def reproduce(study: Study) -> Result:
    """Run the benchmark on the population that the map was learned from."""
    return compare(
        study, "figure5", "Figure 5: performance prediction", lambda made, seed: made.population
    )


def compare(
    study: Study, name: str, title: str, agents: Callable[[Run, int], Population]
) -> Result:
    """Quiz these agents, per environment and seed."""
    tables, curves, edges = [], {}, 0
    for environment in study.chosen(ENVIRONMENTS):
        scores = [_scores(study, name, environment, seed, agents) for seed in range(study.seeds)]
        curves[environment] = {method: _curve(scores, method) for method in METHODS}
        rows = [_row(method, curve) for method, curve in curves[environment].items()]
        heading = f"{environment}: prediction accuracy by quiz size"
        tables.append(Table(f"{name}-{environment.lower()}", heading, rows))
        edges += sum(score["at_edge"] for run in scores for score in run)
    picture = study.draw(name, _figure(curves))
    note = (
        "Values are mean ± standard deviation over seeds of the whole pipeline (with one seed: ±"
        " standard error over ten folds). Beta is tuned on training examples per method and quiz"
        f" size; its best value was at an edge of the grid {edges} times."
    )
    return Result(
        name,
        title,
        tables,
        {picture: "Prediction accuracy after a quiz, by quiz size."},
        [note],
    )


def fresh_tasks(env: Environment, n: int, seed: int) -> Tasks:
    """Tasks that were not used in training; at most `n`, or as many as there are."""
    table = env.table("validation") if "validation" in env.distributions else None
    if table is None:
        return env.sample_tasks(n, seed=seed)
    return env.sample_tasks(min(n, len(table)), seed=seed, distribution="validation")


def quiz_pool(made: Run, population: Population, seed: int, fast: bool) -> Outcomes:
    """Outcomes of the population on new tasks, with the results of all rollouts."""
    tasks = fresh_tasks(made.environment, POOL // 10 if fast else POOL, seed + 5000)
    return evaluate(
        population, made.environment, tasks, ROLLOUTS, seed=seed + 5000, keep_results=True
    )


def _scores(
    study: Study, name: str, environment: str, seed: int, agents: Callable[[Run, int], Population]
) -> list[dict[str, Any]]:
    made = study.map_of(environment, seed)
    population = agents(made, seed)
    models: Mapping[str, Embedding] = {
        "PredModel": baselines.pred_model(study, made, seed),
        "Ours": made.embedder,
        information.LABEL: information.information_map(study, made, seed),
    }

    def run() -> list[dict[str, Any]]:
        pool = quiz_pool(made, population, seed, study.fast)
        points = {name: model.points(pool.features) for name, model in models.items()}
        return [asdict(score) for score in benchmark_prediction(pool, points, seed=seed)]

    return study.saved_rows(f"{environment.lower()}-{seed}-{name}", {"seed": seed}, run)


Curve = tuple[NDArray[np.float64], NDArray[np.float64]]  # means and errors, by quiz size


def _curve(scores: Sequence[Sequence[Mapping[str, Any]]], method: str) -> Curve:
    def table(key: str) -> NDArray[np.float64]:
        return np.array([[s[key] for s in run if s["method"] == method] for run in scores])

    accuracy = table("accuracy")
    errors = accuracy.std(0) if len(scores) > 1 else table("standard_error")[0]
    return accuracy.mean(0), errors


def _row(method: str, curve: Curve) -> dict[str, Any]:
    row: dict[str, Any] = {"method": method}
    for size in SHOWN:
        index = list(QUIZ_SIZES).index(size)
        row[f"quiz {size}"], row[f"quiz {size} ±"] = (float(part[index]) for part in curve)
    return row


def _figure(curves: Mapping[str, Mapping[str, Curve]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(curves), 3.6), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(curves), sharey=True))
    for ax, (environment, found) in zip(axes, curves.items(), strict=True):
        plots.plot_accuracy(list(QUIZ_SIZES), found, title=environment, ax=ax)
    return figure
