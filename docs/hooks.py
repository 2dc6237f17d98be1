"""Hooks of MkDocs: the page of commands is generated from the parser."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from typing import Any

from taskspace.cli.parser import build_parser

MARK = "<!-- every command and its help -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the mark on a page by the help of every command."""
    return markdown.replace(MARK, "\n".join(_sections())) if MARK in markdown else markdown


def _sections() -> Iterator[str]:
    os.environ["COLUMNS"] = "100"  # the width of the terminal, for argparse
    for parser in commands(build_parser()):
        depth = "#" * min(1 + len(parser.prog.split()), 3)
        yield f"{depth} {parser.prog}\n\n```text\n{_help(parser)}\n```\n"


def _help(parser: argparse.ArgumentParser) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", parser.format_help()).rstrip()


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parser and the parsers of all its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from commands(command)
