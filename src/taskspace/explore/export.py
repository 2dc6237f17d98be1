"""The explorer's page as one file, which works without a server or a network."""

from __future__ import annotations

import base64
import json
import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from taskspace.explore.data import encode, explorer_data, tasks_shown
from taskspace.explore.page import assets, page_html
from taskspace.files import atomic_path
from taskspace.report.targets import check_page

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MAX_TASKS = 20_000  # browsers take long to open larger files
# The file contains everything it needs and must not load anything else.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:;"
    " style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
_IMPORT = re.compile(r'from "(\.[^"]+)"')
_OWN = "taskspace/"  # prefix under which modules in the file import each other


def export_page(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the page of a run and its data to one HTML file.

    Args:
        run: The run; a map of a table must have at most 20,000 tasks.
        path: The file to write; its name must end in .html.

    Raises:
        ValueError: The run has too many tasks, or the file would overwrite a part of the run.
    """
    _check_name(check_page(path), run.folder)
    count = tasks_shown(run)
    if count > MAX_TASKS:
        raise ValueError(
            f"the map of an exported page must have at most {MAX_TASKS} tasks, got {count};"
            " use taskspace explore without --export, which has no such limit"
        )
    whole = standalone(encode(explorer_data(run)))
    with atomic_path(path) as temporary:
        temporary.write_text(whole, "utf-8")


def _check_name(path: Path, folder: Path) -> None:
    """Make sure that the page does not overwrite another file."""
    if path.exists() and path.resolve().parent == folder.resolve():
        raise ValueError(
            f"the page must not overwrite a file of the run, got {path}; choose another name"
        )


def standalone(data: bytes) -> str:
    """The page including its styles, its scripts and this data (a result of `encode`)."""
    found = {name: content.decode() for name, (_, content) in assets().items()}
    scripts = [name for name in found if name.endswith(".js")]
    modules = {f"{_OWN}{name}": _address(name, found[name]) for name in scripts}
    parts = {
        '<meta charset="utf-8">': (
            '<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        ),
        '<link rel="stylesheet" href="assets/style.css">': f"<style>{found['style.css']}</style>",
        '<script src="assets/main.js" type="module"></script>': "\n".join([
            _script('type="importmap"', json.dumps({"imports": modules})),
            _script('type="text/plain" id="exported-data"', base64.b64encode(data).decode()),
            _script('type="module"', f'import "{_OWN}main.js";'),
        ]),
    }  # fmt: skip
    page = page_html()
    for link, content in parts.items():
        before, found_link, after = page.partition(link)
        assert found_link, f"the page has no {link}"
        page = before + content + after
    return page


def _script(attributes: str, text: str) -> str:
    """A script element; its text must not contain its end tag."""
    safe = re.sub("</(?=script)", r"<\\/", text, flags=re.IGNORECASE)
    return f"<script {attributes}>{safe}</script>"


def _address(name: str, module: str) -> str:
    """A module as a data address; its relative imports become names in the import map."""

    def renamed(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[1]))
        return f'from "{_OWN}{path}"'

    text = _IMPORT.sub(renamed, module)
    return "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
