"""The statistics of a run of HELM: most of them are bookkeeping, which need not be parsed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from taskspace.outcomes.readers.json_text import JsonText

_CHUNK = 1 << 22  # bytes
# The layout that HELM writes: indented by two spaces. A text in JSON has no line breaks, so that
# these are found only between the parts of an instance.
_START, _END = b"[\n  {\n", b"\n  }\n]"
_NEXT_INSTANCE, _NEXT_STAT = b"\n  },\n  {\n", b"\n      },\n      {\n"
_STATS, _LAST_STAT = b',\n    "stats": [\n      {\n', b"\n      }\n    ]"
_NAME = b'        "name": {\n          "name": "'

_decode = json.JSONDecoder().decode


def instances(path: Path, skip: Callable[[str], bool]) -> Iterator[dict[str, Any]]:
    """Yield the instances in a file of statistics.

    A statistic is left out if `skip` says so of its name, but not where its name is seen first.
    """
    with path.open("rb") as file:
        if file.read(len(_START)) == _START:
            yield from _as_written(file, skip)
            return
    with path.open(encoding="utf-8") as text:
        yield from JsonText(text).items()


def _as_written(file: IO[bytes], skip: Callable[[str], bool]) -> Iterator[dict[str, Any]]:
    skipped: dict[bytes, bool] = {}  # by name
    rest = b""
    while chunk := file.read(_CHUNK):
        *complete, rest = (rest + chunk).split(_NEXT_INSTANCE)
        yield from (_instance(text, skip, skipped) for text in complete)
    last, end, after = rest.rpartition(_END)
    if not end or after.strip():
        raise ValueError("its end is missing, or it is damaged")
    yield _instance(last, skip, skipped)


def _instance(
    text: bytes, skip: Callable[[str], bool], skipped: dict[bytes, bool]
) -> dict[str, Any]:
    head, found, tail = text.partition(_STATS)
    stats, end, after = tail.partition(_LAST_STAT)
    if not found or not end or after:
        return _object(text)  # e.g. without statistics
    kept = []
    for stat in stats.split(_NEXT_STAT):
        name = stat[: stat.find(b'"', len(_NAME))]
        known = skipped.get(name)
        if not known:
            parsed = _object(stat)
            kept.append(parsed)
            if known is None:
                whole = name.startswith(_NAME) and b"\\" not in name  # an escaped quote ends none
                skipped[name] = whole and skip(parsed["name"]["name"])
    return {**_object(head), "stats": kept}


def _object(text: bytes) -> dict[str, Any]:
    try:
        found: dict[str, Any] = _decode(f"{{{text.decode()}}}")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"it is damaged: {error}") from error
    return found
