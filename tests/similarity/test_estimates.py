"""Similarities from few agents: no bias where tasks are independent, against simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.similarity.estimates import agents_together, estimates, pair_estimates
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.statistics import ENOUGH_TOGETHER, SuccessStatistics
from tests.tolerances import BITS

TASKS = 300
UPPER = np.triu_indices(TASKS, 1)


def independent(agents: int, rollouts: int, missing: float, seed: int = 0) -> SuccessStatistics:
    """Results of tasks that have nothing in common; some are harder than others."""
    rng = np.random.default_rng(seed)
    tried = rng.random((agents, TASKS)) >= missing
    counts = np.where(tried, rollouts, 0)
    solved = rng.binomial(counts, rng.uniform(0.3, 0.7, TASKS))
    return SuccessStatistics.from_outcomes(ts.Outcomes(solved, counts))


@pytest.mark.parametrize(
    ("agents", "rollouts", "missing"),
    [(40, 1, 0.0), (100, 1, 0.0), (60, 1, 0.3), (40, 4, 0.0), (60, 3, 0.3)],
)
def test_independent_tasks_share_nothing_on_average(
    agents: int, rollouts: int, missing: float
) -> None:
    statistics = independent(agents, rollouts, missing)
    biased, found = statistics.matrix()[UPPER].mean(), estimates(statistics)[UPPER].mean()
    assert biased > 0
    # What is left is of the order of the square of what was subtracted.
    assert abs(found) < 0.15 * biased


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_the_bias_of_single_attempts_has_a_closed_form(missing: float) -> None:
    statistics = independent(50, 1, missing)
    raw, agents = statistics.matrix().astype(np.float64), agents_together(statistics)
    expected = raw - 1 / (2 * np.log(2) * agents)
    np.testing.assert_allclose(estimates(statistics)[UPPER], expected[UPPER], atol=BITS)


def test_known_probabilities_keep_what_they_share() -> None:
    """Agents that differ are no noise: the estimates approach the similarity itself."""
    rng = np.random.default_rng(0)
    rates = 1 / (1 + np.exp(-2 * rng.normal(size=(2000, 1)) - rng.normal(size=5)))
    truth = SuccessStatistics.from_rates(rates).matrix()
    found = estimates(SuccessStatistics.from_outcomes(ts.Outcomes(rng.binomial(5, rates), 5)))  # type: ignore[arg-type]
    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(found[off], truth[off], atol=0.03)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_correlations_of_single_attempts_are_shrunk_by_the_number_of_agents(missing: float) -> None:
    statistics = independent(30, 1, missing)
    raw, agents = statistics.matrix(measure=CORRELATION), agents_together(statistics)
    found = estimates(statistics, measure=CORRELATION)
    np.testing.assert_allclose(found, raw * agents / (agents + 10), atol=BITS)
    assert abs(np.nanmean(found[UPPER])) < 0.01
    np.testing.assert_allclose(
        pair_estimates(statistics, *UPPER, CORRELATION), found[UPPER], atol=BITS
    )


def test_several_attempts_are_shrunk_less() -> None:
    """The error of a correlation is smaller, as is the bias of information."""
    kept = []
    for rollouts in (1, 10):
        statistics = independent(30, rollouts, 0.0)
        raw = statistics.matrix(measure=CORRELATION)[UPPER]
        found = estimates(statistics, measure=CORRELATION)[UPPER]
        kept.append(np.median(found[raw != 0] / raw[raw != 0]))
    assert kept[0] == pytest.approx(30 / 40)
    assert kept[1] > 0.99


@pytest.mark.parametrize("agents", [10, 20, 50])
@pytest.mark.parametrize("sign", [1, -1])
def test_shrinking_reduces_the_error(agents: int, sign: int) -> None:
    """Two skills; with `sign` -1, half of the tasks are solved by those who lack theirs."""
    rng = np.random.default_rng(agents)
    need = np.repeat(np.eye(2), 15, axis=0) * np.tile([1, sign], 15)[:, None]
    levels = rng.normal(size=30)
    few, many = (
        1 / (1 + np.exp(levels - 2 * rng.normal(size=(n, 2)) @ need.T)) for n in (agents, 4000)
    )
    truth = SuccessStatistics.from_rates(many).matrix(measure=CORRELATION)
    solved = SuccessStatistics.from_rates(1.0 * (rng.random(few.shape) < few))
    pairs = np.triu_indices(30, 1)
    errors = [
        np.square(found[pairs] - truth[pairs]).mean()
        for found in (solved.matrix(measure=CORRELATION), estimates(solved, measure=CORRELATION))
    ]
    assert errors[1] < 0.9 * errors[0]


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_rows_and_columns_are_those_of_the_whole_matrix(missing: float) -> None:
    statistics = independent(40, 2, missing)
    rows, columns = np.array([3, 200, 7]), np.array([5, 0])
    for measured in (estimates, agents_together):
        found: Any = measured(statistics, rows, columns)
        np.testing.assert_allclose(found, measured(statistics)[np.ix_(rows, columns)], atol=BITS)
    assert estimates(statistics, [4]).shape == (1, TASKS)


def test_pairs_that_too_few_tried_are_unknown() -> None:
    statistics = independent(30, 1, 0.7)
    few = agents_together(statistics) < ENOUGH_TOGETHER
    assert few[UPPER].any()
    np.testing.assert_array_equal(np.isnan(estimates(statistics))[UPPER], few[UPPER])


def test_agents_that_tried_both_are_counted() -> None:
    counts = (np.random.default_rng(0).random((25, 9)) < 0.6).astype(np.uint8)
    counts[0] = 1
    found = agents_together(SuccessStatistics.from_outcomes(ts.Outcomes(counts, counts)))
    expected = [[int((counts[:, i] & counts[:, j]).sum()) for j in range(9)] for i in range(9)]
    np.testing.assert_array_equal(found, expected)
    everyone = SuccessStatistics.from_rates(np.full((25, 9), 0.5))
    np.testing.assert_array_equal(agents_together(everyone, [1], [2, 3]), [[25, 25]])


def test_tasks_that_all_agents_solve_share_nothing() -> None:
    rates = np.column_stack([np.ones(20), np.zeros(20), np.arange(20) % 2])
    np.testing.assert_allclose(estimates(SuccessStatistics.from_rates(rates))[:2], 0, atol=BITS)
