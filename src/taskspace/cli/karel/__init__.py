"""The commands for Karel: generate or filter tasks, draw them, and run programs."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.karel import exec, filter, generate, show

_EXAMPLES = """examples:
  taskspace karel generate tasks --tasks 1000        write tasks/training.npz, tasks/validation.npz
  taskspace karel filter train.json.gz subset        write the paper's subset of the public data set
  taskspace karel show tasks/training.npz --task 7   show the program and examples of a task
  taskspace karel exec program.txt world.txt         run a program on a world
"""


def add(commands: Any) -> None:
    """Add `karel` and its commands to the commands of a parser."""
    karel = commands.add_parser(
        "karel",
        help="Karel tasks and programs",
        description="Generate or filter Karel tasks, draw them, and run Karel programs.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = karel.add_subparsers(metavar="command", required=True)
    for command in (generate, filter, show, exec):
        command.add(parts)
