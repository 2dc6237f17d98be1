"""Means of success rates, of which some are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def mean_rates(rates: NDArray[Any], axis: int) -> NDArray[np.float64]:
    """Means along an axis that leave out NaN; NaN, without NumPy's warning, if nothing is known.

    >>> mean_rates(np.array([[1.0, np.nan], [0.5, np.nan]]), axis=0)
    array([0.75,  nan])
    """
    known = ~np.isnan(rates)
    counts = known.sum(axis=axis)
    sums = np.where(known, rates, 0.0).sum(axis=axis)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
