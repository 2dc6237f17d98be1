"""Bad arguments of `Outcomes` and its methods."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type, list-item"

from __future__ import annotations

import datetime
import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import taskspace as ts
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import changed, cut, named, saved, written

TABLE = [[3, 0], [9, 4]]


def _made(successes: Any = TABLE, rollouts: Any = 10, **parts: Any) -> Callable[[Path], Any]:
    return lambda _: ts.Outcomes(successes, rollouts, **parts)


def _of_returns(returns: Any, **parts: Any) -> Callable[[Path], Any]:
    return lambda _: ts.Outcomes.from_returns(returns, **parts)


def _clashing(folder: Path) -> Any:
    outcomes = ts.Outcomes(
        np.array(TABLE), np.array(10), features=np.eye(2), feature_names=("w", "h"),
        task_labels={"w": np.array(["x", "y"])},
    )  # fmt: skip
    return outcomes.to_table(folder / "a.csv")


def _pickled(folder: Path) -> Any:
    np.savez(folder / "a.npz", header=np.array("{}"), successes=np.array([[{}]], object))
    return ts.Outcomes.load(folder / "a.npz")


def _bomb(folder: Path) -> Any:
    """A file whose directory says that a terabyte unfolds from it."""
    path = folder / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        member = io.BytesIO()
        np.save(member, np.zeros((100, 100)))
        archive.writestr("header.npy", member.getvalue())
        archive.filelist[0].file_size = 2**31
        archive.filelist *= 500
    return ts.Outcomes.load(path)


CALLS = [
    Call("successes: None", _made(None), "successes object"),
    Call("successes: a number", _made(3), "successes ()"),
    Call("successes: a list", _made([3, 0]), "successes (2,)"),
    Call("successes: three dimensions", _made([[[3]]]), "successes (1, 1, 1)"),
    Call("successes: empty", _made([[]]), "successes (1, 0)"),
    Call("successes: ragged", _made([[3, 0], [9]]), "successes equal"),
    Call("successes: text", _made([["3", "0"]]), "successes <U1"),
    Call("successes: a text", _made("table"), "successes <U5"),
    Call("successes: a dict", _made({"a": 3}), "successes object"),
    Call("successes: a set", _made({3, 0}), "successes object"),
    Call("successes: a generator", _made(row for row in TABLE), "successes object"),
    Call("successes: complex", _made([[3j, 0]]), "successes complex128"),
    Call("successes: dates", _made([[datetime.datetime(2020, 1, 1)]]), "successes object"),
    Call("successes: sparse", _made(scipy.sparse.eye(2)), "successes object"),
    Call("successes: masked", _made(np.ma.masked_array(TABLE, [[0, 1], [0, 0]])), "successes mask"),
    Call("successes: below 0", _made([[3, -1], [0, 0]]), "successes -1"),
    Call("successes: NaN", _made([[3, np.nan], [0, 0]]), "successes NaN"),
    Call("successes: infinity", _made([[3, np.inf], [0, 0]]), "successes inf"),
    Call("successes: huge", _made([[1e308, 0], [0, 0]]), "successes 1e+308"),
    Call("successes: huge fractions", _made([[1e300, 0.5], [0, 0]]), "successes"),
    Call("successes: more than rollouts", _made([[3, 11], [0, 0]]), "agent-0 task-1 10 11"),
    Call("rollouts: None", _made(rollouts=None), "rollouts object"),
    Call("rollouts: text", _made(rollouts="10"), "rollouts <U2"),
    Call("rollouts: another shape", _made(rollouts=[10, 10]), "rollouts (2, 2) (2,)"),
    Call("rollouts: a fraction", _made(rollouts=10.5), "rollouts 10.5"),
    Call("rollouts: below 0", _made([[0, 0]], -1), "rollouts -1"),
    Call("rollouts: NaN", _made([[0, 0]], np.nan), "rollouts NaN"),
    Call("rollouts: infinity", _made([[0, 0]], np.inf), "rollouts inf"),
    Call("rollouts: a boolean", _made([[0, 1]], True), "rollouts bool"),
    Call("rollouts: 2**70", _made([[0, 1]], 2**70), "rollouts"),
    Call("rollouts: a DataFrame in another order",
         _made(pd.DataFrame(TABLE, columns=["s", "t"]),
               pd.DataFrame([[10, 10]] * 2, columns=["t", "s"])), "rollouts columns"),
    Call("agents: too few", _made(agents=["a"]), "agents 1 2"),
    Call("agents: a text", _made(agents="ab"), "agents list"),
    Call("agents: twice the same", _made(agents=["a", "a"]), "agents unique 'a'"),
    Call("agents: a set", _made(agents={"a", "b"}), "agents"),
    Call("agents: None inside", _made(agents=["a", None]), "agents None"),
    Call("agents: NaN inside", _made(agents=["a", np.nan]), "agents nan"),
    Call("agents: empty names", _made(agents=["", "b"]), "agents ''"),
    Call("agents: lists", _made(agents=[["a"], ["b"]]), "agents"),
    Call("agents: a dict", _made(agents={"a": 1, "b": 2}), "agents"),
    Call("agents: bytes that are no text", _made(agents=[b"\xff", b"a"]), "agents"),
    Call("agents: half a character", _made(agents=["\ud800", "b"]), "agents"),
    Call("agents: a megabyte", _made(agents=["a" * 10**6, "b"]), "agents 10,000 1,000,000"),
    Call("tasks: too many", _made(tasks=["s", "t", "u"]), "tasks 3 2"),
    Call("tasks: twice the same", _made(tasks=[1, 1]), "tasks unique '1'"),
    Call("tasks: a number and its text", _made(tasks=[1, "1"]), "tasks unique '1'"),
    Call("tasks: a generator", _made(tasks=(name for name in "st")), "tasks"),
    Call("tasks: fractions", _made(tasks=[0.5, 1.5]), "tasks 0.5"),
    Call("features: NaN", _made(features=[[1.0], [np.nan]]), "features task-1"),
    Call("features: a row too few", _made(features=[[1.0]]), "features 2 (1, 1)"),
    Call("features: one dimension", _made(features=[1.0, 2.0]), "features 2 (2,)"),
    Call("features: text in an array", _made(features=[["a"], ["b"]]), "features numbers"),
    Call("features: objects", _made(features=np.array([[{}], [1]], object)), "features numbers"),
    Call("features: no columns", _made(features=np.ones((2, 0))), "features (2, 0)"),
    Call("features: a masked array", _made(features=np.ma.masked_array([[1], [2]], [[0], [1]])),
         "features mask"),
    Call("features: sparse", _made(features=scipy.sparse.eye(2)), "features"),
    Call("feature names: alone", _made(feature_names=["w"]), "feature names"),
    Call("feature names: too few", _made(features=np.eye(2), feature_names=["w"]), "1 2"),
    Call("feature names: a text", _made(features=np.eye(2), feature_names="wh"), "feature names"),
    Call("feature names: numbers", _made(features=np.eye(2), feature_names=[0, 1]), "text"),
    Call("feature names: a number", _made(features=np.eye(2), feature_names=5), "feature names 5"),
    Call("feature names: empty", _made(features=np.eye(2), feature_names=["w", ""]), "''"),
    Call("feature names: reserved", _made(features=np.eye(2), feature_names=["w", "task"]),
         "'task'"),
    Call("steps: another shape", _made(steps=[1, 2]), "steps (2, 2) (2,)"),
    Call("steps: below 0", _made(steps=[[1, 2], [3, -4]]), "steps -4"),
    Call("returns: NaN", _made(returns=[[1, 2], [3, np.nan]]), "returns NaN"),
    Call("returns: too large for single precision", _made(returns=[[1, 2], [3, 1e300]]),
         "returns 1e+300"),
    Call("return_spreads: without returns", _made(return_spreads=TABLE), "return_spreads returns"),
    Call("return_spreads: below 0", _made(returns=TABLE, return_spreads=[[1, 2], [3, -4]]),
         "return_spreads -4"),
    Call("scale: a number", _made(returns=TABLE, scale=5), "scale ReturnScale 5"),
    Call("by_return: no returns", lambda _: ts.Outcomes(np.array(TABLE), np.array(10)).by_return(),
         "returns keep_returns=True"),
    Call("from_returns: text", _of_returns("many"), "returns numbers"),
    Call("from_returns: None", _of_returns(None), "returns"),
    Call("from_returns: a list", _of_returns([1, 2]), "returns (2,)"),
    Call("from_returns: infinity", _of_returns([[np.inf]]), "returns infinity agent-0 task-0"),
    Call("from_returns: spreads of single attempts", _of_returns([[1.5]], spreads=[[0.5]]),
         "return_spreads 2 0.5 1"),
    Call("from_returns: equal in single precision", _of_returns([[1e9, 1], [1e9 + 1, 2]]),
         "returns 1000000000 1000000001 task 0"),
    Call("from_returns: too small for single precision", _of_returns([[1e-60], [0]]), "rescale"),
    Call("from_returns: rollouts text", _of_returns([[7, np.nan]], rollouts="2"), "rollouts <U1"),
    Call("from_returns: rollouts True", _of_returns([[7, np.nan]], rollouts=True), "rollouts bool"),
    Call("from_returns: best too low", _of_returns([[7]], best=3), "best 3 7"),
    Call("from_returns: best NaN", _of_returns([[7]], best=np.nan), "best NaN"),
    Call("from_returns: best of other tasks", _of_returns([[7, 8]], best=[9, 9, 9]), "best (3,)"),
    Call("from_returns: best and success", _of_returns([[7]], best=9, success=8), "best success"),
    Call("from_returns: success text", _of_returns([[7]], success="high"), "success 'high'"),
    Call("results: other counts", _made([[1]], 2, results=[[[1, 1]]]), "results successes"),
    Call("results: one dimension", _made([[1]], 2, results=[1, 0]), "results (2,)"),
    Call("results: NaN", _made([[1]], 2, results=[[[np.nan, 0]]]), "results 0 1"),
    Call("results: text", _made([[2]], 2, results=[[["0", "1"]]]), "results 0 1"),
    Call("results: counts", _made([[1]], 2, results=[[[7, 0]]]), "results 0 1"),
    Call("labels: a list", _made(task_labels=["x", "y"]), "labels list"),
    Call("labels: too few", _made(task_labels={"topic": ["x"]}), "topic 2 (1,)"),
    Call("labels: a number as their name", _made(agent_labels={5: ["x", "y"]}), "label 5"),
    Call("info: an object", _made(info={"a": object()}), "info JSON"),
    Call("info: a list", _made(info=[1]), "info dictionary"),
    Call("info: itself inside", lambda _: ts.Outcomes(TABLE, 10, info=_endless()), "info JSON"),
    Call("of_agents: unknown", lambda _: named().of_agents(["x"]), "'x' 40"),
    Call("of_agents: a text", lambda _: named().of_agents("agent-0"), "list 'agent-0'"),
    Call("of_agents: none", lambda _: named().of_agents([]), "agent"),
    Call("of_agents: twice", lambda _: named().of_agents(["agent-0"] * 2), "agent-0 twice"),
    Call("of_agents: a number", lambda _: named().of_agents(5), "list 5"),
    Call("of_agents: lists", lambda _: named().of_agents([["agent-0"]]), "agent ['agent-0']"),
    Call("of_agents: positions", lambda _: named().of_agents([0, 1]), "agent 0"),
    Call("of_tasks: unknown", lambda _: named().of_tasks(["x"]), "'x'"),
    Call("of_tasks: a text", lambda _: named().of_tasks("item 0"), "list 'item 0'"),
    Call("of_tasks: none", lambda _: named().of_tasks([]), "task"),
    Call("of_tasks: twice", lambda _: named().of_tasks(["item 0"] * 2), "'item 0' twice"),
    Call("of_tasks: a number", lambda _: named().of_tasks(5), "list 5"),
    Call("of_tasks: positions", lambda _: named().of_tasks([0, 1]), "task 0"),
    Call("first_tasks: 0", lambda _: named().first_tasks(0), "count 0"),
    Call("first_tasks: below 0", lambda _: named().first_tasks(-1), "count -1"),
    Call("first_tasks: a fraction", lambda _: named().first_tasks(1.5), "count 1.5"),
    Call("first_tasks: None", lambda _: named().first_tasks(None), "count None"),
    Call("mean_lengths: unknown", lambda _: named().mean_lengths, "steps None"),
    Call("Outcomes.save: None", lambda _: named().save(None), "path None", TypeError),
    Call("Outcomes.save: a number", lambda _: named().save(5), "path 5", TypeError),
    Call("Outcomes.save: a folder", lambda folder: named().save(folder), "folder",
         IsADirectoryError),
    Call("Outcomes.save: a missing folder", lambda folder: named().save(folder / "no" / "a.npz"),
         "folder", FileNotFoundError),
    Call("Outcomes.load: None", lambda _: ts.Outcomes.load(None), "path None", TypeError),
    Call("Outcomes.load: missing", lambda folder: ts.Outcomes.load(folder / "a.npz"), "a.npz",
         FileNotFoundError),
    Call("Outcomes.load: a folder", lambda folder: ts.Outcomes.load(folder), "file",
         FileNotFoundError),
    Call("Outcomes.load: a table",
         lambda folder: ts.Outcomes.load(written(folder / "a.csv", "agent,task,score\na,s,1\n")),
         "Outcomes.from_table"),
    Call("Outcomes.load: half of it",
         lambda folder: ts.Outcomes.load(cut(saved(named(), folder / "a.npz"))), "damaged"),
    Call("Outcomes.load: a byte changed",
         lambda folder: ts.Outcomes.load(
             changed(saved(named(), folder / "a.npz"), b"header.npy", b"Header.npy")
         ), "damaged"),
    Call("Outcomes.load: a pickle",
         lambda folder: ts.Outcomes.load(written(folder / "a.npz", pickle.dumps({"a": 1}))),
         "damaged"),
    Call("Outcomes.load: pickled arrays", _pickled, "a.npz"),
    Call("Outcomes.load: empty", lambda folder: ts.Outcomes.load(written(folder / "a", b"")),
         "damaged"),
    Call("Outcomes.load: more than the memory", _bomb, "memory"),
    Call("Outcomes.load: a population",
         lambda folder: ts.Outcomes.load(saved(ts.Population({}), folder / "a.npz")), "damaged"),
    Call("to_table: a label of the name of a feature", _clashing, "'w'"),
]  # fmt: skip


def _endless() -> dict[str, Any]:
    info: dict[str, Any] = {}
    info["info"] = info
    return info
