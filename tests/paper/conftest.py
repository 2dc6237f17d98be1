"""A small study, whose maps all tests of the paper share."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.paper.study import Study


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small study."""
    return tmp_path_factory.mktemp("study")


@pytest.fixture
def study(folder: Path) -> Study:
    """One environment, one seed, the fast preset."""
    return Study(folder, ("MultiKeyNav",), seeds=1, preset="fast", log=lambda line: None)
