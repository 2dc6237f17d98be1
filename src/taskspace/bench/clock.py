"""CPU time and peak memory of a step."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Step:
    """Time and memory of one step."""

    seconds: float  # of CPU time on one core
    peak: float  # bytes in addition to those in use before


class Clock:
    """Runs steps and records their time and memory."""

    def __init__(self) -> None:
        self.steps: dict[str, Step] = {}

    def __call__(self, name: str, work: Callable[[], T]) -> T:
        gc.collect()
        before, start = _start_peak(), time.process_time()
        result = work()
        self.steps[name] = Step(time.process_time() - start, max(0.0, _peak() - before))
        return result


def in_bytes(number: float) -> str:
    """Megabytes, or gigabytes if there are many.

    >>> in_bytes(3e8), in_bytes(2e10)
    ('300 MB', '20 GB')
    """
    return f"{number / 1e6:,.0f} MB" if number < 1e10 else f"{number / 1e9:,.0f} GB"


def _start_peak() -> float:
    """Reset the peak memory, and return the memory in use."""
    with contextlib.suppress(OSError):  # only on Linux; elsewhere the peak is cumulative
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> float:
    """The peak memory of this process in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return 1024.0 * int(lines["VmHWM"].split()[0])
    import resource

    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
