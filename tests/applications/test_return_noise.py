"""How far new agents are from candidates, and intervals that contain what they should."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.applications.posterior import SHARPEST
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.return_noise import ReturnNoise
from taskspace.bench.returns import NEW, coverage, known_outcomes, simulated
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says


def test_noise_of_measured_results_is_not_that_of_agents() -> None:
    exact, noisy = ReturnNoise(0.0, 0.0), ReturnNoise(0.2, 0.04)
    assert exact.strengths((9.0,)) == pytest.approx((9.0,))
    assert noisy.strengths((9.0,))[0] == pytest.approx(1 / 0.06 - 1)
    assert noisy.strengths((99.0,))[0] == pytest.approx(SHARPEST)  # no less than nothing
    # No noise of results explains that candidates are further apart than agents.
    assert noisy.strengths((4 * SHARPEST,)) == (4 * SHARPEST,)
    assert ReturnNoise(0.1, 0.0, missed=0.1).strengths((9.0,))[0] == pytest.approx(4.0)
    assert noisy.answer((9.0, 19.0)) == pytest.approx(0.3)


@pytest.mark.filterwarnings("ignore")
def test_intervals_contain_the_truth_and_predictions_beat_the_means() -> None:
    truth, returns, _ = simulated(seed=20, attempts=5)
    known = known_outcomes(returns, None)
    found = coverage(known, truth[-NEW:], returns[-NEW:, :, 0], sizes=(1, 5, 20))
    for each in found.values():
        assert 0.82 < each.inside < 0.97  # 20 agents of one population
    assert found[20].error < 0.6 * found[20].error_of_means
    assert found[20].error < found[5].error


def test_few_agents_have_wide_intervals() -> None:
    returns = np.random.default_rng(0).normal(size=(4, 6)) * 10
    predictor = PerformancePredictor().fit(Outcomes.from_returns(returns))
    low, high = predictor.interval([0], [0.0], [1, 2])
    assert (high - low > np.ptp(returns[:, 1:3], axis=0) / 2).all()
    with pytest.raises(ValueError, match=says("score() 5 4")):
        predictor.score([0], [0.0])
