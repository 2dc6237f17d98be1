"""Responses in the format of py-irt: one line per subject, with an answer per item."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from taskspace import checks
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.collector import Collector
from taskspace.outcomes.readers.json_lines import first_object, rows, whole


class PyIrt(Reader):
    """Reads responses."""

    name = "py-irt"
    files = '*.jsonl, with lines {"subject_id": …, "responses": {item: 0 or 1}}'

    def recognises(self, path: Path) -> bool:
        """Whether the first line is about a subject."""
        if path.suffix not in (".jsonl", ".jsonlines"):
            return False
        return {"subject_id", "responses"} <= first_object(path).keys()

    def read(self, path: Path, results: Collector) -> None:
        """Read one file."""
        if results.is_copy(path):
            return
        twice: list[str] = []
        for row, _ in rows(path, results, _parser(twice)):
            subject = row["subject_id"]
            if twice or not isinstance(subject, (str, int)):
                wrong = f"two responses to {twice[0]!r}" if twice else "no name of the subject"
                raise ValueError(
                    f"a line of {path} must have a subject_id and one response per item, got"
                    f" {wrong} (subject_id {checks.brief(subject)})"
                )
            sheet = results.sheet(str(subject))
            for item, response in row["responses"].items():
                sheet.add(item, response)


def _parser(twice: list[str]) -> Callable[[bytes], dict[str, Any] | None]:
    """A parser of lines, which adds the names that an object has more than once to `twice`."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = Counter(name for name, _ in pairs)
            twice.extend(name for name, count in names.items() if count > 1)
        return found

    decode = json.JSONDecoder(object_pairs_hook=unique).raw_decode

    def parse(line: bytes) -> dict[str, Any] | None:
        row = whole(line, decode)
        if row is None or not isinstance(row.get("responses"), dict) or "subject_id" not in row:
            twice.clear()
            return None
        return row

    return parse
