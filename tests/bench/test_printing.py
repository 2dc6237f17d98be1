"""The table of a benchmark."""

from __future__ import annotations

import io

from rich.console import Console

from taskspace.bench.printing import print_lines


def test_a_line_for_each_figure_and_a_column_for_each_thing_measured() -> None:
    text = io.StringIO()
    lines = {"twice": lambda n: f"{2 * n}", "squared": lambda n: f"{n * n}"}
    print_lines(Console(file=text, width=80), "Numbers", lines, {"three": 3, "five": 5})
    title, head, *rows = [line.split() for line in text.getvalue().splitlines() if line.strip()]
    assert (title, head) == (["Numbers"], ["three", "five"])
    assert rows[-2:] == [["twice", "6", "10"], ["squared", "9", "25"]]
