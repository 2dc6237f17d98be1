"""Measurements of the quality of a map."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.envs.base import Environment, Tasks
from taskspace.models.embedding.agreement import agreement
from taskspace.models.embedding.constraints import DIFFICULTY_GAP, SHARPNESS, draw_triplets
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.similarity.statistics import SuccessStatistics

SILHOUETTE_SEEDS = 3


class Embedder(Protocol):
    """Anything that maps tasks to vectors."""

    def transform(self, tasks: Any, /) -> NDArray[np.float64]:
        """The vectors of the tasks, one row per task."""


def basic_measurements(name: str, outcomes: Outcomes, embedder: TaskEmbedder) -> dict[str, Any]:
    """The measurements that need only the outcomes and the map learned from them."""
    from scipy.stats import spearmanr

    success = SuccessStatistics.from_outcomes(outcomes).success
    return {
        "environment": name,
        "agents": outcomes.n_agents,
        "tasks": outcomes.n_tasks,
        "dimensions": embedder.n_components_,
        "triplet_accuracy": embedder.test_scores_.get("similarity"),
        "difficulty_pair_accuracy": embedder.test_scores_.get("difficulty"),
        "norm_difficulty_rank_correlation": float(
            spearmanr(embedder.difficulty(outcomes.task_inputs), -success).statistic
        ),
    }


def stability(first: TaskEmbedder, second: TaskEmbedder, outcomes: Outcomes) -> dict[str, Any]:
    """Rank correlations between two maps of the same outcomes, learned with different seeds."""
    return {"stability": agreement(first, second, outcomes.task_inputs)}


def separation(scores: list[float]) -> dict[str, Any]:
    """Mean and spread of the silhouettes of the clusters on several sets of tasks."""
    return {
        "silhouettes": scores,
        "silhouette": float(np.mean(scores)),
        "silhouette_spread": float(np.std(scores)),
    }


def silhouettes(
    env: Environment, embedder: Embedder, tasks: int, seed: int, distribution: str = "all"
) -> list[float]:
    """Silhouettes of the environment's clusters on newly sampled tasks, one per seed."""
    from sklearn.metrics import silhouette_score

    scores = []
    for index in range(SILHOUETTE_SEEDS):
        fresh = sample_at_most(env, tasks, seed + 1000 + index, distribution)
        scores.append(float(silhouette_score(embedder.transform(fresh), env.clusters(fresh))))
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
    anchor, one, other = position[triplets.tasks].T
    second = SuccessStatistics.from_outcomes(again)
    yes = second.pairs(anchor, one) > second.pairs(anchor, other)
    p = triplets.probability
    return float(np.where(yes, p, 1 - p).mean())
