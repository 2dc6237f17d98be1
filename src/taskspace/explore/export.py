"""The explorer's page as one file, which works from disk, without a server and a network."""

from __future__ import annotations

import base64
import json
import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from taskspace.explore.data import encode, explorer_data
from taskspace.explore.page import assets, page_html
from taskspace.files import atomic_path

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_TASKS = 20_000  # more make a file that browsers take long to open
# The file holds all that it needs, and may ask nobody for more.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:;"
    " style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
_IMPORT = re.compile(r'from "(\.[^"]+)"')
_OWN = "taskspace/"  # modules in the file have no folder: each is imported by its path under assets


def export_page(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the page of a map with its data, self-contained; up to 20,000 tasks."""
    count = run.outcomes.n_tasks
    if count > MOST_TASKS:
        raise ValueError(
            f"a page in one file holds at most {MOST_TASKS} tasks, and this map has {count};"
            " use taskspace explore without --export, which serves any number"
        )
    _check_name(Path(path), run.folder)
    whole = standalone(encode(explorer_data(run)))
    with atomic_path(path) as temporary:
        temporary.write_text(whole, "utf-8")


def _check_name(path: Path, folder: Path) -> None:
    """A page must not take the place of something else."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"cannot write the page to {path}; expected a name that ends in .html")
    if path.exists() and path.resolve().parent == folder.resolve():
        raise ValueError(f"{path} is part of the run; choose another name")


def standalone(data: bytes) -> str:
    """The page with its styles, its scripts and this data (as `encode` gives it) inside."""
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
    """A script; its own text must not end it."""
    safe = re.sub("</(?=script)", r"<\\/", text, flags=re.IGNORECASE)
    return f"<script {attributes}>{safe}</script>"


def _address(name: str, module: str) -> str:
    """A module as its own address; its imports are relative to its name."""

    def renamed(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[1]))
        return f'from "{_OWN}{path}"'

    text = _IMPORT.sub(renamed, module)
    return "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()
