"""The explorer's page: plain HTML, CSS and JavaScript modules, shipped with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


def page_html(name: str = "index.html") -> str:
    """The page, which links to `assets/…` and fetches `data.json.gz`; or that of a quiz.

    >>> page_html().splitlines()[0]
    '<!doctype html>'
    """
    return (_folder() / name).read_text("utf-8")


def assets() -> dict[str, tuple[str, bytes]]:
    """The media type and the content of each file of the page, by its path under `assets/`.

    >>> assets()["map/points.js"][0]
    'text/javascript; charset=utf-8'
    """
    folder = _folder()
    return {
        path.relative_to(folder).as_posix(): (_TYPES[path.suffix], path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TYPES
    }


def _folder() -> Path:
    return Path(str(resources.files("taskspace.explore") / "assets"))
