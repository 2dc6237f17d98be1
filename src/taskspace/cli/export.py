"""`taskspace export DIR TARGET`: export the map for other programs."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.arguments import add_command, add_folder, add_json, open_folder
from taskspace.cli.json_output import print_json


def add(commands: Any) -> None:
    """Add `export` to the commands of a parser."""
    example = (
        "examples:\n"
        "  taskspace export runs/multikeynav map.parquet   one row per task\n"
        "  taskspace export runs/multikeynav map.csv       one row per task\n"
        "  taskspace export runs/multikeynav map.html      the explorer page as one file\n"
        "  taskspace export runs/multikeynav projector     TSV files for TensorBoard\n"
    )
    parser = add_command(commands, "export", _run, "export the map for other programs", example)
    add_folder(parser)
    parser.add_argument(
        "target", metavar="TARGET", help="a .parquet, .csv or .html file, or a folder"
    )
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Export all tasks of a map for other programs.

    A .parquet or .csv file has one row per task: name, 2-D coordinates, vector, difficulty, success
    rate, cluster and features. A feature that has the name of another column, e.g. x, is called
    feature:x. A .html file is the explorer page. A folder gets vectors.tsv and metadata.tsv for the
    TensorBoard projector.
    """
    from taskspace.report.targets import check_export

    check_export(options.target)  # before the folder is opened, which takes seconds
    written = open_folder(options).export(options.target)
    if options.json:
        print_json({"wrote": [str(path) for path in written]})
        return
    for path in written:
        print(f"wrote {path}")
