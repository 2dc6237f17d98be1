"""Checks of arguments: each returns the value in its proper form or raises a ValueError.

Every message reads "<what> must be <what is expected>, got <what it is>".
"""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e100  # squares of larger numbers overflow
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100  # characters, enough for most names


def array(values: Any, what: str) -> NDArray[Any]:
    """Convert to an array; masked arrays and rows of different lengths are refused."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{what} must be an array without a mask, got a masked array")
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{what} must be an array of numbers with rows of equal length, got {brief(values)}"
        ) from error


def numbers(values: Any, what: str) -> NDArray[np.float64]:
    """Copy finite real numbers into a new float64 array."""
    copy = real(values, what)
    finite(copy, what)
    return copy


def real(values: Any, what: str) -> NDArray[np.float64]:
    """Copy real numbers into a new float64 array; NaN, None and infinity may be among them."""
    found = array(values, what)
    if found.dtype.kind in "cMmUS" or values is None:
        raise ValueError(f"{what} must be an array of numbers, got {brief(values)}")
    try:
        return np.array(found, np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be an array of numbers, got {brief(values)}") from error


def finite(array: NDArray[Any], what: str) -> None:
    """Refuse NaN and infinity; the message gives the row of the first one."""
    if not np.isfinite(array).all():
        where = "" if array.ndim < 2 else f" in row {int(np.argwhere(~np.isfinite(array))[0][0])}"
        raise ValueError(f"{what} must be finite numbers, got NaN or infinity{where}")


def moderate(array: NDArray[Any], what: str) -> None:
    """Refuse NaN, infinity, and numbers whose squares might overflow."""
    if array.dtype.kind != "f":
        return  # integers are small enough, and bytes of large tables need no copy
    finite(array, what)
    largest = float(np.abs(array).max(initial=0.0))
    if largest > LARGEST:
        raise ValueError(
            f"{what} must be at most {LARGEST:g} in absolute value, got {largest:g}; rescale them"
        )


def listed(values: Any, what: str) -> int:
    """Return the length of a list or an array; anything else is refused."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or not _ndim(values):
        raise ValueError(f"{what} must be a list or an array, got {brief(values)}")
    return len(values)


def _ndim(values: Any) -> int:
    return int(getattr(values, "ndim", 1))  # an array without dimensions has no length


def brief(values: Any) -> str:
    """The value in a short form that fits on one line, or its type."""
    if isinstance(values, np.ndarray) and values.ndim:
        return f"an array of type {values.dtype}"
    text = _SHORT.repr(values.item() if isinstance(values, np.generic) else values)
    return text if "\n" not in text else type(values).__name__


def is_integer(value: Any) -> bool:
    """Whether the value is an integer; True and False are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole(value: Any, what: str, least: int = 0) -> int:
    """Return an integer of at least `least`."""
    if not is_integer(value) or value < least:
        expected = "a positive integer" if least == 1 else f"an integer of at least {least}"
        raise ValueError(f"{what} must be {expected}, got {brief(value)}")
    return int(value)


def seed(value: Any) -> int:
    """Return a seed from 0 to 2**63 - 1; None draws one from the operating system."""
    if value is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if not is_integer(value) or not 0 <= value < 2**63:
        raise ValueError(f"the seed must be an integer from 0 to 2**63 - 1, got {brief(value)}")
    return int(value)
