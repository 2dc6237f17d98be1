"""Embedders as folders: settings of every type, names of tasks and of features."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import taskspace as ts
from taskspace.files import with_checksum
from taskspace.models.embedding.random_model import RandomModel
from taskspace.models.embedding.storage import load, load_any, save
from tests.messages import says

TASKS = np.random.default_rng(0).normal(size=(20, 3))
KNOWN = {
    "TaskEmbedder": "taskspace.models.embedding.task_embedder",
    "OrdinalEmbedder": "taskspace.models.embedding.ordinal_embedder",
}
RANDOM = {"RandomModel": "taskspace.models.embedding.random_model"}


@pytest.mark.parametrize("hidden", [(4, 5), [4, 5], np.array([4, 5]), range(4, 6)])
def test_layers_of_every_type_come_back_as_a_tuple(hidden: Any, tmp_path: Path) -> None:
    model = RandomModel(np.int64(2), hidden=hidden, random_state=0).fit(TASKS)  # type: ignore[arg-type]
    save(model, tmp_path / "model")
    loaded = load(RandomModel, tmp_path / "model")
    assert loaded.get_params() == {"n_components": 2, "hidden": (4, 5), "random_state": 0}
    np.testing.assert_array_equal(loaded.transform(TASKS), model.transform(TASKS))


def test_names_of_features_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame(TASKS, columns=["x", "größe", "z"])
    save(RandomModel(random_state=0).fit(frame), tmp_path / "model")
    loaded = load(RandomModel, tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == ["x", "größe", "z"]
    assert loaded.n_features_in_ == 3
    save(RandomModel(random_state=0).fit(TASKS), tmp_path / "plain")
    assert not hasattr(load(RandomModel, tmp_path / "plain"), "feature_names_in_")


def test_the_class_of_the_embedder_is_in_the_settings(tmp_path: Path) -> None:
    save(RandomModel(random_state=0).fit(TASKS), tmp_path / "model")
    assert settings_in(tmp_path / "model")["class"] == "RandomModel"
    with pytest.raises(ValueError, match=says("OrdinalEmbedder RandomModel RandomModel.load")):
        load(ts.OrdinalEmbedder, tmp_path / "model")


def test_one_of_several_classes_is_found(tmp_path: Path) -> None:
    model = RandomModel(random_state=0).fit(TASKS)
    save(model, tmp_path / "model")
    found = load_any(tmp_path / "model", KNOWN | RANDOM)
    np.testing.assert_array_equal(found.transform(TASKS), model.transform(TASKS))
    with pytest.raises(ValueError, match=says("TaskEmbedder OrdinalEmbedder RandomModel")):
        load_any(tmp_path / "model", KNOWN)


def settings_in(folder: Path) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads((folder / "embedder.json").read_text())
    return settings


def change_settings(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the settings as if they had been saved like this."""
    settings = settings_in(folder)
    del settings["sha256"]
    change(settings)
    (folder / "embedder.json").write_text(json.dumps(with_checksum(settings)))


@pytest.mark.parametrize("kind", ["TaskEmbedder", None])
def test_a_task_embedder_of_old_is_an_ordinal_embedder(tmp_path: Path, kind: str | None) -> None:
    """Version 0.1.0 called the paper's embedder TaskEmbedder; the oldest files name no class."""
    scores = np.random.default_rng(0).random((20, 8))
    model = ts.OrdinalEmbedder(2, steps=5, random_state=0).fit(TASKS, scores)
    folder = tmp_path / "model"
    save(model, folder)

    def age(settings: dict[str, Any]) -> None:
        del settings["class"], settings["task_names"]
        settings |= {"kind": kind} if kind else {}

    change_settings(folder, age)
    loaded = ts.OrdinalEmbedder.load(folder)
    np.testing.assert_array_equal(loaded.transform(TASKS), model.transform(TASKS))
    assert isinstance(load_any(folder, KNOWN), ts.OrdinalEmbedder)
    tokens = "TaskEmbedder OrdinalEmbedder OrdinalEmbedder.load"
    with pytest.raises(ValueError, match=says(tokens)):
        ts.TaskEmbedder.load(folder)


@pytest.mark.parametrize("key", ["class", "kind"])
def test_a_class_whose_name_is_no_text_is_damage(tmp_path: Path, key: str) -> None:
    save(RandomModel(random_state=0).fit(TASKS), tmp_path / "model")
    change_settings(tmp_path / "model", lambda s: s.pop("class") and s.update({key: ["x"]}))
    with pytest.raises(ValueError, match="model is damaged"):
        load(RandomModel, tmp_path / "model")
    with pytest.raises(ValueError, match="model is damaged"):
        load_any(tmp_path / "model", KNOWN)


@pytest.mark.parametrize("kind", ["RandomModel", "KarelEmbedder"])
def test_other_classes_of_old_keep_their_names(tmp_path: Path, kind: str) -> None:
    save(RandomModel(random_state=0).fit(TASKS), tmp_path / "model")
    change_settings(tmp_path / "model", lambda s: s.update(kind=s.pop("class") and kind))
    if kind == "RandomModel":
        assert load(RandomModel, tmp_path / "model").n_components_ == 2
    else:
        with pytest.raises(ValueError, match=says(f"RandomModel {kind} {kind}.load")):
            load(RandomModel, tmp_path / "model")


def test_settings_that_contradict_the_weights_are_damage(tmp_path: Path) -> None:
    save(RandomModel(random_state=0).fit(TASKS), tmp_path / "model")
    change_settings(tmp_path / "model", lambda settings: settings.update(components=5))
    with pytest.raises(ValueError, match=says(f"{tmp_path / 'model'} damaged")):
        load(RandomModel, tmp_path / "model")


def test_a_network_of_ones_own_is_not_saved(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).random((20, 8))
    model = ts.OrdinalEmbedder(2, hidden=torch.nn.Linear, steps=2).fit(TASKS, scores)
    with pytest.raises(ValueError, match=says("network")):
        save(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_the_success_model_of_another_map_is_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for seed in (0, 1):
        known = ts.Outcomes(
            rng.integers(0, 2, (4, 400)), np.array(1), features=rng.normal(size=(400, 2))
        )
        model = ts.SuccessModel(width=4, epochs=1, random_state=seed).fit(known)
        ts.TaskEmbedder(2).fit(model).save(tmp_path / f"map-{seed}")
    assert ts.TaskEmbedder.load(tmp_path / "map-0").n_components_ == 2
    inner = tmp_path / "map-0" / "success-model"
    shutil.rmtree(inner)
    with pytest.raises(ValueError, match=says("map-0 success-model")):
        ts.TaskEmbedder.load(tmp_path / "map-0")
    shutil.copytree(tmp_path / "map-1" / "success-model", inner)
    with pytest.raises(ValueError, match=says("map-0 success-model")):
        ts.TaskEmbedder.load(tmp_path / "map-0")
