"""Scores as evaluation harnesses write them: numbers, true and false, or letters."""

from __future__ import annotations

import math
import re
from typing import Any

from taskspace import checks

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # as Inspect understands them

# Metrics of which less is better, as harnesses call them; their logs do not always say so.
_LOWER = re.compile(
    r"(.*_)?(perplexity|loss)|ppl|bits_per_byte|bpb|brier(_score)?|[twc]er|nll|(rm|m)se|mae"
    r"|ece(_.*)?|(.*_)?(toxicity|errors?|error_rate|edit_distance|regret)|toxic_frac|cross_entropy"
    r"|(.*_)?(wrong|incorrect|fail(ed|ures?)?|hallucinat(ions?|ed)|harmful|unsafe|refus(als?|ed)"
    r"|bias|stereotypes?|violations?|mistakes?)(_(rate|frac|score))?"
    r"|asr|attack_success(_rate)?"
    r"|(.*_)?((run)?time|latency|duration|seconds|costs?)(_(s|ms|sec|seconds|usd))?"
)


def less_is_better(metric: str) -> bool:
    """Whether a metric is known to be better if lower.

    >>> [less_is_better(metric) for metric in ("brier_score", "is_wrong", "acc")]
    [True, True, False]
    """
    return _LOWER.fullmatch(metric.lower()) is not None


def may_be_better(metric: str) -> bool:
    """Whether more of a metric that is usually better if lower may be wanted.

    Requests that are harmful should be refused, others should not.

    >>> may_be_better("refusal_rate"), may_be_better("perplexity")
    (True, False)
    """
    return "refus" in metric.lower()


def as_score(value: Any, most: float = 1) -> float:
    """A score as a number from 0 to `most`; NaN if there is none.

    Letters, yes or no, and true or false say how much of the highest score they are. Numbers are
    kept, also those that are written as text.

    >>> [as_score(value) for value in ("C", "P", "no", True, 0.25, "0.25", None)]
    [1.0, 0.5, 0.0, 1.0, 0.25, 0.25, nan]
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        return _of_text(value, most)
    if isinstance(value, bool):
        return float(value) * most
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    raise _refused(value)


def _of_text(text: str, most: float) -> float:
    part = LETTERS.get(text)
    if part is None:
        part = _WORDS.get(text.strip().lower())
    if part is not None:
        return part * most
    try:
        return float(text)
    except ValueError:
        raise _refused(text) from None


def _refused(value: Any) -> ValueError:
    return ValueError(
        f"must be a number from 0 to 1 or one of C, P, I, N, yes and no, got {_said(value)}"
    )


def _said(value: Any) -> str:
    kinds: dict[type, str] = {list: "a list", dict: "several values"}
    return kinds.get(type(value), checks.brief(value))
