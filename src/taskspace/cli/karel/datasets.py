"""Arguments and output that `generate` and `filter` share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import add_json
from taskspace.cli.json_output import print_json

if TYPE_CHECKING:
    from taskspace.envs.karel.quotas import Selection


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the output folder and the number of tasks."""
    parser.add_argument("folder", metavar="DIR", help="output folder; created if necessary")
    parser.add_argument(
        "--tasks",
        type=int,
        metavar="N",
        help="number of tasks, in the paper's proportions (default: the paper's 73,418)",
    )
    add_json(parser)


def print_selection(options: argparse.Namespace, selection: Selection, seen: str) -> None:
    """Print a table of the tasks, the reasons for dropped ones, and the written files."""
    folder = Path(options.folder)
    files = sorted(path for part in selection.found for path in folder.glob(f"{part}.*"))
    if options.json:
        print_json(_as_json(selection, files))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    lengths = sorted({length for table in selection.found.values() for _, length in table})
    table = Table(title="Karel tasks by type and number of tokens", box=SIMPLE_HEAD)
    for heading in ("split", "type"):
        table.add_column(heading)
    for heading in (*map(str, lengths), "all"):
        table.add_column(heading, justify="right")
    for row in _rows(selection, lengths):
        table.add_row(*row, end_section=row[1] == "all")
    Console().print(table)
    dropped = [f"  {n:>9,} {why}" for why, n in selection.dropped.most_common() if n]
    print(f"{selection.seen:,} {seen}, of which dropped:", *dropped or ["  none"], sep="\n")
    print("wrote:", *files, sep="\n  ")


def _as_json(selection: Selection, files: list[Path]) -> dict[str, Any]:
    counts = [
        {"split": split, "type": kind, "tokens": tokens, "tasks": count}
        for split, found in selection.found.items()
        for (kind, tokens), count in found.items()
    ]
    dropped = {why: count for why, count in selection.dropped.most_common() if count}
    shortage = selection.shortage()
    return {
        "seen": selection.seen, "dropped": dropped, "fewer_than_requested": shortage or None,
        "wrote": files, "rows": counts,
    }  # fmt: skip


def _rows(selection: Selection, lengths: list[int]) -> list[list[str]]:
    """One row per type and one for the sum; a dash where the paper has no tasks."""
    rows = []
    for part, found in selection.found.items():
        kinds = list(dict.fromkeys(kind for kind, _ in found))
        for kind in kinds:
            counts = [found.get((kind, length)) for length in lengths]
            rows.append([part if kind == kinds[0] else "", kind, *_cells(counts)])
        sums = [sum(n for cell, n in found.items() if cell[1] == length) for length in lengths]
        rows.append(["", "all", *_cells(sums)])
    return rows


def _cells(counts: list[int] | list[int | None]) -> list[str]:
    cells = ["-" if count is None else f"{count:,}" for count in counts]
    return [*cells, f"{sum(count or 0 for count in counts):,}"]
