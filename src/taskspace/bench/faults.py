"""Runs that are killed again and again, or run out of disk, beside one that is left in peace.

A run is a process forked from this one, which has imported everything: importing takes longer than
most stages. It is killed alone, so that its workers, if it has any, must notice by themselves.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from rich.console import Console

from taskspace.bench.printing import print_lines
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs import pipeline

KILLS = 20
PATIENCE = 10.0  # seconds that workers may outlive what started them
ROOM = ("64k", "256k", "1m", "2m", "4m", "32m")  # a disk that grows until the run fits

Log = Callable[[str], None]
Job = Callable[[Path, Log], object]  # makes a run in a folder, with a line a stage


@dataclass(frozen=True)
class Survival:
    """What came of a run after all that was done to it."""

    kills: dict[str, int]  # by the stage that was at work
    full: int  # how often the disk was full
    orphans: int  # workers that outlived their parent by more than `PATIENCE`
    files: int  # that were compared with those of an undisturbed run
    different: list[str]  # of these
    seconds: float


def multikeynav(folder: Path, log: Log) -> None:
    """`taskspace run multikeynav --preset fast`: trains in threads."""
    pipeline.run("MultiKeyNav", folder, preset="fast", log=log)


def pointmass(folder: Path, log: Log) -> None:
    """`taskspace run pointmass --preset fast`: trains in processes."""
    pipeline.run("PointMass", folder, preset="fast", log=log)


def fit(folder: Path, log: Log) -> None:
    """`taskspace fit`, on a small table and with few steps."""
    rng = np.random.default_rng(0)
    solved = rng.normal(size=(30, 1)) + rng.logistic(size=(30, 12)) > rng.normal(size=12)
    pipeline.fit(Outcomes.from_table(solved), folder, steps=100, log=log)


JOBS: dict[str, Job] = {"fit": fit, "multikeynav": multikeynav, "pointmass": pointmass}


def measure_all(kills: int = KILLS) -> dict[str, Survival]:
    """What comes of each kind of run."""
    found = {}
    for name, job in JOBS.items():
        with tempfile.TemporaryDirectory(prefix="taskspace-faults-") as folder:
            found[name] = measure(job, Path(folder), kills)
    return found


def measure(job: Job, folder: Path, kills: int, seed: int = 0) -> Survival:
    """Kill a run in every stage in turn, at random moments; then let it end, and compare."""
    began, rng = time.perf_counter(), np.random.default_rng(seed)
    stages = finish(job, folder / "whole")
    names, killed, orphans = list(stages), folder / "killed", 0
    targets = [names[number * len(names) // kills] for number in range(kills)]
    for stage in targets:
        before, delay = names[: names.index(stage)], rng.uniform() * stages[stage]
        done, left = kill(job, killed, before, delay)
        orphans += left
        while done > len(before):  # it was quicker than the first run: once more, and earlier
            for later in names[len(before) :]:
                (killed / f"{later}.json").unlink(missing_ok=True)
            delay /= 2
            done, left = kill(job, killed, before, delay)
            orphans += left
    finish(job, killed)
    full = fill(job, folder / "full") if can_mount() else 0
    whole = contents(folder / "whole")
    others = [contents(killed), *([contents(folder / "full")] if full else [])]
    different = {
        name for other in others for name in whole.keys() | other
        if whole.get(name) != other.get(name)
    }  # fmt: skip
    seconds = time.perf_counter() - began
    return Survival(dict(Counter(targets)), full, orphans, len(whole), sorted(different), seconds)


# -- one run ---------------------------------------------------------------------------------------


def start(job: Job, folder: Path) -> tuple[int, IO[str]]:
    """A run in a process and a session of its own: its id, and the lines that it tells."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child:
        os.close(theirs)
        return child, os.fdopen(ours, encoding="utf-8")
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # no bars, no complaints of workers
        job(folder, lambda line: _tell(theirs, line))
        code = 0
    except Exception as error:
        _tell(theirs, f"{error}")
        code = 2 if isinstance(error, (OSError, ValueError)) else 1  # as the command line has it
    finally:
        os._exit(code)


def _tell(pipe: int, line: str) -> None:
    os.write(pipe, f"{line}\n".encode())


