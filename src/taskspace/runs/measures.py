"""Measurements of the quality of a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.envs.base import Environment, Tasks
from taskspace.models.embedding.agreement import agreement
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.constraints import (
    DIFFICULTY_GAP,
    SHARPNESS,
    Triplets,
    draw_triplets,
)
from taskspace.models.embedding.scoring import accuracies, drawn
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.similarity.statistics import SuccessStatistics

SILHOUETTE_SEEDS = 3
MOST_COMPARED = 2000  # tasks on which two maps are compared
NEW_TASKS, NEW_ROLLOUTS = 500, 20  # on which an information map is tested
CLEAR = 0.01  # bits: two similarities that differ by more are clearly different


def basic_measurements(name: str, outcomes: Outcomes, embedder: Embedding) -> dict[str, Any]:
    """The measurements that need only the outcomes and the map learned from them."""
    found = {
        "environment": name,
        "agents": outcomes.n_agents,
        "tasks": outcomes.n_tasks,
        "dimensions": embedder.n_components_,
        "triplet_accuracy": embedder.test_scores_.get("similarity"),
        "difficulty_pair_accuracy": embedder.test_scores_.get("difficulty"),
    }
    if not isinstance(embedder, TaskEmbedder):
        return {**found, "norm_difficulty_rank_correlation": _norms(outcomes, embedder)}
    found["kept_information"] = embedder.kept_
    if embedder.task_names_ is None:
        found["success_model"] = embedder.model_.test_scores_
    return found


def _norms(outcomes: Outcomes, embedder: Embedding) -> float:
    """The rank correlation of the lengths of vectors with difficulty."""
    from scipy.stats import spearmanr

    success = SuccessStatistics.from_outcomes(outcomes).success
    return float(spearmanr(embedder.difficulty(outcomes.task_inputs), -success).statistic)


def stability(first: Embedding, second: Embedding, outcomes: Outcomes) -> dict[str, Any]:
    """Rank correlations between two maps of the same outcomes, learned with different seeds."""
    every = slice(None, None, -(-outcomes.n_tasks // MOST_COMPARED))
    return {"stability": agreement(first, second, outcomes.task_inputs[every])}


def separation(scores: list[float]) -> dict[str, Any]:
    """Mean and spread of the silhouettes of the clusters on several sets of tasks."""
    return {
        "silhouettes": scores,
        "silhouette": float(np.mean(scores)),
        "silhouette_spread": float(np.std(scores)),
    }


def silhouettes(
    env: Environment, embedder: Embedding, tasks: int, seed: int, distribution: str = "all"
) -> list[float]:
    """Silhouettes of the environment's clusters on newly sampled tasks, one per seed."""
    from sklearn.metrics import silhouette_score

    scores = []
    for index in range(SILHOUETTE_SEEDS):
        fresh = sample_at_most(env, tasks, seed + 1000 + index, distribution)
        scores.append(float(silhouette_score(embedder.points(fresh), env.clusters(fresh))))
    return scores


def sample_at_most(env: Environment, count: int, seed: int, distribution: str = "all") -> Tasks:
    """Sample `count` tasks from a distribution, or fewer if it has fewer."""
    table = env.table(distribution)
    few = count if table is None else min(count, len(table))
    return env.sample_tasks(few, seed=seed, distribution=distribution)


def count_constraints(outcomes: Outcomes, seed: int, drawn: int = 10_000) -> dict[str, Any]:
    """Count the possible constraints, and estimate from a sample how many are informative."""
    statistics, rng = SuccessStatistics.from_outcomes(outcomes), np.random.default_rng(seed)
    n = statistics.n_tasks
    sure = draw_triplets(statistics, drawn, rng, np.arange(n)).probability
    gaps = np.abs(np.diff(rng.choice(statistics.success, (drawn, 2)), axis=1))
    return {
        "tasks": n,
        "possible_triplets": n * (n - 1) * (n - 2) // 2,
        "possible_pairs": n * (n - 1) // 2,
        "confident_triplet_fraction": float((np.abs(sure - 0.5) > 0.49).mean()),
        "difficulty_pair_fraction": float((gaps > DIFFICULTY_GAP).mean()),
        "difficulty_gap": DIFFICULTY_GAP,
        "sharpness": SHARPNESS,
        "mean_success_rate": float(statistics.success.mean()),
    }


