"""Scores as evaluation harnesses write them: numbers, true and false, or letters."""

from __future__ import annotations

import math
import re
from typing import Any

from taskspace import checks

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer

# Metrics of which less is better, as harnesses call them; their logs do not always say so.
_LOWER = re.compile(
    r"(word_|byte_)?perplexity|ppl|bits_per_byte|bpb|brier(_score)?|[twc]er|loss|nll|(rm|m)se|mae"
    r"|ece(_.*)?|(.*_)?(toxicity|error|error_rate|edit_distance)|toxic_frac"
)


def less_is_better(metric: str) -> bool:
    """Whether a metric is known to be better if lower.

    >>> [less_is_better(metric) for metric in ("brier_score", "ece_10_bin", "acc")]
    [True, True, False]
    """
    return _LOWER.fullmatch(metric.lower()) is not None


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
        return float(value) * most
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise ValueError(f"must be a number from 0 to 1 or one of C, P, I and N, got {_said(value)}")


def _said(value: Any) -> str:
    kinds: dict[type, str] = {list: "a list", dict: "several values"}
    return kinds.get(type(value), checks.brief(value))
