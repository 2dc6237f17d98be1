"""Two files side by side."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from taskspace.bench import compare
from tests.messages import says

ONE = {"machine": {"cores": 2}, "seconds": {"a": 1.0, "b": 2.0, "only here": 1.0}}


def printed(one: dict[str, Any], other: dict[str, Any]) -> str:
    text = io.StringIO()
    compare.print_comparison(Console(file=text, width=120), one, other)
    return text.getvalue()


def test_what_takes_longer_is_named() -> None:
    slower = {**ONE, "seconds": {"a": 1.3, "b": 2.1}}
    told = printed(ONE, slower).splitlines()[-1]
    assert told == "1 of 2 take over 20% longer: a"
    assert "machines differ" not in printed(ONE, slower)
    assert printed(ONE, ONE).endswith("Nothing takes over 20% longer.\n")


def test_another_machine_is_told() -> None:
    assert "machines differ" in printed(ONE, {**ONE, "machine": {"cores": 8}})


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ONE))
    assert compare.read(str(path)) == ONE
    for text in ("[]", "{", '{"seconds": {"a": "x"}, "machine": {}}', '{"seconds": {}}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=says("a.json bench all --json")):
            compare.read(str(path))
