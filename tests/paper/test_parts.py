"""Everything that can be reproduced has a module that does it."""

from __future__ import annotations

import importlib

import pytest

from taskspace.paper.parts import PARTS


@pytest.mark.parametrize("what", PARTS)
def test_every_part_has_its_module(what: str) -> None:
    module = importlib.import_module(f"taskspace.paper.{what.replace('-', '_')}")
    assert callable(module.reproduce)
    assert PARTS[what].strip()
