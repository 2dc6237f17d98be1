"""What a map of Karel is worth: how it tells kinds of programs apart, and what agents can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import summary
from taskspace.embedding.karel_embedder import encode
from taskspace.envs.base import Environment
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.grids import to_grids
from taskspace.pipeline import MOST_SHOWN, Map
from taskspace.synthesis.network import Encoder, Size

PARTS = ("training", "validation")


def measure(made: Map, seed: int) -> dict[str, Any]:
    """The usual numbers, and what else there is here.

    The silhouette is that of tasks that no agent has learned from, orders are those of played ones.
    """
    scores = {part: separation(made, made.embedder.transform, part, seed) for part in PARTS}
    return {
        **summary.numbers_of(made.env.name, made.outcomes, made.embedder),
        **summary.separation(scores["validation"]),
        "silhouettes_training": scores["training"],
        "skill_by_kind": skill_by_kind(made),
    }


def separation(
    made: Map,
    transform: Callable[[NDArray[np.uint8]], NDArray[np.float64]],
    part: str,
    seed: int,
) -> list[float]:
    """Silhouettes of the kinds of programs, by vectors that `transform` gives to tasks."""
    from sklearn.metrics import silhouette_score

    scores = []
    for index in range(summary.SILHOUETTE_SEEDS):
        tasks = sample_part(made.env, made.shown, seed + 1000 + index, part)
        scores.append(float(silhouette_score(transform(tasks), made.env.clusters(tasks))))
    return scores


def sample_part(env: Environment, count: int, seed: int, part: str) -> Any:
    """Tasks of the training or of the validation set, as many as there are at most."""
    assert isinstance(env, Karel)
    distribution = "validation" if part == "validation" else "all"
    few = min(count, len(getattr(env, part)))
    return env.sample_tasks(few, seed=seed, distribution=distribution)


def state_pca(tasks: NDArray[np.uint8], size: Size) -> NDArray[np.float64]:
    """The two main directions of what the network sees: a map without any learning."""
    from sklearn.decomposition import PCA

    grids = to_grids(KarelTasks.from_rows(tasks), size.side, radius=size.radius)
    found: NDArray[np.float64] = PCA(2, random_state=0).fit_transform(grids.reshape(len(grids), -1))
    return found


def coded_pca(tasks: NDArray[np.uint8], encoder: Encoder) -> NDArray[np.float64]:
    """The two main directions of an agent's codes: what its encoder knows, without the map."""
    from sklearn.decomposition import PCA

    with torch.no_grad():
        codes = encode(encoder, torch.from_numpy(tasks)).numpy()
    found: NDArray[np.float64] = PCA(2, random_state=0).fit_transform(codes)
    return found


def skill_by_kind(made: Map) -> dict[str, dict[str, float]]:
    """Success of each subpopulation's last agent on new tasks, by the kind of program wanted."""
    tasks = sample_part(made.env, made.shown, 3, "validation")
    clusters, packed = made.env.clusters(tasks), KarelTasks.from_rows(tasks)
    rows = {}
    for name in made.population.subpopulations:
        solved = made.population.select(name).agents[-1].policy.solves(packed)
        rows[name] = {
            kind: float(solved[clusters == number].mean())
            for number, kind in enumerate(made.env.cluster_names)
        }
    return rows


def shown_tasks(made: Map, seed: int) -> NDArray[np.uint8]:
    """The tasks on the picture of the map: new ones, not too many to look at."""
    return sample_part(made.env, min(MOST_SHOWN, made.shown), seed + 2, "validation")
