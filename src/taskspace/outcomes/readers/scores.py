"""Scores as evaluation harnesses write them: numbers, true and false, or letters."""

from __future__ import annotations

import math
from typing import Any

from taskspace import checks

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer


def as_score(value: Any, most: float = 1) -> float:
    """A score as a number from 0 to `most`; NaN if there is none.

    Letters and true or false say how much of the highest score they are. Numbers are kept.

    >>> [as_score(value) for value in ("C", "P", True, 0.25, None)]
    [1.0, 0.5, 1.0, 0.25, nan]
    """
    if value is None:
        return math.nan
    if isinstance(value, str) and value in LETTERS:
        return LETTERS[value] * most
    if isinstance(value, bool):
        return value * most
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise ValueError(f"must be a number from 0 to 1 or one of C, P, I and N, got {_said(value)}")


def _said(value: Any) -> str:
    kinds: dict[type, str] = {list: "a list", dict: "several values"}
    return kinds.get(type(value), checks.brief(value))
