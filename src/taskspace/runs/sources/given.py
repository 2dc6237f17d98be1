"""What `fit` is given: outcomes, a table of results or logs, with the options of each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.read import is_log, read_results


def given_outcomes(
    results: Any,
    named: dict[str, Any],
    chosen: dict[str, Any],
    max_score: float,
    by_return: dict[str, Any],
) -> Outcomes:
    """The outcomes in a table or in logs; options that are for something else are refused."""
    if is_log(results):
        _refuse(named, "logs; it is for tables of results")
        return read_results(results, **chosen, max_score=max_score, **by_return)
    what = "Outcomes" if isinstance(results, Outcomes) else "a table of results"
    _refuse(chosen, f"{what}; it is for logs")
    if not isinstance(results, Outcomes):
        return Outcomes.from_table(results, **named, max_score=max_score, **by_return)
    given = {"max_score": None if max_score == 1 else max_score}
    _refuse({**named, **given}, "Outcomes; it is for tables of results")
    if not by_return:
        return results
    return results.by_return(best=by_return["best"], success=by_return["success"])


def _refuse(options: dict[str, Any], what: str) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise ValueError(f"{given[0]} must not be given with {what}")


def given_name(results: Any) -> str:
    """The name of a file or a folder, which "." has too."""
    if not isinstance(results, (str, os.PathLike)):
        return "results"
    return Path(results).name or Path(results).resolve().name or "results"
