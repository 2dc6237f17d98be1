"""`taskspace export DIR TARGET`: the map for other programs."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.arguments import add_command, add_folder, open_folder


def add(commands: Any) -> None:
    """Add `export` to the commands of a parser."""
    example = (
        "examples:\n"
        "  taskspace export runs/multikeynav map.parquet   a row a task: vector, cluster, …\n"
        "  taskspace export runs/multikeynav map.csv       the same for viewers of embeddings\n"
        "  taskspace export runs/multikeynav projector     TensorBoard's pair of TSV files\n"
    )
    parser = add_command(commands, "export", _run, "the map for other programs", example)
    add_folder(parser)
    parser.add_argument("target", metavar="TARGET", help="a .parquet or .csv file, or a folder")


def _run(options: argparse.Namespace) -> None:
    """Write all tasks of a map, with their vectors, for other programs."""
    for path in open_folder(options).export(options.target):
        print(f"written to {path}")
