"""Outcomes: refused input, derived values, and files."""

from __future__ import annotations

import json
import re
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from taskspace import Outcomes
from tests.messages import says

TWO = [[1, 1]]  # one agent, two tasks


def make(**parts: Any) -> Outcomes:
    return Outcomes(**{"successes": TWO, "rollouts": 2, **parts})


def full() -> Outcomes:
    """Outcomes with every optional part."""
    rng = np.random.default_rng(0)
    results = rng.random((3, 4, 5)) < 0.5
    return Outcomes(
        successes=results.sum(2).astype(np.uint16),
        rollouts=np.full((3, 4), 5, np.uint16),
        agents=np.array(["a", "ä ✓", "007"]),
        tasks=np.array([f"t{i}" for i in range(4)]),
        features=rng.standard_normal((4, 2)),
        feature_names=("x", "größe"),
        steps=rng.integers(0, 99, (3, 4)).astype(np.uint32),
        returns=rng.random((3, 4)).astype(np.float32),
        results=results,
        info={"environment": "PointMass", "seed": 2**62 + 1, "rate": 0.1, "list": [1, None]},
    )


ARRAYS = ("successes", "rollouts", "agents", "tasks", "features", "steps", "returns", "results")


def assert_same(a: Outcomes, b: Outcomes) -> None:
    for name in ARRAYS:
        one, other = getattr(a, name), getattr(b, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype, name
            assert one.shape == other.shape, name
            assert one.tobytes() == other.tobytes(), name
    assert (a.feature_names, a.info) == (b.feature_names, b.info)


def test_small_whole_features_stay_small(tmp_path: Path) -> None:
    rows = np.array([[0, 255, 7], [1, 2, 3]], np.uint8)
    outcomes = make(features=rows)
    outcomes.save(tmp_path / "o.npz")
    kept = outcomes.of_agents(["agent-0"])
    for found in (outcomes, kept, Outcomes.load(tmp_path / "o.npz")):
        assert found.features is not None
        assert found.features.dtype == np.uint8
        np.testing.assert_array_equal(found.features, [[0, 255, 7], [1, 2, 3]])
    rows[0, 0] = 9  # they are a copy of their own
    assert outcomes.features is not None
    assert outcomes.features[0, 0] == 0
    for kind in (np.uint16, np.int8, np.float32, np.bool_):
        wide = make(features=rows.astype(kind)).features
        assert wide is not None
        assert wide.dtype == np.float64
    with pytest.raises(ValueError, match=says("features 2 (1, 3)")):
        make(features=rows[:1])


# -- construction ----------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"successes": [1, 1]}, "successes agents tasks (2,)"),
    ({"successes": 3}, "successes agents tasks ()"),
    ({"successes": [[]]}, "successes agents tasks (1, 0)"),
    ({"successes": "x"}, "successes <U1"),
    ({"successes": None}, "successes object"),
    ({"successes": [[1j, 1]]}, "successes complex128"),
    ({"successes": [[1, -1]]}, "successes integers 0"),
    ({"successes": [[1, -0.5]]}, "successes integers 0"),
    ({"successes": [[1, 2.5]]}, "agent-0 successes 2.5 task-1 rollouts 2"),
    ({"successes": [[0.5, 1]], "results": [[[1, 0], [1, 0]]]}, "results successes"),
    ({"successes": [[1, np.nan]]}, "successes NaN 0 rollouts"),
    ({"successes": [[1, 3]]}, "agent-0 successes 3 task-1 rollouts 2"),
    ({"rollouts": [2, 2]}, "rollouts (1, 2)"),
    ({"rollouts": [[2]]}, "rollouts (1, 2)"),
    ({"rollouts": None}, "rollouts object"),
    ({"rollouts": -1}, "rollouts integers 0"),
    ({"rollouts": 2.5}, "rollouts integers 0"),
    ({"rollouts": np.nan}, "rollouts NaN"),
    ({"agents": ["a", "b"]}, "agents names 2 1"),
    ({"tasks": ["a"]}, "tasks names 1 2"),
    ({"tasks": ["a", "a"]}, "tasks 'a'"),
    ({"successes": [[1], [1]], "agents": ["b", "b"]}, "agents 'b'"),
    ({"features": [[1]]}, "features 2 (1, 1)"),
    ({"features": [1, 2]}, "features 2 (2,)"),
    ({"features": [[1], [np.nan]]}, "features task-1"),
    ({"features": [[np.inf], [1]]}, "features task-0"),
    ({"features": [[1], [2]], "feature_names": ("a", "b")}, "features names 2 1"),
    ({"steps": [[1]]}, "steps (1, 2) (1, 1)"),
    ({"returns": [1, 2]}, "returns (1, 2) (2,)"),
    ({"results": [[1, 0]]}, "results agents tasks rollouts (1, 2)"),
    ({"results": [[[1, 0]]]}, "results agents tasks rollouts (1, 1, 2)"),
    ({"results": [[[0, 0], [1, 0]]]}, "results successes"),
]


