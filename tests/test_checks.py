"""Checks of what users pass in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace import checks
from tests.messages import says


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], np.eye(2, dtype=np.uint8), [[True], [False]]])
def test_numbers_are_doubles_of_their_own(values: Any) -> None:
    found = checks.numbers(values, "x")
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, values)


def test_a_copy_does_not_change_with_the_original() -> None:
    original = np.zeros(3)
    found = checks.numbers(original, "x")
    original[0] = 1
    assert found.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "values",
    [None, "text", ["a", "b"], [1j], [[1, 2], [3]], [{}], np.zeros(2, "M8[s]"), np.ma.zeros(2)],
)
def test_what_is_no_array_of_numbers_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match=says("weights")):
        checks.numbers(values, "weights")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_row_that_is_not_finite_is_named(bad: float) -> None:
    rows = np.zeros((5, 2))
    rows[3, 1] = rows[4, 0] = bad
    with pytest.raises(ValueError, match=says("weights row 4")):
        checks.finite(rows, "weights")
    with pytest.raises(ValueError, match=says("weights")):
        checks.numbers([bad], "weights")
    checks.finite(np.zeros((5, 2)), "weights")


@pytest.mark.parametrize(("values", "count"), [([], 0), ((1, 2), 2), (np.zeros((3, 4)), 3)])
def test_a_list_has_a_length(values: Any, count: int) -> None:
    assert checks.listed(values, "agents") == count


@pytest.mark.parametrize("values", ["abc", b"abc", 5, None, np.array(7)])
def test_what_is_no_list_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match=says("agents")):
        checks.listed(values, "agents")


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_integers_of_every_type_become_int(value: Any) -> None:
    assert checks.whole(value, "rollouts", 3) == 3
    assert type(checks.whole(value, "rollouts")) is int


@pytest.mark.parametrize("value", [2, -1, 3.0, True, "3", None, np.float64(4)])
def test_what_is_no_integer_or_too_small_is_refused(value: Any) -> None:
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    with pytest.raises(ValueError, match=says(f"rollouts 3 {shown}")):
        checks.whole(value, "rollouts", 3)


@pytest.mark.parametrize(
    "value", [np.zeros(10**6), ["name"] * 10**6, "x" * 10**6, dict.fromkeys(range(99), "x" * 99)]
)
def test_a_value_in_a_message_is_short(value: Any) -> None:
    with pytest.raises(ValueError, match=says("rollouts")) as caught:
        checks.whole(value, "rollouts")
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [1e101, -1e308, np.inf, np.nan])
def test_numbers_whose_squares_overflow_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match=says("features")):
        checks.moderate(np.array([[0.0, value]]), "features")
    checks.moderate(np.array([[1e100, -1e100]]), "features")
    checks.moderate(np.zeros((2, 0)), "features")


@pytest.mark.parametrize("value", [0, 7, 2**63 - 1, np.uint32(7)])
def test_a_seed_is_itself(value: Any) -> None:
    assert checks.seed(value) == int(value)


def test_without_a_seed_one_is_drawn() -> None:
    drawn = {checks.seed(None) for _ in range(20)}
    assert len(drawn) == 20
    assert all(0 <= seed < 2**63 for seed in drawn)


@pytest.mark.parametrize("value", [-1, 2**63, 1.0, False, "1"])
def test_what_is_no_seed_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=says(f"seed {value!r}")):
        checks.seed(value)


# -- sizes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [6, 10**18, np.uint64(2**63)])
def test_too_much_is_refused_with_the_limit(value: Any) -> None:
    assert checks.whole(5, "workers", 1, 5) == 5
    with pytest.raises(ValueError, match=says("workers 5")):
        checks.whole(value, "workers", 1, 5)


def test_every_count_has_a_limit() -> None:
    with pytest.raises(ValueError, match=says("k 1,000,000,000")):
        checks.whole(10**12, "k")


def test_what_does_not_fit_in_memory_is_refused() -> None:
    free = checks.free_memory()
    assert 2**20 < free < 2**60
    checks.fits_memory(free // 100, "a small table")
    with pytest.raises(ValueError, match=says("table memory GB")):
        checks.fits_memory(2 * free, "the table")


def test_a_limit_of_the_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda kind: (2**30, 2**30))
    assert checks.free_memory() <= 2**30


def test_the_limit_of_a_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_GROUP", tmp_path)
    before = checks.free_memory()
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert checks.free_memory() > before // 2  # no limit
    (tmp_path / "memory.max").write_text("51000\n")
    assert checks.free_memory() == 50_000


def test_a_machine_that_does_not_say_has_all_of_its_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "_MEMINFO", tmp_path / "absent")
    assert checks.free_memory() > 2**20


def test_a_table_of_tasks_must_fit() -> None:
    assert checks.tasks_in_memory(3, 7) == 3
    with pytest.raises(ValueError, match=says("900,000,000 tasks memory")):
        checks.tasks_in_memory(900_000_000, 10**6)
    with pytest.raises(ValueError, match=says("number tasks 1,000,000,000")):
        checks.tasks_in_memory(10**15, 1)


def test_names_must_be_short() -> None:
    checks.short_names(["a", "b" * 10_000], "the names of tasks")
    checks.short_names([], "the names of tasks")
    with pytest.raises(ValueError, match=says("names 10,000 1,000,000")) as told:
        checks.short_names(["a", "b" * 1_000_000], "the names of tasks")
    assert len(str(told.value)) < 200


def test_names_take_the_memory_of_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "free_memory", lambda: 10**6)
    checks.short_names(["a"] * 100, "the names of tasks")
    with pytest.raises(ValueError, match=says("names memory")):
        checks.short_names(["a"] * 100 + ["b" * 5000], "the names of tasks")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("mountaincar", None),
        ("Multi-Key-Nav", "MultiKeyNav"),
        ("keynav", "MultiKeyNav"),
        ("cartpole", "CartPoleVar"),
        ("kar", "Karel"),
        ("k", None),
        ("", None),
    ],
)
def test_the_nearest_name_is_near(typed: str, meant: str | None) -> None:
    assert checks.nearest(typed, ["MultiKeyNav", "CartPoleVar", "Karel"]) == meant
