"""Measurements of the quality of a map."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.advice import advice_on_map, level
from taskspace.applications.answers import Unanswered
from taskspace.applications.diagnosis import Diagnosis
from taskspace.models.embedding.agreement import agreement, rank_correlation
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.constraints import (
    DIFFICULTY_GAP,
    SHARPNESS,
    Triplets,
    draw_triplets,
)
from taskspace.models.embedding.scoring import (
    PairSimilarity,
    drawn,
    inner_products,
    pair_similarities,
    triplet_accuracy,
)
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.embedding.verdict import Evidence, PopulationEvidence
from taskspace.outcomes.labels import Labels, by_frequency, divides
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.profiles import CORRELATION, INFORMATION
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.statistics import SuccessStatistics
from taskspace.similarity.task_statistics import TaskStatistics

if TYPE_CHECKING:
    from taskspace.agents.population import Population
    from taskspace.envs.base import Environment, Tasks

SILHOUETTE_SEEDS = 3
MOST_COMPARED = 2000  # tasks on which two maps are compared, or the map and labels
NEW_TASKS, NEW_ROLLOUTS = 500, 20  # on which an information map is tested
CLEAR = 0.01  # bits: two similarities that differ by more are clearly different
CLEAR_CORRELATION = 0.1  # the same for correlations
UNITS = {INFORMATION: "bits", CORRELATION: "correlation"}


def basic_measurements(name: str, outcomes: Outcomes, embedder: Embedding) -> dict[str, Any]:
    """The measurements that need only the outcomes and the map learned from them."""
    found = {
        "environment": name,
        "agents": outcomes.n_agents,
        "tasks": outcomes.n_tasks,
        "dimensions": embedder.n_components_,
        "triplet_accuracy": embedder.test_scores_.get("similarity"),
        "difficulty_pair_accuracy": embedder.test_scores_.get("difficulty"),
        **_test(embedder.evidence(outcomes.n_agents, outcomes.n_tasks)),
    }
    if not isinstance(embedder, TaskEmbedder):
        return {**found, "norm_difficulty_rank_correlation": _norms(outcomes, embedder)}
    found["measure"], found["kept_information"] = embedder.measure, embedder.kept_
    if "plain" in embedder.test_scores_:
        found["plain_triplet_accuracy"] = embedder.test_scores_["plain"]
    if embedder.task_names_ is None:
        found["success_model"] = embedder.model_.test_scores_
    return found


def population(found: Diagnosis | Unanswered, measure: str) -> dict[str, Any]:
    """What a diagnosis says about the population, for the verdict on its map."""
    if isinstance(found, Unanswered) or not found.reliability[measure].known:
        return {}
    reliability = found.reliability[measure]
    evidence = PopulationEvidence(
        level=level(found, measure),
        reliability=reliability.value,
        accuracy=reliability.accuracy,
        advice=advice_on_map(found, measure),
    )
    return {"population": asdict(evidence)}


def _test(evidence: Evidence) -> dict[str, Any]:
    """The number of held-out pairs of tasks and, if there was no test, what it requires."""
    if evidence.accuracy is None or not evidence.pairs:
        return {"tested_pairs": evidence.pairs, "test_needs": evidence.needs}
    return {"tested_pairs": evidence.pairs}


def _norms(outcomes: Outcomes, embedder: Embedding) -> float:
    """The rank correlation of the lengths of vectors with difficulty."""
    success = statistics_of(outcomes).success
    return rank_correlation(embedder.difficulty(outcomes.task_inputs), -success)


def stability(first: Embedding, second: Embedding, outcomes: Outcomes) -> dict[str, Any]:
    """Rank correlations between two maps of the same outcomes, learned with different seeds."""
    every = slice(None, None, -(-outcomes.n_tasks // MOST_COMPARED))
    return {"stability": agreement(first, second, outcomes.task_inputs[every])}


def label_scores(labels: Labels, points: NDArray[np.floating]) -> dict[str, Any]:
    """How well tasks with the same text label lie together on the map, for each label.

    `purity` is the fraction of tasks whose nearest neighbour has the same label, and `chance` that
    of random pairs. Tasks without the label are left out.
    """
    found = {
        name: _together(by_frequency(values)[1], points)
        for name, values in labels.items()
        if divides(values)
    }
    return {"labels": found} if found else {}


def _together(codes: NDArray[np.int64], points: NDArray[np.floating]) -> dict[str, Any]:
    # In random order, so that the order of a table does not decide between equal points.
    known = np.random.default_rng(0).permutation(np.flatnonzero(codes >= 0))
    codes, points, total = codes[known], points[known], len(known)
    few, counts = codes[:MOST_COMPARED], np.bincount(codes)
    return {
        "values": len(counts),
        "purity": float((codes[_nearest(points, len(few))] == few).mean()),
        "chance": float(counts @ (counts - 1) / (total * (total - 1))),
        "silhouette": _silhouette(points[:MOST_COMPARED], few),
    }


def _nearest(points: NDArray[np.floating], few: int) -> NDArray[np.int64]:
    """The nearest other point of each of the first points."""
    from scipy.spatial import cKDTree

    _, near = cKDTree(points).query(points[:few], k=2)
    return np.where(near[:, 0] == np.arange(few), near[:, 1], near[:, 0])


def _silhouette(points: NDArray[np.floating], codes: NDArray[np.int64]) -> float | None:
    """The silhouette of groups of points; None if they are too few or too many."""
    from sklearn.metrics import silhouette_score

    if not 2 <= len(np.unique(codes)) < len(codes):
        return None
    return float(silhouette_score(points, codes))


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
    statistics, rng = statistics_of(outcomes), np.random.default_rng(seed)
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
    from taskspace.rollouts.evaluate import evaluate  # imports Numba, which tables do not need

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
    truth: TaskStatistics,
    again: TaskStatistics,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Accuracies on tasks of known outcomes, with those of a second evaluation as ceiling.

    The error of similarities is a root mean square, in bits or of correlations. That of the map
    contains the noise of the truth, which the error of the second evaluation shows.
    """
    measure, unit = embedder.measure, UNITS[embedder.measure]
    constraints = drawn(truth, np.arange(len(tasks)), rng, measure=measure)
    similarity = inner_products(np.asarray(embedder.transform(tasks)))
    repeated = similarity_scores(
        pair_similarities(again, measure), truth, constraints.triplets, measure
    )
    return {
        **similarity_scores(similarity, truth, constraints.triplets, measure),
        "noise_ceiling": repeated["triplet_accuracy"],
        "difficulty_pair_accuracy": difficulty_accuracy(
            embedder.difficulty(tasks), constraints.pairs
        ),
        "tested_pairs": math.comb(len(tasks), 2),
        f"similarity_error_of_evaluation_{unit}": repeated[f"similarity_error_{unit}"],
    }