@pytest.mark.parametrize(("parts", "tokens"), REFUSED)
def test_bad_parts_are_refused_in_one_sentence(parts: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        make(**parts)
    assert "\n" not in str(caught.value)


UNCLEAR: list[tuple[dict[str, Any], str]] = [
    ({"successes": [[1], [1, 2]]}, "successes"),
    ({"successes": [[np.inf, 1]]}, "successes integers 0"),
    ({"rollouts": np.inf}, "rollouts integers 0"),
    ({"successes": [[1e300, 1]], "rollouts": 1e300}, "successes"),
    ({"agents": "a"}, "names agents 'a'"),
    ({"features": [["a"], ["b"]]}, "features"),
    ({"features": [[1], [2, 3]]}, "features"),
    ({"features": [[1, 2], [3, 4]], "feature_names": ("a", "a")}, "feature 'a'"),
    ({"features": [[1], [2]], "feature_names": (1,)}, "feature names 1"),
    ({"feature_names": ("a",)}, "feature names features"),
    ({"steps": [["x", "y"]]}, "steps <U1"),
    ({"steps": [[-1, 1]]}, "steps integers 0"),
    ({"returns": [["x", "y"]]}, "returns numbers"),
    ({"results": [[[1], [1]]]}, "results"),
    ({"results": [[[0, 0, 1], [1, 0, 0]]]}, "results"),
    ({"info": "text"}, "info"),
]


@pytest.mark.parametrize(("parts", "tokens"), UNCLEAR)
def test_more_bad_parts_are_refused_in_one_sentence(parts: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        make(**parts)
    assert "inhomogeneous" not in str(caught.value)


def test_counts_take_the_smallest_kind_that_holds_them() -> None:
    outcomes = make(successes=[[1.0, 300.0]], rollouts=70_000)
    assert outcomes.successes.dtype == np.uint16
    assert outcomes.rollouts.dtype == np.uint32


def test_unsigned_counts_keep_their_kind() -> None:
    assert make(successes=np.array(TWO, np.uint64)).successes.dtype == np.uint64


def test_sums_of_scores_are_kept_in_single_precision(tmp_path: Path) -> None:
    outcomes = make(successes=[[0.7, 0], [1.5, 2]], rollouts=[[1, 0], [2, 2]])
    outcomes.save(tmp_path / "o.npz")
    for found in (outcomes, Outcomes.load(tmp_path / "o.npz")):
        assert found.successes.dtype == np.float32
        assert found.rates.dtype == np.float64
        np.testing.assert_allclose(found.rates, [[0.7, np.nan], [0.75, 1]], atol=1e-7)
        assert re.findall(r"\d+", repr(found)) == ["2", "2", "0", "2", "84"]
    assert_same(outcomes, Outcomes.load(tmp_path / "o.npz"))


def test_sums_that_are_whole_after_all_are_counts() -> None:
    assert make(successes=[[1.0, 1 - 1e-12]]).successes.dtype == np.uint8
    outcomes = make(successes=[[0.5, 1], [1, 2]])
    assert outcomes.of_agents(["agent-1"]).successes.dtype == np.uint8


def test_names_are_numbered_by_default() -> None:
    outcomes = make(features=[[1, 2], [3, 4]])
    assert outcomes.agents.tolist() == ["agent-0"]
    assert outcomes.tasks.tolist() == ["task-0", "task-1"]
    assert outcomes.feature_names == ("x0", "x1")


def test_one_number_of_rollouts_takes_no_memory() -> None:
    successes = np.zeros((2000, 5000), np.uint8)
    tracemalloc.start()
    outcomes = make(successes=successes, rollouts=10)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcomes.rollouts.shape == successes.shape
    assert outcomes.rollouts.strides == (0, 0)
    # The successes are copied; besides, there are default names of agents and tasks.
    assert held < 1.5 * successes.nbytes


# -- what they say ---------------------------------------------------------------------------------


def test_rates_are_nan_where_nothing_was_tried() -> None:
    rates = make(successes=[[1, 0]], rollouts=[[4, 0]]).rates
    np.testing.assert_array_equal(rates, [[0.25, np.nan]])


def test_mean_lengths_are_nan_where_nothing_was_tried() -> None:
    outcomes = make(successes=[[1, 0]], rollouts=[[4, 0]], steps=[[10, 0]])
    np.testing.assert_array_equal(outcomes.mean_lengths, [[2.5, np.nan]])


def test_mean_lengths_need_steps() -> None:
    with pytest.raises(ValueError, match=says("outcomes lengths episodes")):
        _ = make().mean_lengths


@pytest.mark.parametrize(
    ("parts", "numbers"),
    [
        ({}, "1 2 2 50"),
        ({"rollouts": [[1, 3]]}, "1 2 1 3 50"),
        ({"successes": [[0, 0]], "rollouts": 0}, "1 2 0 0"),
    ],
)
def test_repr_tells_sizes_rollouts_and_successes(parts: dict[str, Any], numbers: str) -> None:
    text = repr(make(**parts))
    assert text.startswith("Outcomes(")
    assert re.findall(r"\d+", text) == numbers.split()


# -- files -----------------------------------------------------------------------------------------


def test_everything_comes_back_bit_for_bit(tmp_path: Path) -> None:
    full().save(tmp_path / "all.npz")
    assert_same(full(), Outcomes.load(tmp_path / "all.npz"))


def test_different_numbers_of_rollouts_come_back(tmp_path: Path) -> None:
    outcomes = make(successes=[[1, 0], [0, 400]], rollouts=[[1, 0], [7, 70_000]])
    outcomes.save(tmp_path / "o.npz")
    assert_same(outcomes, Outcomes.load(tmp_path / "o.npz"))


def test_the_least_comes_back_bit_for_bit(tmp_path: Path) -> None:
    make().save(tmp_path / "few.npz")
    assert_same(make(), Outcomes.load(str(tmp_path / "few.npz")))


def test_one_number_of_rollouts_stays_one_number_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "uniform.npz"
    make(successes=np.zeros((30, 40), np.uint8), rollouts=7).save(path)
    assert Outcomes.load(path).rollouts.strides == (0, 0)
    with np.load(path) as file:
        assert file["rollouts"].size == 1


def test_a_single_pair_comes_back(tmp_path: Path) -> None:
    single = make(successes=[[1]], rollouts=[[2]], results=[[[0, 1]]])
    single.save(tmp_path / "one.npz")
    assert_same(single, Outcomes.load(tmp_path / "one.npz"))


def test_a_file_is_replaced_by_saving_again(tmp_path: Path) -> None:
    make().save(tmp_path / "o.npz")
    full().save(tmp_path / "o.npz")
    assert_same(full(), Outcomes.load(tmp_path / "o.npz"))
    assert [p.name for p in tmp_path.iterdir()] == ["o.npz"]


def refuses(path: Path, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        Outcomes.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


DAMAGED = "damaged Outcomes.save"
HEADER = {"format": "taskspace outcomes", "version": 1, "feature_names": [], "info": {}}
PARTS: dict[str, NDArray[Any]] = {
    "successes": np.array([[1]], np.uint8),
    "rollouts": np.array([[2]], np.uint8),
    "agents": np.array(["a"]),
    "tasks": np.array(["t"]),
}


def write(path: Path, header: Any, **parts: NDArray[Any]) -> Path:
    np.savez(path, header=np.array(json.dumps(header)), **parts)  # type: ignore[arg-type]
    return path


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=says("nowhere.npz")):
        Outcomes.load("nowhere.npz")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=says(str(tmp_path))):
        Outcomes.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"agent,task\na,t\n", b"PK\x03\x04 nothing"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text.npz"
    path.write_bytes(content)
    refuses(path, DAMAGED)


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    make().save(tmp_path / "whole.npz")
    whole, path = (tmp_path / "whole.npz").read_bytes(), tmp_path / "cut.npz"
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        refuses(path, DAMAGED)


def test_flipped_bytes_in_the_data_are_noticed(tmp_path: Path) -> None:
    full().save(tmp_path / "whole.npz")
    whole, path = (tmp_path / "whole.npz").read_bytes(), tmp_path / "bad.npz"
    begin = whole.index(b"NUMPY", whole.index(b"successes.npy")) + 120
    for place in (begin, begin + 10, len(whole) // 2):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        refuses(path, DAMAGED)


def test_no_flipped_byte_goes_unnoticed(tmp_path: Path) -> None:
    saved = make(features=[[1], [2]], agents=["me"])
    saved.save(tmp_path / "whole.npz")
    whole, path = (tmp_path / "whole.npz").read_bytes(), tmp_path / "bad.npz"
    faults = []
    for place in range(whole.index(b"PK\x01\x02"), len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x01]) + whole[place + 1 :])
        try:
            assert_same(saved, Outcomes.load(path))
        except ValueError as error:
            if str(path) not in str(error):
                faults.append(f"{place}: {error}")
        except Exception as error:
            faults.append(f"{place}: {type(error).__name__} {error}")
    assert not faults, f"{len(faults)} of {len(whole)} places, such as {faults[:3]}"


