"""`taskspace predict DIR --quiz QUIZ TASKS`: predict the success of an agent after a quiz."""

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
        f"{TASKS}The quiz has an additional column `result` (or `score`, `solved`, `success`)\n"
        "with values from 0 to 1.\n\n"
        "example:\n"
        "  taskspace predict runs/multikeynav --quiz quiz.csv tasks.csv\n"
    )
    parser = add_command(
        commands, "predict", _run, "predict the success of an agent after a quiz", example
    )
    add_folder(parser)
    parser.add_argument(
        "--quiz", metavar="QUIZ", required=True, help="table of tasks with results of the agent"
    )
    parser.add_argument("tasks", metavar="TASKS", help="table of tasks, of any length")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Predict the success of an agent on tasks, from its results on a quiz of other tasks.

    The output is the table of tasks with an additional column `probability`, the predicted
    probability of success.
    """
    from taskspace.outcomes import tables
    from taskspace.outcomes.columns import RESULTS, recognised

    made = open_folder(options, options.tasks, options.quiz)
    quiz = tables.read(options.quiz)
    column = next(iter(recognised(quiz, RESULTS)), "result")
    tables.require(quiz, [column])
    results = tables.scores(quiz[column], column)
    quizzed = made.tasks_in(quiz)
    predictor = made.predictor

    def answer(tasks: Any) -> Columns:
        return {"probability": predictor.predict_proba(quizzed, results, tasks)}

    print_answers(options, made, answer)
