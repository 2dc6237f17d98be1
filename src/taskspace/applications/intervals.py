"""Intervals of predictions and scores: their level, their width, and what they must contain."""

from __future__ import annotations

from typing import Any

import numpy as np

from taskspace import checks
from taskspace.models.success.factors import Floats


def check_level(level: Any, what: str = "interval") -> float:
    """Check the level of an interval."""
    value = checks.array(level, what)
    if value.ndim or value.dtype.kind not in "iuf" or not 0 < value < 1:
        raise ValueError(
            f"{what} must be a number between 0 and 1, e.g. 0.9, got {checks.brief(level)}"
        )
    return float(value)


def check_width(width: Any, what: str = "width") -> float:
    """Check the wanted width of the interval of a score."""
    wide = checks.numbers(width, what)
    if wide.ndim or not 0 < wide <= 1:
        raise ValueError(f"{what} must be a number above 0, up to 1, got {checks.brief(width)}")
    return float(wide)


def containing(bounds: tuple[Floats, Floats], predicted: Floats) -> tuple[Floats, Floats]:
    """Widen intervals to full percents that contain the predicted probabilities."""
    low, high = bounds
    percents = 100 * predicted
    return np.minimum(low, np.floor(percents) / 100), np.maximum(high, np.ceil(percents) / 100)
