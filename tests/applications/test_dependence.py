"""Dependent tasks: planted copies are found, chance is not, and answers carry over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.applications import dependence as module
from taskspace.applications.dependence import Dependence, find_dependence

RNG = np.random.default_rng(0)


def exam(agents: int = 200, tasks: int = 30, copies: int = 3) -> Any:
    """Rates of agents of equal skill; the first tasks are copies but for 5 % of the results."""
    rates = (RNG.random((agents, tasks)) < 0.5).astype(float)
    changed = RNG.random((agents, copies - 1)) < 0.05
    rates[:, 1:copies] = np.where(changed, 1 - rates[:, :1], rates[:, :1])
    return rates


def found_in(rates: Any) -> Dependence | None:
    """What remains if every agent is taken to be the same candidate."""
    tasks = rates.shape[1]
    return find_dependence(rates, np.full((tasks, 2), 0.5, np.float32), np.array([0.5, 0.5]))


def test_copies_are_found_and_nothing_else() -> None:
    found = found_in(exam())
    assert found is not None
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert (found.covariances > 0.15).all()  # of at most 0.25
    np.testing.assert_allclose(found.variances, 0.25, atol=0.02)
    assert found_in(exam(copies=1)) is None


def test_pairs_that_were_never_tried_do_not_count() -> None:
    rates = exam()
    rates[RNG.random(rates.shape) < 0.2] = np.nan
    rates[:100, 2] = np.nan
    rates[100:, :2] = np.nan  # no agent has tried both
    found = found_in(rates)
    assert found is not None
    assert found.pairs.tolist() == [[0, 1]]


def test_what_candidates_explain_does_not_count() -> None:
    skilled = np.arange(200)[:, None] % 2
    rates = (RNG.random((200, 20)) < 0.05 + 0.9 * skilled).astype(float)
    profiles = np.tile(np.array([0.05, 0.95], np.float32), (20, 1))
    assert find_dependence(rates, profiles, np.array([0.5, 0.5])) is None
    alone = found_in(rates)  # candidates that explain nothing
    assert alone is not None
    assert len(alone.pairs) > 50


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = exam()
    whole = found_in(rates)
    monkeypatch.setattr(module, "_BLOCK", 7)
    parts = found_in(rates)
    assert whole is not None
    assert parts is not None
    np.testing.assert_array_equal(parts.pairs, whole.pairs)
    np.testing.assert_allclose(parts.covariances, whole.covariances, atol=1e-6)


def test_with_many_tasks_a_few_coordinates_have_the_same_covariances() -> None:
    skills, noise = RNG.normal(size=(40, 2)), 0.001 * RNG.normal(size=(40, 900))
    profiles = (0.5 + 0.1 * skills @ RNG.normal(size=(2, 900)) + noise).T.astype(np.float32)
    weights = RNG.dirichlet(np.ones(40)).astype(np.float32)
    found = module._coordinates(profiles, weights)
    assert found.shape == (900, 2)  # what is left out has a variance of 1e-6 per task
    expected = np.cov(profiles.astype(float), aweights=weights, ddof=0)
    np.testing.assert_allclose(found @ found.T, expected, atol=1e-5)
    assert module._coordinates(profiles[:600], weights).shape == (600, 40)


def test_only_the_strongest_partners_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PARTNERS", 1)
    found = found_in(exam(copies=4))
    assert found is not None
    assert np.bincount(found.pairs.ravel()).max() == 1


def test_answers_carry_over_as_in_a_gaussian() -> None:
    covariance = np.array([[0.25, 0.2, 0.1], [0.2, 0.25, 0.15], [0.1, 0.15, 0.25]])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    found = Dependence(pairs, covariance[tuple(pairs.T)], np.diag(covariance).copy())
    given = found.after(np.array([0, 2]))
    assert given is not None
    assert (given.asked.tolist(), given.others.tolist()) == ([0, 2], [1])
    known = covariance[np.ix_([0, 2], [0, 2])]
    slopes = np.linalg.solve(known, covariance[[0, 2], 1])
    np.testing.assert_allclose(given.slopes[2], slopes, atol=0.01)  # but for the ridge
    left = 0.25 - covariance[1, [0, 2]] @ slopes
    np.testing.assert_allclose(given.covariance, [[left]], atol=0.01)
    assert found.after(np.array([], np.int64)) is None


def test_impossible_covariances_do_no_harm() -> None:
    pairs, variances = np.array([[0, 1], [1, 2]]), np.full(3, 0.25)
    found = Dependence(pairs, np.full(2, 0.95 * 0.25), variances)  # but 0 and 2 are unrelated
    given = found.after(np.array([0, 2]))
    assert given is not None
    assert given.slopes[2].sum() < 1.4  # instead of 1.9
    assert (given.covariance >= 0).all()


def test_covariances_given_answers_take_the_place_of_others() -> None:
    pairs = np.array([[0, 1], [0, 2], [1, 2], [3, 4]])
    found = Dependence(pairs, np.array([0.2, 0.2, 0.2, 0.1]), np.full(5, 0.25))
    before, values = found.given(None)
    assert before.T.tolist() == pairs.tolist()
    after, left = found.given(found.after(np.array([0])))
    kept = {tuple(pair): value for pair, value in zip(after.T.tolist(), left, strict=True)}
    assert kept[3, 4] == 0.1
    assert kept[1, 2] == pytest.approx(0.2 - 0.2**2 / 0.25, abs=0.01)
    np.testing.assert_array_equal(values, found.covariances)


def test_a_file_may_have_none() -> None:
    assert Dependence.from_arrays({}) is None
    found = Dependence(np.array([[0, 1]]), np.array([0.2]), np.array([0.25, 0.25]))
    again = Dependence.from_arrays(found.arrays())
    assert again is not None
    np.testing.assert_array_equal(again.pairs, found.pairs)
