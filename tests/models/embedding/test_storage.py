"""Embedders as folders: settings of every type, names of tasks and of features."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import taskspace as ts
from taskspace.models.embedding.random_model import RandomModel
from taskspace.models.embedding.storage import load, save
from tests.messages import says

TASKS = np.random.default_rng(0).normal(size=(20, 3))


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


def test_the_kind_of_embedder_is_in_the_settings(tmp_path: Path) -> None:
    save(RandomModel(random_state=0).fit(TASKS), tmp_path / "model")
    settings = json.loads((tmp_path / "model" / "embedder.json").read_text())
    assert settings["kind"] == "RandomModel"
    with pytest.raises(ValueError, match=says("RandomModel OrdinalEmbedder")):
        load(ts.OrdinalEmbedder, tmp_path / "model")


def test_a_network_of_ones_own_is_not_saved(tmp_path: Path) -> None:
    def network(inputs: int, outputs: int) -> torch.nn.Module:
        return torch.nn.Linear(inputs, outputs)

    with pytest.raises(ValueError, match=says("network")):
        save(ts.OrdinalEmbedder(2, hidden=network), tmp_path / "model")
    assert not (tmp_path / "model").exists()
