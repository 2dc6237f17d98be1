"""`taskspace explore DIR`: serve the explorer page, or write it to a file."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import add_command, add_folder, open_folder

if TYPE_CHECKING:
    from taskspace.explore.student_quiz import StudentQuiz
    from taskspace.runs.run import Run

_EXAMPLES = """The page shows the map, the tasks most similar to a task, the predicted success of an
agent after a quiz, and the position of new tasks. The server also has an HTTP API, documented at
/docs.

examples:
  taskspace explore runs/multikeynav
  taskspace explore runs/multikeynav --export map.html   write one file that needs no server
  taskspace explore runs/course --port 9000 --no-open
  taskspace explore runs/course --quiz-only --text question --key solution --host 0.0.0.0
      a quiz that students take alone; the server has neither the map nor any results
"""
_NEEDED = ("fastapi", "uvicorn", "httptools")  # to serve


def add(commands: Any) -> None:
    """Add `explore` to the commands of a parser."""
    parser = add_command(commands, "explore", _run, "explore a map in a browser", _EXAMPLES)
    add_folder(parser)
    parser.add_argument(
        "--port", type=int, metavar="N", help="port (default: the first free one from 8400)"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="127.0.0.1 for this machine only (default), 0.0.0.0 for all computers on the network",
    )  # fmt: skip
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    parser.add_argument("--export", metavar="FILE", help="write the page to a .html file instead")
    parser.add_argument(
        "--quiz-only", action="store_true",
        help="serve only an adaptive quiz that students take alone, with the result at its end",
    )  # fmt: skip
    quiz = parser.add_argument_group("with --quiz-only")
    quiz.add_argument(
        "--questions", type=int, metavar="N", help="number of questions (default: 10)"
    )
    quiz.add_argument("--text", metavar="LABEL", help="label of the tasks to show as their text")
    quiz.add_argument(
        "--key", metavar="LABEL",
        help="label with the right answers (default: students say themselves what they can solve)",
    )  # fmt: skip


def _run(options: argparse.Namespace) -> None:
    """Serve a web page for exploring a map, and open it in a browser. Press Ctrl-C to stop."""
    _check_quiz(options)
    if options.export is not None:
        _export(options)
        return
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"there is no package {missing[0]}; install it with pip install 'taskspace[explore]'"
        )
    if sys.stderr.isatty():
        print(f"reading {options.folder} …", file=sys.stderr)  # imports alone take seconds
    from taskspace.explore.server import serve

    run = open_folder(options)
    quiz = _quiz(run, options) if options.quiz_only else None
    serve(run, options.port, options.host, open_browser=not options.no_open, quiz=quiz)


def _check_quiz(options: argparse.Namespace) -> None:
    """Options of the quiz need it, and a file has no server for it."""
    for name in ("questions", "text", "key"):
        given = getattr(options, name)
        if given is not None and not options.quiz_only:
            raise ValueError(f"--{name} must be used with --quiz-only, got {given} without it")
    if options.quiz_only and options.export is not None:
        raise ValueError(f"--export must not be used with --quiz-only, got {options.export}")


def _quiz(run: Run, options: argparse.Namespace) -> StudentQuiz:
    from taskspace.explore.student_quiz import StudentQuiz

    return StudentQuiz(run, options.questions, options.text, options.key)


def _export(options: argparse.Namespace) -> None:
    from rich.filesize import decimal

    if options.port is not None:
        raise ValueError(f"--port must not be used with --export, got {options.port}")
    from taskspace.report.targets import check_page

    check_page(options.export)  # before the folder is opened, which takes seconds
    from taskspace.explore.export import export_page

    export_page(open_folder(options), options.export)
    print(f"written to {options.export} ({decimal(Path(options.export).stat().st_size)})")
