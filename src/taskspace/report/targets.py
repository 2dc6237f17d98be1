"""Files and folders that a map is exported to, checked before any work."""

from __future__ import annotations

import os
from pathlib import Path

from taskspace import checks
from taskspace.files import check_target

TABLES, PAGES = (".parquet", ".csv"), (".html", ".htm")


def check_export(target: str | os.PathLike[str]) -> Path:
    """The target of an export: a table, a page, or a folder, which may not exist yet."""
    path = checks.path(target, "the export target")
    if path.suffix.lower() in (*TABLES, ".html"):
        check_target(path)
    elif path.suffix or path.is_file():
        raise ValueError(
            "the export target must be a .parquet, .csv or .html file or a folder, got"
            f" {str(path)!r}"
        )
    return path


def check_page(target: str | os.PathLike[str]) -> Path:
    """The file of a page."""
    path = Path(target)
    if path.suffix.lower() not in PAGES:
        raise ValueError(f"the name of the page must end in .html, got {os.fspath(target)!r}")
    check_target(path)
    return path