def test_a_foreign_npz_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "foreign.npz", x=np.zeros(3))
    refuses(tmp_path / "foreign.npz", DAMAGED)


def test_a_future_version_is_told_from_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "new.npz", {**HEADER, "version": 2}, **PARTS)
    refuses(path, "version 2 1")


def test_another_format_is_told_from_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "map.npz", {**HEADER, "format": "taskspace map"}, **PARTS)
    refuses(path, "'taskspace map'")


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("where", ["header", "agents", "steps"])
def test_nothing_is_ever_unpickled(tmp_path: Path, where: str) -> None:
    parts: dict[str, Any] = {"header": np.array(json.dumps(HEADER)), **PARTS}
    parts[where] = np.array([Bomb(tmp_path / "exploded")], object)
    np.savez(tmp_path / "pickle.npz", **parts)
    refuses(tmp_path / "pickle.npz", DAMAGED)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("header", "parts"),
    [
        ([], PARTS),
        (None, PARTS),
        ({"format": "taskspace outcomes", "version": 1}, PARTS),
        ({**HEADER, "feature_names": 5}, PARTS),
        (HEADER, {"successes": PARTS["successes"]}),
        (HEADER, {"rollouts": PARTS["rollouts"]}),
        (HEADER, {**PARTS, "successes": np.array([[3]], np.uint8)}),
    ],
)
def test_a_file_with_wrong_parts_is_refused(tmp_path: Path, header: Any, parts: Any) -> None:
    refuses(write(tmp_path / "wrong.npz", header, **parts), "wrong.npz")


