"""The map of a table of results finds what was planted in simulated tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding import table_map
from taskspace.models.embedding.table_map import Estimates, dimensions_above_chance, fit_table
from taskspace.similarity.estimates import agents_together
from taskspace.similarity.profiles import CORRELATION, INFORMATION, MEASURES, profile_similarity
from taskspace.similarity.statistics import SuccessStatistics
from tests.models.embedding.tables import Planted, off_diagonal, planted, separation


def fitted(world: Planted, size: Any = "auto", measure: str = INFORMATION, seed: int = 0) -> Any:
    statistics = SuccessStatistics.from_outcomes(world.outcomes)
    return fit_table(statistics, size, measure, np.random.default_rng(seed))


def agreement_with_truth(vectors: Any, rates: Any, measure: str) -> float:
    """The correlation of inner products with the similarities of the true probabilities."""
    truth = profile_similarity(rates, rates, measure)
    return float(np.corrcoef(off_diagonal(vectors @ vectors.T), off_diagonal(truth))[0, 1])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("agents", "missing"), [(600, 0.0), (1000, 0.3), (1500, 0.5)])
def test_planted_similarities_are_found(measure: str, agents: int, missing: float) -> None:
    world = planted(agents, 3, 12, missing=missing)
    vectors, values = fitted(world, measure=measure)
    assert vectors.shape == (36, 3)
    assert len(values) == 3
    assert agreement_with_truth(vectors, world.rates, measure) > 0.9
    assert separation(vectors, world.topics) > 0.7


def test_lengths_are_the_information_that_single_attempts_cannot_show() -> None:
    """The similarity of a task with itself is inferred from the other tasks."""
    world = planted(2000, 2, 12)
    vectors, _ = fitted(world)
    truth = np.diagonal(profile_similarity(world.rates, world.rates))
    np.testing.assert_allclose((vectors**2).sum(1).mean(), truth.mean(), rtol=0.15)
    assert np.corrcoef((vectors**2).sum(1), truth)[0, 1] > 0.7


def test_several_rollouts_help() -> None:
    one, many = (planted(100, 3, 12, rollouts=rollouts) for rollouts in (1, 8))
    few, more = (agreement_with_truth(fitted(w, 3)[0], w.rates, INFORMATION) for w in (one, many))
    assert more > max(few, 0.95)


@pytest.mark.parametrize("agents", [10, 20, 50])
def test_shrinking_reduces_the_error_of_a_signed_map(
    agents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    population = planted(4000, 3, 8, seed=5).rates  # the levels of tasks follow from the seed
    truth = off_diagonal(profile_similarity(population, population, CORRELATION))
    errors = []
    for prior in (0, 10):
        monkeypatch.setattr("taskspace.similarity.estimates._PRIOR_AGENTS", prior)
        vectors, _ = fitted(planted(agents, 3, 8, seed=5), 3, CORRELATION)
        errors.append(float(np.square(off_diagonal(vectors @ vectors.T) - truth).mean()))
    assert errors[1] < 0.95 * errors[0]


def test_near_copies_of_a_question_are_the_most_similar() -> None:
    world = planted(800, 3, 10)
    rng = np.random.default_rng(1)
    skill = rng.normal(size=(800, 1))
    copies = rng.random((800, 4)) < 1 / (1 + np.exp(-6 * skill))
    table = np.hstack([world.outcomes.successes, copies])
    statistics = SuccessStatistics.from_rates(table)
    vectors, _ = fit_table(statistics, "auto", INFORMATION, np.random.default_rng(0))
    products = vectors @ vectors.T
    first, second = np.triu_indices(34, 1)
    top = np.argsort(-products[first, second])[:6]
    assert set(first[top]) | set(second[top]) == {30, 31, 32, 33}


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_tasks_beyond_the_landmarks_are_placed_among_them(
    missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = planted(1000, 3, 20, missing=missing)
    whole, _ = fitted(world, 3)
    monkeypatch.setattr(table_map, "MOST_LANDMARKS", 24)
    vectors, _ = fitted(world, 3)
    assert vectors.shape == (60, 3)
    assert separation(vectors, world.topics) > 0.7
    assert agreement_with_truth(vectors, world.rates, INFORMATION) > 0.85
    same = np.corrcoef(off_diagonal(vectors @ vectors.T), off_diagonal(whole @ whole.T))[0, 1]
    assert same > 0.9


def test_landmarks_are_the_tasks_that_most_agents_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_map, "MOST_LANDMARKS", 5)
    counts = np.ones((60, 12), np.uint8)
    counts[:30, :6] = 0
    solved = counts * (np.random.default_rng(0).random((60, 12)) < 0.5)
    statistics = SuccessStatistics.from_outcomes(ts.Outcomes(solved, counts))
    found = table_map._landmarks(statistics, np.random.default_rng(0))
    assert len(found) == 5
    assert found.min() >= 6


def test_a_task_that_shares_its_agents_with_no_other_is_no_harm() -> None:
    world = planted(300, 2, 8)
    counts = np.ones((310, 17), np.uint8)
    counts[:300, 16], counts[300:, :16] = 0, 0
    solved = np.zeros_like(counts)
    solved[:300, :16] = world.outcomes.successes
    solved[300:305, 16] = 1
    statistics = SuccessStatistics.from_outcomes(ts.Outcomes(solved, counts))
    vectors, _ = fit_table(statistics, 2, INFORMATION, np.random.default_rng(0))
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[16]) < 0.2 * np.linalg.norm(vectors[:16], axis=1).mean()
    assert separation(vectors[:16], world.topics) > 0.7


def test_estimates_count_by_the_number_of_agents() -> None:
    world = planted(200, 2, 8, missing=0.4)
    statistics, tasks = SuccessStatistics.from_outcomes(world.outcomes), np.arange(16)
    found = Estimates.of(statistics, tasks, tasks, INFORMATION)
    together = agents_together(statistics)
    expected = together / (world.outcomes.rollouts > 0).sum(0).max()
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(found.weights, expected)
    np.testing.assert_array_equal(np.diagonal(found.values), 0)


# -- numbers of dimensions -------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_noise_supports_one_dimension(missing: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = (rng.random((150, 40)) >= missing).astype(np.uint8)
    solved = counts * (rng.random((150, 40)) < rng.uniform(0.2, 0.8, 40))
    statistics = SuccessStatistics.from_outcomes(ts.Outcomes(solved, counts))
    assert dimensions_above_chance(statistics, np.arange(40), rng) == 1


@pytest.mark.parametrize("skills", [1, 2, 5])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_skill_is_a_dimension(skills: int, missing: float) -> None:
    world = planted(800, skills, 10, missing=missing)
    statistics, rng = SuccessStatistics.from_outcomes(world.outcomes), np.random.default_rng(0)
    found = dimensions_above_chance(statistics, np.arange(10 * skills), rng)
    assert skills <= found <= skills + 1


def test_a_given_size_is_kept() -> None:
    world = planted(300, 2, 8)
    for size in (1, 2, 5):
        assert fitted(world, size)[0].shape == (16, size)


# -- canonical axes --------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_an_axis_is_a_skill_and_its_sign_is_fixed(measure: str) -> None:
    world = planted(500, 3, 10)
    vectors, _ = fitted(world, 3, measure)
    own = np.abs(vectors).argmax(1)  # the axis of each task
    assert [len({*own[world.topics == topic]}) for topic in range(3)] == [1, 1, 1]
    assert len({*own}) == 3
    information = (vectors**2).sum(0)
    assert (np.diff(information) < 0).all()
    assert ((vectors**3).sum(0) > 0).all()


def test_the_same_seed_gives_the_same_bits() -> None:
    world = planted(300, 3, 10, missing=0.2)
    (one, first), (other, second) = fitted(world), fitted(world)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(first, second)


def test_the_seed_and_the_order_of_agents_do_not_matter() -> None:
    world = planted(400, 3, 10, missing=0.2)
    order = np.random.default_rng(5).permutation(400)
    turned = ts.Outcomes(world.outcomes.successes[order], world.outcomes.rollouts[order])
    one, _ = fitted(world, 3)
    for other in (
        fitted(world, 3, seed=7)[0],
        fitted(Planted(world.topics, world.rates[order], turned), 3)[0],
    ):
        np.testing.assert_allclose(other, one, atol=1e-4)


def test_opposite_tasks_are_opposite_by_correlation_alone() -> None:
    world = planted(800, 1, 16)
    solved = world.outcomes.successes.astype(bool)
    solved[:, ::2] = ~solved[:, ::2]
    statistics, rng = SuccessStatistics.from_rates(solved), np.random.default_rng(0)
    signed, _ = fit_table(statistics, 1, CORRELATION, rng)
    bits, _ = fit_table(statistics, 1, INFORMATION, rng)
    assert (signed[::2] @ signed[1::2].T).max() < 0
    assert (bits[::2] @ bits[1::2].T).min() > 0


def test_agents_that_do_not_differ_give_a_map_of_zeros() -> None:
    solved = np.tile(np.arange(6) % 2, (20, 1))
    statistics, rng = SuccessStatistics.from_rates(solved), np.random.default_rng(0)
    vectors, values = fit_table(statistics, "auto", INFORMATION, rng)
    np.testing.assert_array_equal(vectors, np.zeros((6, 1)))
    assert len(values) == 0
