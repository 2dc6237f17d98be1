"""What limits prediction and task selection: maps with one setting changed at a time."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.figure5 import quiz_pool
from taskspace.paper.figure6 import ENVIRONMENTS, selection_pool
from taskspace.paper.harness.quiz_prediction import benchmark_prediction, other_rates
from taskspace.paper.harness.task_selection import Judge, Pool, compare
from taskspace.paper.study import Result, Study, Table
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import OrdinalPlan, ordinal_plan

QUIZ = 20
EXAMPLES = 2000
CHOICES = ("Type 1, Top-1", "Type 2, Top-1")
AS_IT_IS = "unchanged"
RATES = "true success rates as the map"
TRUE_DIFFICULTY = "our similarity, true difficulty"
TRUE_SIMILARITY = "true similarity, our difficulty"


def reproduce(study: Study) -> Result:
    """One table per environment, with one row per change."""
    tables, notes = [], []
    for name in study.chosen(ENVIRONMENTS):
        made, others = study.map_of(name), study.map_of(name, 1).population
        pool = selection_pool(study, made, 0)
        measure = functools.partial(_rows, study, made, others, pool)
        rows = study.saved_rows(f"{name.lower()}-0-limits-of-maps", {"seed": 0}, measure)
        tables.append(Table(f"limits-{name.lower()}", f"{name}: effect of changes", rows))
        notes.append(f"- {name}: {_summary({row['change']: row for row in rows})}")
    note = (
        f"Prediction accuracy after a quiz of {QUIZ} tasks, and Top-1 selection accuracy for both"
        f" query types on 4 x {EXAMPLES} examples, seed 0. OPT knows the agent and the task; OPT-50"
        " uses half of the agents. The true success rates are a map with one dimension per agent:"
        " they show the accuracy of the soft vote with a lossless map."
    )
    return Result(
        "limits", "What limits prediction and task selection", tables, notes=[note, *notes]
    )


def _summary(rows: dict[str, dict[str, Any]]) -> str:
    """The main results of the table, in words."""
    ours, quiz, harder = rows[AS_IT_IS], f"quiz {QUIZ}", CHOICES[1]
    lost = 100 * (rows["OPT"][quiz] - ours[quiz])
    by_vote = 100 * (rows["OPT"][quiz] - rows[RATES][quiz])
    with_lengths, with_products = (
        100 * (rows[name][harder] - ours[harder]) for name in (TRUE_DIFFICULTY, TRUE_SIMILARITY)
    )
    known = {AS_IT_IS, RATES, TRUE_DIFFICULTY, TRUE_SIMILARITY, "OPT-50", "OPT"}
    changed = {name: row for name, row in rows.items() if name not in known}
    best = {key: max(changed, key=lambda name: changed[name][key]) for key in (quiz, *CHOICES)}
    gains = ", ".join(
        f"{key} {100 * (changed[name][key] - ours[key]):+.1f} ({name})"
        for key, name in best.items()
    )
    return (
        f"after a quiz of {QUIZ} tasks, the accuracy is {lost:.1f} points below OPT:"
        f" {by_vote:.1f} points are due to the soft vote, which loses them with true success rates"
        f" too, and {lost - by_vote:.1f} to the map. On Type 2, true difficulties would gain"
        f" {with_lengths:.1f} points and true similarities {with_products:.1f}. The largest gains"
        f" from changes of the map, in points: {gains}."
    )


def _rows(study: Study, made: Run, others: Population, pool: Pool) -> list[dict[str, Any]]:
    quiz = quiz_pool(made, made.population, 0, study.fast)
    models = _models(made, others, ordinal_plan(made.name, study.preset))
    vectors = {
        name: (model.transform(quiz.features), model.transform(pool.features))
        for name, model in models
    }
    quiz_vectors = {name: pair[0] for name, pair in vectors.items()}
    predicted = _quiz_accuracy(quiz, {**quiz_vectors, RATES: other_rates(quiz).T})
    chosen = _choices(pool, {name: pair[1] for name, pair in vectors.items()})
    return [
        {
            "change": name,
            f"quiz {QUIZ}": predicted.get(name),
            CHOICES[0]: chosen.get(("similar", name)),
            CHOICES[1]: chosen.get(("harder", name)),
        }
        for name in [*vectors, RATES, TRUE_DIFFICULTY, TRUE_SIMILARITY, "OPT-50", "OPT"]
    ]


def _models(
    made: Run, others: Population, plan: OrdinalPlan
) -> Iterator[tuple[str, OrdinalEmbedder]]:
    """The map itself, and maps with one change; `others` are agents of another seed."""
    env, tasks = made.environment, made.outcomes.features
    assert tasks is not None
    yield AS_IT_IS, made.embedder
    yield "twice the dimensions", _fit(made.outcomes, plan, n_components=2 * plan.n_components)
    yield "four times the dimensions", _fit(made.outcomes, plan, n_components=4 * plan.n_components)
    yield "hidden layers of 256", _fit(made.outcomes, plan, hidden=(256, 256))
    wide = {"hidden": (256, 256), "n_components": 4 * plan.n_components}
    yield "hidden layers of 256, four times the dimensions", _fit(made.outcomes, plan, **wide)
    exact = evaluate(made.population, env, tasks, 4 * plan.rollouts, seed=7000)
    yield "four times the rollouts", _fit(exact, plan)
    larger = env.sample_tasks(4 * len(tasks), seed=7000)
    many = evaluate(made.population, env, larger, max(1, plan.rollouts // 4), seed=7000)
    yield "four times the tasks, a quarter of the rollouts", _fit(many, plan)
    yield "four times the training steps", _fit(made.outcomes, plan, steps=4 * plan.steps)
    yield "5000 fixed constraints", _fit(made.outcomes, plan, n_constraints=5000)
    agents = np.random.default_rng(0).permutation(made.outcomes.agents)
    yield "half of the agents", _fit(made.outcomes.of_agents(agents[::2]), plan)
    together = made.population + Population(
        [replace(agent, name=f"{agent.name}, second seed") for agent in others.agents]
    )
    twice = evaluate(together, env, tasks, plan.rollouts, seed=7000)
    yield "twice the agents (another seed)", _fit(twice, plan)


def _fit(outcomes: Outcomes, plan: OrdinalPlan, **changes: Any) -> OrdinalEmbedder:
    return replace(plan, **changes).learn(outcomes, 0)


def _quiz_accuracy(quiz: Outcomes, vectors: dict[str, NDArray[Any]]) -> dict[str, float]:
    scores = benchmark_prediction(quiz, vectors, quiz_sizes=[QUIZ])
    return {score.method: score.accuracy for score in scores}


def _choices(pool: Pool, vectors: dict[str, NDArray[Any]]) -> dict[tuple[str, str], float]:
    ours = Judge.by_vectors(vectors[AS_IT_IS])
    agents, tasks = range(pool.again.n_agents), range(pool.n_tasks)
    true = Judge.by_outcomes(pool.again, agents, tasks)
    mixed = {
        TRUE_DIFFICULTY: Judge(ours.similarity, true.difficulty, true.gap),
        TRUE_SIMILARITY: Judge(true.similarity, ours.difficulty),
    }
    rows = compare(pool, {**vectors, **mixed}, examples=EXAMPLES)
    return {(row.query, row.method): row.top1 for row in rows}
