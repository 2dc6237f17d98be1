"""How far the page's predictions are from those of the predictor."""

from __future__ import annotations

import numpy as np

import taskspace as ts
from taskspace.explore.omitted import omitted_share


def fitted() -> tuple[ts.Outcomes, ts.PerformancePredictor]:
    rng = np.random.default_rng(0)
    solved = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 40)) + rng.normal(size=(30, 40)) > 0
    outcomes = ts.Outcomes(solved.astype(int), np.array(1))
    return outcomes, ts.PerformancePredictor().fit(outcomes)


def test_without_a_linear_share_nothing_is_omitted() -> None:
    outcomes, predictor = fitted()
    predictor.linear_share_ = 0.0
    assert omitted_share(predictor, outcomes.rates) is None


def test_the_difference_is_in_proportion_to_the_share() -> None:
    outcomes, predictor = fitted()
    found = []
    for share in (0.25, 0.5):
        predictor.linear_share_ = share
        told = omitted_share(predictor, outcomes.rates)
        assert told is not None
        assert 0 < told["mean"] < told["largest"] <= share
        found.append(told["mean"])
    np.testing.assert_allclose(found[1], 2 * found[0], atol=2e-4)  # rounded to four digits
