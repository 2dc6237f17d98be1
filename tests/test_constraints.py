"""Constraints: the orders that outcomes put tasks in."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.constraints import (
    DIFFICULTY_GAP,
    SHARPNESS,
    check_orders,
    draw_pairs,
    draw_triplets,
)
from taskspace.similarity import SuccessStatistics
from tests.test_similarity import known_rates

STATISTICS = SuccessStatistics.from_rates(known_rates())
POOL = np.arange(STATISTICS.n_tasks)


def test_triplets_are_of_different_tasks_and_carry_the_papers_probability() -> None:
    triplets = draw_triplets(STATISTICS, 500, np.random.default_rng(0), POOL)
    first, one, other = triplets.tasks.T
    assert ((first != one) & (first != other) & (one != other)).all()
    matrix = STATISTICS.matrix().astype(float)
    difference = matrix[first, one] - matrix[first, other]
    expected = 1 / (1 + np.exp(-SHARPNESS * difference))
    np.testing.assert_allclose(triplets.probability, expected, atol=2e-3)


def test_the_order_is_drawn_with_its_probability() -> None:
    triplets = draw_triplets(STATISTICS, 20_000, np.random.default_rng(0), POOL)
    ordered = triplets.ordered(np.random.default_rng(1))
    kept = (ordered == triplets.tasks).all(1)
    assert abs(kept.mean() - triplets.probability.mean()) < 0.02
    sure = np.abs(triplets.probability - 0.5) > 0.499
    assert (kept[sure] == (triplets.probability[sure] > 0.5)).mean() > 0.99
    swapped = ordered[~kept]
    assert (swapped == triplets.tasks[~kept][:, [0, 2, 1]]).all()


def test_pairs_are_easier_first_and_differ_enough() -> None:
    pairs = draw_pairs(STATISTICS, 1000, np.random.default_rng(0), POOL)
    gap = STATISTICS.success[pairs[:, 0]] - STATISTICS.success[pairs[:, 1]]
    assert len(pairs) == 1000
    assert gap.min() > DIFFICULTY_GAP


def test_only_tasks_of_the_pool_are_drawn() -> None:
    pool = np.array([3, 7, 11, 20, 25])
    triplets = draw_triplets(STATISTICS, 200, np.random.default_rng(0), pool)
    assert set(triplets.tasks.ravel()) <= set(pool)


def test_the_same_seed_draws_the_same() -> None:
    one, other = (draw_triplets(STATISTICS, 50, np.random.default_rng(4), POOL) for _ in "ab")
    np.testing.assert_array_equal(one.tasks, other.tasks)


def test_too_few_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 3 tasks, not 2"):
        draw_triplets(STATISTICS, 5, np.random.default_rng(0), POOL[:2])


@pytest.mark.parametrize(
    ("rate", "cause"),
    [(1.0, "every task is always solved"), (0.0, "no task is ever solved"), (0.4, "look alike")],
)
def test_a_population_that_orders_nothing_is_told_what_to_do(rate: float, cause: str) -> None:
    with pytest.raises(ValueError, match=f"{cause}.*add weaker or stronger agents"):
        check_orders(SuccessStatistics.from_rates(np.full((5, 8), rate)))


def test_one_kind_of_order_is_enough() -> None:
    check_orders(SuccessStatistics.from_rates(np.linspace(0, 1, 8)[None]))  # difficulty alone
    two_skills = np.array([[1.0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]])
    check_orders(SuccessStatistics.from_rates(two_skills))  # similarity alone
