"""How much attempts vary, relative to successes."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.models.success.dispersion import dispersion_of, residual_dispersion
from taskspace.outcomes.outcomes import Outcomes


@pytest.mark.parametrize("planted", [0.05, 0.3])
def test_the_planted_dispersion_is_found(planted: float) -> None:
    rng, total = np.random.default_rng(0), 1 / planted - 1
    p = rng.uniform(0.1, 0.9, (60, 50, 1))
    drawn = 30 * rng.beta(total * p, total * (1 - p), (60, 50, 4)) - 10
    drawn[0, 0], drawn[0, 1] = -10, 20  # so that the range is known
    outcomes = Outcomes.from_returns(
        drawn.mean(2), 4, spreads=drawn.std(2, ddof=1), features=rng.random((50, 2))
    )
    assert dispersion_of(outcomes) == pytest.approx(planted, rel=0.1)


def test_it_is_unknown_without_spreads_and_for_successes() -> None:
    assert dispersion_of(Outcomes([[1, 0], [1, 1]], 2)) is None
    assert dispersion_of(Outcomes.from_returns([[1.0, 5.0], [2.0, 3.0]], 2)) is None


def test_squared_errors_bound_it() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 5000)
    drawn = rng.beta(4 * p, 4 * (1 - p))  # a variance of p (1 - p) / 5
    assert residual_dispersion(p, drawn) == pytest.approx(0.2, abs=0.02)
    assert residual_dispersion(np.full(5000, p.mean()), drawn) > 0.22
