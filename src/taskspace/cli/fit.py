"""`taskspace fit RESULTS --out DIR`: make a map from a table of results."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace.cli.arguments import add_command, add_method
from taskspace.cli.printing import print_measurements, without_verdict

_TABLES = """RESULTS has one of these forms:
  agent,task,successes,rollouts     counts, one row per pair of agent and task
  agent,task,score                  attempts with scores from 0 to 1, one row per attempt
  agent,question 1,question 2,…     one column per task; empty cells are missing results
In the first two forms, any other numeric column is a feature of the task. Features may also be in
a second table with a column `task`, given by --features.

examples:
  taskspace fit results.csv --out runs/course
  taskspace fit results.csv --features questions.csv --dimensions 6 --out runs/course
"""


def add(commands: Any) -> None:
    """Add `fit` to the commands of a parser."""
    parser = add_command(commands, "fit", _run, "make a map from a table of results", _TABLES)
    parser.add_argument(
        "table", metavar="RESULTS", help="table of results, .csv or .parquet, see below"
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="run folder to write")
    parser.add_argument(
        "--features", metavar="FILE", help="table of task features, .csv or .parquet"
    )
    parser.add_argument(
        "--dimensions",
        default="auto",
        metavar="N",
        help="number of dimensions of the map (default: auto, which keeps 95 %% of the information"
        " that exceeds chance)",
    )
    add_method(parser)
    parser.add_argument(
        "--steps", type=int, default=6000, metavar="N",
        help="training steps of an ordinal map (default: 6000)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")


def _run(options: argparse.Namespace) -> None:
    """Make a map from a table of results, e.g. of students on exam questions.

    All results are written to the run folder: the map, measurements of its quality, and the report
    (report.html). Interrupted runs resume: repeat the same command.
    """
    from taskspace.runs.pipeline import fit

    dimensions = options.dimensions
    with without_verdict():
        made = fit(
            options.table, options.out, features=options.features,
            n_components=int(dimensions) if dimensions.isdecimal() else dimensions,
            method=options.method, steps=options.steps, seed=options.seed,
        )  # fmt: skip
    print_measurements(made)
    print(f"report: {made.report()}")
