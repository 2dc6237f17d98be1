"""Tables of results among logs: they are read by `Outcomes.from_table`, several as one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from taskspace.outcomes import tables
from taskspace.outcomes.columns import listed
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.collector import LogWarning
from taskspace.outcomes.readers.copies import Copies, skipped
from taskspace.outcomes.table_doubts import warn_of_shared_pairs
from taskspace.outcomes.table_rows import BadRow, place_of

NAME, FILES = "table of results", "*.csv or *.parquet"


def is_table(path: Path) -> bool:
    """Whether a file has the name of a table."""
    return path.suffix.lower() in (".csv", ".parquet")


def read_tables(paths: Sequence[Path], **how: Any) -> Outcomes:
    """Read one table, or several with the same columns as if they were one.

    `how` are arguments of `Outcomes.from_table`.
    """
    import pyarrow

    if len(paths) == 1:
        return Outcomes.from_table(paths[0], **how)
    found = [tables.read(path) for path in paths]
    for path, columns in zip(paths, found, strict=True):
        if columns.keys() != found[0].keys():
            raise ValueError(
                f"tables that are read together must have the same columns, got {listed(columns)}"
                f" in {path} and {listed(found[0])} in {paths[0]}"
            )
    parts = [pyarrow.table(columns) for columns in found]
    try:
        joined = pyarrow.concat_tables(parts, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise ValueError(
            f"tables that are read together must have the same types of columns: {error}"
        ) from error
    sizes = [len(part) for part in parts]
    try:
        outcomes = Outcomes.from_table(joined, **how)
    except BadRow as error:
        before = np.cumsum([0, *sizes])
        file = int(np.searchsorted(before, error.row, "right")) - 1
        raise error.at(place_of(paths[file], error.row - int(before[file]))) from error
    names = outcomes.info["columns"]["agent"], outcomes.info["columns"]["task"]
    if names[1] is not None:  # of a table with one column per task, repeated agents are told
        columns = {name: joined.column(name) for name in names}
        warn_of_shared_pairs(columns, names, sizes, [*map(str, paths)])
    return outcomes


def each_once(paths: Sequence[Path]) -> list[Path]:
    """The tables without copies, whose results would count twice; the user is told."""
    copies, kept = Copies(), []
    for path in paths:
        same = copies.find(path)
        if same is None:
            kept.append(path)
        else:
            warnings.warn(skipped(path, same), LogWarning, stacklevel=3)
    return kept
