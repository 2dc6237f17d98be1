"""Parts of lines, which save time and must be what the whole line says."""

from __future__ import annotations

import json

import pytest

from taskspace.outcomes.readers.json_lines import end_from, start_to, whole

MARKER = b', "key": '


@pytest.mark.parametrize(
    "row",
    [
        {"a": 1, "key": 2, "b": 3},
        {"a": ', "key": 5', "key": 2},
        {"a": '\\", "key": 5', "key": 2},
        {"a": {"x": 0, "key": 5}, "key": 2, "b": {"c": []}},
        {"a": [{"x": 0, "key": 5}], "b": 3},
        {"key": 1, "a": {"x": 0, "key": 5}},
        {"a": {"x": 0, "key": {"y": 1}}, "b": '}, "key": {'},
    ],
)
def test_a_part_is_of_the_outer_object_or_not_found(row: dict[str, object]) -> None:
    line = json.dumps(row).encode() + b"\n"
    assert whole(line) == row
    names = list(row)
    for found, kept in ((end_from(line, MARKER), "end"), (start_to(line, MARKER), "start")):
        if found is None:
            continue
        cut = names.index("key")
        expected = names[cut:] if kept == "end" else names[:cut]
        assert found == {name: row[name] for name in expected}


@pytest.mark.parametrize("line", [b"", b"{", b"[1]", b'{"a": 1} x', b"\xff", b'{"a": 1}{"b": 2}'])
def test_damaged_lines_are_not_objects(line: bytes) -> None:
    assert whole(line) is None


def test_a_byte_order_mark_does_not_matter() -> None:
    assert whole(b'\xef\xbb\xbf{"a": 1}\r\n') == {"a": 1}