def new_task_scores(
    env: Environment, population: Population, embedder: TaskEmbedder, seed: int
) -> dict[str, Any]:
    """How well the map describes the outcomes on newly sampled tasks.

    The agents are evaluated twice: the first evaluation is the truth, and the second one shows the
    best score that can be expected.
    """
    tasks = sample_at_most(env, NEW_TASKS, seed + 2000)
    truth, again = (
        SuccessStatistics.from_outcomes(
            evaluate(population, env, tasks, NEW_ROLLOUTS, seed=seed + 2000 + index)
        )
        for index in range(2)
    )
    return map_scores(embedder, tasks, truth, again, np.random.default_rng(seed))


def map_scores(
    embedder: TaskEmbedder,
    tasks: Tasks,
    truth: SuccessStatistics,
    again: SuccessStatistics,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Accuracies on tasks of known outcomes, with those of a second evaluation as ceiling.

    The error of similarities is a root mean square in bits. That of the map contains the noise of
    the truth, which the error of the second evaluation shows.
    """
    vectors, difficulty = embedder.transform(tasks), embedder.difficulty(tasks)
    constraints = drawn(truth, np.arange(len(tasks)), rng)
    found = accuracies(vectors, difficulty, constraints)
    first, second = np.triu_indices(len(tasks), 1)
    exact, repeated = truth.pairs(first, second), again.pairs(first, second)
    products = np.einsum("td,td->t", vectors[first], vectors[second])
    return {
        "triplet_accuracy": found.get("similarity"),
        "clear_triplet_accuracy": _clear_accuracy(vectors, truth, constraints.triplets.tasks),
        "noise_ceiling": ceiling(again, constraints.triplets),
        "difficulty_pair_accuracy": found.get("difficulty"),
        "similarity_error_bits": float(np.sqrt(np.mean((products - exact) ** 2))),
        "similarity_error_of_evaluation_bits": float(np.sqrt(np.mean((repeated - exact) ** 2))),
    }


def _clear_accuracy(
    vectors: NDArray[np.float64], truth: SuccessStatistics, triplets: NDArray[np.int64]
) -> float | None:
    """Triplet accuracy where the two similarities differ clearly."""
    anchor, one, other = triplets.T
    gap = truth.pairs(anchor, one) - truth.pairs(anchor, other)
    products = ((vectors[anchor] * vectors[which]).sum(1) for which in (one, other))
    more, less = products
    clear = np.abs(gap) > CLEAR
    right = (more > less) == (gap > 0)
    return float(right[clear].mean()) if clear.any() else None


def ceiling(again: SuccessStatistics, triplets: Triplets) -> float | None:
    """Triplet accuracy of a second evaluation of the same tasks."""
    if not len(triplets.tasks):
        return None
    anchor, one, other = triplets.tasks.T
    yes = again.pairs(anchor, one) > again.pairs(anchor, other)
    p = triplets.probability
    return float(np.where(yes, p, 1 - p).mean())


def noise_ceiling(env: Environment, population: Population, outcomes: Outcomes, seed: int) -> float:
    """Triplet accuracy of an independent re-evaluation.

    A map is not expected to be more accurate than a second evaluation of the same agents.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.choice(outcomes.n_tasks, min(500, outcomes.n_tasks), replace=False)
    assert outcomes.features is not None
    rollouts = int(outcomes.rollouts.max())
    again = evaluate(population, env, outcomes.features[chosen], rollouts, seed=seed + 1)
    first = SuccessStatistics.from_outcomes(outcomes)
    triplets = draw_triplets(first, 2000, rng, chosen)
    position = np.zeros(outcomes.n_tasks, np.int64)
    position[chosen] = np.arange(len(chosen))
    found = Triplets(position[triplets.tasks], triplets.probability)
    return float(ceiling(SuccessStatistics.from_outcomes(again), found) or 0.0)
