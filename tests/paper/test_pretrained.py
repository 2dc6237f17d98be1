"""The embedders that ship with the package come from the maps of a study."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.pretrained import FOLDER, METHODS
from taskspace.paper import pretrained
from taskspace.paper.table1 import PAPER


def test_every_environment_of_table_1_has_both_maps() -> None:
    for method in METHODS:
        assert {path.name for path in (FOLDER / method).iterdir()} == set(PAPER)


def test_both_maps_of_each_environment_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ts.Outcomes(1 * (np.arange(6)[:, None] > np.arange(5)), np.array(1))
    embedder = ts.TaskEmbedder(1, random_state=0).fit(known)
    asked: list[tuple[str, str, Path]] = []

    def learn(name: str, folder: Path, method: str) -> Any:
        asked.append((name, method, folder))
        return SimpleNamespace(embedder=embedder)

    monkeypatch.setattr(pretrained, "learn", learn)
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    pretrained.main(Path("runs"))
    assert asked == [
        (name, method, Path("runs") / f"{name.lower()}-0-{method}")
        for method in METHODS
        for name in PAPER
    ]
    for name, method, _ in asked:
        loaded = ts.TaskEmbedder.load(tmp_path / method / name)
        expected = embedder.transform(known.task_inputs)
        np.testing.assert_array_equal(loaded.transform(known.task_inputs), expected)
