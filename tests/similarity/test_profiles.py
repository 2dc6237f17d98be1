"""Similarity of success profiles, against the definitions and against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.similarity import profiles
from taskspace.similarity.information import mutual_information
from taskspace.similarity.profiles import (
    CORRELATION,
    INFORMATION,
    MEASURES,
    check_measure,
    correlation,
    profile_similarity,
)
from tests.messages import says

RNG = np.random.default_rng(0)
FIRST, SECOND = RNG.random((40, 7)), RNG.random((40, 11)) ** 3


def plain(p: Any, q: Any, measure: str) -> float:
    """The similarity of two tasks by its definition."""
    both = float(np.mean(p * q))
    if measure == INFORMATION:
        return float(mutual_information(both, p.mean(), q.mean()))
    spread = np.sqrt(p.mean() * (1 - p.mean()) * q.mean() * (1 - q.mean()))
    return float((both - p.mean() * q.mean()) / spread)


@pytest.mark.parametrize("measure", MEASURES)
def test_it_is_the_definition_for_every_pair(measure: str) -> None:
    expected = [[plain(p, q, measure) for q in SECOND.T] for p in FIRST.T]
    found = profile_similarity(FIRST, SECOND, measure)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_the_correlation_of_certain_agents_is_that_of_numpy() -> None:
    certain = 1.0 * (RNG.random((50, 6)) < 0.4)
    found = profile_similarity(certain, certain, CORRELATION)
    np.testing.assert_allclose(found, np.corrcoef(certain.T), rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("size", [1, 12, 25])
def test_blocks_do_not_matter(measure: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = profile_similarity(FIRST, SECOND, measure)
    monkeypatch.setattr(profiles, "_PAIRS_PER_BLOCK", size)
    found = profile_similarity(FIRST, SECOND, measure)
    np.testing.assert_allclose(found, whole, rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_it_is_symmetric(measure: str) -> None:
    one, other = (
        profile_similarity(FIRST, SECOND, measure),
        profile_similarity(SECOND, FIRST, measure),
    )
    np.testing.assert_allclose(one, other.T, rtol=0, atol=1e-12)


def test_the_diagonal_is_what_two_attempts_by_one_agent_share() -> None:
    """The definition, summed over the outcomes of both attempts."""
    found = np.diagonal(profile_similarity(FIRST, FIRST))
    for bits, p in zip(found, FIRST.T, strict=True):
        total = 0.0
        for one in (p, 1 - p):
            for other in (p, 1 - p):
                joint = float(np.mean(one * other))
                total += joint * np.log2(joint / (one.mean() * other.mean()))
        assert bits == pytest.approx(total, abs=1e-12)


def test_information_is_not_negative_and_at_most_one_bit() -> None:
    certain = 1.0 * (RNG.random((50, 6)) < 0.5)
    for rates in (FIRST, certain, 1 - certain):
        found = profile_similarity(rates, rates)
        assert found.min() >= 0
        assert found.max() <= 1


@pytest.mark.parametrize("measure", MEASURES)
def test_tasks_that_all_agents_solve_share_nothing(measure: str) -> None:
    constant = np.column_stack([np.zeros(40), np.ones(40), np.full(40, 0.3)])
    found = profile_similarity(constant, FIRST, measure)
    np.testing.assert_allclose(found, 0, atol=1e-12)


def test_opposite_tasks_are_similar_by_information_alone() -> None:
    certain = 1.0 * (RNG.random((50, 1)) < 0.5)
    assert profile_similarity(certain, 1 - certain)[0, 0] > 0.9
    assert profile_similarity(certain, 1 - certain, CORRELATION)[0, 0] == pytest.approx(-1)


def test_the_correlation_stays_within_its_bounds_and_shapes() -> None:
    p = np.array([0.2, 1e-9, 0.0])
    assert correlation(p, p, p) == pytest.approx([1.0, 0.0, 0.0])  # too small to divide by
    assert correlation(p[:, None], p[:, None], np.full(4, 0.5)).shape == (3, 4)


@pytest.mark.parametrize("measure", ["bits", "", "Information"])
def test_other_measures_are_refused(measure: str) -> None:
    with pytest.raises(ValueError, match=says(f"measure information correlation {measure!r}")):
        profile_similarity(FIRST, SECOND, measure)
    assert [check_measure(known) for known in MEASURES] == [*MEASURES]
