"""`atomic_path`: the new file whole, or the old one untouched."""

from __future__ import annotations

import json
import os
import stat
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.lib import format as npy

from taskspace import checks
from taskspace.applications.predictor import PerformancePredictor
from taskspace.envs.karel.compact import KarelTasks
from taskspace.files import (
    atomic_path,
    check_checksum,
    check_format,
    check_seal,
    read_arrays,
    read_json,
    read_sealed_arrays,
    seal,
    with_checksum,
    write_arrays,
    write_figure,
    write_json,
    write_sealed_arrays,
)
from tests.messages import says


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
        pytest.raises(FileNotFoundError, match=says(str(tmp_path / "no"))),
        atomic_path(tmp_path / "no" / "a.txt"),
    ):
        ran = True
    assert not ran
    assert names(tmp_path) == []


def test_a_folder_as_target_is_told_before_the_block_runs(tmp_path: Path) -> None:
    ran = False
    with (
        pytest.raises(IsADirectoryError, match=says(str(tmp_path))),
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


def test_a_format_of_another_kind_or_time_is_told_with_what_to_do() -> None:
    check_format("a", ("ours", 2), ("ours", 2))
    for found, tokens, newer in (
        (("ours", 3), "a 'ours' 3 2", True),
        (("ours", 1), "a 'ours' 1 2", False),
        (("theirs", 3), "a 'theirs' 3 'ours' 2", False),
        ((None, []), "a None 'ours' 2", False),
    ):
        with pytest.raises(ValueError, match=says(tokens)) as caught:
            check_format("a", found, ("ours", 2))
        assert ("update" in str(caught.value)) == newer


def test_a_checksum_tells_other_values() -> None:
    value = with_checksum({"names": {1: "a", 10: "b", 2: None}, "x": [0.1, float("nan")]})
    read = json.loads(json.dumps(value))
    assert list(check_checksum(read)) == ["names", "x"]
    others: list[Any] = [{**read, "x": [0.1]}, {**read, "y": 0}, {**read, "sha256": None}, [], None]
    for damaged in others:
        with pytest.raises(ValueError, match=r"checksum|object"):
            check_checksum(damaged)


def test_a_sealed_zip_file_is_read_as_before_and_no_bit_may_change(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.arange(3))
    check_seal(path)  # as files were before there were seals
    seal(path)
    check_seal(path)
    np.testing.assert_array_equal(read_arrays(path)["a"], np.arange(3))
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(ValueError, match=r"checksum|end"):
            check_seal(path)


def test_the_same_figure_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        figure = Figure()
        figure.subplots().plot([1, 2])
        write_figure(figure, tmp_path / name)
    for kind in ("svg", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


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


# -- sizes of archives -----------------------------------------------------------------------------


def bomb(path: Path, size: int) -> None:
    """A compressed .npz file of zeros that unfolds to this many bytes."""
    header = {"descr": "|u1", "fortran_order": False, "shape": (size,)}
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.npy", "w", force_zip64=True) as member,
    ):
        npy.write_array_header_1_0(member, header)
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))


def test_an_archive_that_would_not_fit_in_memory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb(tmp_path / "bomb.npz", 64 << 20)
    assert (tmp_path / "bomb.npz").stat().st_size < 1 << 20
    assert read_arrays(tmp_path / "bomb.npz")["zeros"].shape == (64 << 20,)
    monkeypatch.setattr(checks, "free_memory", lambda: 100 << 20)
    tracemalloc.start()
    with pytest.raises(ValueError, match=says("bomb.npz memory GB")):
        read_arrays(tmp_path / "bomb.npz")
    with pytest.raises(ValueError, match=says("bomb.npz memory GB")):
        KarelTasks.load(tmp_path / "bomb.npz")
    with pytest.raises(ValueError, match=says("bomb.npz memory GB")):
        PerformancePredictor.load(tmp_path / "bomb.npz")
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def test_an_array_that_is_shorter_than_its_header_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive, archive.open("a.npy", "w") as member:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
        npy.write_array_header_1_0(member, header)
        member.write(bytes(800))
    with pytest.raises(ValueError, match=says("a.npy header")):
        read_arrays(tmp_path / "a.npz")


def test_only_some_arrays_are_read(tmp_path: Path) -> None:
    write_arrays({"a": np.arange(3), "b": np.arange(4)}, tmp_path / "a.npz")
    assert list(read_arrays(tmp_path / "a.npz", ["b", "c"])) == ["b"]


def test_a_single_array_is_no_archive(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    with pytest.raises(ValueError, match="zip"):
        read_arrays(tmp_path / "a.npy")


def test_sealed_arrays_come_back_and_damage_is_noticed(tmp_path: Path) -> None:
    write_sealed_arrays({"a": np.arange(300)}, tmp_path / "a.npz")
    np.testing.assert_array_equal(read_sealed_arrays(tmp_path / "a.npz")["a"], np.arange(300))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[500] ^= 1
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match="checksum"):
        read_sealed_arrays(tmp_path / "a.npz")
