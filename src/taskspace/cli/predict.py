"""`taskspace predict DIR --quiz QUIZ TASKS`: predict the results of an agent after a quiz."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.cli.arguments import TASKS, add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import print_answers

if TYPE_CHECKING:
    from taskspace.outcomes.tables import Columns
    from taskspace.runs.run import Run

INTERVAL = 0.9


def add(commands: Any) -> None:
    """Add `predict` to the commands of a parser."""
    example = (
        f"{TASKS}The quiz has one additional column `result` (or `score`, `solved`, `success`)\n"
        "with values from 0 to 1 (to K in a run with --max-score K), or `return` with returns if\n"
        "the map is one of returns; empty cells are skipped answers.\n\n"
        "examples:\n"
        "  taskspace predict runs/multikeynav --quiz quiz.csv tasks.csv\n"
        "  taskspace predict runs/multikeynav --quiz quiz.csv tasks.csv --interval 0.9\n"
    )
    parser = add_command(
        commands, "predict", _run, "predict the success of an agent after a quiz", example
    )
    add_folder(parser)
    parser.add_argument(
        "--quiz", metavar="QUIZ", required=True, help="table of tasks with results of the agent"
    )
    parser.add_argument("tasks", metavar="TASKS", help="table of tasks, of any length")
    parser.add_argument(
        "--interval", type=float, metavar="LEVEL",
        help="also print an interval that has the true probability with this probability, e.g. 0.9",
    )  # fmt: skip
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Predict the success of an agent on tasks, from its results on a quiz of other tasks.

    The output is the table of tasks with an additional column `probability`, the predicted
    probability of success. With --interval, the columns `low` and `high` are bounds of the success
    rate over many attempts. On a map of returns, the column is `return`, the expected return, and
    `low` and `high` are always there (by default the bounds of a 90 % interval).
    """
    from taskspace.applications.intervals import check_level

    if options.interval is not None:
        check_level(options.interval, "--interval")
    made = open_folder(options, options.tasks, options.quiz)
    quiz, results = read_quiz(made, options.quiz)
    predictor = made.predictor

    def answer(tasks: Any) -> Columns:
        if predictor.scale_ is None:
            found = {"probability": predictor.predict_proba(quiz, results, tasks)}
        else:
            found = {"return": predictor.predict(quiz, results, tasks)}
        level = INTERVAL if predictor.scale_ is not None else None
        level = level if options.interval is None else options.interval
        if level is not None:
            found["low"], found["high"] = predictor.interval(quiz, results, tasks, level)
        return found

    print_answers(options, made, answer)


def read_quiz(made: Run, path: str) -> tuple[Any, Any]:
    """The tasks of a quiz, which may be empty, and the results on them."""
    from taskspace.outcomes import tables
    from taskspace.outcomes.attempts import Returns
    from taskspace.outcomes.result_tables import max_score_of
    from taskspace.outcomes.score_scales import check_scales
    from taskspace.outcomes.table_rows import located

    quiz = tables.read(path, may_be_empty=True)
    column = _result_column(made, quiz, path)
    _check_one_agent(quiz, path)
    with located(path):
        tasks = made.tasks_in(quiz)
        _check_once(quiz, tasks, path)
        if made.outcomes.scale is not None:
            return tasks, Returns().read(quiz[column], column)
        most = max_score_of(made.outcomes.info)
        results = tables.scores(quiz[column], column, None if most == 1 else most)
    given = results[~np.isnan(results)]
    check_scales(
        given, np.zeros(len(given), np.int64), [path], most, what="answers",
        advice="they must be those of the run", known=made.outcomes.rates,
    )  # fmt: skip
    return tasks, results


def _check_once(quiz: Columns, tasks: NDArray[Any], path: str) -> None:
    """Refuse repeated tasks: two results of one task could contradict each other."""
    from taskspace.outcomes.columns import name_column

    names = name_column(quiz, "task")
    rows = tasks.tolist() if names is None else quiz[names].to_pylist()
    seen: set[str] = set()
    for row in map(str, rows):
        if row in seen:
            raise ValueError(
                f"{path} must have each task once, got {row if names is None else repr(row)} again;"
                " the result of several attempts is their mean"
            )
        seen.add(row)


def _check_one_agent(quiz: Columns, path: str) -> None:
    """Refuse the answers of several agents, which would count as those of one."""
    from taskspace.outcomes.columns import AGENTS, recognised

    for name in recognised(quiz, AGENTS):
        count = len(quiz[name].unique())
        if count > 1:
            raise ValueError(
                f"{path} must have the results of one agent, got {count} in the column {name!r}"
            )


def _result_column(made: Run, quiz: Columns, path: str) -> str:
    """The one column of results; a feature or a label of the tasks is none."""
    from taskspace.outcomes.columns import RESULTS, RETURNS, SUCCESSES, listed, recognised

    names: tuple[str, ...] = RESULTS
    if made.outcomes.scale is not None:
        names = (*RETURNS, *(name for name in RESULTS if name not in SUCCESSES))
    known = {*made.outcomes.feature_names, *made.outcomes.task_labels}
    found = [name for name in recognised(quiz, dict.fromkeys(names)) if name not in known]
    if len(found) != 1:
        got = f"{found[0]!r} and {found[1]!r}" if found else f"the columns {listed(quiz)}"
        wanted = ", ".join(names[:5])
        raise ValueError(f"{path} must have one column of results ({wanted} …), got {got}")
    return found[0]
