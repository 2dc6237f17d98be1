"""Clusters of tasks: those of an environment, and those found by direction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.runs import clusters as module
from taskspace.runs.clusters import MOST_CLUSTERS, Clusters


def around(directions: np.ndarray, sizes: list[int], seed: int = 0) -> tuple[np.ndarray, list[int]]:
    """Vectors of all lengths near some directions, and which direction each is near."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    noise = rng.normal(scale=0.02, size=(len(labels), directions.shape[1]))
    lengths = rng.uniform(0.1, 5, (len(labels), 1))
    return (directions[labels] + noise) * lengths, labels.tolist()


def test_tasks_that_point_the_same_way_are_a_cluster_and_the_largest_is_first() -> None:
    vectors, expected = around(np.eye(3), [20, 60, 40])
    found = Clusters.found(vectors)
    assert len(found.names) == 3
    assert np.bincount(found.labels).tolist() == [60, 40, 20]
    assert len({*zip(found.labels.tolist(), expected, strict=True)}) == 3
    assert found.by_task.tolist() == [found.names[label] for label in found.labels]


def test_there_are_at_most_so_many() -> None:
    angles = np.linspace(0, 2 * np.pi, 13)[:-1]
    vectors, _ = around(np.column_stack([np.cos(angles), np.sin(angles)]), [10] * 12)
    assert 2 <= len(Clusters.found(vectors).names) <= MOST_CLUSTERS


@pytest.mark.parametrize("vectors", [np.ones((5, 2)), np.zeros((5, 2)), np.ones((1, 3))])
def test_tasks_of_one_direction_are_one_cluster(vectors: np.ndarray) -> None:
    found = Clusters.found(vectors)
    assert len(found.names) == 1
    assert found.labels.tolist() == [0] * len(vectors)


@pytest.mark.parametrize(
    ("points", "sizes"),
    [
        ([0.8, 0.7, 0.9, -0.8, -0.6], [3, 2]),
        ([-0.8, -0.7, -0.9, 0.8, 0.6], [3, 2]),
        ([0.8, 0.7, 0.9, 0.8, -0.05], [5]),  # noise
        ([0.0, 0.0, 0.0], [3]),
    ],
)
def test_in_one_dimension_opposite_tasks_of_a_signed_map_are_two_clusters(
    points: list[float], sizes: list[int]
) -> None:
    vectors = np.array(points)[:, None]
    found = Clusters.found(vectors, signed=True)
    assert np.bincount(found.labels).tolist() == sizes
    assert found.labels[0] == 0
    assert len(Clusters.found(vectors).names) == 1


def test_many_tasks_are_labelled_by_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, expected = around(np.eye(2), [70, 50])
    monkeypatch.setattr(module, "MOST_LOOKED_AT", 30)
    labels = Clusters.found(vectors).labels
    assert len({*zip(labels.tolist(), expected, strict=True)}) == 2


def test_known_clusters_are_those_of_the_environment() -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(50, seed=0)
    known = Clusters.known(env, tasks)
    assert known.names == env.cluster_names
    np.testing.assert_array_equal(known.labels, env.clusters(tasks))


def test_clusters_are_loaded_as_they_were_saved(tmp_path: Path) -> None:
    saved = Clusters(("easy", "schön"), "what they are", np.array([1, 0, 1]))
    saved.save(tmp_path / "clusters.npz")
    loaded = Clusters.load(tmp_path / "clusters.npz")
    assert (loaded.names, loaded.description) == (saved.names, saved.description)
    np.testing.assert_array_equal(loaded.labels, saved.labels)
