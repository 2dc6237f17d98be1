"""Beyond the paper: prediction and selection by a success model, beside the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from taskspace.applications.model_posterior import fit_model_posterior
from taskspace.applications.prediction_benchmark import benchmark_prediction
from taskspace.applications.profile_benchmark import benchmark_posterior
from taskspace.applications.selection_benchmark import HARDER, Judge, compare
from taskspace.paper.figure5 import quiz_pool
from taskspace.paper.figure6 import ENVIRONMENTS, selection_pool
from taskspace.paper.new_agents import new_population
from taskspace.paper.study import Result, Study, Table
from taskspace.pipeline import Map
from taskspace.population.population import Population
from taskspace.rollout.evaluate import evaluate
from taskspace.success.model import SuccessModel

TASKS, ROLLOUTS = 40_000, 2  # that the success model learns from
QUIZ_SIZES = (1, 5, 10, 20)
EXAMPLES = 2000
KNOWN, STRANGERS, NEW = (
    "known kinds", "nobody of the agent's subpopulation known", "new agents of the appendix",
)  # fmt: skip
QUIZZED = {
    "IgnoreTask": "IgnoreTask", "IgnoreAgent": "IgnoreAgent",
    "map": "the map, soft nearest neighbours", "posterior": "success model", "OPT": "OPT",
}  # fmt: skip
CHOOSING = {"map": "the map", "profiles": "success model", "OPT-50": "OPT-50", "OPT": "OPT"}
QUERIES = {"similar": "Type 1", "harder": "Type 2"}


def reproduce(study: Study) -> Result:
    """The benchmarks of Figures 5 and 6 with the same questions, for each environment."""
    tables = []
    for environment in study.chosen(ENVIRONMENTS):
        runs = [_run(study, environment, seed) for seed in range(study.seeds)]
        quizzed = [
            {"agents": who, "method": told}
            | _columns(runs, who, method, [f"quiz {size}" for size in QUIZ_SIZES])
            for who in (KNOWN, STRANGERS, NEW)
            for method, told in QUIZZED.items()
            if who != STRANGERS or method == "posterior"
        ]
        chosen = [
            {"method": told}
            | _columns(runs, KNOWN, method, [f"{q}, Top-1" for q in QUERIES.values()])
            for method, told in CHOOSING.items()
        ]
        low = environment.lower()
        tables += [
            Table(f"beyond-quiz-{low}", f"{environment}: accuracy after a quiz", quizzed),
            Table(f"beyond-choice-{low}", f"{environment}: share of right choices", chosen),
        ]
    note = (
        f"The success model learns from {TASKS:,} tasks with {ROLLOUTS} rollouts of every agent."
        " The quizzed agent is never a candidate itself. (Where the success model knows nobody of"
        " its subpopulation, the row to compare with is the map's, which has seen all.) IgnoreTask"
        " knows how good the agent is, IgnoreAgent how hard the task. Mean and spread over the"
        " seeds of the whole pipeline; quizzes as in Figure 5, choices as in Figure 6 on"
        f" 4 x {EXAMPLES} examples."
    )
    return Result("beyond", "Beyond the paper: the success model", tables, notes=[note])


def success_model(study: Study, made: Map, seed: int) -> SuccessModel:
    """The model of the map's population, learned from many tasks with few rollouts each."""

    def learn() -> SuccessModel:
        tasks = made.env.sample_tasks(TASKS // 20 if study.fast else TASKS, seed=seed + 7000)
        outcomes = evaluate(made.population, made.env, tasks, ROLLOUTS, seed=seed + 7000)
        return SuccessModel(random_state=seed).fit(outcomes)

    name = f"{made.env.name.lower()}-{seed}-success-model"
    settings = {"environment": made.env.name, "seed": seed}
    return study.kept(name, settings, learn, SuccessModel.save, SuccessModel.load)


def _run(study: Study, environment: str, seed: int) -> list[dict[str, Any]]:
    made = study.map_of(environment, seed)
    model = success_model(study, made, seed)

    def run() -> list[dict[str, Any]]:
        return [*_quizzed(study, made, model, seed), *_chosen(study, made, model, seed)]

    return study.kept_rows(f"{environment.lower()}-{seed}-beyond", {"seed": seed}, run)


def _quizzed(study: Study, made: Map, model: SuccessModel, seed: int) -> list[dict[str, Any]]:
    """The agents of the map; the same as if their kind were unknown; and new agents."""
    posterior, known = fit_model_posterior(model, seed=seed), made.population
    kinds = [agent.subpopulation for agent in known.agents]
    new = new_population(study, made, seed)
    apart = (["new"] * len(new), ["known"] * len(known))
    asked: list[tuple[str, Population, Any]] = [
        (KNOWN, known, None), (STRANGERS, known, (kinds, kinds)), (NEW, new, apart),
    ]  # fmt: skip
    rows = []
    for who, population, families in asked:
        pool = quiz_pool(made, population, seed, study.fast)
        vectors = {"map": made.embedder.transform(pool.features)}
        scores = [
            *benchmark_prediction(pool, vectors, quiz_sizes=QUIZ_SIZES, seed=seed),
            *benchmark_posterior(
                pool, posterior, quiz_sizes=QUIZ_SIZES, families=families, seed=seed
            ),
        ]
        rows += [
            {"who": who, "method": s.method, "what": f"quiz {s.quiz_size}", "value": s.accuracy}
            for s in scores
        ]
    return rows


def _chosen(study: Study, made: Map, model: SuccessModel, seed: int) -> list[dict[str, Any]]:
    pool = selection_pool(study, made, seed)
    similarity = model.similarity(pool.features).astype(np.float64)
    judges: dict[str, Any] = {
        "map": made.embedder.transform(pool.features),
        "profiles": Judge(similarity, model.difficulty(pool.features), HARDER),
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
        if row["query"] in QUERIES
    ]


def _columns(
    runs: Sequence[Sequence[Mapping[str, Any]]], who: str, method: str, headings: Sequence[str]
) -> dict[str, float]:
    """Mean and spread over the runs."""
    found: dict[str, float] = {}
    for heading in headings:
        values = [
            row["value"]
            for run in runs
            for row in run
            if (row["who"], row["method"], row["what"]) == (who, method, heading)
        ]
        found[heading], found[f"{heading} ±"] = float(np.mean(values)), float(np.std(values))
    return found
