"""`taskspace karel generate DIR`: generate random tasks."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.arguments import add_command
from taskspace.cli.karel.datasets import add_target, print_selection

_EXAMPLES = """examples:
  taskspace karel generate tasks --tasks 1000 --side 8
  taskspace karel generate tasks --tasks 1000 --json-lines
"""


def add(commands: Any) -> None:
    """Add `karel generate` to the commands of a parser."""
    parser = add_command(commands, "generate", _run, "generate random tasks", _EXAMPLES)
    add_target(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    parser.add_argument(
        "--side",
        type=int,
        default=16,
        metavar="N",
        help="most rows and columns of a world, 4 to 16 (default: 16)",
    )
    parser.add_argument(
        "--json-lines", action="store_true", help="also write the format of the public data set"
    )


def _run(options: argparse.Namespace) -> None:
    """Generate random Karel tasks, i.e. programs with six examples each.

    The output folder gets training.npz and validation.npz, which `taskspace run karel --data DIR`
    reads.
    """
    from taskspace.envs.karel.generate import generate_dataset

    selection = generate_dataset(
        options.folder, options.tasks, options.seed, options.side, options.json_lines
    )
    print_selection(options, selection, "programs drawn")
