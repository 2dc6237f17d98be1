"""Seconds and memory of whole runs, each one in a process of its own, and of their stages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.bench.clock import in_bytes
from taskspace.bench.growth import results
from taskspace.bench.printing import print_lines
from taskspace.outcomes.outcomes import Outcomes

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass", "BasicKarel")
TABLES = {  # agents, tasks, and the fraction of the pairs that is missing
    "300 × 60": (300, 60, 0.0),
    "20,000 × 500": (20_000, 500, 0.7),
    "90 × 80,000": (90, 80_000, 0.0),
}
_FIT = "import sys, taskspace as ts; ts.fit(ts.Outcomes.load(sys.argv[1]), sys.argv[2])"


@dataclass(frozen=True)
class Whole:
    """What a run took."""

    wall: float  # seconds
    cpu: float  # seconds of all its processes
    peak: float  # bytes of the largest of them
    stages: dict[str, float]  # wall seconds by stage; some run beside others


def table(agents: int, tasks: int, missing: float) -> Outcomes:
    """Single attempts, of which some are missing."""
    whole = results(agents, tasks)
    tried = (np.random.default_rng(1).random((agents, tasks)) >= missing).astype(np.uint8)
    return Outcomes(whole.successes * tried, tried)


def measure(command: Sequence[str], folder: Path) -> Whole:
    """Run a command that writes a run folder."""
    start = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    stamps = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    stamps = [stamp for stamp in stamps if isinstance(stamp, dict) and "seconds" in stamp]
    stages = {stamp["stage"]: stamp["seconds"] for stamp in stamps}
    return Whole(wall, used.ru_utime + used.ru_stime, 1024.0 * used.ru_maxrss, stages)


def measure_all(
    environments: Sequence[str] = ENVIRONMENTS,
    tables: dict[str, tuple[int, int, float]] = TABLES,
    preset: str = "default",
) -> dict[str, Whole]:
    """Measure all runs, one after another."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in environments:
            out = folder / name
            command = [sys.executable, "-m", "taskspace", "run", name, "--preset", preset]
            found[f"run {name}"] = measure([*command, "--out", str(out)], out)
        for name, (agents, tasks, missing) in tables.items():
            path, out = folder / "outcomes.npz", folder / name
            table(agents, tasks, missing).save(path)
            found[f"fit {name}"] = measure([sys.executable, "-c", _FIT, str(path), str(out)], out)
    return found


def as_json(found: dict[str, Whole]) -> dict[str, Any]:
    """The results as plain JSON, in seconds and bytes."""
    return {name: asdict(whole) for name, whole in found.items()}


def print_report(console: Console) -> None:
    """Print a table with one column per run."""
    found = measure_all()
    lines: dict[str, Callable[[Whole], str]] = {
        "wall, s": lambda whole: f"{whole.wall:.1f}",
        "CPU, s": lambda whole: f"{whole.cpu:.1f}",
        "peak memory": lambda whole: in_bytes(whole.peak),
    }
    for stage in dict.fromkeys(stage for whole in found.values() for stage in whole.stages):
        lines[f"  {stage}, s"] = lambda whole, stage=stage: (  # type: ignore[misc]
            f"{whole.stages[stage]:.1f}" if stage in whole.stages else "-"
        )
    print_lines(console, "Whole runs, and the wall seconds of their stages", lines, found)
