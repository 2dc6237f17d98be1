"""`taskspace envs`: list the environments."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from taskspace.cli.arguments import add_command


def add(commands: Any) -> None:
    """Add `envs` to the commands of a parser."""
    add_command(commands, "envs", _run, "list the environments", "example:\n  taskspace envs\n")


def _run(options: argparse.Namespace) -> None:
    """List the environments that come with taskspace, and those of other installed packages.

    The table shows what varies between tasks, the number of actions, the size of the state, the
    horizon, and the clusters of tasks. Use a name with `taskspace run`.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from taskspace.envs.registry import make, names

    table = Table(title="Environments: taskspace.make(name)", box=SIMPLE_HEAD)
    for heading in ("name", "tasks vary by", "actions", "state", "horizon"):
        table.add_column(heading, min_width=13 if heading == "name" else None)
    table.add_column("clusters")
    for name in names():
        try:
            env = make(name)
        except ImportError as error:  # of another package
            print(f"taskspace: {error}", file=sys.stderr)
            continue
        table.add_row(
            name,
            env.varies_by,
            f"{len(env.action_names)}" + ("" if env.discrete else " cont."),
            str(env.state_size),
            str(env.horizon),
            f"{len(env.cluster_names)}: {', '.join(env.cluster_names)}",
        )
    Console().print(table)
