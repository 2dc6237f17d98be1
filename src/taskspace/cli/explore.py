"""`taskspace explore DIR`: serve the explorer page, or write it to a file."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from taskspace.cli.arguments import add_command, add_folder, open_folder

_EXAMPLES = """The page shows the map, the tasks most similar to a task, the predicted success of an
agent after a quiz, and the position of new tasks. The server also has an HTTP API, documented at
/docs.

examples:
  taskspace explore runs/multikeynav
  taskspace explore runs/multikeynav --export map.html   write one file that needs no server
  taskspace explore runs/course --port 9000 --no-open
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


def _run(options: argparse.Namespace) -> None:
    """Serve a web page for exploring a map, and open it in a browser. Press Ctrl-C to stop."""
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

    serve(open_folder(options), options.port, options.host, open_browser=not options.no_open)


def _export(options: argparse.Namespace) -> None:
    from rich.filesize import decimal

    if options.port is not None:
        raise ValueError(f"--port must not be used with --export, got {options.port}")
    from taskspace.explore.export import export_page

    export_page(open_folder(options), options.export)
    print(f"written to {options.export} ({decimal(Path(options.export).stat().st_size)})")