def similarity_scores(
    similarity: PairSimilarity,
    truth: TaskStatistics,
    triplets: Triplets,
    measure: str = INFORMATION,
) -> dict[str, Any]:
    """How well similarities of pairs agree with those of known outcomes.

    Triplet accuracy weights each order with its probability. It is also computed for the triplets
    whose two similarities differ clearly. The error is the root mean square over all pairs.
    """
    pairs = np.triu_indices(truth.n_tasks, 1)
    errors = similarity(*pairs) - truth.pairs(*pairs, measure)
    return {
        "triplet_accuracy": triplet_accuracy(similarity, triplets),
        "clear_triplet_accuracy": triplet_accuracy(similarity, _clear(truth, triplets, measure)),
        f"similarity_error_{UNITS[measure]}": float(np.sqrt(np.mean(errors**2))),
    }


def _clear(truth: TaskStatistics, triplets: Triplets, measure: str) -> Triplets:
    """The triplets whose two similarities differ clearly, so that their order is certain."""
    anchor, one, other = triplets.tasks.T
    gap = truth.pairs(anchor, one, measure) - truth.pairs(anchor, other, measure)
    clear = np.abs(gap) > (CLEAR if measure == INFORMATION else CLEAR_CORRELATION)
    return Triplets(triplets.tasks[clear], (gap[clear] > 0).astype(np.float64))


def difficulty_accuracy(difficulty: NDArray[np.float64], pairs: NDArray[np.int64]) -> float | None:
    """The fraction of pairs (easier, harder) that these difficulties order correctly."""
    easier, harder = pairs.T
    return _mean(difficulty[harder] > difficulty[easier])


def _mean(values: NDArray[Any]) -> float | None:
    return float(values.mean()) if len(values) else None


def noise_ceiling(env: Environment, population: Population, outcomes: Outcomes, seed: int) -> float:
    """Triplet accuracy of an independent re-evaluation.

    A map is not expected to be more accurate than a second evaluation of the same agents.
    """
    from taskspace.rollouts.evaluate import evaluate

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
    return float(triplet_accuracy(SuccessStatistics.from_outcomes(again).pairs, found) or 0.0)
