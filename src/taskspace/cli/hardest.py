"""`taskspace hardest DIR`: list the hardest tasks."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from taskspace import checks
from taskspace.cli.arguments import (
    LISTED,
    add_command,
    add_folder,
    add_how_many,
    add_out,
    open_folder,
)
from taskspace.cli.printing import print_tasks

_OWN_RANGES = (
    "Difficulty is relative to the lowest and the highest return that these agents reached on each"
    " task; for one that tasks can be compared by, use --best or --success of `fit`."
)


def add(commands: Any) -> None:
    """Add `hardest` to the commands of a parser."""
    parser = add_command(
        commands, "hardest", _run, "list the hardest tasks",
        f"{LISTED}\nexample:\n  taskspace hardest runs/multikeynav -k 5\n",
    )  # fmt: skip
    add_folder(parser)
    add_how_many(parser)
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List the hardest tasks of a map, hardest first.

    `difficulty` is the probability that an agent fails, according to the success model of the map
    or the table of results; in an ordinal map, it is the length of the vector. If results are
    returns, it is what `fit --best` or `fit --success` says and, without these, an order within
    the returns that the agents reached.
    """
    checks.whole(options.k, "-k", 1)
    made = open_folder(options)
    scale = made.outcomes.scale
    if scale is not None and scale.rule == "order" and scale.low.ndim:
        print(_OWN_RANGES, file=sys.stderr)
    print_tasks(options, made, made.describe(made.index.hardest(options.k)))
