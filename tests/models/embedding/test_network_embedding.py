"""What embeddings by a network share: standardized tasks, and folders on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.models.embedding.network_embedding import NetworkEmbedding, check_device
from taskspace.models.embedding.pred_model import PredModel, expert_episodes
from taskspace.models.embedding.random_model import RandomModel
from tests.messages import says

KINDS = ("OrdinalEmbedder", "RandomModel", "PredModel")


class Plain(NetworkEmbedding):
    """The identity on standardized tasks, without hidden layers."""

    hidden = ()

    def fit(self, X: Any) -> Plain:
        self.n_features_in_ = self.n_components_ = X.shape[1]
        self._learn_scale(X)
        self.network_ = torch.nn.Identity()
        return self


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """One fitted model of each type, for the tasks of MultiKeyNav."""
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(40, seed=0)
    successes = np.random.default_rng(0).integers(0, 11, (8, 40))
    episodes = expert_episodes(ExpertPolicy(env), env, 20)
    fitted = (
        ts.OrdinalEmbedder(3, steps=5, random_state=0).fit(tasks, successes.T / 10),
        RandomModel(3, random_state=0).fit(tasks),
        PredModel(3, context=env.context_columns, hidden=(8,), epochs=1, random_state=0).fit(
            episodes
        ),
    )
    return dict(zip(KINDS, fitted, strict=True))


def tasks() -> Any:
    return ts.make("MultiKeyNav").sample_tasks(10, seed=1)


def test_vectors_are_the_network_of_standardized_tasks() -> None:
    rng = np.random.default_rng(0)
    known, new = rng.normal(5, 3, (100, 2)), rng.normal(5, 3, (7, 2))
    expected = (new - known.mean(0)) / known.std(0)
    model = Plain().fit(known)
    np.testing.assert_allclose(model.transform(new), expected)
    np.testing.assert_allclose(model.similarity(new, new[:3]), expected @ expected[:3].T)
    np.testing.assert_allclose(model.similarity(new[0], new[1]), [[expected[0] @ expected[1]]])
    np.testing.assert_allclose(model.difficulty(new), np.sqrt((expected**2).sum(1)))


def test_a_column_that_stands_still_does_no_harm() -> None:
    known = np.column_stack([np.full(10, 3.0), np.arange(10.0)])
    np.testing.assert_array_equal(Plain().fit(known).transform(known)[:, 0], 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_save_and_load_give_the_same_bits(models: Any, tmp_path: Path, kind: str) -> None:
    model = models[kind]
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")  # replaces itself
    before = torch.get_rng_state()
    loaded = type(model).load(tmp_path / "model")
    assert torch.equal(before, torch.get_rng_state())
    np.testing.assert_array_equal(model.transform(tasks()), loaded.transform(tasks()))
    assert repr(loaded.get_params()) == repr(_plain(model.get_params()))
    for name in ("history_", "test_scores_", "dimension_losses_"):
        assert getattr(loaded, name, None) == getattr(model, name, None)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    arrays = {k: tuple(v.tolist()) for k, v in parameters.items() if isinstance(v, np.ndarray)}
    return {**parameters, **arrays}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_a_folder_of_another_kind_is_refused(
    models: Any, tmp_path: Path, kind: str, other: str
) -> None:
    models[kind].save(tmp_path / "model")
    if other != kind:
        with pytest.raises(ValueError, match=says(f"{kind} {other} {kind}.load")):
            type(models[other]).load(tmp_path / "model")


@pytest.mark.parametrize("kind", ["RandomModel", "PredModel"])
@pytest.mark.parametrize("name", ["embedder.json", "weights.safetensors"])
@pytest.mark.parametrize("damage", [b"", b"{}", b"\x93 something else"])
def test_damaged_files_are_refused(
    models: Any, tmp_path: Path, kind: str, name: str, damage: bytes
) -> None:
    models[kind].save(tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(damage)
    with pytest.raises(ValueError, match=says(str(tmp_path / "model"))):
        type(models[kind]).load(tmp_path / "model")


def test_a_setting_that_is_gone_counts_as_damage(models: Any, tmp_path: Path) -> None:
    models["PredModel"].save(tmp_path / "model")
    path = tmp_path / "model" / "embedder.json"
    settings = json.loads(path.read_text())
    del settings["history"]
    path.write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=says("embedder.json checksum")):
        PredModel.load(tmp_path / "model")


@pytest.mark.parametrize("device", ["gpu", "", "cuda:99", "meta", ["cpu"], 1.5])
def test_devices_that_torch_cannot_use_are_refused(device: Any) -> None:
    check_device("cpu")
    check_device(torch.device("cpu"))
    with pytest.raises(ValueError, match=says("device")):
        check_device(device)
    with pytest.raises(ValueError, match=says("device")):
        ts.OrdinalEmbedder(device=device).fit(np.eye(4), np.arange(4))
