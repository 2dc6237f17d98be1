"""Bad tables of results."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import taskspace as ts
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import cut, named, written

LONG = {
    "agent": ["a", "a", "b", "b"],
    "task": ["s", "t", "s", "t"],
    "score": [1.0, 0.0, 0.5, 1.0],
}
WIDE = {"agent": ["a", "b"], "s": [1, 0], "t": [0, 1]}
COUNTS = {
    "agent": ["a", "a", "b", "b"], "task": ["s", "t", "s", "t"],
    "successes": [1, 2, 0, 2], "rollouts": [2, 2, 2, 2],
}  # fmt: skip


def _read(table: Any, **options: Any) -> Callable[[Path], Any]:
    return lambda _: ts.Outcomes.from_table(table, **options)


def _read_file(name: str, content: str | bytes, **options: Any) -> Callable[[Path], Any]:
    return lambda folder: ts.Outcomes.from_table(written(folder / name, content), **options)


def _cut_parquet(folder: Path) -> Any:
    named().to_table(folder / "results.parquet")
    return ts.Outcomes.from_table(cut(folder / "results.parquet"))


def _features(rows: Any) -> Any:
    return {"task": ["s", "t"], "width": rows}


def _generated() -> Any:
    yield from [["a", "s", 1]]


CALLS = [
    # -- what is no table ----------------------------------------------------------------------
    Call("table: None", _read(None), "table NoneType", TypeError),
    Call("table: a number", _read(5), "table int", TypeError),
    Call("table: rows of unequal length", _read([[1, 0], [0]]), "table equal"),
    Call("table: a list of records", _read([{"agent": "a"}]), "table list", TypeError),
    Call("table: a set", _read({1, 2}), "table set", TypeError),
    Call("table: a generator", _read(_generated()), "table generator", TypeError),
    Call("table: a Series", _read(pd.Series([1, 0])), "table Series", TypeError),
    Call("table: a sparse matrix", _read(scipy.sparse.eye(3)), "table dia_matrix", TypeError),
    Call("table: bytes", _read(b"results.csv"), "table bytes", TypeError),
    Call("table: an empty dict", _read({}), "table row empty"),
    Call("table: an empty DataFrame", _read(pd.DataFrame()), "table row empty"),
    Call("table: no rows", _read(pd.DataFrame(LONG).iloc[:0]), "table row empty"),
    Call("table: columns of different lengths", _read({**LONG, "score": [1]}), "lengths 1, 4"),
    Call("table: a column that is a number", _read({**LONG, "score": 1}), "score list"),
    Call("table: a column of two dimensions", _read({**LONG, "score": np.ones((4, 2))}), "score"),
    Call("table: a column that is a text", _read({**LONG, "task": "stst"}), "task list"),
    # -- arrays --------------------------------------------------------------------------------
    Call("array: no dimension", _read(np.array(1.0)), "agents tasks ()"),
    Call("array: one dimension", _read(np.ones(5)), "agents tasks (5,)"),
    Call("array: three dimensions", _read(np.ones((2, 2, 2))), "agents tasks (2, 2, 2)"),
    Call("array: no agents", _read(np.ones((0, 3))), "agents tasks (0, 3)"),
    Call("array: text", _read(np.array([["1", "0"]])), "numbers <U1"),
    Call("array: objects", _read(np.array([[1, None]], object)), "numbers object"),
    Call("array: complex", _read(np.array([[1j, 0]])), "numbers complex128"),
    Call("array: dates", _read(np.array([["2020-01-01"]], "M8[D]")), "numbers datetime64[D]"),
    Call("array: percent", _read(np.array([[90.0, 40.0]])), "score 90.0 1"),
    Call("array: below 0", _read(np.array([[1, -1]])), "score -1.0 1"),
    Call("array: infinity", _read(np.array([[1, np.inf]])), "score inf 1"),
    Call("array: nothing tried", _read(np.full((3, 3), np.nan)), "result none"),
    Call("array: a masked array", _read(np.ma.masked_array([[1, 0], [0, 1]], [[0, 1], [0, 0]])),
         "mask"),
    Call("array: features of other tasks", _read(np.eye(3), features=np.ones((2, 1)) * [[1], [2]]),
         "features 3 (2, 1)"),
    Call("array: features by name", _read(np.eye(3), features=["width"]), "width"),
    Call("array: ragged features", _read(np.eye(3), features=[[1], [2, 3], [4]]), "list",
         TypeError),
    Call("array: names of columns", _read(np.eye(3), agent="student"), "agent student"),
    # -- names of columns ----------------------------------------------------------------------
    Call("columns: unknown names", _read({"x": ["a"], "y": ["s"], "z": [1]}), "agent= task="),
    Call("columns: no agents", _read({"task": ["s", "t"], "score": [1, 0]}), "agents columns"),
    Call("columns: no tasks", _read({"agent": ["a", "b"], "score": [1, 0]}), "tasks columns"),
    Call("columns: no results", _read({"agent": ["a", "b"], "task": ["s", "t"]}), "results"),
    Call("columns: two results", _read({**LONG, "correct": [1, 0, 1, 1]}), "score correct both"),
    Call("columns: two columns of agents",
         _read({"student": list("aabb"), "user": list("ccdd"), **_features([1, 2]),
                "task": list("stst"), "width": [1, 2, 1, 2], "score": [1, 0, 1, 1]}),
         "both student user"),
    Call("columns: two columns of tasks",
         _read({"agent": list("aabb"), "question": list("stst"), "problem": list("uvuv"),
                "score": [1, 0, 1, 1]}), "both question problem"),
    Call("columns: successes alone",
         _read({k: v for k, v in COUNTS.items() if k != "rollouts"}), "rollouts"),
    Call("columns: rollouts alone",
         _read({k: v for k, v in COUNTS.items() if k != "successes"}), "successes"),
    Call("columns: the named one is missing", _read(LONG, agent="pupil"), "pupil agent, score"),
    Call("columns: the same one twice", _read(LONG, agent="agent", task="agent"), "different"),
    Call("columns: a name that is a number", _read(LONG, agent=5), "agent 5"),
    Call("columns: a name that is a list", _read(LONG, agent=["agent"]), "agent ['agent']"),
    Call("columns: two of the same name",
         _read(pd.DataFrame([["a", "s", 1, 0]], columns=["agent", "task", "score", "score"])),
         "unique"),
    Call("columns: row numbers in place of agents",
         _read(pd.DataFrame({"task": list("stst"), "score": [1, 0, 1, 1]}, index=[3, 4, 7, 9])),
         "agents"),
    Call("columns: transposed", _read({"task": ["s", "t"], "a": [1, 0], "b": [0, 1]}), "agents"),
    Call("columns: wide with text alone", _read({"agent": ["a", "b"], "s": ["x", "y"]}), "numbers"),
    Call("columns: agents alone", _read({"agent": ["a", "b"]}), "task"),
    # -- names of agents and tasks -------------------------------------------------------------
    Call("names: a missing agent", _read({**LONG, "agent": ["a", None, "b", "b"]}), "agent row 2"),
    Call("names: an empty task", _read({**LONG, "task": ["s", "", "s", "t"]}), "task row 2"),
    Call("names: NaN as a task", _read({**LONG, "task": [1, 2, np.nan, 2]}), "task row 3"),
    Call("names: bytes", _read({**LONG, "task": [b"s", b"t", b"s", b"t"]}), "task text"),
    Call("names: lists", _read({**LONG, "task": [["s"], ["t"], ["s"], ["t"]]}), "task text"),
    Call("names: rounded to single precision",
         _read({**LONG, "agent": np.array([16777216, 16777217, 3, 4], np.float32)}),
         "'agent' 16777216 float32"),
    Call("names: a name of a megabyte", _read({**LONG, "task": ["s" * 10**6, "t", "s", "t"]}),
         "10,000 1,000,000"),
    Call("names: many agents and tasks",
         _read({"agent": np.arange(400_000), "task": np.arange(400_000), "score": [1] * 400_000}),
         "memory 400,000"),
    # -- scores --------------------------------------------------------------------------------
    Call("scores: text", _read({**LONG, "score": ["yes", "no", "yes", "no"]}), "score yes row 1"),
    Call("scores: numbers as text", _read({**LONG, "score": ["1", "0", "1", "0"]}), "score string"),
    Call("scores: percent signs", _read({**LONG, "score": ["90%", "1%", "2%", "3%"]}), "90%"),
    Call("scores: decimal commas", _read({**LONG, "score": ["0,5", "1", "0", "1"]}), "0,5 row 1"),
    Call("scores: mixed types", _read({**LONG, "score": [1, "0", 1, 0]}), "score"),
    Call("scores: 0 to 5", _read({**LONG, "score": [5, 0, 3, 4]}), "5.0 max_score"),
    Call("scores: above the highest", _read({**LONG, "score": [5, 0, 3, 9]}, max_score=5), "9.0 5"),
    Call("scores: below 0", _read({**LONG, "score": [-1, 0, 1, 1]}), "score -1.0"),
    Call("scores: infinity", _read({**LONG, "score": [np.inf, 0, 1, 1]}), "score inf"),
    Call("scores: complex", _read({**LONG, "score": np.array([1j, 0, 1, 1])}), "score"),
    Call("scores: dates", _read({**LONG, "score": [datetime.date(2020, 1, 1)] * 4}), "score"),
    Call("scores: durations", _read({**LONG, "score": pd.to_timedelta([1, 2, 3, 4], "s")}),
         "score"),
    Call("scores: lists", _read({**LONG, "score": [[1], [0], [1], [1]]}), "score"),
    Call("scores: dicts", _read({**LONG, "score": [{"a": 1}] * 4}), "score"),
    Call("scores: none at all", _read({**LONG, "score": [None] * 4}), "result none"),
    Call("scores: wide, text in one cell", _read({**WIDE, "s": [1, "absent"]}), "s absent row 2"),
    Call("scores: wide, 0 to 10", _read({**WIDE, "s": [10, 0]}), "s 10.0 max_score"),
    Call("scores: wide, numbers as text", _read({**WIDE, "s": ["1", "0"]}), "s string"),
    Call("returns: text", _read({**LONG, "score": ["1", "much", "0", "1"]}, returns=True), "much"),
    Call("returns: infinity", _read({**LONG, "score": [np.inf, 0, 1, 1]}, returns=True),
         "returns infinity"),
    Call("returns: none at all", _read({**LONG, "score": [None] * 4}, returns=True), "result none"),
    Call("returns: a number", _read(LONG, returns=5), "returns 5"),
    Call("returns: max_score", _read(LONG, returns=True, max_score=5), "max_score returns 5"),
    Call("best: of scores", _read(LONG, best=1), "best returns=True"),
    Call("success: of scores", _read(LONG, success=1), "success returns=True"),
    Call("max_score: 0", _read(LONG, max_score=0), "max_score 0"),
    Call("max_score: negative", _read(LONG, max_score=-1), "max_score -1"),
    Call("max_score: NaN", _read(LONG, max_score=np.nan), "max_score nan"),
    Call("max_score: infinity", _read(LONG, max_score=np.inf), "max_score inf"),
    Call("max_score: text", _read(LONG, max_score="5"), "max_score '5'"),
    Call("max_score: None", _read(LONG, max_score=None), "max_score None"),
    Call("max_score: True", _read(LONG, max_score=True), "max_score True"),
    Call("max_score: an array", _read(LONG, max_score=np.array([5])), "max_score"),
    Call("max_score: with counts", _read(COUNTS, max_score=5), "max_score"),
    # -- counts --------------------------------------------------------------------------------
    Call("counts: a pair twice", _read({**COUNTS, "task": ["s", "s", "s", "t"]}), "a s row 2"),
    Call("counts: more successes than rollouts", _read({**COUNTS, "successes": [1, 3, 0, 2]}),
         "a t 2 3"),
    Call("counts: below 0", _read({**COUNTS, "rollouts": [2, 2, -2, 2]}), "rollouts -2 row 3"),
    Call("counts: fractions", _read({**COUNTS, "rollouts": [2, 2.5, 2, 2]}), "rollouts 2.5 row 2"),
    Call("counts: NaN", _read({**COUNTS, "rollouts": [2, np.nan, 2, 2]}), "rollouts nan row 2"),
    Call("counts: huge", _read({**COUNTS, "rollouts": [2, 1e300, 2, 2]}), "rollouts 1e+300"),
    Call("counts: text", _read({**COUNTS, "successes": ["1", "x", "0", "2"]}), "successes x row 2"),
    Call("counts: nothing tried", _read({**COUNTS, "successes": [0] * 4, "rollouts": [0] * 4}),
         "result none"),
    # -- features and labels -------------------------------------------------------------------
    Call("features: text", _read({**LONG, "topic": list("xyxy")}, features="topic"), "topic text"),
    Call("features: no such column", _read(LONG, features="width"), "width"),
    Call("features: an empty name", _read(LONG, features=""), "features ''"),
    Call("features: the same twice", _read({**LONG, "w": [1, 2, 1, 2]}, features="w,w"), "'w'"),
    Call("features: a number", _read(LONG, features=5), "table int", TypeError),
    Call("features: an array for named tasks", _read(LONG, features=np.eye(2)), "features array",
         TypeError),
    Call("features: different within a task",
         _read({**LONG, "width": [1.0, 2.0, 3.0, 2.0]}, features="width"), "width same"),
    Call("features: a missing one", _read({**LONG, "w": [1, np.nan, 1, np.nan]}, features="w"),
         "w t"),
    Call("features: infinity", _read(LONG, features=_features([1, np.inf])), "width t"),
    Call("features: constant",
         _read({"agent": list("ab") * 6, "task": list("stuvwx") * 2, "score": [0, 1] * 6,
                "w": [1] * 12}, features="w"), "1 6"),
    Call("features: of fewer tasks", _read(LONG, features={"task": ["s"], "w": [1]}), "'t'"),
    Call("features: of other tasks",
         _read(LONG, features={"task": ["s", "t", "u"], "w": [1, 2, 3]}), "'u'"),
    Call("features: a task twice", _read(LONG, features={"task": ["s", "s", "t"], "w": [1, 2, 3]}),
         "several s"),
    Call("features: names alone", _read(LONG, features={"task": ["s", "t"]}), "column task"),
    Call("features: without names", _read(LONG, features={"w": [1, 2]}), "'task'"),
    Call("features: text alone", _read(LONG, features={"task": ["s", "t"], "w": ["x", "y"]}),
         "numbers"),
    Call("features: two tables", _read(LONG, features=_features([1, 2]), tasks=_features([1, 2])),
         "features tasks"),
    Call("features: the name of the results", _read(LONG, features="score"), "score"),
    Call("features: the agents", _read(LONG, features="agent"), "agent"),
    Call("labels: of unknown agents", _read(LONG, agents={"agent": ["a", "c"], "sex": [0, 1]}),
         "'b'"),
    Call("labels: agents without names", _read(LONG, agents={"sex": [0, 1]}), "'agent'"),
    Call("labels: an array", _read(LONG, tasks=np.eye(2)), "table ndarray", TypeError),
    Call("labels: a column that is there already",
         _read({**LONG, "width": [1, 2, 1, 2]}, tasks=_features([1, 2])), "width"),
    Call("labels: lists", _read(LONG, tasks=_features([[1], [2]])), "width text"),
    # -- files ---------------------------------------------------------------------------------
    Call("file: missing", _read("no/such.csv"), "no/such.csv", FileNotFoundError),
    Call("file: a folder", lambda folder: ts.Outcomes.from_table(folder), ".csv .parquet"),
    Call("file: Excel", _read_file("results.xlsx", b"PK"), ".csv .parquet results.xlsx"),
    Call("file: an empty name", _read(""), ".csv .parquet"),
    Call("file: empty", _read_file("results.csv", ""), "results.csv"),
    Call("file: a header alone", _read_file("results.csv", "agent,task,score\n"), "row empty"),
    Call("file: a row too short", _read_file("results.csv", "agent,task,score\na,s,1\nb,s\n"),
         "results.csv"),
    Call("file: a row too long", _read_file("results.csv", "agent,task,score\na,s,1\nb,s,1,1\n"),
         "results.csv"),
    Call("file: UTF-16", _read_file("results.csv", "agent,task,score\na,s,1\n".encode("utf-16")),
         "UTF-8"),
    Call("file: Latin-1", _read_file("results.csv", "agent,task,score\né,s,1\n".encode("latin-1")),
         "results.csv UTF-8"),
    Call("file: zeros", _read_file("results.csv", bytes(1000)), "results.csv UTF-8"),
    Call("file: HTML", _read_file("results.csv", "<html>\n<body>not found</body>\n</html>\n"),
         "columns"),
    Call("file: JSON", _read_file("results.csv", '[{"agent": "a", "task": "s"}]'), "results.csv"),
    Call("file: not Parquet", _read_file("results.parquet", b"agent,task,score\n"),
         "results.parquet"),
    Call("file: half of a Parquet file", _cut_parquet, "results.parquet"),
    Call("file: percent", _read_file("results.csv", "agent,task,score\na,s,90%\nb,s,10%\n"), "90%"),
    Call("file: decimal commas in quotes",
         _read_file("results.csv", 'agent,task,score\na,s,"0,5"\nb,s,"1,0"\n'), "0,5"),
    Call("file: two columns of one name",
         _read_file("results.csv", "agent,task,score,score\na,s,1,0\n"), "unique"),
    Call("file: no header", _read_file("results.csv", "a,s,1\nb,s,0\nb,t,1\n"), "columns"),
    Call("to_table: another ending", lambda folder: named().to_table(folder / "a.xlsx"), "a.xlsx"),
    Call("to_table: None", lambda _: named().to_table(None), "path None", TypeError),
    Call("to_table: a missing folder", lambda folder: named().to_table(folder / "no" / "a.csv"),
         "folder", FileNotFoundError),
    Call("to_table: a folder", lambda folder: named().to_table(_folder(folder / "a.csv")),
         "folder", IsADirectoryError),
]  # fmt: skip


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
