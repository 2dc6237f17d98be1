"""The benchmark measures what it says; how good things are is for its report."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.bench import success

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


def played(tasks: int, rollouts: int, seed: int) -> ts.Outcomes:
    rng = np.random.default_rng(seed)
    features = rng.uniform(size=(tasks, 2))
    levels = np.linspace(0, 1, 12)[:, None]
    rates = 1 / (1 + np.exp(-8 * (levels - features.mean(1))))
    return ts.Outcomes(rng.binomial(rollouts, rates), rollouts, features=features)  # type: ignore[arg-type]


def test_the_truth_has_no_error_but_its_own_noise() -> None:
    rates = RNG.uniform(0.1, 0.9, (10, 400))
    truth = ts.Outcomes(RNG.binomial(200, rates), 200)  # type: ignore[arg-type]
    exact, shifted = (success.errors(p, truth) for p in (rates, np.clip(rates + 0.1, 0, 1)))
    assert exact.rmse < 0.01
    assert abs(exact.excess) < 1e-3
    assert shifted.rmse == pytest.approx(0.1, abs=0.01)
    assert shifted.excess > 0.01


def test_budgets_are_measured_on_the_tasks_asked_for() -> None:
    sizes = []

    def play(tasks: int, rollouts: int, seed: int) -> ts.Outcomes:
        sizes.append((tasks, rollouts))
        return played(tasks, rollouts, seed)

    found = success.measure_budgets(play, played(100, 100, 1), ((400, 1), (100, 4)))
    assert sizes == [(400, 1), (100, 4)]
    assert list(found) == ["400 x 1", "100 x 4"]
    assert all(0 < each.rmse < 0.3 for each in found.values())


def test_similarities_get_better_with_rollouts() -> None:
    found = success.measure_similarity(played(40, 500, 1), played(200, 2, 2), (4, 64))
    assert found[4].paired > found[64].paired
    assert found[4].rates < found[4].paired
    assert found[4].profiles is not None
    assert found[64].profiles is None  # there are not so many tasks to learn from
