"""Encoders of structured tasks: trained or frozen, checked, saved and loaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sklearn.base import clone

from taskspace.models.success import encoders
from taskspace.models.success.encoders import describe, is_frozen, make_encoder, restore
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

FAST: dict[str, Any] = {
    "width": 16, "blocks": 1, "batch_size": 64, "epochs": 1, "random_state": 0, "progress": False,
}  # fmt: skip


class Letters(torch.nn.Module):
    """Reads a task as letters: the mean of their vectors."""

    def __init__(self, letters: int, size: int, dropout: float = 0.5) -> None:
        super().__init__()
        self.letters, self.size = letters, size
        self.vectors = torch.nn.Embedding(letters, size)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        assert tasks.dtype == torch.uint8
        codes: torch.Tensor = self.dropout(self.vectors(tasks.int()).mean(1))
        return codes

    def spec(self) -> dict[str, Any]:
        return {"letters": self.letters, "size": self.size}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Letters:
        return cls(**spec)


def letters(tasks: NDArray[Any]) -> Letters:
    return Letters(int(tasks.max()) + 1, 8, dropout=0.0)


def words(count: int = 600, seed: int = 0) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 4, (count, 10)).astype(np.uint8)


def chances(tasks: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Two agents prefer letter 0 and letter 1; the numbers of the letters mean nothing."""
    return np.stack([0.1 + 0.8 * ((tasks == letter).sum(1) > 2) for letter in (0, 1)])


def world(count: int = 600) -> Outcomes:
    solved = np.random.default_rng(1).binomial(4, chances(words(count)))
    return Outcomes(solved, np.array(4), features=words(count))


@pytest.fixture(scope="module")
def fitted() -> SuccessModel:
    return SuccessModel(network=letters, **FAST).fit(world())


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(encoders.ENCODERS, "Letters", __name__)


def test_an_encoder_gets_the_training_tasks_as_they_are_and_learns(fitted: SuccessModel) -> None:
    seen: list[NDArray[Any]] = []

    def make(tasks: NDArray[Any]) -> Letters:
        seen.append(tasks)
        return letters(tasks)

    SuccessModel(network=make, **{**FAST, "epochs": 0}).fit(world())
    assert [(tasks.dtype.name, tasks.shape) for tasks in seen] == [("uint8", (480, 10))]
    fresh = words(300, seed=5)
    assert np.abs(fitted.predict_proba(fresh) - chances(fresh)).mean() < 0.15
    assert fitted.test_scores_["log_loss"] < fitted.test_scores_["agent_mean_log_loss"] - 0.1
    assert fitted.sample_.dtype == np.uint8


def test_a_model_with_an_encoder_is_an_estimator_like_any_other(fitted: SuccessModel) -> None:
    copy = clone(fitted)
    assert copy.network is letters
    assert copy.get_params() == fitted.get_params()
    again, tasks = copy.fit(world()).predict_proba(words(9)), words(9)
    np.testing.assert_allclose(again, fitted.predict_proba(tasks), atol=1e-4)
    np.testing.assert_array_equal(
        fitted.predict_proba(tasks), fitted.predict_proba(tasks.astype(float).tolist())
    )


def test_a_frozen_encoder_stays_as_it_is_and_reads_each_training_task_once() -> None:
    read: list[int] = []

    class Counting(Letters):
        def forward(self, tasks: torch.Tensor) -> torch.Tensor:
            read.append(len(tasks))
            return super().forward(tasks)

    frozen = Counting(4, 8).requires_grad_(requires_grad=False)
    before = frozen.vectors.weight.clone()
    model = SuccessModel(network=lambda _: frozen, **FAST).fit(world())
    assert sum(read) == 600 + 1  # one task to check the encoder
    assert max(read) < 600
    kept: Any = model.network_[0]
    assert kept is not frozen
    assert torch.equal(kept.vectors.weight, before)
    assert not kept.training
    fresh = words(300, seed=5)
    assert np.abs(model.predict_proba(fresh) - chances(fresh)).mean() < 0.2
    np.testing.assert_array_equal(model.predict_proba(fresh), model.predict_proba(fresh))


def test_training_changes_a_copy_and_only_what_requires_gradients() -> None:
    given = Letters(4, 8)
    before = given.vectors.weight.clone()
    model = SuccessModel(network=lambda _: given, **FAST).fit(world(300))
    assert torch.equal(given.vectors.weight, before)
    learned: Any = model.network_[0]
    assert not torch.equal(learned.vectors.weight, before)


def test_frozen_means_that_no_parameter_requires_gradients() -> None:
    assert not is_frozen(Letters(4, 8))
    assert is_frozen(Letters(4, 8).requires_grad_(requires_grad=False))
    assert is_frozen(torch.nn.Identity())


class Sized(torch.nn.Linear):
    def __init__(self, columns: int, size: Any) -> None:
        super().__init__(columns, 3)
        self.size = size

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        return super().forward(tasks.float())


@pytest.mark.parametrize(
    ("make", "tokens"),
    [
        (lambda _: None, "torch.nn.Module NoneType"),
        (lambda _: torch.nn.Identity(), "size None"),
        (lambda _: Sized(10, 0), "size 0"),
        (lambda _: Sized(10, "large"), "size 'large'"),
        (lambda _: Sized(10, 4), "codes (n, 4) (1, 3)"),
        (lambda _: Letters(4, 8).double(), "codes torch.float32 torch.float64"),
    ],
)
def test_what_is_no_encoder_is_refused(make: Callable[[Any], Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        make_encoder(make, words())


def test_a_network_that_makes_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=says("network function 3")):
        SuccessModel(network=3).fit(world())  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, 256, 0.5])
def test_what_is_no_byte_is_refused_by_a_model_of_bytes(fitted: SuccessModel, wrong: float) -> None:
    tasks = words(3).astype(float)
    tasks[1, 2] = wrong
    with pytest.raises(ValueError, match=says(f"tasks 255 {wrong}")):
        fitted.predict_proba(tasks)
    with pytest.raises(ValueError, match=says("features 3 10")):
        fitted.predict_proba(words(3)[:, :3])


def test_an_encoder_comes_back_from_its_name_and_spec(listed: None) -> None:
    description = json.loads(json.dumps(describe(Letters(5, 8))))
    back: Any = restore(description)
    assert (back.letters, back.size) == (5, 8)


def test_a_model_with_a_listed_encoder_is_saved_and_loaded(
    fitted: SuccessModel, tmp_path: Path, listed: None
) -> None:
    fitted.save(tmp_path / "model")
    loaded = SuccessModel.load(tmp_path / "model")
    loaded.save(tmp_path / "again")
    loaded = SuccessModel.load(tmp_path / "again")
    np.testing.assert_array_equal(fitted.predict_proba(words()), loaded.predict_proba(words()))
    np.testing.assert_array_equal(fitted.held_out_, loaded.held_out_)
    assert loaded.sample_.dtype == np.uint8
    assert loaded.network is None


def test_a_model_with_another_encoder_is_not_saved(fitted: SuccessModel, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=says("encoder KarelEncoder Letters")):
        fitted.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
