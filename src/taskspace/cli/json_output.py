"""Results as JSON, for programs: numbers are numbers, and what is missing is null."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def print_json(value: Any) -> None:
    """Print a value to standard output as JSON.

    >>> print_json({"task": np.str_("q1"), "success": np.float64("nan"), "cluster": np.array([1])})
    {
      "task": "q1",
      "success": null,
      "cluster": [
        1
      ]
    }
    """
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))


def plain(value: Any) -> Any:
    """The value in the types of JSON; NaN and infinity, which it does not have, become None."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def rows(columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a table, whose columns are arrays of NumPy or Arrow."""
    values = [
        column.to_pylist() if hasattr(column, "to_pylist") else np.asarray(column).tolist()
        for column in columns.values()
    ]
    for row in zip(*values, strict=True):
        yield plain(dict(zip(columns, row, strict=True)))


class JsonWriter:
    """Prints one list of rows in batches, each row on a line of its own."""

    def __init__(self) -> None:
        self._before = "["

    def write(self, columns: Mapping[str, Any]) -> None:
        """Append rows to the list."""
        for row in rows(columns):
            sys.stdout.write(f"{self._before}\n  {json.dumps(row, ensure_ascii=False)}")
            self._before = ","

    def close(self) -> None:
        """End the list."""
        print("[]" if self._before == "[" else "\n]")
