"""The two sums behind a prediction, compiled: they read each row of a large table just once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from taskspace.envs.compiling import build

_AT_ONCE = 50  # answers whose likelihoods are multiplied: 1e-6 to this power is still a number


def _log_likelihoods() -> Callable[..., Any]:
    def log_likelihoods(profiles, numbers, results):  # type: ignore[no-untyped-def]
        """Of results (0 or 1) on tasks with these numbers, for every candidate.

        Likelihoods are multiplied, so that few of them need a logarithm.
        """
        total, product = np.zeros(profiles.shape[1]), np.ones(profiles.shape[1])
        for place in range(len(numbers)):
            row, wrong = profiles[numbers[place]], 1 - results[place]
            for candidate in range(len(row)):
                fit = abs(np.float64(row[candidate]) - wrong)
                fit = 1e-6 if fit < 1e-6 else fit
                product[candidate] *= 1 - 1e-6 if fit > 1 - 1e-6 else fit
            if place % _AT_ONCE == _AT_ONCE - 1:
                total += np.log(product)
                product[:] = 1
        return total + np.log(product)

    return log_likelihoods


def _means() -> Callable[..., Any]:
    def means(profiles, numbers, weights):  # type: ignore[no-untyped-def]
        """Of all candidates' chances on tasks with these numbers, weighted."""
        found = np.empty(len(numbers), np.float32)
        for place in range(len(numbers)):
            found[place] = np.dot(profiles[numbers[place]], weights)
        return found

    return means


log_likelihoods: Callable[..., Any] = build(_log_likelihoods)
means: Callable[..., Any] = build(_means)
