"""Kills, full disks, read-only folders and second runs: a sentence, and nothing is lost."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import taskspace as ts
from taskspace.bench.faults import can_mount, small_disk
from taskspace.cli import main
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import write_tasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.files import write_figure
from taskspace.outcomes import tables
from taskspace.outcomes.table_streams import open_writer
from taskspace.paper.study import Result, Study, Table
from tests.messages import says

pytestmark = pytest.mark.slow

needs_disk = pytest.mark.skipif(not can_mount(), reason="only root can mount a small disk")
RNG = np.random.default_rng(0)

# -- a full disk -----------------------------------------------------------------------------------


def outcomes(size: int) -> ts.Outcomes:
    successes, rollouts = RNG.integers(0, 5, (size, 3)), np.array(4, np.uint8)
    return ts.Outcomes(successes, rollouts, features=RNG.normal(size=(3, 2)))


def population(size: int) -> ts.Population:
    weights = [RNG.normal(size=(size, 7)), RNG.normal(size=(7, size))]
    layers = [layer.astype(np.float32) for layer in weights]
    biases = [np.zeros(len(layer), np.float32) for layer in layers]
    return ts.Population({"a": ts.MLPPolicy(layers, biases)})


def embedder(size: int) -> ts.OrdinalEmbedder:
    return ts.OrdinalEmbedder(2, hidden=(size,), steps=0, random_state=0).fit(outcomes(30))


def success_model(size: int) -> ts.SuccessModel:
    tasks = 320  # with fewer, the model might be a small linear one
    known = ts.Outcomes(
        RNG.integers(0, 5, (3, tasks)), np.array(4, np.uint8), features=RNG.normal(size=(tasks, 2))
    )
    return ts.SuccessModel(width=size, epochs=0, random_state=0).fit(known)


@functools.cache
def few_tasks() -> KarelTasks:
    return generate_tasks(40, side=4)[0]["training"]


def karel_tasks(size: int) -> KarelTasks:
    return few_tasks()[np.arange(size) % len(few_tasks())]


def picture(size: int, path: Path) -> None:
    figure = Figure()
    figure.subplots().imshow(RNG.normal(size=(200, 200)))
    write_figure(figure, path, dpi=10 + size // 10)


def stream(size: int, path: Path) -> None:
    with open_writer(path) as writer:
        for _ in range(size):
            writer.write({"number": RNG.normal(size=100)})


WRITERS: dict[str, Callable[[int, Path], object]] = {
    "outcomes.npz": lambda size, path: outcomes(size).save(path),
    "population.zip": lambda size, path: population(size).save(path),
    "embedder": lambda size, path: embedder(size).save(path),
    "success-model": lambda size, path: success_model(size).save(path),
    "karel.npz": lambda size, path: karel_tasks(size).save(path),
    "karel.jsonl.gz": lambda size, path: write_tasks(karel_tasks(size).records(), path),
    "table.csv": lambda size, path: tables.write({"number": RNG.normal(size=100 * size)}, path),
    "stream.parquet": stream,
    "picture.png": picture,
}
SMALL, LARGE = 2, 1000  # one fits, the other does not
LIMIT, DISK = 16_000, "32k"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """No file may become large: what every system can do."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def refused(write: Callable[[], object], path: Path, why: str) -> None:
    """The sentence names what was asked for, and not a temporary file."""
    with pytest.raises(OSError, match=says(f"{path}: {why}")) as error:
        write()
    assert ".taskspace" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_what_is_too_large_is_told_and_what_was_there_stays(name: str, tmp_path: Path) -> None:
    write, path = WRITERS[name], tmp_path / name
    write(SMALL, path)
    before = contents(tmp_path)
    with limited():
        refused(lambda: write(LARGE, path), path, "File too large")
    assert contents(tmp_path) == before
    write(LARGE, path)
    assert contents(tmp_path) != before


@needs_disk
@pytest.mark.parametrize("name", WRITERS)
def test_full_and_read_only_disks_are_told_and_what_was_there_stays(
    name: str, tmp_path: Path
) -> None:
    write, path = WRITERS[name], tmp_path / name
    with small_disk(tmp_path, DISK):
        write(SMALL, path)
        before = contents(tmp_path)
        refused(lambda: write(LARGE, path), path, "No space left on device")
        assert contents(tmp_path) == before
        remount(tmp_path, "ro")
        refused(lambda: write(SMALL, path), path, "Read-only file system")
        assert contents(tmp_path) == before


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


