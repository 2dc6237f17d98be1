"""The README, the documentation and the help are up to date: what they show runs as written."""

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

import taskspace as ts
from taskspace.cli.parser import build_parser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "taskspace"
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("**/*.md")),
]
PARSERS = list(runpy.run_path(str(ROOT / "docs" / "hooks.py"))["commands"](build_parser()))


def _named(paths: list[Path]) -> list[Any]:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


def _snippets(path: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


@pytest.mark.parametrize("path", _named([path for path in DOCUMENTS if _snippets(path)]))
def test_snippets_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}  # the snippets of a page share their names, from top to bottom
    for index, code in enumerate(_snippets(path)):
        exec(compile(code, f"{path.name}, snippet {index}", "exec"), names)


@pytest.mark.parametrize("path", _named(sorted((ROOT / "examples").glob("*.py"))))
def test_example_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(path), "--fast"])
    runpy.run_path(str(path), run_name="__main__")


# -- names of the code -----------------------------------------------------------------------------


def test_files_named_in_contributing_exist() -> None:
    """A path is relative to the package or the repository; a bare name is found anywhere in it."""
    named = re.findall(r"`([\w./]+\.py)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 20
    missing = [
        name
        for name in named
        if not (PACKAGE / name).exists()
        and not (ROOT / name).exists()
        and not list(PACKAGE.rglob(name))
    ]
    assert not missing


def test_public_names_are_in_the_reference() -> None:
    pages = "\n".join(path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md"))
    documented = {name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)", pages, re.M)}
    assert set(ts.__all__) - {"__version__"} | {"Run"} <= documented


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
    assert built.returncode == 0, built.stderr  # --strict: also checks links, anchors and the menu
    pages = {path.name: path.read_text() for path in tmp_path.glob("**/*.html")}
    fetching = r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^ >]*"
    assert not [found for page in pages.values() for found in re.findall(fetching, page)]
    assert (tmp_path / "search" / "search_index.js").exists()  # search works without a server
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
    """Parse the command, unless the text only names it, as in "a folder of `taskspace fit`"."""
    words = shlex.split(command.partition(" > ")[0])  # the shell redirects the rest
    if " ".join(words) in {parser.prog for parser in PARSERS}:
        return
    if not {"--help", "--install-completion"} & set(words):  # these act while they are parsed
        build_parser().parse_args(words[1:])  # exits if the command is not valid


def test_commands_named_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
