"""Bad arguments of maps and success models."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type, call-overload"

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
import torch
from sklearn.exceptions import NotFittedError

import taskspace as ts
from taskspace.models.embedding.agreement import agreement, compare_vectors
from taskspace.models.embedding.random_model import RandomModel
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import (
    AGENTS,
    FEATURES,
    NAMES,
    ROWS,
    SOLVED,
    TASKS,
    changed,
    cut,
    featured,
    featured_map,
    featured_model,
    named,
    named_map,
    named_model,
    ordinal_map,
    saved,
    written,
)


def _outcomes(successes: Any, rollouts: Any = 1, **parts: Any) -> ts.Outcomes:
    return ts.Outcomes(np.array(successes), np.array(rollouts), **parts)


def _fit(source: Any, **settings: Any) -> Callable[[Path], Any]:
    return lambda _: ts.TaskEmbedder(**{"random_state": 0, **settings}).fit(source)


def _paper(source: Any = None, **settings: Any) -> Callable[[Path], Any]:
    return lambda _: ts.OrdinalEmbedder(**{"steps": 0, "random_state": 0, **settings}).fit(
        featured() if source is None else source
    )


def _learn(source: Any = None, **settings: Any) -> Callable[[Path], Any]:
    return lambda _: ts.SuccessModel(**{"epochs": 0, "random_state": 0, **settings}).fit(
        featured() if source is None else source
    )


def _map(tasks: Any) -> Callable[[Path], Any]:
    return lambda _: featured_map().transform(tasks)


def _place(tasks: Any) -> Callable[[Path], Any]:
    return lambda _: named_map().transform(tasks)


def _chance(tasks: Any) -> Callable[[Path], Any]:
    return lambda _: featured_model().predict_proba(tasks)


def _other_json(folder: Path, name: str, change: dict[str, Any]) -> Path:
    """Settings without a checksum, as version 0.1.0 wrote them, with some values changed."""
    path = folder / name
    settings = json.loads(path.read_text())
    del settings["sha256"]
    path.write_text(json.dumps({**settings, **change}))
    return folder


def _load(folder: Path, change: dict[str, Any]) -> Any:
    saved(named_map(), folder / "map")
    return ts.TaskEmbedder.load(_other_json(folder / "map", "embedder.json", change))


def _without_weights(folder: Path) -> Any:
    (saved(named_map(), folder / "map") / "weights.safetensors").unlink()
    return ts.TaskEmbedder.load(folder / "map")


def _without_model(folder: Path) -> Any:
    model = saved(featured_map(), folder / "map") / "success-model"
    for path in model.iterdir():
        path.unlink()
    model.rmdir()
    return ts.TaskEmbedder.load(folder / "map")


IDENTICAL = _outcomes(np.tile([1, 0, 1, 1], (20, 1)))
FRAME = pd.DataFrame(ROWS, columns=list(FEATURES))

CALLS = [
    # -- TaskEmbedder.fit ----------------------------------------------------------------------
    Call("fit: None", _fit(None), "y None"),
    Call("fit: a text", _fit("results.csv"), "y None"),
    Call("fit: two tasks", _fit(_outcomes([[1, 0], [0, 1]])), "3 2 tasks"),
    Call("fit: one agent", _fit(_outcomes([[1, 0, 1]])), "2 agents 1"),
    Call("fit: identical agents", _fit(IDENTICAL), "agents differ 20"),
    Call("fit: all solved", _fit(_outcomes(np.ones((20, 5), int))), "agents differ"),
    Call("fit: a task that nobody tried",
         _fit(_outcomes(np.zeros((9, 4), int), [[1, 1, 1, 0]] * 9)), "agents"),
    Call("fit: n_components 0", _fit(named(), n_components=0), "n_components 0"),
    Call("fit: n_components below 0", _fit(named(), n_components=-2), "n_components -2"),
    Call("fit: n_components huge", _fit(named(), n_components=10**12), "n_components 1,000"),
    Call("fit: n_components above the tasks", _fit(named(), n_components=900), "n_components 900"),
    Call("fit: n_components a fraction", _fit(named(), n_components=2.5), "n_components 2.5"),
    Call("fit: n_components a text", _fit(named(), n_components="many"), "n_components many"),
    Call("fit: n_components None", _fit(named(), n_components=None), "n_components None"),
    Call("fit: n_components True", _fit(named(), n_components=True), "n_components True"),
    Call("fit: n_components an array", _fit(named(), n_components=np.array([2, 3])),
         "n_components"),
    Call("fit: measure", _fit(named(), measure="cosine"), "measure cosine information"),
    Call("fit: measure None", _fit(named(), measure=None), "measure None"),
    Call("fit: measure a list", _fit(named(), measure=["information"]), "measure"),
    Call("fit: model", _fit(featured(), model="network"), "model SuccessModel str"),
    Call("fit: model a class", _fit(featured(), model=ts.SuccessModel), "model SuccessModel type"),
    Call("fit: random_state a text", _fit(named(), random_state="x"), "seed 'x'"),
    Call("fit: random_state below 0", _fit(named(), random_state=-1), "seed -1"),
    Call("fit: random_state a fraction", _fit(named(), random_state=0.5), "seed 0.5"),
    Call("fit: random_state huge", _fit(named(), random_state=2**70), "seed"),
    Call("fit: a success model that is not fitted", _fit(ts.SuccessModel()), "fitted",
         NotFittedError),
    Call("fit: a success model of named tasks", lambda _: ts.TaskEmbedder().fit(named_model()),
         "success model features"),
    Call("fit: features of other tasks", lambda _: ts.TaskEmbedder().fit(
        ROWS[:5], outcomes=featured()), "12 5"),
    Call("fit: outcomes that are none", lambda _: ts.TaskEmbedder().fit(ROWS, outcomes=SOLVED),
         "outcomes int64"),
    Call("fit: y of other tasks", lambda _: ts.TaskEmbedder().fit(ROWS, SOLVED.T[:5]), "y 12"),
    Call("fit: y swapped", lambda _: ts.TaskEmbedder().fit(ROWS, SOLVED), "y 12 (40, 12)"),
    Call("fit: y NaN", lambda _: ts.TaskEmbedder().fit(ROWS, np.full((TASKS, 3), np.nan)),
         "y NaN"),
    Call("fit: y text", lambda _: ts.TaskEmbedder().fit(ROWS, ["yes"] * TASKS), "y numbers"),
    Call("fit: y that never differs",
         lambda _: ts.TaskEmbedder().fit(ROWS, np.full((TASKS, 3), 7.0)), "y"),
    Call("fit: huge features", _fit(_outcomes(SOLVED, features=ROWS * 1e308)), "features 1e+100"),
    Call("fit: names as X", lambda _: ts.TaskEmbedder().fit(NAMES, SOLVED.T), "names features"),
    Call("fit: a sparse X", lambda _: ts.TaskEmbedder().fit(scipy.sparse.csr_matrix(ROWS),
                                                           SOLVED.T), "Sparse", TypeError),
    # -- transform and the others, with features -------------------------------------------------
    Call("transform: not fitted", lambda _: ts.TaskEmbedder().transform(ROWS), "fitted",
         NotFittedError),
    Call("transform: None", _map(None), "tasks None"),
    Call("transform: a number", _map(0.5), "tasks"),
    Call("transform: one row", _map([0.5, 0.5]), "tasks (2,)"),
    Call("transform: empty", _map([]), "tasks (0,)"),
    Call("transform: three dimensions", _map(np.ones((2, 2, 2))), "tasks (2, 2, 2)"),
    Call("transform: a column too many", _map(np.ones((3, 3))), "3 2"),
    Call("transform: ragged", _map([[1, 2], [3]]), "equal"),
    Call("transform: NaN", _map([[0.5, np.nan]]), "NaN row 1"),
    Call("transform: infinity", _map([[0.5, np.inf]]), "infinity row 1"),
    Call("transform: 1e308", _map([[0.5, 1e308]]), "1e+308"),
    Call("transform: text", _map([["a", "b"]]), "tasks"),
    Call("transform: names", _map(["item 0", "item 1"]), "names features"),
    Call("transform: a name", lambda _: featured_map().difficulty("item 0"), "names features"),
    Call("transform: complex", _map(np.array([[1j, 0]])), "tasks"),
    Call("transform: dates", _map(np.array([["2020-01-01", "2020-01-02"]], "M8[D]")), "tasks"),
    Call("transform: objects", _map(np.array([[{}, 1]], object)), "tasks"),
    Call("transform: masked", _map(np.ma.masked_array(ROWS, ROWS > 0.5)), "mask"),
    Call("transform: sparse", _map(scipy.sparse.csr_matrix(ROWS)), "tasks numbers"),
    Call("transform: a dict", _map({"width": [1], "height": [2]}), "tasks"),
    Call("transform: a set", _map({0.5, 0.6}), "tasks"),
    Call("transform: a generator", _map(row for row in ROWS), "tasks"),
    Call("transform: a DataFrame without a feature", _map(FRAME[["width"]]), "height"),
    Call("transform: a DataFrame of other columns",
         _map(FRAME.rename(columns={"width": "breadth"})), "width"),
    Call("predict_proba: a DataFrame without a feature", _chance(FRAME[["height"]]), "width"),
    Call("difficulty: ragged", lambda _: featured_map().difficulty([[1, 2], [3]]), "equal"),
    Call("similarity: another number of features",
         lambda _: featured_map().similarity(ROWS, ROWS[:, :1]), "1 2"),
    Call("information: NaN", lambda _: featured_map().information([np.nan, 0]), "NaN"),
    Call("direction: None", lambda _: featured_map().direction(None), "tasks ()"),
    Call("score: of other tasks", lambda _: featured_map().score(ROWS, SOLVED.T[:4]), "y 12"),
    Call("score: without y", lambda _: featured_map().score(ROWS), "y None"),
    Call("score: outcomes without features", lambda _: featured_map().score(named()), "features"),
    Call("evidence: not fitted", lambda _: ts.TaskEmbedder().evidence(3, 3), "fitted",
         NotFittedError),
    # -- with names ----------------------------------------------------------------------------
    Call("name: unknown", _place(["item 99"]), "'item 99' 12"),
    Call("name: None", _place(None), "tasks"),
    Call("name: an empty text", _place([""]), "''"),
    Call("name: in other letters", _place(["ITEM 0"]), "'ITEM 0'"),
    Call("name: with a space", _place([" item 0"]), "' item 0'"),
    Call("name: features", _place(ROWS), "names (12, 2)"),
    Call("name: fractions", _place([0.5]), "0.5"),
    Call("name: whole floats", _place([1.0]), "1.0"),
    Call("name: booleans", _place([True]), "True"),
    Call("name: a position too large", _place([TASKS]), "11 12"),
    Call("name: a position below 0", _place([-1]), "-1"),
    Call("name: positions and names", _place([0, "item 1"]), "0 'item 1'"),
    Call("name: bytes", _place([b"item 0"]), "b'item 0'"),
    Call("name: a dict", _place({"item 0": 1}), "tasks list"),
    Call("name: a set", _place({"item 0"}), "tasks list"),
    Call("name: lists", _place([["item 0"]]), "(1, 1)"),
    Call("name: a line break", _place(["item 0\n"]), "item"),
    # -- OrdinalEmbedder -----------------------------------------------------------------------
    Call("ordinal: None", lambda _: ts.OrdinalEmbedder(steps=0).fit(None), "y None"),
    Call("ordinal: n_components", _paper(n_components=0), "n_components 0"),
    Call("ordinal: norm_weight", _paper(norm_weight=-1), "norm_weight -1"),
    Call("ordinal: norm_weight a list", _paper(norm_weight=[1, 2]), "norm_weight [1, 2]"),
    Call("ordinal: norm_weight text", _paper(norm_weight="x"), "norm_weight 'x'"),
    Call("ordinal: learning_rate", _paper(learning_rate=0), "learning_rate 0"),
    Call("ordinal: learning_rate NaN", _paper(learning_rate=np.nan), "learning_rate NaN"),
    Call("ordinal: learning_rate None", _paper(learning_rate=None), "learning_rate None"),
    Call("ordinal: hidden a number", _paper(hidden=32), "hidden 32"),
    Call("ordinal: hidden a text", _paper(hidden="32"), "hidden '32'"),
    Call("ordinal: hidden of size 0", _paper(hidden=(0,)), "hidden 0"),
    Call("ordinal: hidden None", _paper(hidden=None), "hidden None"),
    Call("ordinal: a network for names", _paper(named(), hidden=torch.nn.Linear), "features"),
    Call("ordinal: steps", _paper(steps=-1), "steps -1"),
    Call("ordinal: batch_size", _paper(batch_size=10**9), "batch_size 1,000,000"),
    Call("ordinal: patience", _paper(patience=0), "patience 0"),
    Call("ordinal: n_constraints", _paper(n_constraints=0), "n_constraints 0"),
    Call("ordinal: device", _paper(device="gpu"), "device 'gpu'"),
    Call("ordinal: device a number", _paper(device=1.5), "device 1.5"),
    Call("ordinal: random_state", _paper(random_state="x"), "seed 'x'"),
    Call("ordinal: identical agents", _paper(IDENTICAL), "agents differ 20"),
    Call("ordinal: transform of NaN", lambda _: ordinal_map().transform([[0, np.nan]]), "NaN"),
    Call("ordinal: score of names", lambda _: ordinal_map().score(named()), "features"),
    # -- SuccessModel --------------------------------------------------------------------------
    Call("success: None", lambda _: ts.SuccessModel().fit(None), "outcomes NoneType"),
    Call("success: an array", lambda _: ts.SuccessModel().fit(SOLVED), "outcomes ndarray"),
    Call("success: an idle agent",
         _learn(_outcomes([[1, 0], [0, 0]], [[1, 1], [0, 0]])), "agent-1"),
    Call("success: width", _learn(width=0), "width 0"),
    Call("success: blocks", _learn(blocks=-1), "blocks -1"),
    Call("success: bins", _learn(bins=10**9), "bins 10,000"),
    Call("success: epochs", _learn(epochs=1.5), "epochs 1.5"),
    Call("success: batch_size", _learn(batch_size=0), "batch_size 0"),
    Call("success: learning_rate", _learn(learning_rate=-1), "learning_rate -1"),
    Call("success: learning_rate text", _learn(learning_rate="x"), "learning_rate 'x'"),
    Call("success: network", _learn(network="x"), "network 'x'"),
    Call("success: random_state", _learn(random_state=-5), "seed -5"),
    Call("success: not fitted", lambda _: ts.SuccessModel().predict_proba(ROWS), "fitted",
         NotFittedError),
    Call("predict_proba: None", _chance(None), "tasks ()"),
    Call("predict_proba: names", _chance(["item 0"]), "names features"),
    Call("predict_proba: ragged", _chance([[1, 2], [3]]), "equal"),
    Call("predict_proba: three dimensions", _chance(np.ones((2, 2, 2))), "tasks (2, 2, 2)"),
    Call("predict_proba: a column too few", _chance(np.ones((2, 1))), "1 2"),
    Call("predict_proba: NaN", _chance([[np.nan, 1]]), "NaN"),
    Call("predict_proba: 1e308", _chance([[1e308, 1]]), "1e+308"),
    Call("predict_proba: empty", _chance(np.ones((0, 2))), "tasks (0, 2)"),
    Call("predict_proba: objects", _chance([[{}, 1]]), "tasks"),
    Call("predict_proba: an unknown name", lambda _: named_model().predict_proba("item 99"),
         "'item 99'"),
    Call("similarity: measure", lambda _: named_model().similarity(NAMES, measure="cosine"),
         "measure cosine"),
    # -- files ---------------------------------------------------------------------------------
    Call("map.save: not fitted", lambda folder: ts.TaskEmbedder().save(folder / "map"), "fitted",
         NotFittedError),
    Call("map.save: None", lambda _: named_map().save(None), "folder None", TypeError),
    Call("map.save: onto other files",
         lambda folder: named_map().save(written(folder / "a.txt", "a").parent), "embedder"),
    Call("map.save: onto a file",
         lambda folder: named_map().save(written(folder / "map", "a")), "embedder"),
    Call("map.load: None", lambda _: ts.TaskEmbedder.load(None), "folder None", TypeError),
    Call("map.load: missing", lambda folder: ts.TaskEmbedder.load(folder), "embedder.json",
         FileNotFoundError),
    Call("map.load: of another class",
         lambda folder: ts.OrdinalEmbedder.load(saved(named_map(), folder / "map")),
         "OrdinalEmbedder TaskEmbedder"),
    Call("map.load: a success model",
         lambda folder: ts.TaskEmbedder.load(saved(named_model(), folder / "model")),
         "embedder.json", FileNotFoundError),
    Call("map.load: no weights", _without_weights, "damaged weights.safetensors"),
    Call("map.load: no success model", _without_model, "damaged success-model"),
    Call("map.load: half of the weights",
         lambda folder: ts.TaskEmbedder.load(
             cut(saved(named_map(), folder / "map") / "weights.safetensors").parent), "damaged"),
    Call("map.load: half of the settings",
         lambda folder: ts.TaskEmbedder.load(
             cut(saved(named_map(), folder / "map") / "embedder.json").parent), "JSON"),
    Call("map.load: a setting changed",
         lambda folder: ts.TaskEmbedder.load(
             changed(saved(named_map(), folder / "map") / "embedder.json",
                     b'"random_state": 0', b'"random_state": 1').parent), "checksum"),
    Call("map.load: a pickle",
         lambda folder: ts.TaskEmbedder.load(
             written(saved(named_map(), folder / "map") / "weights.safetensors",
                     pickle.dumps({"a": 1})).parent), "damaged"),
    Call("map.load: a future version", lambda folder: _load(folder, {"version": 99}), "99 update"),
    Call("map.load: another format", lambda folder: _load(folder, {"format": "x"}), "'x'"),
    Call("map.load: a list as its class", lambda folder: _load(folder, {"class": ["x"]}), "class"),
    Call("map.load: parameters that are none", lambda folder: _load(folder, {"parameters": 5}),
         "damaged"),
    Call("map.load: other dimensions", lambda folder: _load(folder, {"components": 7}), "damaged"),
    Call("map.load: fewer names", lambda folder: _load(folder, {"task_names": ["a"]}), "damaged"),
    Call("map.load: names that are numbers", lambda folder: _load(folder, {"task_names": 5}),
         "damaged"),
    Call("model.load: missing", lambda folder: ts.SuccessModel.load(folder), "success-model.json",
         FileNotFoundError),
    Call("model.load: half of the weights",
         lambda folder: ts.SuccessModel.load(
             cut(saved(named_model(), folder / "m") / "weights.safetensors").parent), "damaged"),
    Call("model.load: other agents",
         lambda folder: ts.SuccessModel.load(
             _other_json(saved(named_model(), folder / "m"), "success-model.json",
                         {"agents": ["a"]})), "damaged"),
    Call("model.load: deep JSON",
         lambda folder: ts.SuccessModel.load(
             written(folder / "success-model.json", "[" * 10**5).parent), "JSON"),
    Call("model.save: None", lambda _: named_model().save(None), "folder None", TypeError),
    Call("load_pretrained: unknown", lambda _: ts.load_pretrained("Chess"), "'Chess'"),
    Call("load_pretrained: None", lambda _: ts.load_pretrained(None), "None"),
    Call("load_pretrained: Karel", lambda _: ts.load_pretrained("Karel"), "Karel MultiKeyNav"),
    Call("load_pretrained: method", lambda _: ts.load_pretrained("MultiKeyNav", "pca"), "pca"),
    Call("load_pretrained: method a list", lambda _: ts.load_pretrained("MultiKeyNav", []),
         "method []"),
    # -- others --------------------------------------------------------------------------------
    Call("agreement: None", lambda _: agreement(None, None, None), "first None"),
    Call("agreement: maps of other tasks",
         lambda _: agreement(named_map(), featured_map(), NAMES), "names features"),
    Call("agreement: two tasks", lambda _: agreement(named_map(), named_map(), NAMES[:2]), "3"),
    Call("agreement: not fitted",
         lambda _: agreement(named_map(), ts.TaskEmbedder(), NAMES), "fitted", NotFittedError),
    Call("compare_vectors: other tasks",
         lambda _: compare_vectors(ROWS, ROWS[:5], np.random.default_rng(0)), "12 5"),
    Call("compare_vectors: NaN",
         lambda _: compare_vectors(ROWS * np.nan, ROWS, np.random.default_rng(0)), "NaN"),
    Call("RandomModel: n_components",
         lambda _: RandomModel(n_components=0).fit(ROWS), "n_components 0"),
    Call("agents: more than there are", _fit(_outcomes(np.zeros((AGENTS, 3), int))), "differ"),
]  # fmt: skip
