"""Folders of models: all or nothing, and nothing of the user's is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.models.folders import ModelFolder
from tests.messages import says

FOLDER = ModelFolder("compass", "compass.json", version=3)
SETTINGS = {"size": 2, "name": "größe"}


def arrays() -> dict[str, Any]:
    return {"a": np.arange(6.0).reshape(2, 3).T, "b": np.array(7)}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    FOLDER.save(tmp_path / "model", SETTINGS, arrays())
    return tmp_path / "model"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_settings_and_weights_come_back(saved: Path) -> None:
    settings = FOLDER.load_settings(saved)
    assert {key: settings[key] for key in SETTINGS} == SETTINGS
    assert (settings["format"], settings["version"]) == (FOLDER.format, 3)
    found = FOLDER.load_arrays(saved, settings)
    assert found.keys() == arrays().keys()
    assert all(np.array_equal(found[name], value) for name, value in arrays().items())
    assert names(saved) == ["compass.json", "weights.safetensors"]
    assert names(saved.parent) == ["model"]


def test_the_same_model_is_the_same_bytes(saved: Path) -> None:
    FOLDER.save(saved.parent / "deep" / "again", SETTINGS, arrays())
    for name in names(saved):
        assert (saved / name).read_bytes() == (saved.parent / "deep" / "again" / name).read_bytes()


def test_an_older_folder_is_replaced_also_through_a_link(saved: Path) -> None:
    link = saved.parent / "link"
    link.symlink_to(saved)
    FOLDER.save(link, {"size": 9}, {})
    assert FOLDER.load_settings(saved)["size"] == 9
    assert link.is_symlink()
    assert names(saved.parent) == ["link", "model"]


def test_what_is_not_ours_is_not_replaced(saved: Path) -> None:
    (saved / "notes.txt").write_text("mine")
    (saved.parent / "empty").mkdir()
    (saved.parent / "file").write_text("mine")
    ModelFolder("map", "compass.json", 3).save(saved.parent / "map", {}, {})
    for name in ("model", "empty", "file", "map"):
        with pytest.raises(ValueError, match=says(f"{saved.parent / name} compass")):
            FOLDER.save(saved.parent / name, {}, {})
    assert (saved / "notes.txt").read_text() == "mine"
    assert FOLDER.load_settings(saved)["size"] == 2


def test_a_write_that_fails_leaves_the_old_folder(saved: Path) -> None:
    with pytest.raises(TypeError):
        FOLDER.save(saved, {"size": object()}, arrays())
    assert FOLDER.load_settings(saved)["size"] == 2
    assert names(saved.parent) == ["model"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=says(f"compass {tmp_path} compass.json")):
        FOLDER.load_settings(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", "7", '{"format": null}'])
def test_settings_of_something_else_are_refused(saved: Path, text: str) -> None:
    (saved / "compass.json").write_text(text)
    with pytest.raises(ValueError, match=says(str(saved))):
        FOLDER.load_settings(saved)


@pytest.mark.parametrize(("key", "value"), [("size", 3), ("version", 4), ("format", "other")])
def test_settings_that_were_changed_are_refused(saved: Path, key: str, value: Any) -> None:
    path = saved / "compass.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(ValueError, match=says(str(saved))):
        FOLDER.load_settings(saved)


def test_weights_that_were_changed_are_refused(saved: Path) -> None:
    settings = FOLDER.load_settings(saved)
    path = saved / "weights.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says(f"compass {saved} weights.safetensors")):
        FOLDER.load_arrays(saved, settings)
    path.unlink()
    with pytest.raises(ValueError, match=says(f"compass {saved} weights.safetensors")):
        FOLDER.load_arrays(saved, settings)


def test_settings_without_a_checksum_of_the_weights_are_read(saved: Path) -> None:
    found = FOLDER.load_arrays(saved, {})
    assert found["b"] == 7
    (saved / "weights.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=says(f"compass {saved}")):
        FOLDER.load_arrays(saved, {})
