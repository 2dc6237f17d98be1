"""The command line: parse, call one library function, print what it returns."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from taskspace._version import __version__

_EPILOG = """examples:
  taskspace envs                       what there is to solve
  taskspace bench rollouts             how fast agents are played on this machine
  taskspace bench rollouts --json      the same as one JSON object
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; mistakes are told in one sentence, without a traceback."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except KeyboardInterrupt:
        print("taskspace: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nothing is left to say
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"taskspace: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="taskspace",
        description="Learn a map of tasks from how a population of agents performs on them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"taskspace {__version__}")
    commands = parser.add_subparsers(metavar="command", required=True)
    envs = commands.add_parser("envs", help="list the environments", description=_envs.__doc__)
    envs.set_defaults(run=_envs)
    bench = commands.add_parser("bench", help="measure speed", description=_bench.__doc__)
    bench.add_argument("what", choices=["rollouts"], help="rollouts: playing agents on tasks")
    bench.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    bench.set_defaults(run=_bench)
    return parser


def _envs(options: argparse.Namespace) -> None:
    """List the environments: what their tasks vary by, their actions, states and clusters."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from taskspace.envs.registry import ENVIRONMENTS, make

    table = Table(title="Environments: taskspace.make(name)", box=SIMPLE_HEAD)
    for heading in ("name", "tasks vary by", "actions", "state", "horizon"):
        table.add_column(heading, min_width=13 if heading == "name" else None)
    table.add_column("clusters")
    for name in ENVIRONMENTS:
        env = make(name)
        table.add_row(
            name,
            env.varies_by,
            f"{len(env.action_names)}" + ("" if env.discrete else " real"),
            str(env.state_size),
            str(env.horizon),
            f"{len(env.cluster_names)}: {', '.join(env.cluster_names)}",
        )
    Console().print(table)


def _bench(options: argparse.Namespace) -> None:
    """Measure this machine: a plain loop, the general path and the compiled engine, in one run."""
    from rich.console import Console

    from taskspace.benchmarks import rollouts

    if options.json:
        print(json.dumps(rollouts.as_json(rollouts.measure_all()), indent=2))
    else:
        rollouts.print_report(Console())


if __name__ == "__main__":
    sys.exit(main())
