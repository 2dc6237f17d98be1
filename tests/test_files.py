"""`atomic_path`: the new file whole, or the old one untouched."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from taskspace.files import atomic_path, read_arrays, read_json, write_arrays, write_json


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_temporary_takes_the_place_of_the_target(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_the_temporary_lies_beside_the_target_with_its_ending(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "a.csv") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        assert temporary.name.startswith(".taskspace-")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_old_file_and_no_temporary(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_an_error_in_the_first_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stop"), atomic_path(tmp_path / "a.txt"):
        raise ValueError("stop")
    assert names(tmp_path) == []


def test_text_paths_work(tmp_path: Path) -> None:
    with atomic_path(str(tmp_path / "a.txt")) as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == ["a.txt"]


def test_a_name_without_folder_goes_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with atomic_path("a.txt") as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == ["a.txt"]


def test_a_missing_folder_is_told_before_the_block_runs(tmp_path: Path) -> None:
    ran = False
    with (
        pytest.raises(FileNotFoundError, match=r"cannot write .*: the folder .*no does not exist"),
        atomic_path(tmp_path / "no" / "a.txt"),
    ):
        ran = True
    assert not ran
    assert names(tmp_path) == []


def test_a_folder_as_target_is_told_before_the_block_runs(tmp_path: Path) -> None:
    ran = False
    with (
        pytest.raises(IsADirectoryError, match=r"cannot write .*: it is a folder"),
        atomic_path(tmp_path),
    ):
        ran = True
    assert not ran


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_file_has_the_usual_permissions(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with atomic_path(tmp_path / "a.txt") as temporary:
            temporary.write_text("new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o666 & ~mask


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "there" / "a.txt")
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "a.txt").read_text() == "new"


def test_a_long_name_works(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 250 + ".npz")
    target.write_text("old")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
    assert target.read_text() == "new"


def test_plain_results_come_back_as_they_were(tmp_path: Path) -> None:
    value = {"scores": [0.1, None], "name": "ä ✓"}
    write_json(value, tmp_path / "result")
    assert read_json(tmp_path / "result") == value
    arrays = {"a": np.arange(3), "b": np.array([["x"]])}
    write_arrays(arrays, tmp_path / "arrays")  # no suffix is added
    found = read_arrays(tmp_path / "arrays")
    assert list(found) == ["a", "b"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
