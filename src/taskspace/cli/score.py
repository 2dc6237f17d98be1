"""`taskspace score DIR ANSWERS`: the full score of an agent from a few answers."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.predict import read_quiz
from taskspace.cli.printing import print_table


def add(commands: Any) -> None:
    """Add `score` to the commands of a parser."""
    example = (
        "ANSWERS is a table (.csv or .parquet) with the columns `task` and `result` (or `score`,\n"
        "`solved`, `success`), values from 0 to 1, or `return` if the map is one of returns;\n"
        "empty cells are skipped answers. The score is then the mean return.\n\n"
        "examples:\n"
        "  taskspace score runs/helm answers.csv\n"
        "  taskspace score runs/helm answers.csv --by scenario --level 0.9\n"
        "  taskspace score runs/helm answers.csv --width 0.04    how many more answers it takes\n"
    )
    parser = add_command(
        commands, "score", _run, "estimate the full score of an agent from a few answers", example
    )
    add_folder(parser)
    parser.add_argument("answers", metavar="ANSWERS", help="table of tasks with results")
    parser.add_argument(
        "--by", metavar="LABEL", help="label of the tasks, for one score per value of it"
    )
    parser.add_argument(
        "--level", type=float, default=0.9, help="level of the intervals (default: 0.9)"
    )
    parser.add_argument(
        "--width", type=float, metavar="W", help="also print how many more answers, to random"
        " tasks of each group, would make its interval this narrow",
    )  # fmt: skip
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Estimate the full score of an agent from its answers to any of the tasks.

    The full score is the mean success rate, or the mean return, over all tasks of the run, or over
    those with the same label. The columns are group, score, low and high (the bounds of its
    interval), answered and tasks (numbers of tasks), and plain (the mean of the answers alone).
    """
    from taskspace.applications.predictor import check_width
    from taskspace.applications.scores import groups_by

    _check(options)
    made = open_folder(options, options.answers)
    if options.width is not None and made.outcomes.scale is None:
        check_width(options.width, "--width")
    quiz, results = read_quiz(made, options.answers)
    groups_by(made.predictor.labels_, options.by, len(made.predictor.tasks_), "--by")
    predictor, settings = made.predictor, {"by": options.by, "level": options.level}
    found = predictor.score(quiz, results, **settings)
    if found.unusual:
        print(f"warning: {found.warning}", file=sys.stderr)
    columns = found.columns
    if options.width is not None:
        columns["more"] = predictor.answers_needed(quiz, results, options.width, **settings)
    print_table(options, columns)


def _check(options: argparse.Namespace) -> None:
    """Refuse invalid options before the run folder is opened, which takes seconds."""
    from taskspace.applications.predictor import check_level

    check_level(options.level, "--level")
    if options.width is not None and not options.width > 0:
        raise ValueError(f"--width must be a positive number, got {options.width}")
