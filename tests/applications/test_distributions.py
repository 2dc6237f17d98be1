"""The distributions are those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import t

from taskspace.applications.distributions import beta_cdf, student_quantile

PERCENTS = np.arange(101) / 100


@pytest.mark.parametrize("strength", [0.5, 2.0, 30.0, 1000.0])
def test_beta(strength: float) -> None:
    centre = np.clip(PERCENTS, 0.002, 0.998)[:, None]
    a, b = strength * centre, strength * (1 - centre)
    with np.errstate(over="raise", invalid="raise"):
        found = beta_cdf(a, b, PERCENTS)
    np.testing.assert_allclose(found, betainc(a, b, PERCENTS), rtol=0, atol=1e-11)
    assert (found[:, 0] == 0).all()
    assert (found[:, -1] == 1).all()


@pytest.mark.parametrize("freedom", [1, 4, 99, 20_000])
@pytest.mark.parametrize("probability", [0.5, 0.75, 0.95, 0.9995])
def test_student(probability: float, freedom: int) -> None:
    expected = t.ppf(probability, freedom)
    assert student_quantile(probability, freedom) == pytest.approx(expected, rel=1e-9, abs=1e-7)
