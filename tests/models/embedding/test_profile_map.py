"""The map of success profiles: exact where it can be, and Nyström's vectors of other tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.models.embedding.profile_map import fit_profiles
from taskspace.models.embedding.spectral import ENOUGH, kept
from taskspace.similarity.profiles import CORRELATION, INFORMATION, MEASURES, profile_similarity

RNG = np.random.default_rng(0)
SKILLS = RNG.random((80, 5))


def of_skills(tasks: int, skills: int = 3, seed: int = 1) -> Any:
    """Profiles (agents, tasks) that are mixtures of skills: the rank of correlations is low."""
    levels = SKILLS[:, :skills]
    weights = np.random.default_rng(seed).dirichlet(np.ones(skills), tasks)
    return 0.05 + 0.9 * levels @ weights.T


def test_inner_products_of_landmarks_are_exact_if_the_rank_is_low() -> None:
    landmarks = of_skills(30)
    found, values = fit_profiles(landmarks, 3, CORRELATION)
    assert len(values) == 3
    vectors = found.vectors(landmarks)
    exact = profile_similarity(landmarks, landmarks, CORRELATION)
    np.testing.assert_allclose(vectors @ vectors.T, exact, atol=1e-9)


def test_so_are_those_of_other_tasks() -> None:
    landmarks, others = of_skills(30), of_skills(20, seed=2)
    found, _ = fit_profiles(landmarks, "auto", CORRELATION)
    wide, _ = fit_profiles(landmarks, 3, CORRELATION)
    vectors = wide.vectors(others)
    exact = profile_similarity(others, others, CORRELATION)
    np.testing.assert_allclose(vectors @ vectors.T, exact, atol=1e-9)
    assert found.vectors(others).shape[1] <= 3


def test_copies_of_landmarks_have_their_vectors() -> None:
    few = RNG.random((60, 5))
    landmarks = np.repeat(few, 4, axis=1)
    found, values = fit_profiles(landmarks, 5, INFORMATION)
    assert len(values) <= 5
    np.testing.assert_allclose(found.vectors(few), found.vectors(landmarks)[::4], rtol=0, atol=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("size", [1, 4])
def test_no_vectors_of_this_size_are_nearer_to_the_similarities(measure: str, size: int) -> None:
    landmarks = RNG.random((60, 25)) ** 2
    exact = profile_similarity(landmarks, landmarks, measure)
    values, axes = np.linalg.eigh(exact)
    best = (axes[:, -size:] * values[-size:]) @ axes[:, -size:].T
    found, spectrum = fit_profiles(landmarks, size, measure)
    vectors = found.vectors(landmarks)
    np.testing.assert_allclose(vectors @ vectors.T, best, atol=1e-9)
    np.testing.assert_allclose(spectrum[:size], values[-size:][::-1], rtol=1e-9)
    assert (vectors**2).sum() == pytest.approx(spectrum[:size].sum(), rel=1e-6)


@pytest.mark.parametrize("measure", MEASURES)
def test_auto_keeps_enough_and_no_more(measure: str) -> None:
    found, values = fit_profiles(RNG.random((60, 25)), "auto", measure)
    size = found.weights.shape[1]
    assert kept(values, size) >= ENOUGH > kept(values, size - 1)


def test_dimensions_without_information_are_zero() -> None:
    landmarks = of_skills(30)
    found, _ = fit_profiles(landmarks, 6, CORRELATION)
    vectors = found.vectors(of_skills(4, seed=2))
    assert vectors.shape == (4, 6)
    np.testing.assert_array_equal(vectors[:, 3:], 0)
    assert np.abs(vectors[:, :3]).max() > 0.1


def test_agents_that_do_not_differ_give_a_map_of_zeros() -> None:
    flat = np.tile(RNG.random(8), (10, 1))
    found, values = fit_profiles(flat, "auto", INFORMATION)
    assert found.vectors(flat).shape == (8, 1)
    np.testing.assert_array_equal(found.vectors(flat), 0)
    assert len(values) == 0
