"""`taskspace fit RESULTS --out DIR`: a map from nothing but a table of results."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.arguments import add_command
from taskspace.cli.printing import print_measurements

_TABLES = """results.csv is one of
  agent,task,successes,rollouts     counts, a row for each pair of agent and task
  agent,task,score                  single attempts, 0 or 1 or between; repeated ones add up
  agent,question 1,question 2,…     a column for each task; an empty cell was never tried
More columns of the first two are numbers that describe the task; or they stand in a table of
their own, with a column `task`, given by --features.

examples:
  taskspace fit results.csv --out runs/course
  taskspace fit results.csv --features questions.csv --dimensions auto --out runs/course
"""


def add(commands: Any) -> None:
    """Add `fit` to the commands of a parser."""
    parser = add_command(commands, "fit", _run, "make a map from a table of results", _TABLES)
    parser.add_argument("table", metavar="RESULTS", help="a .csv or .parquet file, see below")
    parser.add_argument("--out", metavar="DIR", required=True, help="the folder of the map")
    parser.add_argument("--features", metavar="FILE", help="a table of the tasks' features")
    parser.add_argument("--dimensions", default="3", metavar="N", help="of the map, or auto (3)")
    parser.add_argument("--steps", type=int, default=6000, help="of learning (6000)")
    parser.add_argument("--seed", type=int, default=0, help="of everything (0)")


def _run(options: argparse.Namespace) -> None:
    """Learn a map from a table of results, and write a report. A stopped fit goes on."""
    from taskspace.runs.pipeline import fit

    dimensions = options.dimensions
    made = fit(
        options.table, options.out, features=options.features,
        n_components=int(dimensions) if dimensions.isdecimal() else dimensions,
        steps=options.steps, seed=options.seed,
    )  # fmt: skip
    print_measurements(made.results)
    print(f"report: {made.report()}")
