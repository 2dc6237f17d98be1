"""`taskspace predict DIR --quiz QUIZ TASKS`: an agent's chances, from its results on a quiz."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import TASKS, add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import print_answers

if TYPE_CHECKING:
    from taskspace.outcomes.tables import Columns


def add(commands: Any) -> None:
    """Add `predict` to the commands of a parser."""
    example = (
        f"{TASKS}The quiz has one more column, `result` (or `score`, `solved`, `success`): 0, 1\n"
        "or between.\n\n"
        "example:\n"
        "  taskspace predict runs/multikeynav --quiz quiz.csv tasks.csv\n"
    )
    parser = add_command(
        commands, "predict", _run, "an agent's chances, from its results on a quiz", example
    )
    add_folder(parser)
    parser.add_argument("--quiz", metavar="QUIZ", required=True, help="tasks with their results")
    parser.add_argument("tasks", metavar="TASKS", help="a table of tasks, of any length")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Say how likely an agent is to solve tasks, from how it did on a quiz of other tasks."""
    from taskspace.outcomes import tables
    from taskspace.outcomes.result_tables import SCORES

    made = open_folder(options, options.tasks, options.quiz)
    quiz = tables.read(options.quiz)
    column = next((name for name in SCORES if name in quiz), "result")
    tables.require(quiz, [column])
    results = tables.scores(quiz[column], column)
    asked = made.tasks_in(quiz)
    predictor = made.predictor

    def answer(tasks: Any) -> Columns:
        return {"probability": predictor.predict_proba(asked, results, tasks)}

    print_answers(options, made, answer)