def test_an_npy_file_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.zeros(3))
    refuses(tmp_path / "array.npy", DAMAGED)


# -- writing is all or nothing ---------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    make().save(tmp_path / "o.npz")
    return tmp_path / "o.npz"


def assert_untouched(saved: Path) -> None:
    assert_same(make(), Outcomes.load(saved))
    assert [p.name for p in saved.parent.iterdir()] == ["o.npz"]


@pytest.mark.parametrize("value", [{1, 2}, np.int64(1), object(), Path()])
def test_info_that_is_no_json_harms_nothing(saved: Path, value: Any) -> None:
    with pytest.raises(ValueError, match=says("info JSON")):
        make(info={"key": value}).save(saved)
    assert_untouched(saved)


def test_info_that_is_no_json_is_told_in_one_sentence(saved: Path) -> None:
    with pytest.raises(ValueError, match=says("info JSON")):
        make(info={"key": {1, 2}}).save(saved)


@pytest.mark.parametrize("part", ["steps", "returns"])
def test_nothing_is_ever_pickled(saved: Path, part: str) -> None:
    with pytest.raises(ValueError, match=says(f"{part} numbers")):
        make(**{part: np.array([[{}, None]], object)}).save(saved)
    assert_untouched(saved)


def test_a_write_that_fails_halfway_harms_nothing(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(file: Any, **arrays: Any) -> None:
        file.write(b"half a fi")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", half)
    with pytest.raises(OSError, match="No space left"):
        full().save(saved)
    monkeypatch.undo()
    assert_untouched(saved)


def test_a_missing_folder_is_named(saved: Path) -> None:
    with pytest.raises(FileNotFoundError, match=says(str(saved.parent / "no"))):
        make().save(saved.parent / "no" / "o.npz")
    assert_untouched(saved)


def test_a_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match=says(str(tmp_path / "folder"))):
        make().save(tmp_path / "folder")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_the_outcomes_of_some_agents_keep_everything_else() -> None:
    whole = full()
    some = whole.of_agents(["007", "a"])
    assert some.agents.tolist() == ["007", "a"]
    for name in ("successes", "rollouts", "steps", "returns", "results"):
        np.testing.assert_array_equal(getattr(some, name), getattr(whole, name)[[2, 0]])
    np.testing.assert_array_equal(some.features, whole.features)
    assert some.info == whole.info
    with pytest.raises(ValueError, match=says("agent 'd'")):
        whole.of_agents(["d"])


