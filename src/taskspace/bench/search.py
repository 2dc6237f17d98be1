"""Time of a search for the most similar tasks among a million."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from taskspace.applications.search import TaskIndex
from taskspace.bench.printing import print_lines

TASKS, NEAREST, ROUNDS = 1_000_000, 10, 15
DIMENSIONS = (2, 6, 32)


@dataclass(frozen=True)
class Timing:
    """Milliseconds per search, the median of several interleaved rounds."""

    index: float
    harder: float  # among harder tasks only
    sorting: float  # the plain way: all inner products, sorted
    reading: float  # the sum of all vectors, a lower limit for any search
    faiss: float | None = None  # its exact index, if it is installed


def measure_all(tasks: int = TASKS) -> dict[str, Timing]:
    """Measure all methods, by number of dimensions."""
    return {f"{dimension} dimensions": measure(tasks, dimension) for dimension in DIMENSIONS}


def measure(tasks: int, dimension: int) -> Timing:
    """Measure all methods on the same searches, in turn."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(tasks, dimension)).astype(np.float32)
    index, questions = TaskIndex(vectors), vectors[rng.integers(0, tasks, ROUNDS)]
    harder = float(np.median(index.difficulty))
    ways: dict[str, Callable[[NDArray[np.float32]], Any]] = {
        "index": lambda vector: index.similar(vector, NEAREST),
        "harder": lambda vector: index.similar(vector, NEAREST, harder_than=harder),
        "sorting": lambda vector: np.argsort(-(vectors @ vector))[:NEAREST],
        "reading": lambda vector: vectors.sum(),
    }
    faiss = _faiss(vectors)
    if faiss is not None:
        ways["faiss"] = faiss
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for question in questions:
        for name, ask in ways.items():
            start = time.perf_counter()
            ask(question)
            seconds[name].append(time.perf_counter() - start)
    return Timing(**{name: 1000 * statistics.median(found) for name, found in seconds.items()})


def _faiss(vectors: NDArray[np.float32]) -> Callable[[NDArray[np.float32]], Any] | None:
    """A search with FAISS, if it is installed."""
    try:
        faiss = importlib.import_module("faiss")
    except ImportError:
        return None
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return lambda vector: index.search(vector[None], NEAREST)


_LINES: dict[str, Callable[[Timing], str]] = {
    "TaskIndex.similar, ms": lambda timing: f"{timing.index:.1f}",
    "TaskIndex.similar, harder tasks, ms": lambda timing: f"{timing.harder:.1f}",
    "sorting all inner products, ms": lambda timing: f"{timing.sorting:.1f}",
    "FAISS, exact, ms": lambda timing: "-" if timing.faiss is None else f"{timing.faiss:.1f}",
    "reading all vectors, ms": lambda timing: f"{timing.reading:.1f}",
    "sorting / TaskIndex": lambda timing: f"{timing.sorting / timing.index:.0f}x",
}


def print_report(console: Console) -> None:
    """Print a table with one column per number of dimensions."""
    title = f"Search for the {NEAREST} most similar of {TASKS:,} tasks"
    print_lines(console, title, _LINES, measure_all())


def as_json(found: dict[str, Timing]) -> dict[str, Any]:
    """The results as plain JSON."""
    return {name: asdict(timing) for name, timing in found.items()}
