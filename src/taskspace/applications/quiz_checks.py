"""Checks of what a quiz is asked to do."""

from __future__ import annotations

from typing import Any

from taskspace import checks

AIMS = ("tasks", "score", "labels")


def check_aim(aim: Any, by: Any, at_most_per_label: Any, *, options: bool = False) -> None:
    """Check what a quiz aims at, and that a label is there if and only if it is needed.

    Messages have the names of the command's `options`, or of the arguments in Python.
    """
    check_choice(aim, "aim", AIMS)
    limit = "--at-most-per-label" if options else "at_most_per_label"
    what, needs = ("--by", "--aim labels") if options else ("by", "aim='labels'")
    needs = f"{needs} or {limit}"
    if at_most_per_label is not None:
        checks.whole(at_most_per_label, limit, 1)
    needed = aim == "labels" or at_most_per_label is not None
    if needed and by is None:
        nothing = "none" if options else "None"
        raise ValueError(f"{what} must be the name of a label for {needs}, got {nothing}")
    if by is not None and not needed:
        raise ValueError(f"{what} must come with {needs}, got {checks.brief(by)} without them")


def check_until(until: Any, what: str = "until") -> float:
    """Check the error rate at which a quiz ends."""
    rate = checks.numbers(until, what)
    if rate.ndim or not 0 <= rate <= 1:
        raise ValueError(f"{what} must be an error rate from 0 to 1, got {checks.brief(until)}")
    return float(rate)


def check_choice(value: Any, what: str, choices: tuple[str, ...]) -> None:
    """Refuse what is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{what} must be one of {', '.join(choices)}, got {checks.brief(value)}")
