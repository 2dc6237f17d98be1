"""Responses in the format of py-irt: one line per subject, with an answer per item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
        for row, _ in rows(path, results, _parse):
            sheet = results.sheet(str(row["subject_id"]))
            for item, response in row["responses"].items():
                sheet.add(item, response)


def _parse(line: bytes) -> dict[str, Any] | None:
    row = whole(line)
    complete = row is not None and isinstance(row.get("responses"), dict) and "subject_id" in row
    return row if complete else None
