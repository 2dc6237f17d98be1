"""`taskspace run ENVIRONMENT`: agents, outcomes, a map and a report."""

from __future__ import annotations

import argparse
import contextlib
from typing import Any

from taskspace.cli.arguments import add_command, lines
from taskspace.cli.printing import print_measurements

_PRESETS = {
    "fast": "to try it out",
    "default": "good maps in minutes",
    "small": "Karel's default",
    "paper": "as many rollouts as the paper",
}
_EXAMPLES = """examples:
  taskspace run multikeynav
  taskspace run cartpolevar --preset fast --seed 1 --out runs/first-look
  taskspace run cartpolevar --ray 10.0.0.1:6379
"""


def add(commands: Any) -> None:
    """Add `run` to the commands of a parser."""
    parser = add_command(commands, "run", _run, "make a map of an environment", _EXAMPLES)
    parser.description = f"{_run.__doc__}\n\npresets:\n{lines(_PRESETS)}"
    parser.add_argument("environment", help="its name, as `taskspace envs` lists it")
    parser.add_argument("--out", metavar="DIR", help="the folder (runs/<environment>)")
    parser.add_argument(
        "--preset", default="default", choices=list(_PRESETS), help="see above (default)"
    )
    parser.add_argument("--data", metavar="DIR", help="Karel: tasks of `taskspace karel filter`")
    parser.add_argument("--seed", type=int, default=0, help="of everything (0)")
    parser.add_argument(
        "--ray", metavar="ADDRESS", nargs="?", const="",
        help="train and play agents on the Ray cluster at ADDRESS (such as 10.0.0.1:6379; without"
        " one: at RAY_ADDRESS, else on this machine); the result is the same",
    )  # fmt: skip


def _run(options: argparse.Namespace) -> None:
    """Train agents, play them, learn the map, and write a report. A stopped run goes on."""
    from taskspace.rollouts.ray import connected
    from taskspace.runs.pipeline import run

    remote = options.ray is not None
    with connected(options.ray or None) if remote else contextlib.nullcontext():
        made = run(
            options.environment, options.out, preset=options.preset, seed=options.seed,
            data=options.data, executor="ray" if remote else None,
        )  # fmt: skip
    print_measurements(made.results)
    print(f"silhouette {made.results['silhouette']:.3f}; report: {made.report()}")
