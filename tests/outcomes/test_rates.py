"""Means of success rates of which some are unknown."""

from __future__ import annotations

import warnings

import numpy as np

from taskspace.outcomes.rates import mean_rates


def test_means_are_those_of_numpy_without_its_warning() -> None:
    rates = np.random.default_rng(0).random((7, 5))
    rates[rates < 0.3] = np.nan
    rates[:, 2] = np.nan
    rates[3] = np.nan
    for axis in (0, 1):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = mean_rates(rates, axis)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(found, np.nanmean(rates, axis=axis))
