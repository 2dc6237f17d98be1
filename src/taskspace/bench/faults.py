"""Runs that are killed repeatedly, or run out of disk space, against an undisturbed run.

A run is a process forked from this one, which has already imported everything: imports take longer
than most stages. Only the process itself is killed; its workers must notice that by themselves.
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
PATIENCE = 10.0  # seconds that workers may outlive their parent
ROOM = ("64k", "256k", "1m", "2m", "4m", "32m")  # sizes of a disk that grows until the run fits

Log = Callable[[str], None]
Job = Callable[[Path, Log], object]  # a run in a folder, with one line of log per stage


@dataclass(frozen=True)
class Survival:
    """The outcome of the faults injected into a run."""

    kills: dict[str, int]  # by stage
    full: int  # number of times the disk was full
    orphans: int  # workers that outlived their parent by more than `PATIENCE`
    files: int  # compared with those of an undisturbed run
    different: list[str]  # names of files that differ
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
    """Measure all jobs."""
    found = {}
    for name, job in JOBS.items():
        with tempfile.TemporaryDirectory(prefix="taskspace-faults-") as folder:
            found[name] = measure(job, Path(folder), kills)
    return found


def measure(job: Job, folder: Path, kills: int, seed: int = 0) -> Survival:
    """Kill a run at random times in every stage, then let it finish, and compare its files."""
    began, rng = time.perf_counter(), np.random.default_rng(seed)
    stages = finish(job, folder / "whole")
    names, killed, orphans = list(stages), folder / "killed", 0
    targets = [names[number * len(names) // kills] for number in range(kills)]
    for stage in targets:
        before, delay = names[: names.index(stage)], rng.uniform() * stages[stage]
        done, left = kill(job, killed, before, delay)
        orphans += left
        while done > len(before):  # it was faster than the first run: try again, earlier
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
    """Start a run in a new process and session; returns its id and the lines of its log."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child:
        os.close(theirs)
        return child, os.fdopen(ours, encoding="utf-8")
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # no progress bars and no errors of workers
        job(folder, lambda line: _send(theirs, line))
        code = 0
    except Exception as error:
        _send(theirs, f"{error}")
        code = 2 if isinstance(error, (OSError, ValueError)) else 1  # as on the command line
    finally:
        os._exit(code)


def _send(pipe: int, line: str) -> None:
    os.write(pipe, f"{line}\n".encode())


def finish(job: Job, folder: Path) -> dict[str, float]:
    """Let a run finish; returns the duration of each stage."""
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
    """Kill a run some seconds after these stages; returns the numbers of stages and orphans."""
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
    """Processes of a session that are still alive after `PATIENCE`; they are killed."""
    until = time.perf_counter() + PATIENCE
    while (left := members(session)) and time.perf_counter() < until:
        time.sleep(0.05)
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return left


def members(session: int) -> list[int]:
    """The processes of a session (Linux only)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, its_session = path.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(path.parent.name))
    return found


# -- a full disk -----------------------------------------------------------------------------------


def can_mount() -> bool:
    """Whether a small disk can be mounted: only on Linux, and as root."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with small_disk(Path(folder), ROOM[0]):
                return True
        except OSError:
            return False


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """Mount a disk of this size in memory at `folder`; raises OSError if not permitted."""
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
    """Run on a small disk that grows; returns the number of times it was full.

    Each time, the run must fail with one sentence that says so.
    """
    disk = folder.with_name("disk")
    disk.mkdir()
    with small_disk(disk, ROOM[0]):
        for times, size in enumerate(ROOM):
            _mount(disk, f"remount,size={size}")
            child, lines = start(job, disk / "run")
            with lines:
                output = lines.readlines()
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if not code:
                shutil.copytree(disk / "run", folder)
                return times
            sentence = "No space left on device" in output[-1] and output[-1].startswith(
                "cannot write"
            )
            if code != 2 or not sentence:
                raise RuntimeError(f"a run on a full disk ended with {code}: {output}")
    raise RuntimeError(f"a run does not fit on a disk of {ROOM[-1]}")


# -- what is left ----------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, str]:
    """A digest of every file, including hidden ones; of stamps without their durations."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): _digest(path) for path in files}


def _digest(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix == ".json":
        value = json.loads(content)
        if "seconds" in value:  # the checksum depends on it
            untimed = {k: v for k, v in value.items() if k not in ("seconds", "sha256")}
            content = json.dumps(untimed).encode()
    return hashlib.sha256(content).hexdigest()


_LINES: dict[str, Callable[[Survival], str]] = {
    "kills": lambda found: f"{sum(found.kills.values())}",
    "kills by stage": lambda found: "\n".join(f"{name} {n}" for name, n in found.kills.items()),
    "orphaned workers": lambda found: f"{found.orphans}",
    "times the disk was full": lambda found: f"{found.full or 'not tested (needs root)'}",
    "files compared": lambda found: f"{found.files}",
    "files that differ": lambda found: "\n".join(found.different) or "none",
    "seconds": lambda found: f"{found.seconds:.0f}",
}


def print_report(console: Console) -> None:
    """Print a table with one column per job."""
    _print(console, measure_all())


def _print(console: Console, found: dict[str, Survival]) -> None:
    print_lines(console, "Killed and resumed runs against an undisturbed run", _LINES, found)


def as_json(found: dict[str, Survival]) -> dict[str, Any]:
    """The results as plain JSON."""
    return {name: asdict(survival) for name, survival in found.items()}


if __name__ == "__main__":
    results = measure_all()
    _print(Console(), results)
    sys.exit(any(found.different or found.orphans for found in results.values()))
