"""The command line for a finished map: fit one to a table, ask it questions, export it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.cli_printing import MOST_SHOWN, add_command, print_columns

if TYPE_CHECKING:
    from taskspace.runs.run import Run
    from taskspace.tables import Columns

_RESULTS = """results.csv is one of
  agent,task,successes,rollouts     counts, a row for each pair of agent and task
  agent,task,score                  single attempts, 0 or 1 or between; repeated ones add up
  agent,question 1,question 2,…     a column for each task; an empty cell was never tried
More columns of the first two are numbers that describe the task; or they stand in a table of
their own, with a column `task`, given by --features.

examples:
  taskspace fit results.csv --out runs/course
  taskspace fit results.csv --features questions.csv --dimensions auto --out runs/course
"""
_TASKS = """A table of tasks (.csv or .parquet) has the columns of features that the map was learned
with, or a column `task` with names of tasks that it was learned from.
"""
_ABOUT = ("task", "similarity", "difficulty", "success", "cluster")  # what a list is read for
_LISTED = f"The features of tasks are listed where they are at most {MOST_SHOWN}; --out has all.\n"


def add_commands(commands: Any) -> None:
    """Add what can be done with a map to the commands of a parser."""
    _add_fit(commands)
    _add_embed(commands)
    _add_predict(commands)
    _add_select(commands)
    _add_similar(commands)
    _add_hardest(commands)
    _add_export(commands)


def _add_fit(commands: Any) -> None:
    parser = add_command(commands, _fit, "make a map from a table of results", _RESULTS)
    parser.add_argument("table", metavar="RESULTS", help="a .csv or .parquet file, see below")
    parser.add_argument("--out", metavar="DIR", required=True, help="the folder of the map")
    parser.add_argument("--features", metavar="FILE", help="a table of the tasks' features")
    parser.add_argument("--dimensions", default="3", metavar="N", help="of the map, or auto (3)")
    parser.add_argument("--steps", type=int, default=6000, help="of learning (6000)")
    parser.add_argument("--seed", type=int, default=0, help="of everything (0)")


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="what `run` or `fit` made")


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help=".csv or .parquet (standard output)")


def _add_embed(commands: Any) -> None:
    example = (
        f"{_TASKS}\nexample:\n  taskspace embed runs/multikeynav tasks.csv --out vectors.csv\n"
    )
    parser = add_command(commands, _embed, "vectors and difficulties of tasks", example)
    _add_folder(parser)
    parser.add_argument("tasks", metavar="TASKS", help="a table of tasks, of any length")
    _add_out(parser)


def _add_predict(commands: Any) -> None:
    example = (
        f"{_TASKS}The quiz has one more column, `result` (or `score`, `solved`, `success`): 0, 1\n"
        "or between.\n\n"
        "example:\n"
        "  taskspace predict runs/multikeynav --quiz quiz.csv tasks.csv\n"
    )
    parser = add_command(
        commands, _predict, "an agent's chances, from its results on a quiz", example
    )
    _add_folder(parser)
    parser.add_argument("--quiz", metavar="QUIZ", required=True, help="tasks with their results")
    parser.add_argument("tasks", metavar="TASKS", help="a table of tasks, of any length")
    _add_out(parser)


def _add_select(commands: Any) -> None:
    example = (
        f"{_TASKS}\nexample:\n"
        "  taskspace select runs/multikeynav --reference task.csv options.csv --harder -k 5\n"
    )
    parser = add_command(commands, _select, "the options most like a task", example)
    _add_folder(parser)
    parser.add_argument("--reference", metavar="TASK", required=True, help="a table of one task")
    parser.add_argument("options", metavar="OPTIONS", help="a table of tasks to choose from")
    _add_how_many(parser)
    _add_harder(parser)
    _add_out(parser)


def _add_similar(commands: Any) -> None:
    example = f"{_LISTED}\nexample:\n  taskspace similar runs/multikeynav task-17 -k 5 --easier\n"
    parser = add_command(commands, _similar, "tasks of the map most like one of them", example)
    _add_folder(parser)
    parser.add_argument("task", metavar="TASK", help="its name; `hardest` and `export` list names")
    _add_how_many(parser)
    _add_harder(parser)
    _add_out(parser)


def _add_hardest(commands: Any) -> None:
    parser = add_command(
        commands, _hardest, "the hardest tasks of the map",
        f"{_LISTED}\nexample:\n  taskspace hardest runs/multikeynav -k 5\n",
    )  # fmt: skip
    _add_folder(parser)
    _add_how_many(parser)
    _add_out(parser)


def _add_export(commands: Any) -> None:
    example = (
        "examples:\n"
        "  taskspace export runs/multikeynav map.parquet   a row a task: vector, cluster, …\n"
        "  taskspace export runs/multikeynav map.csv       the same for viewers of embeddings\n"
        "  taskspace export runs/multikeynav projector     TensorBoard's pair of TSV files\n"
    )
    parser = add_command(commands, _export, "the map for other programs", example)
    _add_folder(parser)
    parser.add_argument("target", metavar="TARGET", help="a .parquet or .csv file, or a folder")


def _add_how_many(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-k", type=int, default=10, metavar="N", help="how many (10)")


def _add_harder(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--harder", action="store_true", help="only tasks that are harder")
    group.add_argument("--easier", action="store_true", help="only tasks that are easier")


# -- what the commands do --------------------------------------------------------------------------


def _fit(options: argparse.Namespace) -> None:
    """Learn a map from a table of results, and write a report. A stopped fit goes on."""
    from taskspace.cli_printing import print_numbers
    from taskspace.runs.pipeline import fit

    dimensions = options.dimensions
    made = fit(
        options.table, options.out, features=options.features,
        n_components=int(dimensions) if dimensions.isdecimal() else dimensions,
        steps=options.steps, seed=options.seed,
    )  # fmt: skip
    print_numbers(made.results)
    print(f"report: {made.report()}")


def _embed(options: argparse.Namespace) -> None:
    """Give tasks their vectors and difficulties, row by row of a table that may be large."""
    made = _load(options, options.tasks)
    _stream(options, made, lambda tasks: _placed(made.embedder.transform(tasks)))


def _placed(vectors: Any) -> Columns:
    columns = {f"v{i}": column for i, column in enumerate(vectors.T)}
    return {**columns, "difficulty": np.linalg.norm(vectors, axis=1)}


def _predict(options: argparse.Namespace) -> None:
    """Say how likely an agent is to solve tasks, from how it did on a quiz of other tasks."""
    from taskspace import tables
    from taskspace.outcome_tables import SCORES

    made = _load(options, options.tasks, options.quiz)
    quiz = tables.read(options.quiz)
    column = next((name for name in SCORES if name in quiz), "result")
    tables.require(quiz, [column])
    results = tables.scores(quiz[column], column)
    asked = made.tasks_in(quiz)
    predictor = made.predictor

    def answer(tasks: Any) -> Columns:
        return {"probability": predictor.predict_proba(asked, results, tasks)}

    _stream(options, made, answer)


def _stream(options: argparse.Namespace, made: Run, answer: Any) -> None:
    """The table of tasks, piece by piece, with columns of answers added."""
    from taskspace.table_streams import open_writer, read_pieces

    pieces = read_pieces(options.tasks)
    with open_writer(options.out) as writer:
        for columns in pieces:
            found = answer(made.tasks_in(columns))
            taken = [name for name in found if name in columns]
            if taken:
                raise ValueError(f"{options.tasks} already has a column {taken[0]!r}; rename it")
            writer.write({**columns, **found})


def _select(options: argparse.Namespace) -> None:
    """List the options that are most like a reference task, the best first."""
    from taskspace import tables
    from taskspace.applications.selection import select

    made = _load(options, options.reference, options.options)
    reference, choices = tables.read(options.reference), tables.read(options.options)
    task, tasks = made.tasks_in(reference), made.tasks_in(choices)
    if len(task) != 1:
        raise ValueError(f"{options.reference} holds {len(task)} tasks; expected one")
    best = select(
        made.embedder, task, tasks, k=options.k, harder=options.harder, easier=options.easier
    )
    found = {"row": best, **{name: values.take(best) for name, values in choices.items()}}
    likeness = made.embedder.similarity(task, tasks[best])[0] if len(best) else np.zeros(0)
    _write(options, {**found, "similarity": likeness})


def _similar(options: argparse.Namespace) -> None:
    """List the tasks that are most like one of the map, the most alike first."""
    made = _load(options)
    place = made.number(options.task)
    found, likeness = made.index.similar(
        made.index.vectors[place], options.k + 1, harder=options.harder, easier=options.easier
    )
    other = found != place  # a task is like itself, which nobody asks
    _list(
        options, made.describe(found[other][: options.k], similarity=likeness[other][: options.k])
    )


def _hardest(options: argparse.Namespace) -> None:
    """List the tasks of a map that are hardest, the hardest first."""
    made = _load(options)
    _list(options, made.describe(made.index.hardest(options.k)))


def _export(options: argparse.Namespace) -> None:
    """Write all tasks of a map, with their vectors, for other programs."""
    for path in _load(options).export(options.target):
        print(f"written to {path}")


def _load(options: argparse.Namespace, *inputs: str) -> Run:
    """The map; files that are read beside it must not be written to."""
    from taskspace.runs.run import open_run
    from taskspace.table_streams import refuse_overwriting

    if inputs:
        refuse_overwriting(options.out, *inputs)
    return open_run(Path(options.folder))


def _list(options: argparse.Namespace, columns: Columns) -> None:
    """Tasks, with their features where these are few or go to a file."""
    short = {name: columns[name] for name in _ABOUT if name in columns}
    features = len(columns) - len(short)
    if options.out is None and features > MOST_SHOWN:
        print(f"{features} features are left out; --out FILE has them", file=sys.stderr)
        columns = short
    _write(options, columns)


def _write(options: argparse.Namespace, columns: Columns) -> None:
    """A table for a person at a terminal, CSV for programs, and a file where one is named."""
    from taskspace.table_streams import open_writer

    if options.out is None and sys.stdout.isatty():
        print_columns(columns)
        return
    with open_writer(options.out) as writer:
        writer.write(columns)
