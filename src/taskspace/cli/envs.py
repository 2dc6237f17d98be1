"""`taskspace envs`: list the environments."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from taskspace.cli.arguments import add_command, add_json
from taskspace.cli.json_output import print_json


def add(commands: Any) -> None:
    """Add `envs` to the commands of a parser."""
    examples = "examples:\n  taskspace envs\n  taskspace envs --json\n"
    add_json(add_command(commands, "envs", _run, "list the environments", examples))


def _run(options: argparse.Namespace) -> None:
    """List the environments that come with taskspace, and those of other installed packages.

    The table shows what varies between tasks, the number of actions, the size of the state, the
    horizon, and the clusters of tasks. Use a name with `taskspace run`.
    """
    listed = _environments()
    if options.json:
        print_json(listed)
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Environments: taskspace.make(name)", box=SIMPLE_HEAD)
    for heading in ("name", "tasks vary by", "actions", "state", "horizon"):
        table.add_column(heading, min_width=13 if heading == "name" else None)
    table.add_column("clusters")
    for env in listed:
        table.add_row(
            env["name"],
            env["varies_by"],
            f"{env['actions']}" + ("" if env["discrete"] else " cont."),
            str(env["state_size"]),
            str(env["horizon"]),
            f"{len(env['clusters'])}: {', '.join(env['clusters'])}",
        )
    Console().print(table)


def _environments() -> list[dict[str, Any]]:
    """What the list says about each environment that can be loaded."""
    from taskspace.envs.registry import make, names

    found = []
    for name in names():
        try:
            env = make(name)
        except ImportError as error:  # of another package
            print(f"taskspace: {error}", file=sys.stderr)
            continue
        found.append({
            "name": name, "varies_by": env.varies_by, "actions": len(env.action_names),
            "discrete": env.discrete, "state_size": env.state_size, "horizon": env.horizon,
            "clusters": list(env.cluster_names),
        })  # fmt: skip
    return found
