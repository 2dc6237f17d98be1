"""`taskspace doctor DIR|RESULTS`: say whether a population is good enough for a map."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import add_command, add_out
from taskspace.cli.printing import print_table

if TYPE_CHECKING:
    from taskspace.applications.diagnosis import Diagnosis

_COLUMNS = ("agent", "task", "score", "max_score", "features", "tasks")
_EPILOG = """The output has one row per figure: figure, value, and what to compare it with. The
reliability of similarities is the rank correlation between halves of the agents, extrapolated to
all of them: 0 is chance, and at 1 more agents would change nothing. The verdict and the advice, the
most important first, are printed to standard error.

examples:
  taskspace doctor results.csv                       before any map is made
  taskspace doctor results.csv --features size,kind  and in what such tasks differ
  taskspace doctor runs/multikeynav                  the population of a run
  taskspace doctor runs/multikeynav --out health.csv
"""


def add(commands: Any) -> None:
    """Add `doctor` to the commands of a parser."""
    parser = add_command(
        commands, "doctor", _run, "say whether a population is good enough for a map", _EPILOG
    )
    parser.add_argument(
        "source", metavar="DIR|RESULTS",
        help="run folder written by `run` or `fit`, or a table of results as for `fit`",
    )  # fmt: skip
    for what, example in (("agent", "student"), ("task", "question"), ("score", "correct")):
        parser.add_argument(
            f"--{what}", metavar="COL", help=f"column of RESULTS that is the {what}, e.g. {example}"
        )
    parser.add_argument(
        "--max-score", type=float, metavar="K", help="highest possible score (default: 1)"
    )
    parser.add_argument(
        "--features", metavar="A,B,…", help="columns about tasks, or a table of them, as for `fit`"
    )
    parser.add_argument("--tasks", metavar="FILE", help="table of labels with one row per task")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of splits and samples (default: 0)"
    )
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Say whether a population of agents is good enough for a map of tasks.

    From the results alone, and in seconds: which tasks are usable, in how many skills the agents
    differ beyond chance, how reliable similarities are, which tasks no agent separates, which
    agents are copies, and what would improve the population.
    """
    from taskspace.outcomes.table_streams import check_out

    check_out(options.out, options.source, options.tasks)
    from taskspace.applications.doctor import diagnose

    found = diagnose(_source(options), seed=options.seed)
    print_table(options, found.columns)
    sys.stdout.flush()  # the table precedes what is said about it
    for line in _lines(found):
        print(line, file=sys.stderr)


def _source(options: argparse.Namespace) -> Any:
    """The run, or the outcomes of a table."""
    given = {name: getattr(options, name) for name in _COLUMNS}
    given = {name: value for name, value in given.items() if value is not None}
    if Path(options.source).is_dir():
        if given:
            option = next(iter(given)).replace("_", "-")
            raise ValueError(
                f"--{option} must be used with a table of results, got the folder {options.source}"
            )
        from taskspace.runs.run import open_run

        return open_run(options.source)
    from taskspace.outcomes.columns import UnclearColumns
    from taskspace.outcomes.outcomes import Outcomes

    try:
        return Outcomes.from_table(options.source, **given)
    except UnclearColumns as error:
        if not error.guess:
            raise
        named = [word for option, column in error.guess.items() for word in (f"--{option}", column)]
        command = shlex.join(["taskspace", "doctor", options.source, *named])
        raise ValueError(f"{error.problem}; name its columns, e.g. {command}") from error


def _lines(found: Diagnosis) -> list[str]:
    notes = [f"The figures are {found.sample}."] if found.sample else []
    return [found.verdict, *notes, *(f"- {sentence}" for sentence in found.advice)]
