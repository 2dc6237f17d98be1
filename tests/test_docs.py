"""What the README, the documentation and the help show runs as written."""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from taskspace.cli.parser import build_parser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
PARSERS = list(runpy.run_path(str(ROOT / "docs" / "hooks.py"))["commands"](build_parser()))


def _named(paths: list[Path]) -> list[Any]:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


def _snippets(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


@pytest.mark.parametrize("path", _named([path for path in DOCUMENTS if _snippets(path)]))
def test_snippets_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}  # a page is read from top to bottom, so snippets share names
    for index, code in enumerate(_snippets(path)):
        exec(compile(code, f"{path.name}, snippet {index}", "exec"), names)


@pytest.mark.parametrize("path", _named(sorted((ROOT / "examples").glob("*.py"))))
def test_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(path), "--fast"])
    runpy.run_path(str(path), run_name="__main__")


# -- links and the site ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", _named(DOCUMENTS))
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text())
    local = [target for target in targets if not target.startswith(("http:", "https:"))]
    missing = [target for target in local if not (path.parent / target).exists()]
    assert not missing


def test_site_builds_and_fetches_nothing(tmp_path: Path) -> None:
    if find_spec("mkdocs") is None:
        pytest.skip("MkDocs is not installed: pip install 'taskspace[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr  # --strict: also links, anchors and the menu
    pages = {path.name: path.read_text() for path in tmp_path.glob("**/*.html")}
    fetching = r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^ >]*"
    assert not [found for page in pages.values() for found in re.findall(fetching, page)]
    assert (tmp_path / "search" / "search_index.js").exists()  # found without a server
    assert all(f"usage: {parser.prog} " in pages["command-line.html"] for parser in PARSERS)


# -- commands --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", _named(DOCUMENTS))
def test_commands_shown_are_understood(path: Path) -> None:
    text = path.read_text()
    blocks = re.findall(r"^(?: {4}|\$ )(taskspace .*?)(?:\s+#.*)?$", text, re.MULTILINE)
    between_backticks = re.findall(r"`(taskspace [^`]+)`", text)
    for command in blocks + between_backticks:
        _check(command)


@pytest.mark.parametrize("parser", [pytest.param(parser, id=parser.prog) for parser in PARSERS])
def test_help_has_an_example(parser: argparse.ArgumentParser) -> None:
    shown = re.findall(r"^  (taskspace .*?)(?:\s{2,}.*)?$", parser.format_help(), re.MULTILINE)
    assert [command for command in shown if f"{command} ".startswith(f"{parser.prog} ")]
    for command in shown:
        _check(command)


def _check(command: str) -> None:
    """Parse it, unless it only names a command, as in "what `taskspace fit` made"."""
    words = shlex.split(command)
    if " ".join(words) in {parser.prog for parser in PARSERS}:
        return
    if "--help" not in words:
        build_parser().parse_args(words[1:])  # leaves the program if it does not understand


def test_commands_named_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
