"""Two files of `taskspace bench all --json`, side by side."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from taskspace.bench.printing import print_lines

REGRESSION = 1.2  # times as long: noise is less


def read(path: str) -> dict[str, Any]:
    """The contents of a file.

    Raises:
        ValueError: If it is not one of `bench all --json`.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        numbers = {str(name): float(value) for name, value in found["seconds"].items()}
        return {"machine": dict(found["machine"]), "seconds": numbers}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"{path} must be a file of `taskspace bench all --json`, got another one"
        ) from error


def ratios(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """How many times as long the second takes, for what both have measured, the slowest first.

    >>> ratios({"seconds": {"a": 2.0, "b": 1.0}}, {"seconds": {"a": 1.0, "b": 3.0, "c": 1.0}})
    {'b': 3.0, 'a': 0.5}
    """
    times, others = one["seconds"], other["seconds"]
    found = {name: others[name] / max(times[name], 1e-9) for name in times if name in others}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def print_comparison(console: Console, one: dict[str, Any], other: dict[str, Any]) -> None:
    """Print all ratios, and a sentence about regressions."""
    found = ratios(one, other)
    if not found:
        raise ValueError("the two files must have measured the same things, got no common name")
    rows: dict[str, Callable[[dict[str, Any]], str]] = {
        name: (lambda file, name=name: f"{file['seconds'][name]:.3g}")  # type: ignore[misc]
        for name in found
    }
    ratio = {"seconds": found}
    print_lines(
        console, "Seconds, and the ratio of the second file to the first", rows,
        {"first": one, "second": other, "ratio": ratio},
    )  # fmt: skip
    if one["machine"] != other["machine"]:
        console.print("The machines differ, so ratios compare machines as well.")
    alone = len(one["seconds"].keys() ^ other["seconds"].keys())
    if alone:
        console.print(f"{alone} times are in one file only, and not compared.")
    slower = [name for name, value in found.items() if value > REGRESSION]
    if slower:
        console.print(
            f"{len(slower)} of {len(found)} take over {REGRESSION - 1:.0%} longer:"
            f" {'; '.join(slower)}"
        )
    else:
        console.print(f"Nothing takes over {REGRESSION - 1:.0%} longer.")
