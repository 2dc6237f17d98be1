"""`taskspace karel filter SOURCE DIR`: the paper's subset of a data set."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import Any

from taskspace.cli.arguments import add_command
from taskspace.cli.karel.datasets import add_target, print_selection

_EXAMPLES = """example:
  taskspace karel filter train.json.gz subset
"""


def add(commands: Any) -> None:
    """Add `karel filter` to the commands of a parser."""
    parser = add_command(
        commands, "filter", _run, "take the paper's subset of a data set", _EXAMPLES
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="a file of JSON lines, one task a line; .gz too"
    )
    add_target(parser)


def _run(options: argparse.Namespace) -> None:
    """Take the paper's subset of the public Karel data set, for training and validation."""
    from taskspace.envs.karel.quotas import filter_dataset

    selection = filter_dataset(options.source, options.folder, options.tasks)
    print_selection(selection, "tasks read", Path(options.folder))
    if shortage := selection.shortage():
        print(f"fewer than wanted:\n{textwrap.indent(shortage, '  ')}")
