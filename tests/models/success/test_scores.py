"""Scores of predicted probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.models.success.scores import calibration_error, scores


def test_calibration_error_is_zero_for_the_truth_and_large_for_the_overconfident() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.3, 0.7, (50, 2000))
    solved = rng.binomial(3, truth).astype(float)
    tried = np.full(solved.shape, 3.0)
    assert calibration_error(truth, solved, tried) < 0.01
    overconfident = np.where(truth > 0.5, 0.95, 0.05)
    assert calibration_error(overconfident, solved, tried) == pytest.approx(0.35, abs=0.01)


def test_scores_of_chances_0_and_1_are_finite() -> None:
    ends = np.array([0.0, 1.0])
    found = scores(ends, ends, ends, np.ones(2))
    assert found["log_loss"] == pytest.approx(0, abs=1e-5)
    assert found["brier"] == found["calibration_error"] == 0
