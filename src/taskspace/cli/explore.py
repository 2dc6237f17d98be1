"""`taskspace explore DIR`: the explorer serves a page, or writes it."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from taskspace.cli.arguments import add_command, add_folder, open_folder

_EXAMPLES = """The page shows the map, what is near a task, what an agent can do after a quiz, and
where a new task lands. Beside it is an HTTP API for other programs; its /docs say what it takes.
What takes long is kept in DIR as explorer.npz, and the next start is quick.

examples:
  taskspace explore runs/multikeynav
  taskspace explore runs/multikeynav --export map.html   one file, to be opened without a server
  taskspace explore runs/course --port 9000 --no-open
"""
_NEEDED = ("fastapi", "uvicorn", "httptools")  # to serve


def add(commands: Any) -> None:
    """Add `explore` to the commands of a parser."""
    told = "look at a map in a browser, and ask it questions"
    parser = add_command(commands, "explore", _run, told, _EXAMPLES)
    add_folder(parser)
    parser.add_argument("--port", type=int, metavar="N", help="(the first free one from 8400 on)")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="who can reach it: this machine alone (127.0.0.1), or everybody (0.0.0.0)",
    )  # fmt: skip
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    parser.add_argument("--export", metavar="FILE", help="write the page to a file instead")


def _run(options: argparse.Namespace) -> None:
    """Serve a page to explore a finished map with, and open it in a browser."""
    if options.export is not None:
        _export(options)
        return
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"the explorer needs {missing[0]}; install it with: pip install 'taskspace[explore]'"
        )
    if sys.stderr.isatty():
        print(f"reading {options.folder} …", file=sys.stderr)  # imports alone take seconds
    from taskspace.explore.server import serve

    serve(open_folder(options), options.port, options.host, open_browser=not options.no_open)


def _export(options: argparse.Namespace) -> None:
    from rich.filesize import decimal

    from taskspace.explore.export import export_page

    export_page(open_folder(options), options.export)
    print(f"written to {options.export} ({decimal(Path(options.export).stat().st_size)})")
