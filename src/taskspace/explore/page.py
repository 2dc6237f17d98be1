"""The explorer's page: plain HTML, CSS and JavaScript modules, shipped with the package."""

from __future__ import annotations

from importlib import resources
from importlib.util import find_spec
from pathlib import Path

PLOTLY = "plotly.min.js"
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


def page_html() -> str:
    """The page, which links to `assets/…` and fetches `data.json.gz`, all beside it.

    >>> page_html().splitlines()[0]
    '<!doctype html>'
    """
    return (_folder() / "index.html").read_text("utf-8")


def assets() -> dict[str, tuple[str, bytes]]:
    """What the page links to: the kind and the bytes of each file, by its name under `assets/`.

    plotly.min.js is the one that the Python package plotly holds.

    >>> assets()["main.js"][0]
    'text/javascript; charset=utf-8'
    """
    own = sorted(path for path in _folder().iterdir() if path.suffix in _TYPES)
    found = {path.name: (_TYPES[path.suffix], path.read_bytes()) for path in own}
    return {**found, PLOTLY: (_TYPES[".js"], _plotly().read_bytes())}


def _folder() -> Path:
    return Path(str(resources.files("taskspace.explore") / "assets"))


def _plotly() -> Path:
    """Found without importing plotly, which takes long."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            "the explorer needs plotly; install it with: pip install 'taskspace[explore]'"
        )
    return Path(spec.origin).parent / "package_data" / PLOTLY
