"""All tables and figures of the paper, and the page that shows them."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from taskspace._version import __version__
from taskspace.files import atomic_path, explain_errors
from taskspace.paper.parts import ALONE, PARTS
from taskspace.paper.study import NothingHereError, Result, Study, Table


def reproduce(what: str, study: Study) -> Result:
    """Reproduce one part with the module of the same name, and write its tables."""
    module = importlib.import_module(f"taskspace.paper.{what.replace('-', '_')}")
    result: Result = module.reproduce(study)
    study.write(result)
    return result


def reproduce_all(study: Study, page: Path) -> Iterator[Result]:
    """Reproduce all parts that include the requested environments, and write the page."""
    _check_page(page)
    results = []
    for what in PARTS:
        if what in ALONE:
            continue
        if what == "generalization" and study.environments is None and not study.karel:
            continue  # only if requested by name
        with contextlib.suppress(NothingHereError):
            results.append(reproduce(what, study))
            yield results[-1]
    write_page(results, study, page)


def _check_page(page: Path) -> None:
    """Refuse a page that could not be written, before the work of hours."""
    if page.is_dir() or not page.name:
        raise ValueError(f"the page must be a file, got the folder {str(page)!r}")
    _figure_folder(page)


def _figure_folder(page: Path) -> Path:
    folder = page.parent / "results"
    with explain_errors(page):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_page(results: list[Result], study: Study, page: Path) -> None:
    """Write the page in Markdown, and its figures to the folder `results` beside it."""
    folder = _figure_folder(page)
    command = f"taskspace reproduce all {study.options()}"
    parts = [
        "# Results: the paper and this reproduction",
        f"Written by `{command} --page {page}` on {date.today().isoformat()}, {_code()},"
        f" {os.cpu_count()} cores ({platform.machine()}). All stages together"
        f" took {_minutes(study.folder):.0f} minutes. The command below each heading reproduces"
        " that part alone. This page is generated; do not edit it.",
    ]
    for result in results:
        parts += _part(result, study, folder)
    with atomic_path(page) as temporary:
        temporary.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _part(result: Result, study: Study, folder: Path) -> Iterator[str]:
    yield f"## {result.title}"
    yield f"`taskspace reproduce {result.name} {study.options()}`"
    for table in result.tables:
        yield f"**{table.title}**"
        yield _markdown(table)
        if table.note:
            yield table.note
    for picture, caption in result.pictures.items():
        shutil.copyfile(picture, folder / picture.name)
        yield f"![{caption}]({folder.name}/{picture.name})"
        yield f"*{caption}*"
    yield from result.notes


def _markdown(table: Table) -> str:
    numeric = [isinstance(value, (int, float)) for value in _first(table)]
    lines = [table.headings(), ["--:" if right else ":--" for right in numeric], *table.cells()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _first(table: Table) -> list[object]:
    return [table.rows[0][heading] for heading in table.headings()]


def _minutes(folder: Path) -> float:
    """The total duration of the stages of all runs in a folder."""
    stamps = (json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*/*.json"))
    stages = [stamp for stamp in stamps if isinstance(stamp, dict) and "digest" in stamp]
    return sum(float(stage["seconds"]) for stage in stages) / 60


def _code() -> str:
    """The commit if the package runs from a repository, otherwise the version."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return f"version {__version__}"
    return f"commit {done.stdout.strip()}"
