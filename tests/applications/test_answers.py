"""Answers are read from a file as they were written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.answers import Unanswered, answer, load, save, size_of_test
from tests.messages import says


@dataclass(frozen=True, eq=False)
class Inner:
    errors: NDArray[np.float64]
    agents: int


@dataclass(frozen=True, eq=False)
class Outer:
    names: NDArray[np.str_]
    labels: NDArray[np.object_]
    groups: tuple[tuple[str, ...], ...]
    level: float
    inner: Inner


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    labels: Any = np.array(["sums", "", "ä/ö"], object)
    inner = Inner(np.array([0.5, np.nan]), 9)
    made = Outer(np.array(["a", "b"]), labels, (("a", "b"), ("c",)), 0.9, inner)
    save(made, tmp_path / "outer.npz")
    found = load(tmp_path / "outer.npz", Outer, Inner)
    assert isinstance(found, Outer)
    assert found.labels.dtype == object
    assert (found.labels.tolist(), found.names.tolist()) == (labels.tolist(), ["a", "b"])
    assert (found.groups, found.level, found.inner.agents) == (made.groups, 0.9, 9)
    np.testing.assert_array_equal(found.inner.errors, inner.errors)


def test_no_answer_is_an_answer_too(tmp_path: Path) -> None:
    def refuse() -> Outer:
        raise ValueError("outcomes must have at least 5 agents, got 2")

    found = answer(refuse)
    assert found == Unanswered("outcomes must have at least 5 agents, got 2.")
    save(found, tmp_path / "none.npz")
    assert load(tmp_path / "none.npz", Outer, Inner) == found


@pytest.mark.parametrize(("tasks", "size"), [(3, 3), (12, 3), (40, 10), (120, 30), (80_000, 30)])
def test_a_short_test_is_short(tasks: int, size: int) -> None:
    assert size_of_test(tasks) == size


def test_an_answer_of_another_version_is_refused(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Earlier:
        errors: NDArray[np.float64]

    Earlier.__name__ = Inner.__name__
    save(Earlier(np.zeros(2)), tmp_path / "inner.npz")
    with pytest.raises(ValueError, match=says("inner.npz another delete")):
        load(tmp_path / "inner.npz", Inner)
