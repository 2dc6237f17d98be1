"""Similarity: closed forms on agents with known success probabilities."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.similarity.information import mutual_information, paired_similarity
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.statistics import (
    ENOUGH_TOGETHER,
    SuccessStatistics,
    anti_correlated,
    sample_pairs,
    warn_if_anti_correlated,
)
from tests.messages import says
from tests.tolerances import BITS


def known_rates(agents: int = 40, tasks: int = 30, seed: int = 0) -> Any:
    """Agents with two skills on tasks that need them to different degrees."""
    rng = np.random.default_rng(seed)
    skills, needs = rng.uniform(-2, 2, (agents, 2)), rng.uniform(0, 2, (tasks, 2))
    return 1 / (1 + np.exp(-3 * (skills @ needs.T - 0.5)))


def plain_information(p: Any, q: Any) -> float:
    """The definition, summed over the four outcomes and the agents."""
    total = 0.0
    for a in (0, 1):
        for b in (0, 1):
            joint = np.mean((p if a else 1 - p) * (q if b else 1 - q))
            first, second = np.mean(p if a else 1 - p), np.mean(q if b else 1 - q)
            total += joint * np.log2(joint / (first * second)) if joint > 0 else 0.0
    return float(total)


def play(rates: Any, rollouts: int, seed: int = 1) -> Any:
    """Outcomes of so many rollouts, (agents, tasks, rollouts)."""
    return np.random.default_rng(seed).random((*rates.shape, rollouts)) < rates[..., None]


def counted(results: Any) -> ts.Outcomes:
    return ts.Outcomes(results.sum(2), results.shape[2])


def test_the_matrix_equals_the_definition() -> None:
    rates = known_rates()
    matrix = SuccessStatistics.from_rates(rates).matrix()
    plain = [[plain_information(p, q) for q in rates.T] for p in rates.T]
    np.testing.assert_allclose(matrix, plain, atol=BITS)


def test_pairs_equal_the_matrix_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = SuccessStatistics.from_outcomes(counted(play(known_rates(), 5)))
    matrix = statistics.matrix()
    first, second = np.indices(matrix.shape).reshape(2, -1)
    np.testing.assert_allclose(statistics.pairs(first, second), matrix.ravel(), atol=BITS)
    monkeypatch.setattr("taskspace.similarity.statistics._PAIRS_PER_BLOCK", 7)
    np.testing.assert_allclose(statistics.matrix(), matrix, atol=BITS)
    np.testing.assert_allclose(statistics.pairs(first, second), matrix.ravel(), atol=BITS)
    np.testing.assert_allclose(statistics.matrix([3, 1], [2]), matrix[[3, 1]][:, [2]], atol=BITS)


def test_similarity_is_symmetric_and_never_negative() -> None:
    matrix = SuccessStatistics.from_outcomes(counted(play(known_rates(), 3))).matrix()
    np.testing.assert_allclose(matrix, matrix.T, atol=BITS)
    assert matrix.min() >= 0


def test_constant_outcomes_share_nothing() -> None:
    rates = known_rates()
    rates[:, 0], rates[:, 1] = 0, 1
    matrix = SuccessStatistics.from_rates(rates).matrix()
    np.testing.assert_allclose(matrix[:2], 0, atol=1e-7)


def test_the_diagonal_is_not_fooled_by_few_rollouts() -> None:
    """Two rollouts of one agent on one task, not one rollout with itself."""
    rates = known_rates(agents=2000, tasks=5)
    truth = np.diag(SuccessStatistics.from_rates(rates).matrix())
    few = np.mean(
        [
            np.diag(SuccessStatistics.from_outcomes(counted(play(rates, 2, seed))).matrix())
            for seed in range(5)
        ],
        axis=0,
    )
    np.testing.assert_allclose(few, truth, atol=0.02)


def paired_matrix(results: Any) -> Any:
    """Algorithm 2 for all pairs of different tasks."""
    by_task = results.transpose(1, 0, 2)
    return np.array([[paired_similarity(p, q) for q in by_task] for p in by_task])


def test_both_estimators_agree_in_the_limit() -> None:
    rates = known_rates(tasks=8)
    results = play(rates, 4000)
    off = ~np.eye(8, dtype=bool)
    ours = SuccessStatistics.from_outcomes(counted(results)).matrix()
    truth = SuccessStatistics.from_rates(rates).matrix()
    np.testing.assert_allclose(ours[off], truth[off], atol=0.01)
    np.testing.assert_allclose(paired_matrix(results)[off], truth[off], atol=0.01)


def test_success_rates_err_less_than_pairs_of_rollouts() -> None:
    rates = known_rates(agents=15, tasks=12)
    truth, off = SuccessStatistics.from_rates(rates).matrix(), ~np.eye(12, dtype=bool)
    errors = np.zeros((2, 10))
    for seed in range(10):
        results = play(rates, 4, seed)
        ours = SuccessStatistics.from_outcomes(counted(results)).matrix()
        for row, estimate in enumerate((ours, paired_matrix(results))):
            errors[row, seed] = np.sqrt(((estimate - truth)[off] ** 2).mean())
    assert (errors[0] < errors[1]).mean() >= 0.9
    assert errors[0].mean() < 0.97 * errors[1].mean()


def test_success_is_the_mean_over_agents() -> None:
    outcomes = ts.Outcomes(np.array([[1, 4], [3, 0]]), np.array(4))
    np.testing.assert_allclose(SuccessStatistics.from_outcomes(outcomes).success, [0.5, 0.5])


def gappy(agents: int = 40, tasks: int = 12, rollouts: int = 3, seed: int = 0) -> ts.Outcomes:
    """Outcomes of which some pairs were never tried, the more so the later the task."""
    rng = np.random.default_rng(seed)
    rates = known_rates(agents, tasks)
    tried = rng.random(rates.shape) < np.linspace(1, 0.3, tasks)
    counts = np.where(tried, rng.integers(1, rollouts + 1, rates.shape), 0)
    return ts.Outcomes(rng.binomial(counts, rates), counts)  # type: ignore[arg-type]


def plain_statistics(outcomes: ts.Outcomes) -> Any:
    """Similarity, correlation, number of common agents: a plain loop over pairs of tasks."""
    rates, n = outcomes.rates, outcomes.n_tasks
    similarity, correlation, together = np.zeros((3, n, n))
    for i in range(n):
        for j in range(n):
            common = ~np.isnan(rates[:, i]) & ~np.isnan(rates[:, j])
            p, q = rates[common, i], rates[common, j]
            together[i, j] = len(p)
            similarity[i, j] = plain_information(p, q) if len(p) >= ENOUGH_TOGETHER else np.nan
            spread = np.sqrt(p.mean() * (1 - p.mean()) * q.mean() * (1 - q.mean()))
            covariance = (p * q).mean() - p.mean() * q.mean()
            correlation[i, j] = covariance / spread if spread > 0 else 0.0
    return similarity, np.where(np.isnan(similarity), np.nan, correlation), together


def test_of_missing_pairs_those_count_that_tried_both(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = gappy()
    statistics = SuccessStatistics.from_outcomes(outcomes)
    similarity, correlation, together = plain_statistics(outcomes)
    assert np.isnan(similarity).any()
    assert (similarity > 0.01).any()
    off = ~np.eye(outcomes.n_tasks, dtype=bool)
    first, second = np.nonzero(off)
    for size, few in ((1 << 15, 0), (7, 0), (7, 1500)):
        monkeypatch.setattr("taskspace.similarity.statistics._PAIRS_PER_BLOCK", size)
        monkeypatch.setattr("taskspace.similarity.statistics._FEW_TASKS", few)
        np.testing.assert_allclose(statistics.pairs(first, second), similarity[off], atol=BITS)
        np.testing.assert_allclose(statistics.matrix()[off], similarity[off], atol=BITS)
        np.testing.assert_array_equal(statistics.together(first, second), together[off])
        found = statistics.correlation(first, second)
        np.testing.assert_allclose(found, correlation[off], atol=2e-5)


def test_success_is_the_mean_over_agents_that_tried() -> None:
    outcomes = ts.Outcomes([[1, 0], [2, 3]], [[2, 0], [2, 4]])  # type: ignore[arg-type]
    statistics = SuccessStatistics.from_outcomes(outcomes)
    np.testing.assert_allclose(statistics.success, [0.75, 0.75])
    np.testing.assert_allclose(statistics.twice, [0.5, 0.5])  # (0 + 1) / 2; 3 * 2 / (4 * 3)


def test_agents_that_tried_nothing_change_nothing() -> None:
    full = counted(play(known_rates(agents=20, tasks=6), 4))
    counts = np.concatenate([full.successes, np.zeros((5, 6), np.uint8)])
    rollouts = np.concatenate([full.rollouts, np.zeros((5, 6), np.uint8)])
    more = SuccessStatistics.from_outcomes(ts.Outcomes(counts, rollouts))
    fewer = SuccessStatistics.from_outcomes(full)
    assert fewer.tried is None
    np.testing.assert_allclose(more.matrix(), fewer.matrix(), atol=BITS)
    np.testing.assert_allclose(more.success, fewer.success)


def test_few_agents_that_tried_everything_are_as_many_as_there_are() -> None:
    statistics = SuccessStatistics.from_outcomes(counted(play(known_rates(agents=3), 4)))
    assert not np.isnan(statistics.matrix()).any()
    np.testing.assert_array_equal(statistics.together([0, 1], [2, 3]), 3)


def test_a_mean_score_stands_for_the_probability_of_success() -> None:
    rates = known_rates(agents=20, tasks=6)
    for rollouts in (1, 4):
        scored = SuccessStatistics.from_outcomes(ts.Outcomes(rates * rollouts, rollouts))  # type: ignore
        known = SuccessStatistics.from_rates(rates)
        np.testing.assert_allclose(scored.matrix(), known.matrix(), atol=BITS)


def test_a_task_that_nobody_tried_is_refused() -> None:
    with pytest.raises(ValueError, match=says("agent task-0")):
        SuccessStatistics.from_outcomes(ts.Outcomes([[0, 1], [0, 1]], [[0, 1], [0, 1]]))  # type: ignore[arg-type]


# -- many tasks ------------------------------------------------------------------------------------


SINGLE: dict[str, Any] = {"rtol": 2e-7, "atol": 1e-12}  # a double, rounded to single precision


def exact_outcomes(tasks: int, gaps: bool) -> ts.Outcomes:
    """Rates in quarters: products and sums have no rounding, in whatever order they are made."""
    rng = np.random.default_rng(0)
    rates = known_rates(agents=64, tasks=tasks)
    tried = rng.random(rates.shape) < (0.5 if gaps else 1)
    counts = np.where(tried, 4, 0).astype(np.uint8)
    return ts.Outcomes(rng.binomial(counts, rates), counts)


def plain_matrix(outcomes: ts.Outcomes) -> Any:
    """All similarities at once, in double precision; NaN where too few tried both."""
    tried = (outcomes.rollouts > 0).astype(float)
    rates = np.nan_to_num(outcomes.rates)
    together = tried.T @ tried
    both, first = rates.T @ rates / together, rates.T @ tried / together
    found = mutual_information(both, first, first.T)
    return np.where(together >= ENOUGH_TOGETHER, found, np.nan)


@pytest.mark.parametrize("gaps", [False, True])
def test_blocks_equal_the_plain_matrix(gaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = exact_outcomes(101, gaps)
    off = ~np.eye(101, dtype=bool)
    plain = plain_matrix(outcomes)
    for pairs, rates in ((1 << 15, 1 << 20), (16, 1000)):  # one block of all, blocks in both ways
        monkeypatch.setattr("taskspace.similarity.statistics._PAIRS_PER_BLOCK", pairs)
        monkeypatch.setattr("taskspace.similarity.statistics._RATES_PER_BLOCK", rates)
        monkeypatch.setattr("taskspace.similarity.statistics._FEW_TASKS", 0)
        statistics = SuccessStatistics.from_outcomes(outcomes)
        np.testing.assert_allclose(statistics.success, np.nanmean(outcomes.rates, axis=0), 1e-12)
        np.testing.assert_allclose(statistics.matrix()[off], plain[off], **SINGLE)
        first, second = np.nonzero(off)
        np.testing.assert_allclose(statistics.pairs(first, second), plain[off], rtol=0, atol=1e-12)


@pytest.mark.parametrize("gaps", [False, True])
def test_the_most_similar_are_those_of_the_whole_matrix(
    gaps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes, k = exact_outcomes(101, gaps), 7
    plain = plain_matrix(outcomes)
    np.fill_diagonal(plain, np.nan)
    expected = -np.sort(-plain, axis=1)[:, :k]  # NaN comes last
    monkeypatch.setattr("taskspace.similarity.statistics._SEARCH_ROWS", 8)
    monkeypatch.setattr("taskspace.similarity.statistics._SEARCH_COLUMNS", 5)
    statistics = SuccessStatistics.from_outcomes(outcomes)
    places, values = statistics.most_similar(k)
    np.testing.assert_allclose(values, expected, **SINGLE)
    np.testing.assert_allclose(np.take_along_axis(plain, places, 1), expected, **SINGLE)
    assert all(len(set(row)) == k for row in places.tolist())
    np.testing.assert_allclose(statistics.most_similar(k, [40, 3])[1], expected[[40, 3]], **SINGLE)


@pytest.mark.parametrize("gaps", [False, True])
def test_by_correlation_opposite_tasks_come_last(gaps: bool) -> None:
    statistics = SuccessStatistics.from_outcomes(exact_outcomes(101, gaps))
    everything = np.arange(statistics.n_tasks)
    matrix = statistics.matrix(measure=CORRELATION).astype(float)
    first, second = np.nonzero(~np.eye(len(matrix), dtype=bool))
    found = statistics.pairs(first, second, CORRELATION)
    np.testing.assert_allclose(found, matrix[first, second], **SINGLE)
    np.fill_diagonal(matrix, np.nan)
    values = statistics.most_similar(9, everything, CORRELATION)[1]
    np.testing.assert_allclose(values, -np.sort(-matrix, axis=1)[:, :9], **SINGLE)
    halves = SuccessStatistics.from_rates([[1, 1, 0, 1], [0, 0, 1, 1]] * 5)
    assert halves.most_similar(3, [0], CORRELATION)[0].tolist() == [[1, 3, 2]]
    assert halves.most_similar(3, [0])[0].tolist() == [[1, 2, 3]]


def test_where_few_similarities_are_known_the_rest_is_left_open() -> None:
    tried = np.zeros((20, 5), np.uint8)
    tried[:10, :3], tried[10:, 3:] = 1, 1
    solved = tried * (np.arange(20) % 2)[:, None]
    places, values = SuccessStatistics.from_outcomes(ts.Outcomes(solved, tried)).most_similar(3)
    np.testing.assert_array_equal(
        places, [[1, 2, -1], [0, 2, -1], [0, 1, -1], [4, -1, -1], [3, -1, -1]]
    )
    np.testing.assert_array_equal(np.isnan(values), places < 0)


def test_statistics_and_rows_of_many_tasks_need_little_beside_the_rates() -> None:
    successes = np.random.default_rng(0).integers(0, 5, (50, 100_000), np.uint8)
    outcomes = ts.Outcomes(successes, np.array(4))
    tracemalloc.start()
    statistics = SuccessStatistics.from_outcomes(outcomes)
    built = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    statistics.matrix([0, 1])
    row = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert built < 2 * statistics.rates.nbytes  # and not the table in doubles several times
    assert row < statistics.rates.nbytes


# -- outcomes that oppose each other ---------------------------------------------------------------

OPPOSED = np.array([[1, 1, 0, 1.0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0]])


def test_correlation_has_its_closed_form() -> None:
    statistics = SuccessStatistics.from_rates(np.column_stack([OPPOSED, np.ones(4)]))
    found = statistics.correlation([0, 0, 0, 0], [1, 2, 3, 4])
    np.testing.assert_allclose(found, [1, -1, 0, 0], atol=1e-6)


def test_opposites_are_counted() -> None:
    statistics = SuccessStatistics.from_rates(OPPOSED)  # linked: 0-1, 0-2 and 1-2 of six pairs
    found = anti_correlated(statistics, np.random.default_rng(0))
    assert found.strong == 0.5
    assert found.negative == pytest.approx(2 / 3)
    assert found.example in ((0, 2), (1, 2))


def test_users_are_warned_of_opposites_with_an_example() -> None:
    statistics = SuccessStatistics.from_rates(OPPOSED)
    sentence = "67.*'[ab]'.*'c'"
    with pytest.warns(UserWarning, match=sentence) as caught:
        warn_if_anti_correlated(statistics, ["a", "b", "c", "d"])
    assert len(caught) == 1


@pytest.mark.parametrize("tasks", [1, 30, 400])
@pytest.mark.filterwarnings("error")
def test_nobody_is_warned_where_tasks_go_together(tasks: int) -> None:
    statistics = SuccessStatistics.from_rates(known_rates(tasks=tasks))
    warn_if_anti_correlated(statistics, [str(i) for i in range(tasks)])


@pytest.mark.filterwarnings("error")
def test_nobody_is_warned_of_a_few_chance_links() -> None:
    results = np.random.default_rng(0).random((200, 300)) < 0.5
    warn_if_anti_correlated(SuccessStatistics.from_rates(results), [str(i) for i in range(300)])


@pytest.mark.parametrize("tasks", [0, 1, 5, 201, 1000])
def test_a_sample_of_pairs_is_of_different_tasks(tasks: int) -> None:
    first, second = sample_pairs(tasks, np.random.default_rng(0))
    assert len(first) == min(tasks * (tasks - 1) // 2, 20_000)
    assert (first != second).all()
    assert ((first < tasks) & (second < tasks)).all()


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rates", [[0.5], [[1.5]], [[-0.1]], np.zeros((0, 2))])
def test_bad_rates_are_refused(rates: Any) -> None:
    with pytest.raises(ValueError, match=says("rates agents tasks 0 1")):
        SuccessStatistics.from_rates(rates)


def test_more_similar_tasks_than_there_are_others_are_refused() -> None:
    statistics = SuccessStatistics.from_rates(known_rates(tasks=4))
    with pytest.raises(ValueError, match=says("tasks 4")):
        statistics.most_similar(4)
    with pytest.raises(ValueError, match=says("tasks 0 3")):
        statistics.most_similar(2, [1, -1])
