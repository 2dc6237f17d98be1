"""Beyond the paper: the information map, and prediction and selection with a success model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from taskspace.agents.population import Population
from taskspace.applications.predictor import PerformancePredictor
from taskspace.models.success.model import SuccessModel
from taskspace.paper import copies, map_quality, trust
from taskspace.paper.figure5 import quiz_pool
from taskspace.paper.figure6 import selection_pool
from taskspace.paper.harness.posterior_prediction import benchmark_posterior
from taskspace.paper.harness.quiz_prediction import benchmark_prediction
from taskspace.paper.harness.task_selection import compare
from taskspace.paper.information import (
    LABEL,
    information_map,
    judge,
    judge_of_model,
    sizes,
    success_model,
)
from taskspace.paper.new_agents import new_population
from taskspace.paper.study import ENVIRONMENTS as EVERY
from taskspace.paper.study import Result, Study, Table, mean_and_spread
from taskspace.paper.trust import KNOWN, NEW
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import information_plan
from taskspace.training.recipes import NEW_AGENTS

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "BasicKarel")  # of quizzes and selections
QUIZ_SIZES = (1, 5, 10, 20)
EXAMPLES = 2000
QUIZZED = {
    "IgnoreTask": "IgnoreTask", "IgnoreAgent": "IgnoreAgent",
    "map": "map, soft vote", "posterior": "success model", "OPT": "OPT",
}  # fmt: skip
CHOOSING_BASELINES = ("OPT-50", "OPT")
QUERIES = {"similar": "Type 1", "harder": "Type 2"}


def reproduce(study: Study) -> Result:
    """The quality of the maps, the benchmarks of Figures 5 and 6, and predictors compared."""
    environments = study.chosen(EVERY)
    tables, curves = [*map_quality.tables(study, environments), copies.table(study)], {}
    for environment in [name for name in environments if name in ENVIRONMENTS]:
        seeds = range(study.seeds)
        runs = [_run(study, environment, seed) for seed in seeds]
        trusted = [_trusted(study, environment, seed) for seed in seeds]
        curves[environment] = trust.curves(trusted)
        low = environment.lower()
        tables += [
            Table(f"beyond-quiz-{low}", f"{environment}: prediction accuracy", _quizzes(runs)),
            Table(f"beyond-choice-{low}", f"{environment}: selection accuracy", _choices(runs)),
            Table(
                f"beyond-accuracy-{low}", f"{environment}: prediction accuracy without oracles",
                trust.accuracies(trusted),
            ),
            Table(
                f"beyond-calibration-{low}", f"{environment}: Brier score without oracles",
                trust.brier_scores(trusted),
            ),
        ]  # fmt: skip
    pictures = {}
    if curves:
        caption = f"Calibration of predicted probabilities after a quiz of {trust.DRAWN} tasks."
        pictures[study.draw("beyond-reliability", trust.figure(curves))] = caption
    return Result(
        "beyond",
        "Beyond the paper: the information map and the success model",
        tables,
        pictures,
        [
            f"{_trained(study, list(curves))} The quizzed agent is never among the candidates of"
            " the success model. In the first table of each environment, IgnoreTask, IgnoreAgent"
            " and OPT are oracles that know the skill of the agent, the difficulty of the task, or"
            " both. Quizzes are as in Figure 5, selections as in"
            f" Figure 6 with 4 x {EXAMPLES} examples. Values are {study.over_seeds()}.",
            trust.NOTE,
        ],
    )


def _trained(study: Study, environments: Sequence[str]) -> str:
    """What the success model of each environment is trained on, in words."""
    sentences = []
    for name in environments:
        plan = information_plan(name, study.preset)
        times = "rollout" if plan.rollouts == 1 else "rollouts"
        tested = " and tested on validation tasks" if name == "BasicKarel" else ""
        sentences.append(
            f"The success model of {name} is trained on {plan.tasks:,} tasks with {plan.rollouts}"
            f" {times} per agent{tested}."
        )
    return " ".join(sentences)


def _quizzes(runs: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    headings = [f"quiz {size}" for size in QUIZ_SIZES]
    present = {row["who"] for run in runs for row in run}
    return [
        {"agents": who, "method": label} | _columns(runs, who, method, headings)
        for who in (KNOWN, NEW)
        if who in present
        for method, label in QUIZZED.items()
    ]


def _choices(runs: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    headings = [f"{query}, Top-1" for query in QUERIES.values()]
    methods = [row["method"] for row in runs[0] if row["what"] == headings[0]]
    return [{"method": method} | _columns(runs, KNOWN, method, headings) for method in methods]


def _run(study: Study, environment: str, seed: int) -> list[dict[str, Any]]:
    made = study.map_of(environment, seed)
    model = success_model(study, made, seed)

    def run() -> list[dict[str, Any]]:
        return [*_quizzed(study, made, model, seed), *_chosen(study, made, model, seed)]

    return study.saved_rows(
        f"{environment.lower()}-{seed}-success-model-scores", {"seed": seed}, run
    )


def _trusted(study: Study, environment: str, seed: int) -> list[dict[str, Any]]:
    made = study.map_of(environment, seed)
    return trust.run(study, made, success_model(study, made, seed), seed)


def _quizzed(study: Study, made: Run, model: SuccessModel, seed: int) -> list[dict[str, Any]]:
    """Quiz the agents of the map, and new agents where the paper has them."""
    predictor, known = PerformancePredictor(random_state=seed).fit(model), made.population
    asked: list[tuple[str, Population, Any]] = [(KNOWN, known, None)]
    if made.environment.name in NEW_AGENTS:
        new = new_population(study, made, seed)
        asked.append((NEW, new, (["new"] * len(new), ["known"] * len(known))))
    rows = []
    for who, population, families in asked:
        pool = quiz_pool(made, population, seed, study.fast)
        vectors = {"map": made.embedder.transform(pool.features)}
        scores = [
            *benchmark_prediction(pool, vectors, quiz_sizes=QUIZ_SIZES, seed=seed),
            *benchmark_posterior(
                pool, predictor, quiz_sizes=QUIZ_SIZES, families=families, seed=seed
            ),
        ]
        rows += [
            {"who": who, "method": s.method, "what": f"quiz {s.quiz_size}", "value": s.accuracy}
            for s in scores
        ]
    return rows


def _chosen(study: Study, made: Run, model: SuccessModel, seed: int) -> list[dict[str, Any]]:
    pool = selection_pool(study, made, seed)
    maps = [information_map(study, made, seed, size) for size in sizes(made.environment.name)]
    judges: dict[str, Any] = {
        "ordinal map": made.embedder.transform(pool.features),
        **{f"{LABEL}, {m.n_components_} dimensions": judge(m, pool.features) for m in maps},
        trust.MODEL: judge_of_model(model, pool.features),
    }
    rows = [asdict(row) for row in compare(pool, judges, examples=EXAMPLES, seed=seed)]
    return [
        {
            "who": KNOWN,
            "method": row["method"],
            "what": f"{QUERIES[row['query']]}, Top-1",
            "value": row["top1"],
        }
        for row in rows
        if row["query"] in QUERIES and row["method"] in (*judges, *CHOOSING_BASELINES)
    ]


def _columns(
    runs: Sequence[Sequence[Mapping[str, Any]]], who: str, method: str, headings: Sequence[str]
) -> dict[str, float | None]:
    """Mean and standard deviation over the runs."""
    found: dict[str, float | None] = {}
    for heading in headings:
        values = [
            row["value"]
            for run in runs
            for row in run
            if (row["who"], row["method"], row["what"]) == (who, method, heading)
        ]
        found |= mean_and_spread(heading, values)
    return found
