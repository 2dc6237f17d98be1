"""`taskspace run ENVIRONMENT`: make a map of an environment."""

from __future__ import annotations

import argparse
import contextlib
import inspect
from typing import Any

from taskspace.cli.arguments import add_command, add_json, add_method, add_title, lines
from taskspace.cli.finished import print_finished, without_verdict

_PRESETS = {
    "fast": "a first look, about a minute",
    "default": "good maps in minutes",
    "small": "the default for Karel",
    "paper": "as many rollouts as in the paper",
}
_EXAMPLES = """examples:
  taskspace run multikeynav
  taskspace run cartpolevar --preset fast --seed 1 --out runs/first-look
  taskspace run multikeynav --measure correlation --out runs/signed
  taskspace run cartpolevar --ray 10.0.0.1:6379
"""


def add(commands: Any) -> None:
    """Add `run` to the commands of a parser."""
    parser = add_command(commands, "run", _run, "make a map of an environment", _EXAMPLES)
    parser.description = f"{inspect.getdoc(_run)}\n\npresets:\n{lines(_PRESETS)}"
    parser.add_argument("environment", help="name of the environment, see `taskspace envs`")
    parser.add_argument(
        "--out", metavar="DIR", help="run folder to write (default: runs/<environment>)"
    )
    parser.add_argument(
        "--preset", default="default", choices=list(_PRESETS), help="amount of work, see above"
    )
    add_method(parser)
    parser.add_argument(
        "--data", metavar="DIR", help="for Karel: folder of tasks from `taskspace karel`"
    )
    add_title(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    parser.add_argument(
        "--ray", metavar="ADDRESS", nargs="?", const="",
        help="train and evaluate agents on the Ray cluster at ADDRESS, e.g. 10.0.0.1:6379 (default:"
        " RAY_ADDRESS, or else this machine); this does not change the results",
    )  # fmt: skip
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Make a map of an environment: train agents, evaluate them on tasks, and learn the map.

    All results are written to the run folder: agents, outcomes, the map, measurements of its
    quality, and the report (report.html). Interrupted runs resume: repeat the same command.
    """
    from taskspace.rollouts.ray import connected
    from taskspace.runs.pipeline import run

    remote = options.ray is not None
    cluster = connected(options.ray or None) if remote else contextlib.nullcontext()
    with cluster, without_verdict():
        made = run(
            options.environment, options.out, preset=options.preset, seed=options.seed,
            method=options.method, measure=options.measure, data=options.data,
            executor="ray" if remote else None, title=options.title,
        )  # fmt: skip
    print_finished(options, made)
