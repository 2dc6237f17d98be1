"""The simulated returns are as described; what is measured is tested with the predictor."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.bench.returns import AGENTS, DISPERSION, TASKS, known_outcomes, simulated
from taskspace.models.success.dispersion import dispersion_of


def test_attempts_vary_around_expected_returns_as_planted() -> None:
    truth, returns, features = simulated(0, 50, features=True)
    assert returns.shape == (AGENTS, TASKS, 50)
    assert np.abs(returns.mean(2) - truth).mean() < 3
    known = known_outcomes(returns, features)
    found = dispersion_of(known)
    assert found is not None
    assert found == pytest.approx(DISPERSION, rel=0.1)


def test_tasks_without_features_have_ranges_of_their_own() -> None:
    truth, returns, features = simulated(0, 1)
    assert features is None
    ranges = np.ptp(truth, axis=0)
    assert ranges.max() > 5 * ranges.min()
    assert known_outcomes(returns, None).return_spreads is None
