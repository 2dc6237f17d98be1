"""Finished pieces on disk: taken if they are whole, else made again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.checkpoints import NONE, Checkpoints
from taskspace.files import read_sealed_arrays, write_sealed_arrays

PIECE = {"rows": np.arange(2000)}


def test_a_stored_piece_is_found_again(tmp_path: Path) -> None:
    store = Checkpoints(tmp_path / "pieces")
    assert store.load("a.npz", read_sealed_arrays) is None
    store.save("a.npz", PIECE, write_sealed_arrays)
    found = store.load("a.npz", read_sealed_arrays)
    assert found is not None
    np.testing.assert_array_equal(found["rows"], PIECE["rows"])
    assert store.load("b.npz", read_sealed_arrays) is None


def test_without_a_folder_nothing_is_stored() -> None:
    NONE.save("a.npz", PIECE, write_sealed_arrays)
    assert NONE.load("a.npz", read_sealed_arrays) is None


@pytest.mark.parametrize("where", [0, 100, 5000, -70, -1])
def test_a_damaged_piece_is_no_piece(tmp_path: Path, where: int) -> None:
    store = Checkpoints(tmp_path)
    store.save("a.npz", PIECE, write_sealed_arrays)
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[where] ^= 1
    (tmp_path / "a.npz").write_bytes(content)
    assert store.load("a.npz", read_sealed_arrays) is None


@pytest.mark.parametrize("size", [0, 10, 4000])
def test_a_cut_piece_is_no_piece(tmp_path: Path, size: int) -> None:
    store = Checkpoints(tmp_path)
    store.save("a.npz", PIECE, write_sealed_arrays)
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:size])
    assert store.load("a.npz", read_sealed_arrays) is None
