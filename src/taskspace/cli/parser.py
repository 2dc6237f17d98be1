"""The parser of all commands, and the handling of errors."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from taskspace import checks
from taskspace._version import __version__
from taskspace.cli import (
    agents,
    bench,
    completion,
    curriculum,
    doctor,
    embed,
    envs,
    explore,
    export,
    fit,
    hardest,
    karel,
    predict,
    quiz,
    redundant,
    reproduce,
    run,
    score,
    select,
    similar,
    subset,
)

LONGEST = 500  # characters of a message
_EPILOG = """examples:
  taskspace envs                       list the environments
  taskspace run multikeynav            train agents, learn a map, write runs/multikeynav/report.html
  taskspace run karel                  the same for agents that write programs; takes longer
  taskspace run cartpolevar --ray      train and evaluate agents on a Ray cluster
  taskspace fit results.csv --out DIR  make a map from a table of results
  taskspace fit logs --out DIR         the same from the logs of an evaluation harness
  taskspace doctor results.csv         are these agents good enough for a map?
  taskspace similar DIR task-17        list the tasks most similar to task-17
  taskspace hardest DIR                list the hardest tasks
  taskspace quiz DIR                   quiz an agent and predict its success on other tasks
  taskspace score DIR answers.csv      estimate the full score of an agent from a few answers
  taskspace redundant DIR              list tasks that measure the same thing twice
  taskspace agents DIR                 list the agents with scores and strengths
  taskspace subset DIR -k 30           choose 30 tasks that predict the full score
  taskspace explore DIR                explore the map in a browser
  taskspace curriculum c.npz           show what a curriculum trained on when
  taskspace export DIR map.parquet     export the map for other programs
  taskspace reproduce table1           reproduce Table 1 of the paper
  taskspace reproduce all              reproduce all tables and figures
  taskspace bench rollouts             measure the speed of rollouts on this machine
  taskspace karel generate tasks       generate Karel programming tasks
  taskspace --install-completion       complete commands and options in the shell

DIR is a run folder, which `run` and `fit` write. `taskspace COMMAND --help` describes a command.
"""
# In the order of `taskspace --help`.
_COMMANDS = (
    run,
    fit,
    doctor,
    embed,
    predict,
    score,
    select,
    similar,
    hardest,
    export,
    quiz,
    redundant,
    agents,
    subset,
    explore,
    curriculum,
    reproduce,
    envs,
    bench,
    karel,
    completion,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; errors are printed in one sentence, without a traceback."""
    _open_streams()
    try:
        try:
            _run(build_parser().parse_args(arguments))
        finally:
            sys.stdout.flush()  # the interpreter would report an error with a traceback
    except KeyboardInterrupt:
        print("taskspace: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has closed it
        _discard_output()
        return 1
    except MemoryError as error:
        print(f"taskspace: there is not enough memory: {error or 'none is left'}", file=sys.stderr)
        return 1
    except (ValueError, OSError, ImportError) as error:
        print(f"taskspace: {_sentence(error)}", file=sys.stderr)
        _discard_output()
        return 2
    return 0


def _sentence(error: Exception) -> str:
    """The message of an error; one of the operating system without its number."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"cannot use {error.filename}: {error.strerror}"
    return str(error)


def _run(options: argparse.Namespace) -> None:
    """Run a command; warnings are printed like errors, each once."""
    told: set[str] = set()  # two maps of the same results give the same warnings

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in told:
            told.add(str(message))
            print(f"taskspace: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        options.run(options)


def _open_streams() -> None:
    """Replace streams that are closed (as by `2>&-`), because Python has None in their place.

    Without standard error there is nobody to tell about errors. Writing to a closed standard output
    fails, as on a full disk.
    """
    for name in ("stdin", "stdout", "stderr"):  # in the order of their numbers, which they get
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, open(number, "r" if name == "stdin" else "w"))  # noqa: SIM115


def _discard_output() -> None:
    """Drop what is left of the output, so that the interpreter does not try it again."""
    with contextlib.suppress(OSError, ValueError):  # it is no file, or closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest name; so do the parsers of its commands."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is not among the choices, with the one that is probably meant."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = checks.nearest(str(value), map(str, action.choices or ()))
            if near is None:
                raise
            message = f"{error.message}. Did you mean {near!r}?"
            raise argparse.ArgumentError(action, message) from None

    def error(self, message: str) -> NoReturn:
        """Print the message and exit; a very long argument is not repeated in full."""
        from taskspace.outcomes.labels import shortened

        super().error(shortened(message, LONGEST))


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands and their options."""
    parser = _Parser(
        prog="taskspace",
        description="Learn a map of tasks from the performance of a population of agents.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"taskspace {__version__}")
    parser.add_argument(
        "--install-completion", nargs=0, action=completion.InstallCompletion,
        help="complete commands and options in this shell (bash or zsh) from now on",
    )  # fmt: skip
    commands = parser.add_subparsers(metavar="command", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return parser
