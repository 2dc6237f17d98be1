"""The embedders that ship with the package come from the maps of a study."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.pretrained import FOLDER
from taskspace.paper import pretrained
from taskspace.paper.table1 import PAPER


def test_every_environment_of_table_1_has_one() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(PAPER)


def test_the_map_of_each_environment_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ts.Outcomes(1 * (np.arange(6)[:, None] > np.arange(5)), np.array(1))
    embedder = ts.TaskEmbedder(1, random_state=0).fit(known)
    asked: list[tuple[str, Path]] = []

    def learn(name: str, folder: Path) -> Any:
        asked.append((name, folder))
        return SimpleNamespace(embedder=embedder)

    monkeypatch.setattr(pretrained, "learn", learn)
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    pretrained.main(Path("runs"))
    assert asked == [(name, Path("runs") / f"{name.lower()}-0") for name in PAPER]
    for name in PAPER:
        loaded = ts.TaskEmbedder.load(tmp_path / name)
        expected = embedder.transform(known.task_inputs)
        np.testing.assert_array_equal(loaded.transform(known.task_inputs), expected)
