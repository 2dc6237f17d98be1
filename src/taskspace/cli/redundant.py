"""`taskspace redundant DIR`: list tasks that measure the same thing twice."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace import checks
from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.json_output import rows
from taskspace.cli.printing import on_screen, print_columns, print_note, print_table


def add(commands: Any) -> None:
    """Add `redundant` to the commands of a parser."""
    examples = (
        "The output has one row per pair: group (0 if its tasks are in different groups or none),\n"
        "first and second (the tasks), excess (agreement beyond what the population explains: 0\n"
        "to 1), low and high (its interval), agreement (fraction of agents with the same result),\n"
        "expected (the agreement that the population explains), correlation, bits (mutual\n"
        "information), agents (that tried both) and confirmed (yes if low is at least the\n"
        "threshold). A summary is printed to standard error.\n"
        "\n"
        "examples:\n"
        "  taskspace redundant runs/course                    near-copies, in groups\n"
        "  taskspace redundant runs/course --threshold 0.8    only copies that hardly ever differ\n"
        "  taskspace redundant runs/course --out pairs.csv    write the pairs to a file\n"
    )
    parser = add_command(
        commands, "redundant", _run, "list tasks that measure the same thing twice", examples
    )
    add_folder(parser)
    parser.add_argument(
        "--threshold", type=float, default=0.5, metavar="X",
        help="least excess agreement of near-copies, between 0 and 1 (default: 0.5)",
    )  # fmt: skip
    parser.add_argument(
        "--level", type=float, default=0.95, metavar="X",
        help="probability that all intervals hold (default: 0.95)",
    )  # fmt: skip
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List near-copies: pairs of tasks that measure the same thing twice.

    Two tasks are near-copies if agents' results on them differ at most half as often (with
    --threshold 0.5) as on two tasks that share nothing but the population's factors, i.e. general
    ability and a few skills. Intervals are corrected for the number of pairs looked at. If no
    pair is a near-copy, the pairs are listed that might be.
    """
    from taskspace.applications.redundancy import redundant

    checks.fraction(options.threshold, "--threshold")
    checks.fraction(options.level, "--level")
    made = open_folder(options)
    found = redundant(made, threshold=options.threshold, level=options.level)
    if on_screen(options) and found.groups:
        print_columns(found.group_columns)
    summary = f"{found.summary}."
    groups = list(rows(found.group_columns)) if options.json else []
    print_table(options, found.columns, summary=summary, groups=groups)
    print_note(options, summary)
