"""`taskspace karel filter SOURCE DIR`: write the paper's subset of a data set."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from taskspace.cli.arguments import add_command
from taskspace.cli.karel.datasets import add_target, print_selection

_EXAMPLES = """example:
  taskspace karel filter train.json.gz subset
"""


def add(commands: Any) -> None:
    """Add `karel filter` to the commands of a parser."""
    parser = add_command(
        commands, "filter", _run, "write the paper's subset of the public data set", _EXAMPLES
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="data set as JSON lines, one task per line; may be .gz"
    )
    add_target(parser)


def _run(options: argparse.Namespace) -> None:
    """Write the paper's subset of the public Karel data set.

    The output folder gets training.npz and validation.npz, which `taskspace run karel --data DIR`
    reads.
    """
    from taskspace.envs.karel.quotas import filter_dataset

    selection = filter_dataset(options.source, options.folder, options.tasks)
    print_selection(options, selection, "tasks read")
    if (shortage := selection.shortage()) and not options.json:
        print(f"fewer than requested:\n{textwrap.indent(shortage, '  ')}")
