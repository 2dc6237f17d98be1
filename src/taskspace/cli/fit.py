"""`taskspace fit RESULTS --out DIR`: make a map from a table of results."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from taskspace.cli.arguments import add_command, add_method
from taskspace.cli.printing import print_measurements, without_verdict

_TABLES = """RESULTS has one of these forms:
  student,question,correct          attempts with scores from 0 to 1, one row per attempt
  agent,task,successes,rollouts     counts, one row per pair of agent and task
  agent,question 1,question 2,…     one column per task; empty cells are missing results
Columns are recognised by the names that people give them (student, model, user …; question, item,
problem …; correct, score, solved …); `fit` prints what it took each column for. Otherwise name
them by --agent, --task and --score.

Other columns are labels of tasks or of agents: the report, the explorer and lists show them, and
the map does not learn from them. To let it learn from columns of numbers that describe tasks, so
that it can place tasks that nobody has tried, name them by --features.

examples:
  taskspace fit results.csv --out runs/course
  taskspace fit results.csv --tasks questions.csv --agents students.csv --out runs/course
  taskspace fit results.csv --tasks levels.csv --features width,height --out runs/levels
  taskspace fit results.csv --agent name --task exercise --score points --max-score 5 --out runs/c
"""


def add(commands: Any) -> None:
    """Add `fit` to the commands of a parser."""
    parser = add_command(commands, "fit", _run, "make a map from a table of results", _TABLES)
    parser.add_argument(
        "table", metavar="RESULTS", help="table of results, .csv or .parquet, see below"
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="run folder to write")
    parser.add_argument("--tasks", metavar="FILE", help="table of labels with one row per task")
    parser.add_argument("--agents", metavar="FILE", help="table of labels with one row per agent")
    parser.add_argument(
        "--features",
        metavar="A,B,…",
        help="columns about tasks that the map learns from; or a table with one row per task, whose"
        " columns of numbers are features",
    )
    for what, example in (("agent", "student"), ("task", "question"), ("score", "correct")):
        parser.add_argument(
            f"--{what}", metavar="COL", help=f"column of RESULTS that is the {what}, e.g. {example}"
        )
    parser.add_argument(
        "--max-score", type=float, default=1, metavar="K",
        help="highest possible score; scores are divided by it (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--dimensions",
        default="auto",
        metavar="N",
        help="number of dimensions of the map (default: auto, which keeps 95 %% of the information"
        " that exceeds chance)",
    )
    add_method(parser)
    parser.add_argument(
        "--steps", type=int, metavar="N",
        help="training steps of an ordinal map (default: 6000)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")


def _run(options: argparse.Namespace) -> None:
    """Make a map from a table of results, e.g. of students on exam questions.

    All results are written to the run folder: the map, measurements of its quality, and the report
    (report.html). Interrupted runs resume: repeat the same command.
    """
    from taskspace.outcomes.columns import UnclearColumns
    from taskspace.runs.pipeline import fit

    if options.steps is not None and options.method != "ordinal":
        raise ValueError(f"--steps must be used with --method ordinal, got {options.method}")
    named = ["features", "tasks", "agents", "agent", "task", "score", "max_score"]
    named += ["steps"] if options.steps is not None else []
    try:
        with without_verdict():
            made = fit(
                options.table, options.out, **{name: getattr(options, name) for name in named},
                n_components=_dimensions(options.dimensions),
                method=options.method, seed=options.seed,
            )  # fmt: skip
    except UnclearColumns as error:
        if not error.guess:
            raise
        command = _command(options, error.guess)
        raise ValueError(f"{error.problem}; name its columns, e.g. {command}") from error
    print_measurements(made)
    print(f"report: {made.report()}")


def _dimensions(text: str) -> int | str:
    """A number if it is one; Python refuses to read thousands of digits."""
    return int(text) if text.isdecimal() and len(text) < 100 else text


def _command(options: argparse.Namespace, guess: dict[str, str]) -> str:
    """The command with the columns named, to be pasted and corrected."""
    named = [word for option, column in guess.items() for word in (f"--{option}", column)]
    return shlex.join(["taskspace", "fit", options.table, *named, "--out", options.out])