@needs_disk
def test_a_study_on_a_full_disk_goes_on_when_there_is_room(tmp_path: Path) -> None:
    rows = [{"name": "a", "score": number / 7} for number in range(LARGE)]
    lines: list[str] = []
    study = Study(tmp_path, log=lines.append)
    few, table = [*rows[:2]], Result("r", "title", [Table("t", "title", rows)])
    with small_disk(tmp_path, DISK):
        assert study.saved_rows("few", {}, lambda: few) == few
        refused(
            lambda: study.saved_rows("many", {}, lambda: rows),
            tmp_path / "many" / "result",
            "No space left on device",
        )
        assert study.saved_rows("few", {}, lambda: rows) == few
        remount(tmp_path, "size=1m")
        assert study.saved_rows("many", {}, lambda: rows) == rows
        study.write(table)
        assert lines[1] == "few … reused"
        remount(tmp_path, "ro")
        refused(lambda: study.write(table), tmp_path / "t.csv", "Read-only file system")
        refused(lambda: study.draw("x", Figure()), tmp_path / "figures", "Read-only file system")


def test_a_full_disk_is_told_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "results.csv"
    cells = RNG.integers(0, 2, (40, 900))
    columns = {f"q{number}": column for number, column in enumerate(cells.T)}
    tables.write({"agent": np.arange(40), **columns}, table)
    with limited():
        code = main(["fit", str(table), "--out", str(tmp_path / "run")])
    assert code == 2
    told = capsys.readouterr().err.splitlines()[-1]
    path = tmp_path / "run" / "outcomes.npz"
    assert re.fullmatch(f"taskspace: .* {re.escape(str(path))}: File too large", told)
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        ".taskspace-lock", "settings.json",
    }  # fmt: skip


# -- two runs in one folder ------------------------------------------------------------------------

LOCKER = """
import fcntl, sys, time
lock = open(sys.argv[1], "a+")
fcntl.flock(lock, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("run multikeynav --preset fast", ""),
        ("run karel --preset fast", ""),
        ("fit results.csv", ""),
        ("karel generate out --tasks 20", ""),
        ("reproduce table1 --only ours --env MultiKeyNav --preset fast", "multikeynav-0"),
    ],
)
def test_a_second_run_in_the_same_folder_is_refused(
    command: str,
    inner: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results.csv").write_text("agent,q1,q2,q3\na,1,0,1\nb,0,1,1\n")
    folder = Path("out", inner)
    folder.mkdir(parents=True)
    locker = [sys.executable, "-c", LOCKER, str(folder / ".taskspace-lock")]
    with subprocess.Popen(locker, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        try:
            out = [] if " out" in command else ["--out", "out"]
            assert main([*command.split(), *out]) == 2
        finally:
            process.kill()
    told = capsys.readouterr().err
    assert re.search(f"^taskspace: {says(str(folder))}", told)
    assert told.count("\n") == 1


# -- kills -----------------------------------------------------------------------------------------

KILLED = """
import json, sys
from pathlib import Path
import numpy as np
import taskspace as ts
from taskspace.bench import faults
from taskspace.files import read_arrays, write_arrays
from taskspace.runs import layout
from taskspace.runs.stages import Stages

def job(folder, log):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 40))
    known = ts.Outcomes(rng.integers(0, 9, (30, 300)), 8, features=features)
    with Stages(folder, {"seed": 0}, log=log) as run:
        outcomes = run.stage(
            layout.OUTCOMES, lambda: known, ts.Outcomes.save, ts.Outcomes.load
        )
        embedder = run.stage(
            layout.EMBEDDER, lambda: ts.OrdinalEmbedder(2, steps=50, random_state=0).fit(outcomes),
            ts.OrdinalEmbedder.save, ts.OrdinalEmbedder.load,
        )
        run.stage(
            "view", lambda: {"vectors": embedder.transform(features)}, write_arrays, read_arrays
        )

print(json.dumps(faults.as_json({"job": faults.measure(job, Path(sys.argv[1]), 6)})))
"""


@pytest.mark.slow
def test_killed_again_and_again_it_ends_with_the_same_bits(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["job"]
    assert sum(found["kills"].values()) == 6
    assert found["different"] == []
    assert found["orphans"] == 0
    assert found["files"] == 9
    assert bool(found["full"]) == can_mount()
    assert not list(tmp_path.rglob(".taskspace-*[!k]"))  # nothing but locks
