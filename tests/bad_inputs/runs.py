"""Bad arguments of runs: `fit`, `run`, `open_run` and the methods of `Run`."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import taskspace as ts
from taskspace.explore.server import listen, serve
from taskspace.runs import layout
from taskspace.runs.run import Run
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import (
    AGENTS,
    ROWS,
    SOLVED,
    cut,
    named,
    named_run,
    written,
)
from tests.bad_inputs.tables import LONG


def _fit(results: Any = None, **options: Any) -> Callable[[Path], Any]:
    return lambda folder: ts.fit(
        named() if results is None else results, folder / "run", log=_quiet, **options
    )


def _quiet(line: str) -> None:
    pass


def _run(environment: Any = "MultiKeyNav", **options: Any) -> Callable[[Path], Any]:
    return lambda folder: ts.run(environment, folder / "run", log=_quiet, preset="fast", **options)


def _copied(folder: Path, change: Callable[[Path], Any]) -> Run:
    copy = folder / "run"
    shutil.copytree(named_run().folder, copy)
    change(copy)
    return ts.open_run(copy)


def _without_settings(folder: Path) -> Any:
    return _copied(folder, lambda copy: (copy / layout.SETTINGS).unlink())


def _read(part: str, file: str) -> Callable[[Path], Any]:
    """Half of a file, which is noticed at the first access."""
    return lambda folder: getattr(_copied(folder, lambda copy: cut(copy / file)), part)


def _other_version(copy: Path) -> None:
    path = copy / layout.SETTINGS
    found = json.loads(path.read_text())
    found.pop("sha256", None)
    found["taskspace"]["format version"] = 99
    path.write_text(json.dumps(found))


def _table(path: Path) -> Path:
    pd.DataFrame(LONG).to_csv(path)
    return path


CALLS = [
    # -- fit -----------------------------------------------------------------------------------
    Call("ts.fit: None", lambda folder: ts.fit(None, folder / "run"), "table NoneType", TypeError),
    Call("ts.fit: out None", lambda _: ts.fit(named(), None), "out None", TypeError),
    Call("ts.fit: out a number", lambda _: ts.fit(named(), 5), "out 5", TypeError),
    Call("ts.fit: out empty", lambda _: ts.fit(named(), ""), "out ''"),
    Call("ts.fit: out a file", lambda folder: ts.fit(named(), written(folder / "a", "")),
         "run folder file"),
    Call("ts.fit: out with other files",
         lambda folder: ts.fit(named(), written(folder / "a.txt", "a").parent), "files"),
    Call("ts.fit: features with outcomes", _fit(features=["w"]), "features Outcomes"),
    Call("ts.fit: an array of features with outcomes", _fit(features=ROWS), "features Outcomes"),
    Call("ts.fit: a table of labels with outcomes", _fit(tasks=pd.DataFrame({"task": ["a"]})),
         "tasks Outcomes"),
    Call("ts.fit: max_score with outcomes", _fit(max_score=5), "max_score Outcomes"),
    Call("ts.fit: n_components", _fit(n_components=0), "dimensions 0"),
    Call("ts.fit: n_components text", _fit(n_components="two"), "dimensions 'two'"),
    Call("ts.fit: n_components huge", _fit(n_components=10**12), "dimensions 1,000"),
    Call("ts.fit: n_components above the tasks", _fit(n_components=900), "dimensions 900 tasks"),
    Call("ts.fit: method", _fit(method="pca"), "method 'pca'"),
    Call("ts.fit: method None", _fit(method=None), "method None"),
    Call("ts.fit: measure", _fit(measure="bits"), "measure 'bits'"),
    Call("ts.fit: measure None", _fit(measure=None), "measure None"),
    Call("ts.fit: measure of an ordinal map", _fit(method="ordinal", measure="correlation"),
         "measure ordinal correlation"),
    Call("ts.fit: method a list", _fit(method=["information"]), "method"),
    Call("ts.fit: steps", _fit(steps=-1), "steps -1"),
    Call("ts.fit: seed", _fit(seed=-1), "seed -1"),
    Call("ts.fit: seed a fraction", _fit(seed=0.5), "seed 0.5"),
    Call("ts.fit: name a number", _fit(name=5), "name 5"),
    Call("ts.fit: name empty", _fit(name=""), "name ''"),
    Call("ts.fit: log a text",
         lambda folder: ts.fit(named(), folder / "run", log="log.txt"), "log 'log.txt'"),
    Call("ts.fit: two tasks", lambda folder: ts.fit(
        _table(folder / "a.csv"), folder / "run", log=_quiet), "3 2"),
    Call("ts.fit: one agent", _fit(np.array([[1, 0, 1, 1]])), "agents 1"),
    Call("ts.fit: identical agents", _fit(np.tile([1, 0, 1, 1], (20, 1))), "differ 20"),
    Call("ts.fit: a task that nobody tried",
         _fit(np.where(np.arange(12) == 3, np.nan, SOLVED)), "task-3"),
    Call("ts.fit: scores of 0 to 100", _fit(SOLVED * 100), "100.0 max_score=k"),
    Call("ts.fit: constant features", _fit(SOLVED, features=np.ones((12, 2))), "features 1 12"),
    Call("ts.fit: huge features", _fit(SOLVED, features=ROWS * 1e305), "features 1e+100"),
    Call("ts.fit: a folder of another table",
         lambda folder: [_fit(SOLVED[:, :5])(folder), _fit(SOLVED[:, 5:])(folder)], "settings"),
    # -- run -----------------------------------------------------------------------------------
    Call("ts.run: unknown", _run("Chess"), "'Chess'"),
    Call("ts.run: None", _run(None), "None"),
    Call("ts.run: preset", lambda folder: ts.run("MultiKeyNav", folder / "run", preset="quick"),
         "preset 'quick' fast"),
    Call("ts.run: preset None", lambda folder: ts.run("MultiKeyNav", folder / "r", preset=None),
         "preset None"),
    Call("ts.run: seed", _run(seed=-1), "seed -1"),
    Call("ts.run: method", _run(method="pca"), "method 'pca'"),
    Call("ts.run: data", _run(data="folder"), "data 'folder' Karel"),
    Call("ts.run: data that is not there", _run("Karel", data="no/such"), "no/such",
         FileNotFoundError),
    Call("ts.run: executor", _run(executor="dask"), "executor 'dask'"),
    Call("ts.run: out a number", lambda _: ts.run("MultiKeyNav", 5), "out 5", TypeError),
    Call("ts.run: out empty", lambda _: ts.run("MultiKeyNav", ""), "out ''"),
    Call("ts.run: log a text", lambda folder: ts.run("MultiKeyNav", folder / "r", log="log.txt"),
         "log 'log.txt'"),
    # -- open_run ------------------------------------------------------------------------------
    Call("open_run: None", lambda _: ts.open_run(None), "folder None", TypeError),
    Call("open_run: missing", lambda folder: ts.open_run(folder / "no"), "map",
         FileNotFoundError),
    Call("open_run: another folder", lambda folder: ts.open_run(folder), "map",
         FileNotFoundError),
    Call("open_run: a file", lambda folder: ts.open_run(written(folder / "a", "")), "map",
         FileNotFoundError),
    Call("open_run: no settings", _without_settings, "settings.json", FileNotFoundError),
    Call("open_run: a future version", lambda folder: _copied(folder, _other_version),
         "format new"),
    Call("run.outcomes: half of them", _read("outcomes", "outcomes.npz"), "damaged"),
    Call("run.embedder: half of it", _read("embedder", "embedder/weights.safetensors"),
         "embedder"),
    Call("run.clusters: half of them", _read("clusters", layout.CLUSTERS.file), "damaged"),
    Call("run.results: not computed yet", lambda _: named_run().results, "finished results.json",
         FileNotFoundError),
    Call("run.environment: of a table", lambda _: named_run().environment, "environment table"),
    Call("run.population: of a table", lambda _: named_run().population, "population table"),
    # -- methods -------------------------------------------------------------------------------
    Call("run.task_index: unknown", lambda _: named_run().task_index("x"), "'x' 12"),
    Call("run.task_index: None", lambda _: named_run().task_index(None), "task None"),
    Call("run.task_index: a fraction", lambda _: named_run().task_index(0.5), "task 0.5"),
    Call("run.task_index: too large", lambda _: named_run().task_index(99), "task 99"),
    Call("run.similar: unknown", lambda _: named_run().similar("x"), "'x'"),
    Call("run.similar: features", lambda _: named_run().similar([0.5, 0.5]), "features"),
    Call("run.similar: a dict", lambda _: named_run().similar({"task": "item 0"}), "task"),
    Call("run.similar: k 0", lambda _: named_run().similar("item 0", 0), "k 0"),
    Call("run.similar: k a fraction", lambda _: named_run().similar("item 0", 2.5), "k 2.5"),
    Call("run.similar: both", lambda _: named_run().similar("item 0", harder=True, easier=True),
         "both"),
    Call("run.similarities: None", lambda _: named_run().similarities(None), "task None"),
    Call("run.check_tasks: names", lambda _: named_run().check_tasks(["item 0"]), "features"),
    Call("run.describe: out of range", lambda _: named_run().describe(np.array([99])), "99"),
    Call("run.describe: names", lambda _: named_run().describe(["item 0"]), "'item 0'"),
    Call("run.export: empty", lambda _: named_run().export(""), "''"),
    Call("run.export: None", lambda _: named_run().export(None), "target None", TypeError),
    Call("run.export: another ending", lambda folder: named_run().export(folder / "a.xlsx"),
         "a.xlsx"),
    Call("run.export: a missing folder", lambda folder: named_run().export(folder / "no/a.csv"),
         "folder", FileNotFoundError),
    Call("run.export: onto a file", lambda folder: named_run().export(written(folder / "a", "")),
         "a"),
    Call("run.map: no such projection", lambda _: named_run().map("UMAP"), "projection 'UMAP'"),
    Call("run.map: a number", lambda _: named_run().map(2), "projection 2"),
    Call("run.report: not written yet", lambda _: named_run().report(), "finished report.html",
         FileNotFoundError),
    Call("run.explore: port", lambda _: named_run().explore(70000), "port 65535 70000"),
    Call("run.explore: port text", lambda _: named_run().explore("8400"), "port '8400'"),
    Call("serve: no run", lambda _: serve("runs/course"), "run 'runs/course'", TypeError),
    Call("serve: None", lambda _: serve(None), "run None", TypeError),
    Call("serve: port below 0", lambda _: serve(named_run(), -1), "port -1"),
    Call("serve: host", lambda _: serve(named_run(), 0, "no such host"), "host 'no such host'"),
    Call("serve: host a number", lambda _: serve(named_run(), 0, 5), "host 5"),
    Call("listen: host None", lambda _: listen(None, 0), "host None"),
    Call("run.variant: unknown", lambda _: named_run().variant(map=5), "map"),
    Call("fit: agents without results", lambda folder: ts.fit(
        ts.Outcomes(np.zeros((AGENTS, 4), int), np.array(0)), folder / "run", log=_quiet),
         "agents"),
    Call("fit: features that are constant", lambda folder: ts.fit(
        ts.Outcomes(SOLVED, np.array(1), features=np.ones((12, 1))), folder / "r", log=_quiet),
         "1 12"),
    Call("run.predictor: of a run that is none", lambda folder: ts.open_run(folder / "x").predictor,
         "map", FileNotFoundError),
    Call("fit: a name of features that is unknown",
         lambda folder: ts.fit(LONG, folder / "r", features="w", log=_quiet), "'w'"),
]  # fmt: skip
