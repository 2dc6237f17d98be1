"""Constraints: the orders that outcomes put tasks in."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.constraints import (
    DIFFICULTY_GAP,
    SHARPNESS,
    can_tell_similarity,
    check_orders,
    draw_pairs,
    draw_triplets,
)
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says
from tests.similarity.test_statistics import gappy, known_rates

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


def test_rare_pairs_are_found_and_each_as_often_as_any_other() -> None:
    success = np.full(200_000, 0.5)  # of so many tasks, two are easy enough and one is hard enough
    success[[70_000, 150_000, 30_000, 90]] = 0.55, 0.56, 0.53, 0.44
    statistics = SuccessStatistics.from_rates(success[None])
    pool = np.delete(np.arange(200_000), 5)
    pairs = draw_pairs(statistics, 3000, np.random.default_rng(0), pool)
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    np.testing.assert_array_equal(kinds, [[70_000, 90], [150_000, 90]])
    assert counts.sum() == 3000
    assert abs(counts[0] - 1500) < 150


def test_only_tasks_of_the_pool_are_drawn() -> None:
    pool = np.array([3, 7, 11, 20, 25])
    triplets = draw_triplets(STATISTICS, 200, np.random.default_rng(0), pool)
    assert set(triplets.tasks.ravel()) <= set(pool)


def test_the_same_seed_draws_the_same() -> None:
    one, other = (draw_triplets(STATISTICS, 50, np.random.default_rng(4), POOL) for _ in "ab")
    np.testing.assert_array_equal(one.tasks, other.tasks)


def test_too_few_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match=says("tasks 3 2")):
        draw_triplets(STATISTICS, 5, np.random.default_rng(0), POOL[:2])


def test_a_population_that_orders_nothing_is_told_what_to_do() -> None:
    causes = set()
    for rate, token in ((1.0, "solved"), (0.0, "solved"), (0.4, "same")):
        with pytest.raises(ValueError, match=says(f"outcomes {token} agents")) as caught:
            check_orders(SuccessStatistics.from_rates(np.full((5, 8), rate)))
        causes.add(str(caught.value))
    assert len(causes) == 3


def test_one_kind_of_order_is_enough() -> None:
    check_orders(SuccessStatistics.from_rates(np.linspace(0, 1, 8)[None]))  # difficulty alone
    two_skills = np.array([[1.0, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]])
    check_orders(SuccessStatistics.from_rates(two_skills))  # similarity alone


# -- agents that did not try everything ------------------------------------------------------------


def blocks(agents: int, tasks: int, size: int) -> SuccessStatistics:
    """Groups of tasks, each tried by agents of its own, in a table of skilled agents."""
    rates = known_rates(agents, tasks)
    groups = tasks // size
    tried = np.arange(agents)[:, None] % groups == np.arange(tasks) // size
    successes = np.random.default_rng(0).random(rates.shape) < rates
    return SuccessStatistics.from_outcomes(ts.Outcomes((successes & tried) * 1.0, tried * 1.0))


def test_triplets_are_drawn_where_enough_agents_tried_the_same() -> None:
    statistics = SuccessStatistics.from_outcomes(gappy(tasks=30))
    matrix = statistics.matrix().astype(float)
    pool = np.arange(30)
    triplets = draw_triplets(statistics, 2000, np.random.default_rng(0), pool)
    first, one, other = triplets.tasks.T
    assert ((first != one) & (first != other) & (one != other)).all()
    difference = np.clip(matrix[first, one] - matrix[first, other], -0.5, 0.5)
    expected = 1 / (1 + np.exp(-SHARPNESS * difference))
    np.testing.assert_allclose(triplets.probability, expected, atol=5e-3)  # and no NaN
    assert len(np.unique(first)) > 15


def test_by_correlation_the_opposite_task_is_the_farthest() -> None:
    rng = np.random.default_rng(0)
    skilled = rng.random((200, 1)) < 0.5
    rates = np.hstack([skilled, skilled, ~skilled, rng.random((200, 1)) < 0.5]).astype(float)
    statistics = SuccessStatistics.from_rates(rates)
    for measure, opposite_is_near in (("information", True), ("correlation", False)):
        triplets = draw_triplets(statistics, 500, rng, np.arange(4), measure)
        ordered = triplets.ordered(rng)
        some = ordered[(ordered[:, 0] == 0) & (np.sort(ordered[:, 1:]) == [2, 3]).all(1)]
        assert len(some)
        assert ((some[:, 1] == 2) == opposite_is_near).all()


def test_opposite_tasks_can_be_told_apart_only_by_correlation() -> None:
    halves = SuccessStatistics.from_rates([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]] * 5)
    assert not can_tell_similarity(halves, np.arange(4))
    assert can_tell_similarity(halves, np.arange(4), "correlation")
    check_orders(halves, "correlation")


def test_rare_triplets_are_found() -> None:
    statistics = blocks(agents=400, tasks=60, size=3)  # one in 1711 triplets
    triplets = draw_triplets(statistics, 50, np.random.default_rng(0), np.arange(60))
    assert (triplets.tasks // 3 == triplets.tasks[:, :1] // 3).all()
    assert np.isfinite(triplets.probability).all()


def test_the_same_seed_draws_the_same_where_pairs_are_missing() -> None:
    statistics = SuccessStatistics.from_outcomes(gappy(tasks=30))
    draws = [draw_triplets(statistics, 50, np.random.default_rng(4), POOL) for _ in "ab"]
    np.testing.assert_array_equal(draws[0].tasks, draws[1].tasks)


def test_no_triplets_are_told_in_one_sentence() -> None:
    statistics = blocks(agents=400, tasks=40, size=2)
    assert not can_tell_similarity(statistics, np.arange(40))
    with pytest.raises(ValueError, match=says("tasks 8 agents")):
        draw_triplets(statistics, 5, np.random.default_rng(0), np.arange(40))


def test_users_are_warned_if_too_few_agents_tried_the_same() -> None:
    statistics = blocks(agents=100, tasks=20, size=10)
    assert can_tell_similarity(statistics, np.arange(20))
    sentence = "8 agents.*53.*pairs"
    with pytest.warns(UserWarning, match=sentence) as caught:
        check_orders(statistics)
    assert len(caught) == 1


def test_too_few_agents_everywhere_are_refused() -> None:
    with pytest.raises(ValueError, match=says("8 agents pair")):
        check_orders(blocks(agents=14, tasks=20, size=10))


@pytest.mark.filterwarnings("error")
def test_a_few_missing_pairs_are_no_news() -> None:
    rollouts = np.full((20, 10), 5)
    rollouts[0, 0] = rollouts[3, 4] = 0
    successes = np.random.default_rng(0).binomial(rollouts, known_rates(20, 10))
    check_orders(SuccessStatistics.from_outcomes(ts.Outcomes(successes, rollouts)))  # type: ignore


def test_few_agents_with_a_missing_result_are_told_what_works() -> None:
    rates = np.random.default_rng(0).integers(0, 2, (7, 12)).astype(float)
    rates[3, 5] = rates[3, 6] = np.nan
    statistics = SuccessStatistics.from_outcomes(ts.Outcomes.from_table(rates))
    told = says("8 agents missing 7 (2 of 12) (1 of 7) complete")
    with pytest.raises(ValueError, match=told):
        check_orders(statistics)
