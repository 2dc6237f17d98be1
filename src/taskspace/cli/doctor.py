"""`taskspace doctor DIR|RESULTS`: say whether a population is good enough for a map."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import add_command, add_out, add_returns
from taskspace.cli.printing import print_note, print_table

if TYPE_CHECKING:
    from taskspace.applications.diagnosis import Diagnosis
    from taskspace.outcomes.outcomes import Outcomes

_COLUMNS = (
    "agent", "task", "score", "max_score", "features", "tasks", "returns", "best", "success",
)  # fmt: skip
_LOGS = ("metric", "filter", "max_score", "returns", "best", "success")  # options for logs
_EPILOG = """The output has one row per figure: figure, value, and what to compare it with. The
reliability of similarities is their correlation between halves of the agents, extrapolated to all
of them: 0 is chance, and at 1 more agents would change nothing. Agents that differ in one skill
only may be reliable and still not show what others would; the last figure is 0 for them. The
verdict and the advice, the most important first, are printed to standard error.

examples:
  taskspace doctor results.csv                       before any map is made
  taskspace doctor results.csv --features size,kind  and in what such tasks differ
  taskspace doctor results.csv --returns             of returns
  taskspace doctor runs/multikeynav                  the population of a run
  taskspace doctor logs --metric acc                 the models in evaluation logs
  taskspace doctor runs/multikeynav --out health.csv
"""


def add(commands: Any) -> None:
    """Add `doctor` to the commands of a parser."""
    parser = add_command(
        commands, "doctor", _run, "say whether a population is good enough for a map", _EPILOG
    )
    parser.add_argument(
        "source", metavar="DIR|RESULTS",
        help="run folder written by `run` or `fit`, or a table of results or logs as for `fit`",
    )  # fmt: skip
    for what, example in (("agent", "student"), ("task", "question"), ("score", "correct")):
        parser.add_argument(
            f"--{what}", metavar="COL", help=f"column of RESULTS that is the {what}, e.g. {example}"
        )
    parser.add_argument(
        "--max-score", type=float, metavar="K", help="highest possible score (default: 1)"
    )
    add_returns(parser)
    parser.add_argument(
        "--features", metavar="A,B,…", help="columns about tasks, or a table of them, as for `fit`"
    )
    parser.add_argument("--tasks", metavar="FILE", help="table of labels with one row per task")
    for what in ("metric", "filter"):
        parser.add_argument(f"--{what}", metavar="NAMES", help=f"{what} of logs, as for `fit`")
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
    from taskspace.outcomes.how_read import how_read
    from taskspace.outcomes.outcomes import Outcomes

    source = _source(options)
    found = diagnose(source, seed=options.seed)
    for line in how_read(source) if isinstance(source, Outcomes) else ():  # as `fit` does
        print(line, file=sys.stderr)
    said = {"verdict": found.verdict, "sample": found.sample, "advice": list(found.advice)}
    print_table(options, found.columns, **said)
    for line in _lines(found):
        print_note(options, line)


def _source(options: argparse.Namespace) -> Any:
    """The run, or the outcomes of a table or of logs."""
    from taskspace.outcomes.readers.read import is_log, read_results
    from taskspace.runs import layout
    from taskspace.runs.run_settings import is_run
    from taskspace.runs.stages import has_result

    source = options.source
    if has_result(Path(source), layout.EMBEDDER) or is_run(Path(source)):
        from taskspace.runs.run import open_run

        _given(options, (), "a table of results or logs", "a run folder")
        return open_run(source)
    if is_log(source):
        given = _given(options, _LOGS, "a table of results", "logs")
        return _named(options, lambda: read_results(source, **given))
    from taskspace.outcomes.outcomes import Outcomes

    given = _given(options, _COLUMNS, "logs", "a table")
    return _named(options, lambda: Outcomes.from_table(source, **given))


def _given(
    options: argparse.Namespace, accepted: Sequence[str], instead: str, source: str
) -> dict[str, Any]:
    """The options that were given; one that does not apply to this source is refused."""
    every = {name: getattr(options, name) for name in (*_COLUMNS, *_LOGS)}
    given = {
        name: value for name, value in every.items() if value is not None and value is not False
    }
    for name in given:
        if name not in accepted:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} must be used with {instead}, got {source}")
    return given


def _named(options: argparse.Namespace, read: Callable[[], Outcomes]) -> Outcomes:
    """What is read; if columns or metrics are unclear, the error has a command to paste."""
    from taskspace.outcomes.columns import UnclearColumns
    from taskspace.outcomes.readers.choices import UnclearResults

    try:
        return read()
    except (UnclearColumns, UnclearResults) as error:
        if not error.guess:
            raise
        named = [word for option, name in error.guess.items() for word in (f"--{option}", name)]
        command = shlex.join(["taskspace", "doctor", options.source, *named])
        raise ValueError(f"{error.problem}; choose by name, e.g. {command}") from error


def _lines(found: Diagnosis) -> list[str]:
    notes = [f"The figures are {found.sample}."] if found.sample else []
    return [found.verdict, *notes, *(f"- {sentence}" for sentence in found.advice)]
