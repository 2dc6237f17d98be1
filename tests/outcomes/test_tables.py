"""Tables of results: writing and reading, all formats that are read, and refused input."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from taskspace import Outcomes
from tests.messages import says

KINDS = ["csv", "parquet"]
COLUMNS: dict[str, Any] = {
    "agent": ["a", "b", "a"],
    "task": ["t", "t", "s"],
    "successes": [1, 0, 2],
    "rollouts": [2, 2, 3],
}


def table(**columns: Any) -> dict[str, Any]:
    return {**COLUMNS, **columns}


def without(name: str) -> dict[str, Any]:
    return {key: values for key, values in COLUMNS.items() if key != name}


def example(**parts: Any) -> Outcomes:
    """Names that look like numbers, that need quotes, and a pair that was never tried."""
    given = {
        "successes": [[1, 0, 2], [0, 3, 0]],
        "rollouts": [[4, 5, 6], [4, 7, 0]],
        "agents": ["007", 'ä, "✓"'],
        "tasks": ["1e5", "null", " 日本 "],
        **parts,
    }
    return Outcomes(**given)


def assert_same(a: Outcomes, b: Outcomes) -> None:
    for name in ("successes", "rollouts", "agents", "tasks"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert (a.features is None) == (b.features is None)
    if a.features is not None:
        np.testing.assert_array_equal(a.features, b.features)
    assert a.feature_names == b.feature_names


# -- out and in ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_comes_back(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"table.{kind}"
    example().to_table(path)
    assert_same(example(), Outcomes.from_table(path))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", KINDS)
def test_features_come_back_to_the_last_bit(tmp_path: Path, kind: str) -> None:
    features = [[0.1 + 0.2, 1e-300], [np.pi, 1e300], [-1 / 3, 5.0]]
    outcomes = example(features=features, feature_names=("größe", "x, y"))
    outcomes.to_table(tmp_path / f"table.{kind}")
    again = Outcomes.from_table(str(tmp_path / f"table.{kind}"), features=["größe", "x, y"])
    assert_same(outcomes, again)


@pytest.mark.parametrize("kind", KINDS)
def test_one_number_of_rollouts_comes_back(tmp_path: Path, kind: str) -> None:
    outcomes = example(rollouts=10)
    outcomes.to_table(tmp_path / f"table.{kind}")
    assert_same(outcomes, Outcomes.from_table(tmp_path / f"table.{kind}"))


@pytest.mark.parametrize("kind", KINDS)
def test_names_come_back_in_order_even_if_nobody_tried_them(tmp_path: Path, kind: str) -> None:
    outcomes = example(
        successes=[[0, 0, 1.25], [0, 0, 0], [0, 1, 0]],
        rollouts=[[0, 0, 3], [0, 0, 0], [0, 1, 1]],
        agents=["z", "idle", "a"],
    )
    outcomes.to_table(tmp_path / f"table.{kind}")
    assert_same(outcomes, Outcomes.from_table(tmp_path / f"table.{kind}"))


def test_capitals_in_the_ending_do_not_matter(tmp_path: Path) -> None:
    example().to_table(tmp_path / "TABLE.CSV")
    assert_same(example(), Outcomes.from_table(tmp_path / "TABLE.CSV"))


def test_a_row_for_each_tried_pair(tmp_path: Path) -> None:
    example().to_table(tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].replace('"', "") == "agent,task,successes,rollouts"
    assert len(lines) == 1 + 5


def test_a_spreadsheet_may_sign_its_csv_file(tmp_path: Path) -> None:
    text = "\ufeffagent,task,successes,rollouts\r\na,t,1,2\r\n"
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    assert Outcomes.from_table(tmp_path / "table.csv").agents.tolist() == ["a"]


@pytest.mark.parametrize("make", [dict, pd.DataFrame])
def test_columns_and_frames_are_taken_in_order_of_first_appearance(make: Any) -> None:
    columns = {
        "size": [5, 7, 5],
        "agent": ["z", "z", "a"],
        "task": ["t10", "t9", "t10"],
        "rollouts": [2, 2, 3],
        "successes": [1, 0, 2],
    }
    outcomes = Outcomes.from_table(make(columns), features="size")
    assert outcomes.agents.tolist() == ["z", "a"]
    assert outcomes.tasks.tolist() == ["t10", "t9"]
    assert outcomes.successes.tolist() == [[1, 0], [2, 0]]
    assert outcomes.rollouts.tolist() == [[2, 2], [3, 0]]
    assert outcomes.feature_names == ("size",)
    assert outcomes.features is not None
    assert outcomes.features.tolist() == [[5], [7]]


def test_a_frame_is_not_changed() -> None:
    frame = pd.DataFrame(table(size=[1, 1, 2]))
    before = frame.copy()
    Outcomes.from_table(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_names_may_be_numbers() -> None:
    outcomes = Outcomes.from_table(table(agent=[1, 2, 1]))
    assert outcomes.agents.tolist() == ["1", "2"]


def test_columns_of_kinds_that_pandas_invented_are_taken() -> None:
    frame = pd.DataFrame(COLUMNS).astype({"agent": "category", "task": "string"})
    outcomes = Outcomes.from_table(frame.astype({"successes": "Int64"}))
    assert_same(outcomes, Outcomes.from_table(COLUMNS))


@pytest.mark.parametrize("names", [("agent", "y"), ("x", "x"), ("successes", "rollouts")])
def test_a_feature_never_takes_the_place_of_a_column(tmp_path: Path, names: Any) -> None:
    taken = names[0]
    with pytest.raises(ValueError, match=says(f"feature {taken!r}")):
        example(features=np.arange(6).reshape(3, 2), feature_names=names).to_table(
            tmp_path / "table.csv"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tasks", [2, 30_000])
def test_names_of_two_lines_come_back(tmp_path: Path, tasks: int) -> None:
    names = [f"task\n{'-' * 50} {i}" for i in range(tasks)]
    outcomes = Outcomes(np.ones((1, tasks), np.uint8), np.uint8(1), tasks=names)  # type: ignore
    outcomes.to_table(tmp_path / "table.csv")
    assert_same(outcomes, Outcomes.from_table(tmp_path / "table.csv"))


# -- single attempts -------------------------------------------------------------------------------


def test_yes_and_no_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("agent,task,solved\na,t,true\na,t,\na,t,false\nb,t,NaN\n")
    outcomes = Outcomes.from_table(tmp_path / "t.csv")
    assert outcomes.rollouts.tolist() == [[2], [0]]
    assert outcomes.agents.tolist() == ["a", "b"]


def test_scores_that_become_fractional_late_in_a_file_are_read(tmp_path: Path) -> None:
    rows = [f"agent-{i},t,1" for i in range(200_000)]
    text = "\n".join(["agent,task,score", *rows, "last,t,0.5"])
    (tmp_path / "table.csv").write_text(text)
    assert Outcomes.from_table(tmp_path / "table.csv").successes[-1, 0] == 0.5


def test_names_of_several_kinds_are_text() -> None:
    columns = {"agent": [1, "a", 2.5], "task": ["t"] * 3, "solved": [1, 0, 1]}
    assert Outcomes.from_table(columns).agents.tolist() == ["1", "a", "2.5"]


# -- features in a table of their own --------------------------------------------------------------

FEATURES: dict[str, Any] = {"size": [7, 5], "task": ["s", "t"], "far": [0.5, 1.5]}


def features(**columns: Any) -> dict[str, Any]:
    return {**FEATURES, **columns}


BAD_FEATURES: list[tuple[Any, Any, str]] = [
    (COLUMNS, features(task=["s", "u"]), "features row task 't'"),
    (COLUMNS, {"task": ["u"], "x": [1]}, "features row task 't' 1"),
    (COLUMNS, {"task": ["s", "t", "u"], "x": [1, 2, 3]}, "results task 'u'"),
    (COLUMNS, features(task=["s", "s"]), "features rows task 's'"),
    (COLUMNS, features(task=["s", None]), "row 2 task"),
    (COLUMNS, features(size=[1, None]), "feature 'size' t"),
    (COLUMNS, {"task": ["s", "t"], "size": ["1", "big"]}, "features column numbers"),
    (COLUMNS, {"task": ["s", "t"]}, "features column 'task'"),
    (COLUMNS, {"name": ["s", "t"], "x": [1, 2]}, "column 'task' name x"),
    (table(size=[5, 5, 7]), FEATURES, "features column results 'size'"),
    (table(size=[1, 2, 3]), "size", "feature 'size' same rows task"),
    (table(size=[1, 1, np.nan]), ["size"], "feature 'size' finite s"),
    (table(size=[1, 1, np.inf]), ["size"], "feature 'size' finite s"),
    (table(size=["big", "big", "small"]), "size", "column 'size' feature numbers text"),
    (table(size=[5, 5, 7]), "size, far", "column 'far' features"),
    (table(size=pd.to_datetime(["2026-01-01"] * 3)), "size", "'size' numbers"),
    (np.eye(3), np.zeros((2, 2)), "features 3 (2, 2)"),
    (np.eye(2), FEATURES, "features row task 'task-0' 1"),
]


@pytest.mark.parametrize(("given", "beside", "tokens"), BAD_FEATURES, ids=range(len(BAD_FEATURES)))
def test_bad_features_are_refused_in_one_sentence(given: Any, beside: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        Outcomes.from_table(given, features=beside)
    assert "\n" not in str(caught.value)


def test_features_of_named_tasks_have_names() -> None:
    with pytest.raises(TypeError, match=says("features table column task")):
        Outcomes.from_table(COLUMNS, features=np.zeros((2, 1)))


# -- what is refused -------------------------------------------------------------------------------

REFUSED: list[tuple[Any, str]] = [
    ({}, "table empty"),
    ({name: [] for name in COLUMNS}, "table empty"),
    (pd.DataFrame(), "table empty"),
    (without("rollouts"), "column 'rollouts' agent task successes"),
    ({"who": ["a"], "n": [1]}, "column agents who n"),
    (without("task"), "column tasks agent successes rollouts"),
    (without("agent"), "column agents task successes rollouts"),
    (table(agent=["a"]), "columns lengths [1, 3]"),
    (table(successes=[1, -1, 0]), "row 2 successes -1"),
    (table(successes=[1, 0, 3.5]), "a successes 3.5 s rollouts 3"),
    (table(rollouts=[2, 2, 3.5]), "row 3 rollouts 3.5"),
    (table(successes=[np.nan, 0, 0]), "row 1 successes nan"),
    (table(successes=[1, None, 0]), "row 2 successes nan"),
    (table(rollouts=[2, 2, np.inf]), "row 3 rollouts inf"),
    (table(rollouts=[2, 2, -3]), "row 3 rollouts -3"),
    (table(successes=["1", "many", "0"]), "'successes' numbers row 2 'many'"),
    (table(successes=["1", "2", "0"]), "'successes' numbers string"),
    (table(rollouts=[{}, [], {}]), "'rollouts' row 1 '{}'"),
    (table(rollouts=[0, 0, 0], successes=[0, 0, 0]), "table"),
    (table(successes=[1, 0, 4]), "a successes 4 s rollouts 3"),
    (table(task=["t", "t", "t"]), "row 3 a t pair"),
    (table(agent=["a", None, "a"]), "row 2 agent"),
    (table(agent=["a", "", "a"]), "row 2 agent"),
    (pd.DataFrame(table(task=["t", "t", np.nan])), "row 3 task"),
    ("table.txt", ".csv .parquet 'table.txt'"),
    ("table", ".csv .parquet 'table'"),
]


@pytest.mark.parametrize(("given", "tokens"), REFUSED, ids=range(len(REFUSED)))
def test_bad_tables_are_refused_in_one_sentence(given: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        Outcomes.from_table(given)
    assert "\n" not in str(caught.value)


def attempts(**columns: Any) -> dict[str, Any]:
    return {"agent": ["a", "b"], "task": ["t", "t"], **columns}


REFUSED_SCORES: list[tuple[Any, str]] = [
    (attempts(), "column results agent task"),
    (attempts(points=[1, 0]), "column results agent task points score='points'"),
    (attempts(success=[1, 0], score=[1, 0]), "'success' 'score' agent task"),
    (attempts(successes=[1, 0]), "column 'rollouts' agent task successes"),
    (attempts(score=[1, 1.5]), "row 2 score 1.5 0 1"),
    (attempts(score=[-1, 0]), "row 1 score -1.0 0 1"),
    (attempts(score=[np.inf, 0]), "row 1 score inf 0 1"),
    (attempts(score=["1", "yes"]), "'score' 0 1 row 2 'yes'"),
    (attempts(score=[True, "yes"]), "'score' 0 1 row 1 'True'"),
    (attempts(score=[None, None]), "table"),
    (attempts(agent=[b"a", b"b"], score=[1, 0]), "'agent' text binary"),
    (attempts(agent=[["a"], ["b"]], score=[1, 0]), "'agent' text list"),
    ({"agent": ["a", "b"]}, "column tasks agent"),
    ({"q": [1, 0], "agent": ["a", "b"]}, "column agents start q agent"),
    ({"agent": ["a", "b"], "q": [1, 3]}, "row 2 q 3.0 0 1 max_score"),
    ({"agent": ["a", "b"], "q": ["x", "y"]}, "columns numbers text q"),
    ({"agent": ["a", "b"], "p": [0, 1], "q": ["1", "y"]}, "column 'q' 0 1 row 2 'y'"),
    ({"agent": ["a", None], "q": [1, 0]}, "row 2 agent"),
    (np.full((2, 2), np.nan), "table"),
    (np.array([[0, 1], [0, 2]]), "score agent task 1 2.0 0"),
    (np.array([[0, -0.5]]), "score agent task 0 1 -0.5"),
    (np.zeros(4), "agents tasks (4,)"),
    (np.zeros((0, 3)), "agents tasks (0, 3)"),
    (np.array([["a", "b"]]), "results 0 1 <U1"),
]


@pytest.mark.parametrize(("given", "tokens"), REFUSED_SCORES, ids=range(len(REFUSED_SCORES)))
def test_bad_scores_are_refused_in_one_sentence(given: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        Outcomes.from_table(given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [None, 5, [1, 2], {"a", "b"}])
def test_what_is_no_table_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match=says(f".csv .parquet DataFrame {type(given).__name__}")):
        Outcomes.from_table(given)


UNCLEAR: list[tuple[Any, str]] = [
    ({"agent": "a", "task": "t", "successes": 1, "rollouts": 2}, "column"),  # TypeError: len()
    (table(agent=["a", float("nan"), "a"]), "row 2 agent"),  # becomes the agent "nan"
    (table(agent=pd.Series(["a", pd.NA, "a"], dtype="string")), "row 2 agent"),  # TypeError
    (table(agent=np.full((3, 2), "a")), "agent"),  # TypeError or IndexError
    (table(size=np.zeros((3, 2))), "size"),  # "could not be broadcast to indexing result"
    (table(successes=[1, "many", 0]), "'successes' row 2 'many'"),  # the row is not named
    (
        table(successes=[1, 0, 1e300], rollouts=[2, 2, 1e300]),
        "row 3 successes 1e+300",
    ),  # "invalid value in cast", then "successes must be whole numbers"
    (
        pd.DataFrame([["a", "t", 1, 2, 3]], columns=[*COLUMNS, "task"]),
        "columns",
    ),  # IndexError: index 0 is out of bounds
]


@pytest.mark.parametrize(("given", "tokens"), UNCLEAR, ids=range(len(UNCLEAR)))
def test_more_bad_tables_are_refused_in_one_sentence(given: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        Outcomes.from_table(given)
    assert "broadcast" not in str(caught.value)


def test_large_counts_are_exact() -> None:
    large = 2**53 + 1
    outcomes = Outcomes.from_table(table(successes=[large, 0, 0], rollouts=[large, 2, 3]))
    assert outcomes.successes[0, 0] == large


# -- files that are refused ------------------------------------------------------------------------

HEADING = "agent,task,successes,rollouts"


def refuses(path: Path, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Outcomes.from_table(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_file_is_named(tmp_path: Path, kind: str) -> None:
    with pytest.raises(FileNotFoundError, match=says(f"nowhere.{kind}")):
        Outcomes.from_table(tmp_path / f"nowhere.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_file_is_named(tmp_path: Path, kind: str) -> None:
    (tmp_path / f"empty.{kind}").touch()
    refuses(tmp_path / f"empty.{kind}", f"empty.{kind} {kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_something_else_is_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"bytes.{kind}"
    path.write_bytes(bytes(range(256)) * 10)
    refuses(path, f"bytes.{kind} {kind}")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (HEADING, "table empty"),
        (
            f"{HEADING}\na,t,1",
            "table.csv csv 4 3",
        ),
        (f"{HEADING}\na,t,1,2\n,t,1,2", "line 3 agent"),
        (f"{HEADING}\na,t,1,2\nb,t,,2", "line 3 successes nan"),
        (f"{HEADING}\na,t,few,2", "'successes' line 2 'few'"),
        (f"{HEADING},agent\na,t,1,2,b", "columns"),
    ],
)
def test_a_wrong_csv_file_is_refused(tmp_path: Path, text: str, tokens: str) -> None:
    (tmp_path / "table.csv").write_text(text + "\n")
    refuses(tmp_path / "table.csv", tokens)


def test_dates_are_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(f"{HEADING}\na,t,2020-01-01,2\n")
    refuses(tmp_path / "table.csv", "column 'successes'")


def test_text_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes(f"{HEADING}\nä,t,1,2\n".encode("latin-1"))
    refuses(tmp_path / "old.csv", "old.csv csv UTF-8")


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    example().to_table(tmp_path / "whole.parquet")
    whole, path = (tmp_path / "whole.parquet").read_bytes(), tmp_path / "bad.parquet"
    faults = []
    for place in range(0, len(whole), 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            Outcomes.from_table(path)
        except ValueError as error:
            if "Arrow" in type(error).__name__ or isinstance(error, UnicodeError):
                faults.append(f"{place}: {type(error).__name__}")
        except Exception as error:
            faults.append(f"{place}: {type(error).__name__} {error}")
    assert not faults, f"{len(faults)} places, such as {faults[:3]}"


# -- writing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["table.txt", "table", "table.npz"])
def test_an_unknown_ending_is_refused_before_writing(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=says(f".csv .parquet {name!r}")):
        example().to_table(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_folder_is_named(tmp_path: Path, kind: str) -> None:
    with pytest.raises(FileNotFoundError, match=says(str(tmp_path / "no"))):
        example().to_table(tmp_path / "no" / f"table.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_that_fails_halfway_harms_nothing(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    def half(table: Any, path: Path) -> None:
        path.write_text("half a ta")
        raise OSError(28, "No space left on device")

    path = tmp_path / f"table.{kind}"
    example().to_table(path)
    monkeypatch.setattr(pyarrow.csv, "write_csv", half)
    monkeypatch.setattr(pyarrow.parquet, "write_table", half)
    with pytest.raises(OSError, match="No space left"):
        example(rollouts=20).to_table(path)
    assert_same(example(), Outcomes.from_table(path))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_decimals_are_numbers_and_columns_need_names() -> None:
    points = pa.array([Decimal("0.50"), Decimal("1.00")])
    table = pa.table({"agent": ["a", "b"], "task": ["t", "t"], "score": points})
    assert Outcomes.from_table(table).rates.tolist() == [[0.5], [1.0]]
    with pytest.raises(ValueError, match=says("column name without")):
        Outcomes.from_table(pd.DataFrame({"agent": ["a", "b"], "q": [1, 0], None: [0.5, 1]}))
    with pytest.raises(ValueError, match=says("'q' text numbers list")):
        Outcomes.from_table({"agent": ["a", "b"], "p": [1, 0], "q": [[1], [0]]})


def test_tasks_with_another_highest_score_are_told() -> None:
    table = {"agent": range(30), "q1": [0, 1] * 15, "q2": [0, 5, 3] * 10}
    with pytest.warns(UserWarning, match=says("'q1' 1 5")):
        Outcomes.from_table(table, max_score=5)
