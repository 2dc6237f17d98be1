"""Similarity of profiles of expected returns."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.similarity.profiles import profile_similarity
from taskspace.similarity.return_profiles import attempts, reliability

AGENTS = 40


def profiles(seed: int = 0) -> np.ndarray:
    """Three tasks: two that rise with a skill, and one of another skill."""
    rng = np.random.default_rng(seed)
    skill, other = rng.permutation(np.linspace(0.1, 0.9, AGENTS)), rng.uniform(0.1, 0.9, AGENTS)
    return np.stack([skill, skill**3, other], axis=1)


def test_only_the_order_of_the_agents_counts() -> None:
    found = profile_similarity(profiles(), profiles(), "correlation", dispersion=0.0)
    assert found[0, 1] == pytest.approx(1, abs=0.1)  # a curve of it, in steps
    assert abs(found[0, 2]) < 0.4
    np.testing.assert_allclose(found, found.T, atol=1e-12)


def test_noise_of_attempts_weakens_the_correlation() -> None:
    given = profiles()
    rel = reliability(given, 0.5)
    exact = profile_similarity(given, given, "correlation", dispersion=0.0)
    noisy = profile_similarity(given, given, "correlation", dispersion=0.5)
    known = reliability(given, 0.0)
    expected = exact * np.sqrt(np.outer(rel, rel) / np.outer(known, known))
    np.testing.assert_allclose(noisy, expected, atol=1e-9)
    np.testing.assert_allclose(np.diag(noisy), rel, atol=1e-9)  # two attempts at one task


def test_bits_are_those_of_the_copula_and_bounded_by_the_agents() -> None:
    given = profiles()
    signed = profile_similarity(given, 1 - given, "correlation", dispersion=0.1)
    bits = profile_similarity(given, 1 - given, dispersion=0.1)
    np.testing.assert_allclose(bits, -0.5 * np.log2(1 - (1 - 1 / AGENTS) * signed**2), atol=1e-9)
    assert signed[0, 0] < -0.7  # opposite orders
    most = profile_similarity(given, given, dispersion=0.0)
    assert most.max() <= 0.5 * np.log2(AGENTS)


def test_equal_expected_returns_share_nothing() -> None:
    given = np.column_stack([profiles(), np.full(AGENTS, 0.5)])
    assert (profile_similarity(given, given, dispersion=0.2)[3] == 0).all()
    assert (attempts(given, 0.2)[:, 3] == 0).all()
