"""`taskspace reproduce PART`: reproduce tables and figures of the paper."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from taskspace.cli.arguments import add_command, add_json, lines
from taskspace.cli.json_output import print_json

_EXAMPLES = """examples:
  taskspace reproduce table1 --only ours
  taskspace reproduce figure5 --env MultiKeyNav --seeds 1
  taskspace reproduce curriculum --only ours --env BasicKarel --seeds 8
  taskspace reproduce curriculum --finished --seeds 8
  taskspace reproduce curriculum --tuning
  taskspace reproduce all --preset fast --out runs/quick
"""


def add(commands: Any) -> None:
    """Add `reproduce` to the commands of a parser."""
    from taskspace.paper.parts import PARTS

    listed = lines({**PARTS, "all": "all of these, on one page"})
    summary = "reproduce tables and figures of the paper"
    parser = add_command(commands, "reproduce", _run, summary, _EXAMPLES)
    parser.description = f"{inspect.getdoc(_run)}\n\nparts:\n{listed}"
    parser.add_argument(
        "what", choices=[*PARTS, "all"], metavar="what", help="name of the part, see above"
    )
    parser.add_argument(
        "--env", action="append", metavar="NAME", help="only this environment (may be repeated)"
    )
    parser.add_argument(
        "--only", choices=["ours"],
        help="for table1: without the baselines; for curriculum: ours and IID",
    )  # fmt: skip
    parser.add_argument(
        "--finished", action="store_true",
        help="for curriculum: train nothing, show what has been trained so far",
    )  # fmt: skip
    parser.add_argument(
        "--tuning", action="store_true",
        help="for curriculum: how its options were chosen, on fixed seeds that are not reported",
    )  # fmt: skip
    parser.add_argument(
        "--seeds",
        type=int,
        default=3,
        metavar="N",
        help="number of runs of the whole pipeline (default: 3)",
    )
    parser.add_argument(
        "--preset", default="default", choices=["fast", "default", "paper"],
        help="amount of work (default: default)",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="DIR", default="runs/paper", help="output folder (default: runs/paper)"
    )
    parser.add_argument("--karel", action="store_true", help="include Karel, which takes longer")
    parser.add_argument(
        "--page", metavar="FILE", help="for all: file of the page (default: DIR/results.md)"
    )
    add_json(parser)


def _run(options: argparse.Namespace) -> None:
    """Reproduce a table or figure of the paper, and print it next to the published numbers.

    Tables (.csv) and figures (.png) are written to the output folder. Finished parts are reused,
    and interrupted runs resume.
    """
    from taskspace.paper import curriculum, curriculum_tuning, everything, table1
    from taskspace.paper.curriculum_methods import METHODS
    from taskspace.paper.curriculum_tables import IID
    from taskspace.paper.study import Study

    if options.page is not None and options.what != "all":
        raise ValueError(f"--page must be used with all, got {options.what}")
    if options.only is not None and options.what not in ("table1", "curriculum"):
        raise ValueError(f"--only must be used with table1 or curriculum, got {options.what}")
    for name in ("finished", "tuning"):
        if getattr(options, name) and options.what != "curriculum":
            raise ValueError(f"--{name} must be used with curriculum, got {options.what}")
    if options.tuning and options.only is not None:
        raise ValueError("--only must be used without --tuning, got both")
    folder = Path(options.out)
    environments = tuple(options.env) if options.env else None
    study = Study(folder, environments, options.seeds, options.preset, options.karel)
    if options.what == "all":
        page = folder / "results.md" if options.page is None else Path(options.page)
        _print_results(options, everything.reproduce_all(study, page))
        if not options.json:
            print(f"wrote {page}")
        return
    if options.tuning:
        result = curriculum_tuning.reproduce(study, finished=options.finished)
        study.write(result)
    elif options.what == "curriculum":
        methods = [IID, "ours"] if options.only else list(METHODS)
        result = curriculum.reproduce(study, methods, finished=options.finished)
        study.write(result)
    elif options.only:
        result = table1.reproduce(study, models=["ours"])
        study.write(result)
    else:
        result = everything.reproduce(options.what, study)
    _print_results(options, [result])


def _print_results(options: argparse.Namespace, results: Iterable[Any]) -> None:
    """Print each result as soon as it is there; as JSON, the tables of all of them at the end."""
    if options.json:
        print_json([
            {"name": table.name, "title": table.title, "rows": table.rows}
            for result in results
            for table in result.tables
        ])  # fmt: skip
        return
    for result in results:
        _print_result(result, Path(options.out))


def _print_result(result: Any, folder: Path) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for part in result.tables:
        table = Table(title=part.title, box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
        for heading in part.headings():
            number = isinstance(part.rows[0][heading], (int, float))
            table.add_column(heading, justify="right" if number else "left")
        for cells in part.cells():
            table.add_row(*cells)
        console.print(table)
        if part.note:
            console.print(part.note)
        print(f"wrote {folder / part.name}.csv")
    for note in result.notes:
        console.print(note)
    for picture, caption in result.pictures.items():
        print(f"{caption} {picture}")