def finish(job: Job, folder: Path) -> dict[str, float]:
    """Let a run end: how long each stage took, with all that came before it."""
    child, lines = start(job, folder)
    stages, before, line = {}, time.perf_counter(), ""
    with lines:
        for line in lines:
            now = time.perf_counter()
            stages[line.split(" … ")[0]] = now - before
            before = now
    if os.waitpid(child, 0)[1]:
        raise RuntimeError(f"a run in {folder} failed: {line}")
    return stages


def kill(job: Job, folder: Path, done: list[str], delay: float) -> tuple[int, int]:
    """Kill a run so many seconds after these stages: how many were done, and workers left."""
    child, lines = start(job, folder)
    with lines:
        for _ in done:
            lines.readline()
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        more = len(lines.readlines())
    return len(done) + more, len(survivors(child))


def survivors(session: int) -> list[int]:
    """Processes of a session that are still there after some time; they are ended."""
    until = time.perf_counter() + PATIENCE
    while (left := members(session)) and time.perf_counter() < until:
        time.sleep(0.05)
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return left


def members(session: int) -> list[int]:
    """The processes of a session, as Linux lists them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, its_session = path.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(path.parent.name))
    return found


# -- a full disk -----------------------------------------------------------------------------------


def can_mount() -> bool:
    """Whether a small disk can be had: only Linux gives one, to root."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with small_disk(Path(folder), ROOM[0]):
                return True
        except OSError:
            return False


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of this size in memory at `folder`; OSError where that is not allowed."""
    _mount(folder, f"size={size}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _mount(folder: Path, options: str) -> None:
    command = ["mount", "-t", "tmpfs", "-o", options, "taskspace-faults", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        raise OSError(f"cannot mount a small disk at {folder}")


def fill(job: Job, folder: Path) -> int:
    """Run on a disk that is too small, and grows: how often it was full until all was done.

    The run must say so in one sentence each time, and nothing else.
    """
    disk = folder.with_name("disk")
    disk.mkdir()
    with small_disk(disk, ROOM[0]):
        for times, size in enumerate(ROOM):
            _mount(disk, f"remount,size={size}")
            child, lines = start(job, disk / "run")
            with lines:
                told = lines.readlines()
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if not code:
                shutil.copytree(disk / "run", folder)
                return times
            sentence = "No space left on device" in told[-1] and told[-1].startswith("cannot write")
            if code != 2 or not sentence:
                raise RuntimeError(f"a run on a full disk ended with {code}: {told}")
    raise RuntimeError(f"a run does not fit on a disk of {ROOM[-1]}")


# -- what is left ----------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, str]:
    """A digest of every file, hidden ones too; of stamps, without the seconds in them."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): _digest(path) for path in files}


def _digest(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix == ".json":
        value = json.loads(content)
        if "seconds" in value:  # and the checksum is one of them, too
            untimed = {k: v for k, v in value.items() if k not in ("seconds", "sha256")}
            content = json.dumps(untimed).encode()
    return hashlib.sha256(content).hexdigest()


_LINES: dict[str, Callable[[Survival], str]] = {
    "kills": lambda found: f"{sum(found.kills.values())}",
    "… by stage": lambda found: "\n".join(f"{name} {n}" for name, n in found.kills.items()),
    "workers left behind": lambda found: f"{found.orphans}",
    "disk full, times": lambda found: f"{found.full or 'not tried: only root can'}",
    "files compared": lambda found: f"{found.files}",
    "… that differ": lambda found: "\n".join(found.different) or "none",
    "seconds": lambda found: f"{found.seconds:.0f}",
}


def print_report(console: Console) -> None:
    """A column for each kind of run."""
    _print(console, measure_all())


def _print(console: Console, found: dict[str, Survival]) -> None:
    print_lines(console, "Killed and resumed, beside an undisturbed run", _LINES, found)


def as_json(found: dict[str, Survival]) -> dict[str, Any]:
    """The figures as plain JSON."""
    return {name: asdict(survival) for name, survival in found.items()}


if __name__ == "__main__":
    results = measure_all()
    _print(Console(), results)
    sys.exit(any(found.different or found.orphans for found in results.values()))
