"""Time of commands that answer questions about a run, beside that of importing NumPy."""

from __future__ import annotations

import functools
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.bench.printing import print_lines
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.pipeline import fit

AGENTS, FEATURES, SKILLS = 100, 4, 3
TASKS = (5_000, 50_000)
REPEATS = 3  # the fastest counts
BASELINE = "import numpy"
COMMANDS = {
    "similar": "similar RUN task-17",
    "mistyped task": "similar RUN nowhere",
    "hardest": "hardest RUN",
    "select": "select RUN --reference one.csv some.csv",
    "embed": "embed RUN some.csv",
    "predict": "predict RUN --quiz quiz.csv some.csv",
    "quiz": "quiz RUN --at-most 1",
}
INPUTS = {
    "one.csv": "task\ntask-1\n",
    "some.csv": "task\ntask-2\ntask-3\ntask-5\n",
    "quiz.csv": "task,result\ntask-7,1\ntask-11,0\n",
}


@dataclass(frozen=True)
class Taken:
    """Seconds of one process."""

    cpu: float  # of the user and of the system
    wall: float


def results(agents: int, tasks: int, *, features: bool) -> Outcomes:
    """Single attempts of agents with three skills, on tasks with or without features."""
    rng = np.random.default_rng(0)
    table = rng.uniform(-1, 1, (tasks, FEATURES))
    needed = np.column_stack([table[:, 0], np.sin(3 * table[:, 1]), np.sign(table[:, 2])])
    logits = 2 * rng.normal(size=(agents, SKILLS)) @ needed.T + table[:, 3]
    solved = rng.binomial(1, 1 / (1 + np.exp(-logits)))
    return Outcomes(solved, np.array(1), features=table if features else None)


def measure(command: Sequence[str], folder: Path, repeats: int = REPEATS) -> Taken:
    """The fastest of several processes."""
    found = []
    for _ in range(repeats):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        found.append(Taken(cpu, wall))
    return min(found, key=lambda taken: taken.cpu)


def measure_run(outcomes: Outcomes, repeats: int = REPEATS) -> dict[str, Taken]:
    """The time of each command on the run of these outcomes, and of importing NumPy."""
    with tempfile.TemporaryDirectory() as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(temporary)
        fit(outcomes, folder / "run", log=lambda line: None)
        for name, text in INPUTS.items():
            (folder / name).write_text(text)
        found = {BASELINE: measure([sys.executable, "-c", BASELINE], folder, repeats)}
        for name, words in COMMANDS.items():
            arguments = words.replace("RUN", "run").split()
            command = [sys.executable, "-m", "taskspace", *arguments]
            found[name] = measure(command, folder, repeats)
    return found


def measure_all() -> dict[str, dict[str, Taken]]:
    """The times of commands, by name of the run."""
    return {
        f"{tasks:,} tasks {'with' if features else 'without'} features": measure_run(
            results(AGENTS, tasks, features=features)
        )
        for tasks in TASKS
        for features in (True, False)
    }


def as_json(found: dict[str, dict[str, Taken]]) -> dict[str, Any]:
    """The times as plain values."""
    return {
        name: {command: asdict(taken) for command, taken in times.items()}
        for name, times in found.items()
    }


def _ratio(taken: Taken, base: Taken) -> str:
    return f"{taken.cpu / base.cpu:.1f}"


def print_report(console: Console) -> None:
    """Measure, and print one table per run."""
    for name, times in measure_all().items():
        lines: dict[str, Callable[[Taken], str]] = {
            "CPU, s": lambda taken: f"{taken.cpu:.2f}",
            "wall, s": lambda taken: f"{taken.wall:.2f}",
            "CPU, × import numpy": functools.partial(_ratio, base=times[BASELINE]),
        }
        title = f"answers on a run of {AGENTS} agents and {name}"
        print_lines(console, title, lines, times)
