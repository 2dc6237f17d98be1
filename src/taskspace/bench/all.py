"""The speed of this machine in one file, which `bench compare` compares with another one."""

from __future__ import annotations

import functools
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from taskspace.bench import answers, growth, rollouts, runs, search
from taskspace.bench.printing import print_lines
from taskspace.rollouts.cores import available_cores

ENVIRONMENTS = ("MultiKeyNav",)  # `bench runs` has the others, which take minutes


def measure_all() -> dict[str, Any]:
    """The machine, and seconds by name: less is better."""
    seconds: dict[str, float] = {}
    for part, measure in _parts().items():
        start = time.perf_counter()
        seconds |= {f"{part}: {name}": value for name, value in measure().items()}
        print(f"{part} took {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return {"machine": machine(), "seconds": seconds}


def _parts() -> dict[str, Callable[[], dict[str, float]]]:
    """What is measured, in this order."""
    return {
        "rollouts": lambda: seconds_of_rollouts(rollouts.as_json(rollouts.measure_all())),
        "search": lambda: seconds_of_search(search.as_json(search.measure_all())),
        "growth": lambda: seconds_of_growth(growth.as_json(growth.measure_all())),
        "answers": lambda: seconds_of_answers(answers.as_json(answers.measure_all())),
        "runs": lambda: {n: run.wall for n, run in runs.measure_all(ENVIRONMENTS).items()},
    }


def machine() -> dict[str, Any]:
    """The processor, and its number of cores."""
    return {
        "processor": _processor(),
        "cores": available_cores(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    flags = next((line for line in lines if line.startswith("flags")), "")
    kind = next((kind for kind in ("avx512f", "avx2") if kind in flags.split()), "")
    return " ".join(filter(None, [names[0] if names else platform.processor(), kind])) or os.name


def seconds_of_rollouts(found: dict[str, Any]) -> dict[str, float]:
    """Seconds per million steps of the engine on one core."""
    return {
        f"{env}, a million steps": 1e6 / speed["compiled_steps_per_s"]
        for env, speed in found.items()
    }


def seconds_of_search(found: dict[str, Any]) -> dict[str, float]:
    """Seconds per search among a million tasks."""
    return {name: timing["index"] / 1000 for name, timing in found.items()}


def seconds_of_growth(found: dict[str, Any]) -> dict[str, float]:
    """Seconds at the largest size."""
    return {
        f"{name}, {line['sizes'][-1]:,}": line["steps"][-1]["seconds"]
        for name, line in found.items()
    }


def seconds_of_answers(found: dict[str, Any]) -> dict[str, float]:
    """CPU seconds of each command."""
    return {
        f"{command} {name}": taken["cpu"]
        for name, times in found.items()
        for command, taken in times.items()
    }


def as_json(found: dict[str, Any]) -> dict[str, Any]:
    """The results, which are plain JSON."""
    return found


def print_report(console: Console) -> None:
    """Print one row per figure."""
    found = measure_all()
    what = found["machine"]
    title = f"Seconds on {what['cores']} cores of {what['processor']}"
    rows = {name: functools.partial(_cell, name) for name in found["seconds"]}
    print_lines(console, title, rows, {"seconds": found["seconds"]})


def _cell(name: str, seconds: dict[str, float]) -> str:
    return f"{seconds[name]:.3g}"
