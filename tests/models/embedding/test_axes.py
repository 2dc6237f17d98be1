"""Canonical axes: a rotation that depends on the map alone and changes nothing that matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.models.embedding.axes import append, best_rotation, fold, spectral_map
from taskspace.models.embedding.lookup import Lookup
from taskspace.models.embedding.network import perceptron
from taskspace.similarity.statistics import SuccessStatistics


def some_vectors(n: int = 200, size: int = 4) -> Any:
    rng = np.random.default_rng(0)
    return rng.gamma(2.0, size=(n, size)) * np.arange(1, size + 1) @ some_rotation(size, 1)


def some_rotation(size: int, seed: int) -> Any:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]


def test_the_spectral_map_has_the_similarities_as_inner_products() -> None:
    vectors = some_vectors()
    found = spectral_map(vectors @ vectors.T, 4)
    np.testing.assert_allclose(found @ found.T, vectors @ vectors.T, atol=1e-9)
    moment = found.T @ found
    np.testing.assert_allclose(moment, np.diag(np.diag(moment)), atol=1e-8)
    assert (np.diff(np.diag(moment)) < 0).all()
    assert ((found**3).mean(0) > 0).all()
    np.testing.assert_allclose(spectral_map(vectors @ vectors.T, 2), found[:, :2], atol=1e-9)


def test_little_similarity_makes_a_flat_map() -> None:
    assert spectral_map(np.eye(2), 3).shape == (2, 3)
    np.testing.assert_array_equal(spectral_map(np.full((3, 3), np.nan), 2), 0)
    opposite = np.array([[0.0, 1.0], [1.0, 0.0]])  # has an axis with a negative moment
    np.testing.assert_allclose(spectral_map(opposite, 2), [[0.5**0.5, 0], [0.5**0.5, 0]])


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_map_and_its_rotation_end_in_the_same_place(size: int, seed: int) -> None:
    vectors = some_vectors(size=size)
    reference = vectors + np.random.default_rng(seed).normal(size=vectors.shape)
    turned = vectors @ some_rotation(size, seed)
    rotation = best_rotation(turned, reference)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(size), atol=1e-12)
    np.testing.assert_allclose(
        turned @ rotation, vectors @ best_rotation(vectors, reference), atol=1e-9
    )


def test_no_rotation_is_better_than_the_best() -> None:
    a, b = some_vectors(size=2), some_vectors(size=2)[::-1]

    def cosine(turned: Any) -> float:
        lengths = np.linalg.norm(turned, axis=1) * np.linalg.norm(b, axis=1)
        return float(((turned * b).sum(1) / lengths).mean())

    angles = np.linspace(0, 2 * np.pi, 2000)
    plain = [np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) for t in angles]
    best = max(cosine(a @ r @ m) for r in plain for m in (np.eye(2), np.diag([1, -1])))
    assert cosine(a @ best_rotation(a, b)) == pytest.approx(best, abs=1e-5)


def test_maps_without_length_do_no_harm() -> None:
    assert np.isfinite(best_rotation(np.zeros((5, 2)), np.zeros((5, 2)))).all()


@pytest.mark.parametrize(
    "network",
    [
        perceptron((3, 8, 4)),
        perceptron((3, 4)),
        torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh()),
        Lookup(50, 4),
    ],
    ids=["layers", "one layer", "own", "lookup"],
)
def test_networks_give_rotated_vectors(network: Any) -> None:
    network = network.double()
    rotation = some_rotation(4, 2)
    inputs: Any = torch.arange(50)[:, None]
    if not isinstance(network, Lookup):
        inputs = torch.linspace(-1, 1, 30).double().reshape(10, 3)
    before = network(inputs).detach().numpy()
    state = torch.get_rng_state()
    own = isinstance(network, torch.nn.Sequential) and isinstance(network[-1], torch.nn.Tanh)
    turned = append(network, rotation) if own else fold(network, rotation)
    assert torch.equal(state, torch.get_rng_state())
    np.testing.assert_allclose(turned(inputs).detach().numpy(), before @ rotation, atol=1e-12)


def small_world() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    tasks, skills = rng.uniform(size=(60, 2)), rng.uniform(size=(30, 2))
    return tasks, 10 * np.all(skills[:, None] > tasks, axis=2)


def assert_canonical(vectors: Any, successes: Any) -> None:
    """No rotation would bring them closer to the reference."""
    statistics = SuccessStatistics.from_outcomes(ts.Outcomes(successes, 10))  # type: ignore[arg-type]
    rotation = best_rotation(vectors, spectral_map(statistics.matrix(), vectors.shape[1]))
    np.testing.assert_allclose(rotation, np.eye(len(rotation)), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [(16,), torch.nn.Linear], ids=["ours", "own"])
@pytest.mark.parametrize("steps", [0, 50])
def test_a_fitted_map_has_canonical_axes(hidden: Any, steps: int) -> None:
    tasks, successes = small_world()
    embedder = ts.OrdinalEmbedder(2, hidden=hidden, steps=steps, random_state=0)
    embedder.fit(ts.Outcomes(successes, 10, features=tasks))  # type: ignore[arg-type]
    assert_canonical(embedder.transform(tasks), successes)


@pytest.mark.slow
def test_two_seeds_look_alike() -> None:
    _, successes = small_world()
    outcomes = ts.Outcomes(successes, 10)  # type: ignore[arg-type]
    one, other = (
        ts.OrdinalEmbedder(2, steps=250, random_state=seed).fit(outcomes).transform(outcomes.tasks)
        for seed in (0, 1)
    )
    assert_canonical(one, successes)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    assert ((one * other).sum(1) / lengths).mean() > 0.9