def test_the_outcomes_on_some_tasks_keep_everything_else() -> None:
    whole = full()
    last, first = whole.tasks[[-1, 0]].tolist()
    some = whole.of_tasks([last, first])
    assert some.tasks.tolist() == [last, first]
    for name in ("successes", "rollouts", "steps", "returns", "results"):
        np.testing.assert_array_equal(getattr(some, name), getattr(whole, name)[:, [-1, 0]])
    assert whole.features is not None
    np.testing.assert_array_equal(some.features, whole.features[[-1, 0]])
    assert some.agents.tolist() == whole.agents.tolist()
    assert some.info == whole.info
    made: Any = Outcomes
    labelled = made([[1, 0]], 1, tasks=["a", "b"], task_labels={"topic": ["sums", "areas"]})
    assert labelled.of_tasks(["b"]).task_labels["topic"].tolist() == ["areas"]
    with pytest.raises(ValueError, match=says("task 'd'")):
        whole.of_tasks(["d"])


# -- DataFrames and numbers of any type --------------------------------------------------------


def test_the_columns_of_a_data_frame_of_features_are_their_names() -> None:
    frame = pd.DataFrame({"b": [1.0, 2.0], "a": [3.0, 4.0]}, index=[9, 4])
    made = Outcomes(np.eye(2, dtype=int), np.array(1), features=frame)  # type: ignore[arg-type]
    assert made.feature_names == ("b", "a")
    assert made.features is not None
    assert made.features.tolist() == frame.to_numpy().tolist()


def test_a_data_frame_of_features_is_put_in_the_order_of_the_names() -> None:
    frame: Any = pd.DataFrame({"b": [1.0, 2.0], "a": [3.0, 4.0]})
    made = Outcomes(np.eye(2, dtype=int), np.array(1), features=frame, feature_names=("a", "b"))
    assert made.features is not None
    assert made.features.tolist() == [[3, 1], [4, 2]]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.float16])
def test_small_types_of_numbers_do_not_overflow(kind: type) -> None:
    made = Outcomes(np.full((300, 300), 100).astype(kind), np.full((300, 300), 120).astype(kind))
    assert np.allclose(made.rates, 100 / 120)
    assert "83 %" in repr(made)


def test_integers_are_names() -> None:
    made = Outcomes([[1, 0]], 1, tasks=[2**53, 2**53 + 1])  # type: ignore[arg-type]
    assert made.tasks.tolist() == ["9007199254740992", "9007199254740993"]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_data_frames_restore_the_outcomes(package: str) -> None:
    pytest.importorskip(package)
    parts: dict[str, Any] = {
        "successes": [[3, 0, 1], [2, 0, 0]], "rollouts": [[4, 2, 1], [2, 0, 3]],
        "agents": ["a", "b"], "tasks": ["x", "y", "z"], "features": [[1.0], [2.0], [3.0]],
        "feature_names": ("size",), "task_labels": {"kind": list("uvu")},
    }  # fmt: skip
    given = Outcomes(**parts)
    frame = getattr(given, f"to_{package}")()
    assert list(frame.columns) == ["agent", "task", "successes", "rollouts", "size", "kind"]
    again = Outcomes.from_table(frame, features="size")
    np.testing.assert_array_equal(again.successes, given.successes)
    np.testing.assert_array_equal(again.rollouts, given.rollouts)
    assert again.task_labels["kind"].tolist() == ["u", "v", "u"]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=says("polars pip")):
        make().to_polars()


def test_booleans_cannot_count_several_attempts() -> None:
    with pytest.raises(ValueError, match=says("successes must several rollouts got booleans 5")):
        Outcomes(np.array([[True, False]]), np.array(5))


def test_booleans_are_counts_of_one_attempt() -> None:
    solved = np.array([[True, False], [False, True]])
    found = Outcomes(solved, np.array(1))
    np.testing.assert_array_equal(found.successes, solved * 1)
    assert found.successes.dtype == np.uint8


def test_a_list_of_rows_is_an_array() -> None:
    found = Outcomes.from_table([[True, 0.5], (0, None)])
    np.testing.assert_array_equal(found.rates, [[1, 0.5], [0, np.nan]])
