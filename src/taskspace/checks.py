"""Checks of what users pass in: the value in its proper form, or one sentence on what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def array(values: Any, what: str) -> NDArray[Any]:
    """Any array; rows of different lengths are refused."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{what} must be a plain array, not one with a mask")
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be an array of numbers, all rows of one length") from error


def numbers(values: Any, what: str) -> NDArray[np.float64]:
    """Finite real numbers, as a copy of their own."""
    found = array(values, what)
    if found.dtype.kind in "cMmUS" or values is None:
        raise ValueError(f"{what} must be an array of numbers")
    try:
        copy = np.array(found, np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be an array of numbers") from error
    finite(copy, what)
    return copy


def finite(array: NDArray[np.float64], what: str) -> None:
    """Refuse NaN and infinities, and say where the first is."""
    if not np.isfinite(array).all():
        where = "" if array.ndim < 2 else f" in row {int(np.argwhere(~np.isfinite(array))[0][0])}"
        raise ValueError(f"{what} must be finite numbers; there is a NaN or infinity{where}")


def listed(values: Any, what: str) -> int:
    """How many there are of something like a list or an array."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or not _ndim(values):
        raise ValueError(f"{what} must be a list or an array, not {values!r}")
    return len(values)


def _ndim(values: Any) -> int:
    return int(getattr(values, "ndim", 1))  # an array without dimensions has no length


def whole(value: Any, what: str, least: int = 0) -> int:
    """A whole number from `least` on."""
    integral = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integral or value < least:
        raise ValueError(f"{what} must be a whole number from {least} on, not {value!r}")
    return int(value)


def seed(value: Any) -> int:
    """A seed as a whole number in 0 .. 2**63 - 1; None draws one from the operating system."""
    if value is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    integral = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integral or not 0 <= value < 2**63:
        raise ValueError(f"a seed is a whole number from 0 to 2**63 - 1, not {value!r}")
    return int(value)
