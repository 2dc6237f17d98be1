"""`taskspace fit RESULTS --out DIR`: make a map from a table of results or evaluation logs."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from taskspace.cli.arguments import add_command, add_json, add_method, add_returns, add_title
from taskspace.cli.finished import print_finished, without_verdict

_TABLES = """A table of results has one of these forms:
  student,question,correct          attempts with scores from 0 to 1, one row per attempt
  agent,task,successes,rollouts     counts, one row per pair of agent and task
  agent,question 1,question 2,…     one column per task; empty cells are missing results
  agent,task,return                 with --returns: any numbers, one row per attempt
Columns are recognised by the names that people give them (student, model, user …; question, item,
problem …; correct, score, solved …); `fit` prints what it took each column for. Otherwise name
them by --agent, --task and --score.

Other columns are labels of tasks or of agents: the report, the explorer and lists show them, and
the map does not learn from them. To let it learn from columns of numbers that describe tasks, so
that it can place tasks that nobody has tried, name them by --features.

With --returns, results are returns or scores on any scale, in a column return, reward or score, or
one column per task. Tasks are similar if they put the agents in a similar order. Difficulty is the
mean regret if the best possible return is given (--best), the share of agents below a threshold
(--success), or else an ordering within what the agents reached.

Logs of lm-evaluation-harness, Inspect, HELM, Every Eval Ever and py-irt are read as well, from
files or folders: models are agents, and items are tasks. Repeated runs and epochs are attempts. If
the logs have several metrics or filters, choose by --metric and --filter. With --returns, scores
may be any numbers; those of which less is better are negated. `fit` prints which files were read as
what.

examples:
  taskspace fit results.csv --out runs/course
  taskspace fit results.csv --tasks questions.csv --agents students.csv --out runs/course
  taskspace fit results.csv --tasks levels.csv --features width,height --out runs/levels
  taskspace fit results.csv --agent name --task exercise --score points --max-score 5 --out runs/c
  taskspace fit results.csv --measure correlation --out runs/signed
  taskspace fit results.csv --returns --success 200 --out runs/lander
  taskspace fit logs --out runs/models
  taskspace fit logs --metric acc_norm,exact_match --filter strict-match --out runs/models
  taskspace fit logs --returns --metric judge --out runs/judged
"""


def add(commands: Any) -> None:
    """Add `fit` to the commands of a parser."""
    parser = add_command(commands, "fit", _run, "make a map from results or logs", _TABLES)
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+",
        help="table of results, .csv or .parquet, or files or folders of logs, see below",
    )  # fmt: skip
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
    add_returns(parser)
    parser.add_argument(
        "--metric", metavar="NAMES",
        help="metric of logs to read; of several names, separated by commas, the first that a"
        " benchmark has",
    )  # fmt: skip
    parser.add_argument(
        "--filter", metavar="NAMES",
        help="filter of logs to read, likewise; for HELM, a perturbation or original",
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
    add_title(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Make a map from results, e.g. of students on exam questions or of models on benchmarks.

    All results are written to the run folder: the map, measurements of its quality, and the report
    (report.html). Interrupted runs resume: repeat the same command.
    """
    from taskspace.outcomes.columns import UnclearColumns
    from taskspace.outcomes.readers.choices import UnclearResults
    from taskspace.runs.pipeline import fit

    if options.steps is not None and options.method != "ordinal":
        raise ValueError(f"--steps must be used with --method ordinal, got {options.method}")
    named = ["features", "tasks", "agents", "agent", "task", "score", "max_score"]
    named += ["metric", "filter", "returns", "best", "success", "title"]
    named += ["steps"] if options.steps is not None else []
    try:
        with without_verdict():
            made = fit(
                _results(options), options.out, **{name: getattr(options, name) for name in named},
                n_components=_dimensions(options.dimensions),
                method=options.method, measure=options.measure, seed=options.seed,
            )  # fmt: skip
    except UnclearColumns as error:
        if not error.guess:
            raise
        command = _command(options, error.guess)
        raise ValueError(f"{error.problem}; name its columns, e.g. {command}") from error
    except UnclearResults as error:
        command = _command(options, error.guess)
        raise ValueError(f"{error.problem}; choose by name, e.g. {command}") from error
    print_finished(options, made)


def _results(options: argparse.Namespace) -> str | list[str]:
    """One path or several."""
    paths: list[str] = options.results
    return paths[0] if len(paths) == 1 else paths


def _dimensions(text: str) -> int | str:
    """A number if it is one; Python refuses to read thousands of digits."""
    return int(text) if text.isdecimal() and len(text) < 100 else text


def _command(options: argparse.Namespace, guess: dict[str, str]) -> str:
    """The command with columns, metrics or filters named, to be pasted and corrected."""
    named = [word for option, column in guess.items() for word in (f"--{option}", column)]
    return shlex.join(["taskspace", "fit", *options.results, *named, "--out", options.out])
