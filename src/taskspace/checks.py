"""Checks of arguments: each returns the value in its proper form or raises a ValueError.

Every message reads "<what> must be <what is expected>, got <what it is>". A path of the wrong type
is a TypeError, as in Python's own functions.
"""

from __future__ import annotations

import difflib
import os
import reprlib
import resource
from collections.abc import Collection, Iterable
from pathlib import Path
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
    if found.dtype.kind in "cMmUS" or values is None or _has_text(found):
        raise ValueError(f"{what} must be an array of numbers, got {brief(values)}")
    try:
        return np.array(found, np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be an array of numbers, got {brief(values)}") from error


def _has_text(found: NDArray[Any]) -> bool:
    """Whether text is among objects: NumPy would read it as numbers."""
    return found.dtype.kind == "O" and any(isinstance(value, (str, bytes)) for value in found.flat)


def row(index: int) -> str:
    """What messages call the row of a table or an array with this index.

    >>> row(0), row(6)
    ('row 1 (the first)', 'row 7 (the first is row 1)')
    """
    return f"row {index + 1} (the first{' is row 1' if index else ''})"


def finite(array: NDArray[Any], what: str) -> None:
    """Refuse NaN and infinity; the message gives the row of the first one."""
    if not np.isfinite(array).all():
        where = "" if array.ndim < 2 else f" in {row(int(np.argwhere(~np.isfinite(array))[0][0]))}"
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


def single(values: NDArray[Any], what: str) -> NDArray[np.float32]:
    """Convert to single precision; numbers that are too large for it are refused."""
    most = float(np.finfo(np.float32).max)
    largest = float(np.abs(values).max(initial=0.0))
    if largest > most:
        raise ValueError(f"{what} must be at most {most:.2g} in absolute value, got {largest:g}")
    return values.astype(np.float32)


def path(value: Any, what: str = "the path") -> Path:
    """Return the path of a file or a folder."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what} must be text or a pathlib.Path, got {brief(value)}")
    if not os.fspath(value):  # as a path, it would be the working folder
        raise ValueError(f"{what} must be the name of a file or a folder, got ''")
    return Path(value)


def indices(values: Any, count: int, what: str) -> NDArray[np.int64]:
    """Return positions from 0 to `count` - 1 as an array of one dimension."""
    found = array(values, what)
    if found.ndim != 1 or (found.dtype.kind not in "iu" and found.size):
        raise ValueError(f"{what} must be a list of integers, got {brief(values)}")
    wrong = found[(found < 0) | (found >= count)]
    if wrong.size:
        raise ValueError(f"{what} must be integers from 0 to {count - 1}, got {wrong[0]}")
    return found.astype(np.int64)


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


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped or shortened one most probably means; None if none is near.

    >>> nearest("simlar", ["similar", "hardest"]), nearest("mountaincar", ["MultiKeyNav"])
    ('similar', None)
    """
    names = {each.lower(): each for each in known}
    wanted = name.lower()
    near = difflib.get_close_matches(wanted, names, 1, cutoff=_ALIKE)
    if not near and len(wanted) >= _PART:
        near = sorted((each for each in names if wanted in each or each in wanted), key=len)
    return names[near[0]] if near else None


_ALIKE = 0.7  # least similarity of names, by difflib's ratio
_PART = 3  # least length of a name that stands for a longer one
MOST = 10**9  # of anything that is counted: more than can be computed
MOST_DIMENSIONS = 1000  # of a map
MOST_THREADS = 1024  # or processes
WIDEST = 10_000  # layer of a network
LONGEST_NAME = 10_000
MOST_ROLLOUTS = LARGEST_BATCH = 1_000_000


def is_integer(value: Any) -> bool:
    """Whether the value is an integer; True and False are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole(value: Any, what: str, least: int = 0, most: int = MOST) -> int:
    """Return an integer from `least` to `most`."""
    if not is_integer(value) or value < least:
        expected = "a positive integer" if least == 1 else f"an integer of at least {least}"
        raise ValueError(f"{what} must be {expected}, got {brief(value)}")
    if value > most:
        raise ValueError(f"{what} must be at most {most:,}, got {brief(value)}")
    return int(value)


def dimensions(value: Any, what: str = "n_components") -> None:
    """Refuse what is neither "auto" nor a number of dimensions of a map."""
    if not isinstance(value, str) or value != "auto":
        whole(value, f"{what}, if not 'auto',", 1, MOST_DIMENSIONS)


def number(value: Any, what: str) -> float:
    """Return one finite number."""
    found = numbers(value, what)
    if found.ndim:
        raise ValueError(f"{what} must be a number, got {brief(value)}")
    return float(found)


def fraction(value: Any, what: str) -> float:
    """Return a number between 0 and 1, neither of them."""
    found = number(value, what)
    if not 0 < found < 1:
        raise ValueError(f"{what} must be a number between 0 and 1, got {brief(value)}")
    return found


# -- sizes -----------------------------------------------------------------------------------------

_SHARE = 0.5  # of the memory that one array may take: what is computed from it needs the rest
_MEMINFO, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def fits_memory(size: int, what: str) -> None:
    """Refuse something of this many bytes if it would take more than half of the free memory."""
    most = int(_SHARE * free_memory())
    if size > most:
        raise ValueError(
            f"{what} must fit in memory, at most {_gigabytes(most)}, got {_gigabytes(size)}"
        )


def tasks_in_memory(count: Any, columns: int) -> int:
    """Return the number of tasks if a table of them, with this many columns, fits in memory."""
    number = whole(count, "the number of tasks")
    fits_memory(8 * number * columns, f"a table of {number:,} tasks")
    return number


def short_names(names: Collection[str], what: str) -> None:
    """Refuse names that are very long: in NumPy, each name takes the memory of the longest."""
    longest = max(map(len, names), default=0)
    if longest > LONGEST_NAME:
        raise ValueError(
            f"{what} must have at most {LONGEST_NAME:,} characters, got one of {longest:,}"
        )
    fits_memory(4 * longest * len(names), what)


def free_memory() -> int:
    """The bytes of memory that this process may still take."""
    limits = [_available(), *_group_limit()]
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return min(limits if limit == resource.RLIM_INFINITY else [*limits, limit])


def _available() -> int:
    """What the machine has available; where it does not say, its whole memory."""
    try:
        lines = dict(line.split(":") for line in _MEMINFO.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _group_limit() -> list[int]:
    """What the container may still take, if it has a limit."""
    try:
        most, now = (int((_GROUP / name).read_text()) for name in ("memory.max", "memory.current"))
    except (OSError, ValueError):  # no container, or "max"
        return []
    return [max(most - now, 0)]


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"


def seed(value: Any) -> int:
    """Return a seed from 0 to 2**63 - 1; None draws one from the operating system."""
    if value is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if not is_integer(value) or not 0 <= value < 2**63:
        raise ValueError(f"the seed must be an integer from 0 to 2**63 - 1, got {brief(value)}")
    return int(value)
