"""Files with one JSON object per line, of which some may be damaged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from taskspace.outcomes.readers.collector import Collector

_decode = json.JSONDecoder().raw_decode
_MOST_DAMAGED = 0.01  # of the lines; a file with more is in another format
_LONGEST_LINE = 1 << 28  # bytes
_MARKS = "\ufeff \t"  # before the first character: a byte order mark, or an indent


def rows(
    path: Path, results: Collector, parse: Callable[[bytes], dict[str, Any] | None]
) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield what `parse` finds in each line, and the line.

    A run that was killed leaves a line without an end. Such lines are skipped, and the user is
    told; a file with many of them is refused.
    """
    count, damaged = 0, 0
    with path.open("rb") as file:
        for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
            if line.isspace():
                continue
            count += 1
            row = parse(line)
            if row is None:
                damaged += 1
            else:
                yield row, line
    if damaged > max(1, _MOST_DAMAGED * count) or damaged == count > 0:
        raise ValueError(
            f"{path} must have one JSON object per line, got {damaged:,} of {count:,} lines that"
            " are damaged"
        )
    if damaged:
        skipped = f"{damaged} damaged line{'' if damaged == 1 else 's'}"
        results.warn(f"skipped {skipped} of {path}, which has {count:,}; the run may be incomplete")


def whole(line: bytes, decode: Callable[[str], tuple[Any, int]] = _decode) -> dict[str, Any] | None:
    """The object in a line; None if it is damaged."""
    return _object(line, decode)


def end_from(line: bytes, marker: bytes) -> dict[str, Any] | None:
    """The members from `marker` on, which is `, "key": `; None if it is not there.

    Parsing only the end of a long line saves most of the time. It is safe: in a text, the quotes
    of the marker would be escaped, and a marker in an inner object would leave a brace too many.

    >>> end_from(b'{"doc": {"filter": 1}, "filter": "none", "acc": 1.0}', b', "filter": ')
    {'filter': 'none', 'acc': 1.0}
    """
    start = line.rfind(marker)
    return _object(b"{" + line[start + 2 :]) if start >= 0 else None


def start_to(line: bytes, marker: bytes) -> dict[str, Any] | None:
    """The members before `marker`; None if it is not there.

    >>> start_to(b'{"id": 7, "input": {"raw": "2 + 2?"}}', b', "input": ')
    {'id': 7}
    """
    end = line.find(marker)
    return _object(line[:end] + b"}") if end >= 0 else None


def _object(
    line: bytes, decode: Callable[[str], tuple[Any, int]] = _decode
) -> dict[str, Any] | None:
    try:
        text = line.decode().lstrip(_MARKS)
        value, end = decode(text)
    except (ValueError, RecursionError):
        return None
    complete = end == len(text) or text[end:].isspace()
    return value if complete and isinstance(value, dict) else None


def first_object(path: Path) -> dict[str, Any]:
    """The object in the first line; empty if there is none."""
    try:
        with path.open("rb") as file:
            return _object(file.readline(_LONGEST_LINE)) or {}
    except OSError:
        return {}
