"""The commands for Karel: make tasks, look at them, run a program on a world."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.karel import exec, filter, generate, show

_EXAMPLES = """examples:
  taskspace karel generate tasks --tasks 1000        tasks/training.npz and tasks/validation.npz
  taskspace karel filter train.json.gz subset        the paper's subset of the public data set
  taskspace karel show tasks/training.npz --task 7   its program and its six examples
  taskspace karel exec program.txt world.txt         what a program does to a world
"""


def add(commands: Any) -> None:
    """Add `karel` and its commands to the commands of a parser."""
    karel = commands.add_parser(
        "karel",
        help="Karel tasks and programs",
        description="Make tasks of Karel, look at them, and run programs.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = karel.add_subparsers(metavar="command", required=True)
    for verb in (generate, filter, show, exec):
        verb.add(parts)
