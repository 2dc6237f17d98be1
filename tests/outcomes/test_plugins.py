"""Entry points of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from taskspace.outcomes.plugins import load, plugins
from tests.messages import says


def entry(value: str) -> EntryPoint:
    return EntryPoint("mine", value, "taskspace.tests")


def test_a_subclass_is_made() -> None:
    assert load(entry("collections:OrderedDict"), dict) == {}


@pytest.mark.parametrize("value", ["no_such_module:X", "collections:deque", "os:getcwd", "os:path"])
def test_anything_else_is_refused(value: str) -> None:
    with pytest.raises(ImportError, match=says(f"'mine' taskspace.tests {value}")):
        load(entry(value), dict)


def test_a_group_without_entries_is_empty() -> None:
    assert plugins("taskspace.nothing") == {}
