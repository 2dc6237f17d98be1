"""Tables as HTML: the first rows and columns, with all text escaped."""

from __future__ import annotations

import numpy as np

from taskspace.outcomes.html_tables import MOST_COLUMNS, MOST_ROWS, html_table


def test_text_is_escaped_everywhere() -> None:
    nasty = "<script>"
    found = html_table({nasty: [nasty]}, nasty, [nasty])
    assert nasty not in found
    assert found.count("&lt;script&gt;") == 4


def test_numbers_are_short_and_unknown_ones_empty() -> None:
    found = html_table({"x": np.array([0.123456789, np.nan]), "n": np.array([1234567, 2])})
    assert ">0.1235</td>" in found
    assert "nan" not in found
    assert ">1234567</td>" in found


def test_what_is_not_shown_is_counted() -> None:
    columns = {f"c{i}": np.arange(MOST_ROWS + 5) for i in range(MOST_COLUMNS + 2)}
    found = html_table(columns, what="tasks")
    assert "5 more tasks and 2 more columns" in found
    assert found.count("<tr>") == MOST_ROWS + 1
    assert "more" not in html_table({"x": [1]})


def test_nothing_is_no_table() -> None:
    assert "<table>" not in html_table({}, "title")
