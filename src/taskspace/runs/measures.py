"""What a map is worth, in numbers."""

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
    """Anything that gives tasks vectors."""

    def transform(self, tasks: Any, /) -> NDArray[np.float64]:
        """A row for each task."""


def basic_numbers(name: str, outcomes: Outcomes, embedder: TaskEmbedder) -> dict[str, Any]:
    """The numbers that need nothing but the outcomes and the map learned from them."""
    from scipy.stats import spearmanr

    success = SuccessStatistics.from_outcomes(outcomes).success
    return {
        "environment": name,
        "agents": outcomes.n_agents,
        "tasks": outcomes.n_tasks,
        "dimensions": embedder.n_components_,
        "similarity_accuracy": embedder.test_scores_.get("similarity"),
        "difficulty_accuracy": embedder.test_scores_.get("difficulty"),
        "norm_difficulty_rank_correlation": float(
            spearmanr(embedder.difficulty(outcomes.task_inputs), -success).statistic
        ),
    }


def stability(first: TaskEmbedder, second: TaskEmbedder, outcomes: Outcomes) -> dict[str, Any]:
    """How far two maps of the same outcomes, learned with two seeds, agree."""
    return {"agreement_of_seeds": agreement(first, second, outcomes.task_inputs)}


def separation(scores: list[float]) -> dict[str, Any]:
    """Silhouettes of known clusters on several sets of tasks."""
    return {
        "silhouettes": scores,
        "silhouette": float(np.mean(scores)),
        "silhouette_spread": float(np.std(scores)),
    }


def silhouettes(
    env: Environment, embedder: Embedder, tasks: int, seed: int, distribution: str = "all"
) -> list[float]:
    """Silhouette of the environment's clusters on fresh tasks, for a few seeds."""
    from sklearn.metrics import silhouette_score

    scores = []
    for index in range(SILHOUETTE_SEEDS):
        fresh = sample_at_most(env, tasks, seed + 1000 + index, distribution)
        scores.append(float(silhouette_score(embedder.transform(fresh), env.clusters(fresh))))
    return scores


def sample_at_most(env: Environment, count: int, seed: int, distribution: str = "all") -> Tasks:
    """As many tasks of a distribution as asked for, or as there are."""
    table = env.table(distribution)
    few = count if table is None else min(count, len(table))
    return env.sample_tasks(few, seed=seed, distribution=distribution)


def count_constraints(outcomes: Outcomes, seed: int, drawn: int = 10_000) -> dict[str, Any]:
    """What orders the outcomes give: how many, and how sure, in a sample of triplets and pairs."""
    statistics, rng = SuccessStatistics.from_outcomes(outcomes), np.random.default_rng(seed)
    n = statistics.n_tasks
    sure = draw_triplets(statistics, drawn, rng, np.arange(n)).probability
    gaps = np.abs(np.diff(rng.choice(statistics.success, (drawn, 2)), axis=1))
    return {
        "tasks": n,
        "possible_triplets": n * (n - 1) * (n - 2) // 2,
        "possible_pairs": n * (n - 1) // 2,
        "triplets_with_a_sure_order": float((np.abs(sure - 0.5) > 0.49).mean()),
        "pairs_with_a_difficulty_gap": float((gaps > DIFFICULTY_GAP).mean()),
        "difficulty_gap": DIFFICULTY_GAP,
        "sharpness": SHARPNESS,
        "mean_success": float(statistics.success.mean()),
    }


def noise_ceiling(env: Environment, population: Population, outcomes: Outcomes, seed: int) -> float:
    """Triplet accuracy of an independent re-evaluation.

    No map of the tasks can be expected to do better than playing everything once more.
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
