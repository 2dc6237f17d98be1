"""Names of agents and tasks: unique, and such that files can hold them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

_INTEGER = re.compile(r"0*(\d+)(?:\.0+)?")  # 3, 03 and 3.0, but not 3.1 and 3.10


def plural(count: int, what: str) -> str:
    """A number and what it counts.

    >>> plural(1, "task"), plural(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def unique_names(names: Any, count: int, what: str) -> NDArray[np.str_]:
    """The names of so many agents or tasks; by default, they are numbered.

    >>> unique_names(None, 2, "task")
    array(['task-0', 'task-1'], dtype='<U6')
    """
    if names is None:
        width = len(str(count - 1))  # without it, NumPy reserves room for any integer
        return np.char.add(f"{what}-", np.arange(count).astype(f"<U{width}"))
    if isinstance(names, str):
        raise ValueError(f"the names of {what}s must be a list, got the text {names!r}")
    if isinstance(names, np.ndarray) and names.dtype.kind == "U" and names.shape == (count,):
        array = names.astype(names.dtype.newbyteorder("="))
        if not _are_names(array):
            array = _listed_names(array.tolist(), count, what)  # which says what is wrong
    else:
        # An array of a list would turn what is not text, such as NaN, into text.
        given = names if isinstance(names, (list, tuple)) else checks.array(names, what).tolist()
        array = _listed_names(given, count, what)
    ordered = np.sort(array)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(again):
        raise ValueError(f"the names of {what}s must be unique, got {str(again[0])!r} twice")
    return array


def _are_names(array: NDArray[np.str_]) -> bool:
    """Whether all are short texts that can be written to a file; without a list of texts."""
    letters = np.ascontiguousarray(array).view(np.uint32).reshape(len(array), -1)
    fine = letters.shape[1] and letters[:, 0].all() and letters.shape[1] <= checks.LONGEST_NAME
    return bool(fine) and not any(((part - 0xD800) < 0x800).any() for part in letters.T)


def _listed_names(given: Any, count: int, what: str) -> NDArray[np.str_]:
    if not isinstance(given, (list, tuple)) or len(given) != count:
        size = len(given) if isinstance(given, (list, tuple)) else 1
        raise ValueError(
            f"the names of {what}s must be one per {what}, got {size} names for"
            f" {plural(count, what)}"
        )
    for name in given:
        if not is_name(name):
            raise ValueError(
                f"the names of {what}s must be text or integers, got {checks.brief(name)}"
            )
    texts = [str(name) for name in given]
    checks.short_names(texts, f"the names of {what}s")
    return np.array(texts, np.str_)


def looking_the_same(names: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of names that differ in spaces, in case, or in how accents or integers are written.

    >>> looking_the_same(["Ada", "ada ", "3", "03", "3.0", "3.1", "3.10"])
    [('Ada', 'ada '), ('3', '03'), ('3', '3.0')]
    """
    seen: dict[str, str] = {}
    pairs = []
    for name in names:
        plain = unicodedata.normalize("NFC", " ".join(name.split())).casefold()
        integer = _INTEGER.fullmatch(plain)
        first = seen.setdefault(integer[1] if integer else plain, name)
        if first != name:
            pairs.append((first, name))
    return pairs


def positions(names: Any, known: NDArray[np.str_], what: str) -> list[int]:
    """The positions of agents or tasks that are selected by name."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"names must be a list of {what}s, got {checks.brief(names)}")
    wanted = list(names)
    if not wanted:
        raise ValueError(f"names must have at least one {what}, got an empty list")
    index = {name: position for position, name in enumerate(known.tolist())}
    unknown = [name for name in wanted if not isinstance(name, str) or name not in index]
    if unknown:
        raise ValueError(
            f"there is no {what} {checks.brief(unknown[0])} in these outcomes; there are"
            f" {plural(len(known), what)}"
        )
    return [index[name] for name in wanted]


def is_name(name: Any) -> bool:
    """Whether it is an integer or a text that can be written to a file."""
    if isinstance(name, str):
        return bool(name) and not any("\ud800" <= letter <= "\udfff" for letter in name)
    return checks.is_integer(name)
