"""The parser of all commands, and what becomes of mistakes."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from taskspace._version import __version__
from taskspace.cli import (
    bench,
    embed,
    envs,
    explore,
    export,
    fit,
    hardest,
    karel,
    predict,
    quiz,
    reproduce,
    run,
    select,
    similar,
)

_EPILOG = """examples:
  taskspace run multikeynav            agents, outcomes, map and report, in runs/multikeynav
  taskspace run karel                  the same for agents that write programs; takes longer
  taskspace run cartpolevar --ray      agents train and play on a Ray cluster
  taskspace fit results.csv --out DIR  a map from nothing but a table of results
  taskspace similar DIR task-17        what a map says; so do embed, predict, select, hardest
  taskspace quiz DIR                   questions to an agent; what else it can do
  taskspace explore DIR                look at the map in a browser, and ask it questions
  taskspace export DIR map.parquet     the map for other programs
  taskspace reproduce table1           the paper's Table 1, with ours beside it
  taskspace reproduce all              every table and figure, on one page
  taskspace envs                       what there is to solve
  taskspace bench rollouts             how fast agents are played on this machine
  taskspace bench rollouts --json      the same as one JSON object
  taskspace karel generate tasks       programming tasks of Karel; `taskspace karel --help` has more
"""
# In the order of `taskspace --help`.
_VERBS = (
    run,
    fit,
    embed,
    predict,
    select,
    similar,
    hardest,
    export,
    quiz,
    explore,
    reproduce,
    envs,
    bench,
    karel,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; mistakes are told in one sentence, without a traceback."""
    options = build_parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: print(
                f"taskspace: {message}", file=sys.stderr
            )
            options.run(options)
    except KeyboardInterrupt:
        print("taskspace: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nothing is left to say
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"taskspace: {error}", file=sys.stderr)
        return 2
    return 0


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    whole = argparse.ArgumentParser(
        prog="taskspace",
        description="Learn a map of tasks from how a population of agents performs on them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"taskspace {__version__}")
    commands = whole.add_subparsers(metavar="command", required=True)
    for verb in _VERBS:
        verb.add(commands)
    return whole
