"""`taskspace score DIR ANSWERS`: the full score of an agent from a few answers."""

from __future__ import annotations

import argparse
import contextlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.predict import read_quiz
from taskspace.cli.printing import on_screen, print_note, print_table

if TYPE_CHECKING:
    from taskspace.applications.logged_answers import LoggedAnswers
    from taskspace.runs.run import Run


def add(commands: Any) -> None:
    """Add `score` to the commands of a parser."""
    example = (
        "ANSWERS is a table (.csv or .parquet) with the columns `task` and `result` (or `score`,\n"
        "`solved`, `success`), values from 0 to 1 (to K in a run with --max-score K), or `return`\n"
        "if the map is one of returns; the score is then the mean return. Empty cells are\n"
        "skipped answers. Or ANSWERS is a file or folder of logs, read as `fit` reads them; each\n"
        "model in them is an agent.\n\n"
        "examples:\n"
        "  taskspace score runs/helm answers.csv\n"
        "  taskspace score runs/helm answers.csv --by scenario --level 0.9\n"
        "  taskspace score runs/helm answers.csv --width 0.04    how many more answers it takes\n"
        "  taskspace score runs/helm logs_of_new_model         answers in logs\n"
    )
    parser = add_command(
        commands, "score", _run, "estimate the full score of an agent from a few answers", example
    )
    add_folder(parser)
    parser.add_argument("answers", metavar="ANSWERS", help="table of tasks with results, or logs")
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
    for name in ("metric", "filter"):
        parser.add_argument(f"--{name}", metavar="NAMES", help=f"{name} of logs to read, as in fit")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Estimate the full score of an agent from its answers to any of the tasks.

    The full score is the mean success rate, or the mean return, over all tasks of the run, or over
    those with the same label. The columns are agent (if ANSWERS are logs), group, score, low and
    high (the bounds of its interval), answered and tasks (numbers of tasks), and plain (the mean of
    the answers alone).
    """
    from taskspace.applications.intervals import check_width
    from taskspace.applications.scores import groups_by, unlabelled
    from taskspace.outcomes.readers.read import is_log

    _check(options)
    made = open_folder(options, options.answers)
    if options.width is not None and made.outcomes.scale is None:
        check_width(options.width, "--width")
    _, groups = groups_by(made.predictor.labels_, options.by, len(made.predictor.tasks_), "--by")
    notes = [text for text in [unlabelled(str(options.by), groups)] if text]
    if is_log(options.answers):
        with _told(notes):
            found = _read_logs(options, made)
        columns = _score_logs(options, made, found, notes)
    else:
        _refuse_log_options(options)
        with _told(notes):
            answers = read_quiz(made, options.answers)
        columns = _columns(options, made, *answers, notes)
    for text in notes:
        print_note(options, text)
    print_table(options, columns, warnings=notes)
    if on_screen(options):
        print_note(
            options,
            f"low and high are the bounds of the {100 * options.level:.4g}% interval of the score;"
            " plain is the mean of the answers.",
        )


@contextlib.contextmanager
def _told(into: list[str]) -> Iterator[None]:
    """Make warnings about the answers part of what the command says, also with --json."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    into += [f"warning: {one.message}" for one in caught]


def _refuse_log_options(options: argparse.Namespace) -> None:
    for name in ("metric", "filter"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} must be used with logs, got the table {options.answers}")


def _columns(
    options: argparse.Namespace,
    made: Run,
    quiz: Any,
    results: Any,
    notes: list[str],
    whose: str = "",
) -> dict[str, Any]:
    """The table of one agent; what it warns of is added to the notes."""
    predictor, settings = made.predictor, {"by": options.by, "level": options.level}
    found = predictor.score(quiz, results, **settings)
    if not found.answered.any():
        notes.append(
            f"warning: {whose}there are no answers, so that the score is what the known agents"
            " score on average, and its interval how far they differ"
        )
    if found.unusual:
        notes.append(f"warning: {whose}{found.warning}")
    columns = found.columns
    if options.width is not None:
        columns["more"] = predictor.answers_needed(quiz, results, options.width, **settings)
    return columns


def _score_logs(
    options: argparse.Namespace, made: Run, found: LoggedAnswers, notes: list[str]
) -> dict[str, Any]:
    """The tables of all agents in logs, one after the other."""
    if found.note:
        notes.append(f"{found.note}.")
    parts = []
    for number, agent in enumerate(found.agents.tolist()):
        if agent in made.outcomes.agents:
            notes.append(
                f"warning: {agent!r} is an agent of the run, so that its score is predicted from"
                " its own results, too"
            )
        quiz, results = found.of(number)
        part = _columns(options, made, quiz, results, notes, f"{agent}: ")
        parts.append({"agent": np.full(len(part["group"]), agent), **part})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _read_logs(options: argparse.Namespace, made: Run) -> LoggedAnswers:
    from taskspace.applications.logged_answers import logged_answers
    from taskspace.outcomes.readers.choices import UnclearResults
    from taskspace.outcomes.readers.read import read_as_before

    try:
        read = read_as_before(
            options.answers, made.outcomes, metric=options.metric, filter=options.filter
        )
    except UnclearResults as error:
        named = " ".join(f"--{option} {name}" for option, name in error.guess.items())
        raise ValueError(f"{error.problem}; choose by name, e.g. {named}") from error
    predictor = made.predictor
    return logged_answers(
        read, predictor.tasks_, predictor.labels_, options.answers,
        returns=predictor.scale_ is not None,
    )  # fmt: skip


def _check(options: argparse.Namespace) -> None:
    """Refuse invalid options before the run folder is opened, which takes seconds."""
    from taskspace.applications.intervals import check_level

    check_level(options.level, "--level")
    if options.width is not None and not options.width > 0:
        raise ValueError(f"--width must be a positive number, got {options.width}")
