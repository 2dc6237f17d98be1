"""How time and memory grow with agents, tasks, rollouts, items and dimensions.

Every line grows one size and keeps the others. Its exponent is the slope of the logarithm of time,
or of memory, over that of the size: 1 if twice as much takes twice as long.
"""

from __future__ import annotations

import functools
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from taskspace.bench.clock import Clock, Step, in_bytes
from taskspace.bench.printing import print_lines
from taskspace.outcomes.outcomes import Outcomes

Work = Callable[[], object]

REPEATS = 3  # of short work; the fastest counts
SHORT = 0.5  # seconds
LEAST_PEAK = 3e7  # bytes; less may be memory that was freed before
FEATURES, SKILLS = 6, 3


@dataclass(frozen=True)
class Growth:
    """What some work takes, by size."""

    sizes: list[int]
    steps: list[Step]

    @property
    def exponent(self) -> float:
        """The exponent of the time."""
        return slope(self.sizes, [step.seconds for step in self.steps])

    @property
    def memory_exponent(self) -> float | None:
        """The exponent of the peak memory; None if too little is taken to be measured."""
        large = [(n, step.peak) for n, step in zip(self.sizes, self.steps, strict=True)]
        large = [(n, peak) for n, peak in large if peak > LEAST_PEAK]
        return slope(*zip(*large, strict=True)) if len(large) > 1 else None


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of a straight line through the logarithms, by least squares.

    >>> round(slope([10, 100, 1000], [2.0, 20.0, 200.0]), 3)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-9)), 1)[0])


def results(agents: int, tasks: int, *, features: bool = False) -> Outcomes:
    """Single attempts of agents with three skills, on tasks with or without features."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(tasks, FEATURES))
    solved = np.empty((agents, tasks), np.uint8)
    for row, skill in zip(solved, rng.normal(size=(agents, SKILLS)), strict=True):
        logits = 2 * np.abs(table[:, :SKILLS]) @ skill + table[:, SKILLS]
        row[:] = rng.random(tasks) < 1 / (1 + np.exp(-logits))
    return Outcomes(solved, np.array(1), features=table if features else None)


# -- what is measured ------------------------------------------------------------------------------


def _evaluate(size: int, by: str) -> Work:
    from taskspace.envs.registry import make
    from taskspace.rollouts.evaluate import evaluate
    from taskspace.testing.agents import trained_like

    number = {"agents": 3, "tasks": 1000, "rollouts": 1, by: size}
    env = make("MultiKeyNav")
    known = trained_like(env)
    agents = [known[n % len(known)] for n in range(number["agents"])]
    tasks = env.sample_tasks(number["tasks"], seed=1)
    work = functools.partial(evaluate, agents, env, threads=1, progress=False)
    work(tasks[:10], 1)  # the first call compiles
    return lambda: work(tasks, number["rollouts"])


def _success(size: int, by: str) -> Work:
    from taskspace.models.success.model import SuccessModel

    number = {"agents": 20, "tasks": 10_000, by: size}
    outcomes = results(number["agents"], number["tasks"], features=True)
    model = SuccessModel(epochs=2, random_state=0, progress=False)
    return lambda: model.fit(outcomes)


def _map_of_model(size: int, by: str) -> Work:
    from taskspace.models.embedding.profile_map import fit_profiles

    number = {"agents": 50, "tasks": 1000, "dimensions": 4, by: size}
    profiles = np.random.default_rng(0).uniform(size=(number["agents"], number["tasks"]))
    landmarks = np.ascontiguousarray(profiles[:, :1000])

    def work() -> NDArray[np.float64]:
        found, _ = fit_profiles(landmarks, number["dimensions"], "information")
        return found.vectors(profiles)

    return work


def _map_of_table(size: int, by: str) -> Work:
    from taskspace.models.embedding.task_embedder import TaskEmbedder

    number = {"agents": 300, "items": 300, by: size}
    outcomes = results(number["agents"], number["items"])
    return lambda: TaskEmbedder(random_state=0).fit(outcomes)


def _similar(size: int, by: str) -> Work:
    from taskspace.applications.search import TaskIndex

    number = {"tasks": 100_000, "dimensions": 6, by: size}
    shape = number["tasks"], number["dimensions"]
    vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    index = TaskIndex(vectors)
    return lambda: [index.similar(vector, 10) for vector in vectors[:20]]


def _predictor(size: int, by: str) -> Work:
    from taskspace.applications.predictor import PerformancePredictor

    number = {"agents": 300, "items": 300, by: size}
    outcomes = results(number["agents"], number["items"])
    return lambda: PerformancePredictor().fit(outcomes)


def _explorer(size: int, by: str) -> Work:
    from taskspace.bench.explore import make_folder
    from taskspace.explore.data import encode, explorer_data
    from taskspace.runs.run import open_run

    folder = tempfile.TemporaryDirectory()
    make_folder(Path(folder.name) / "run", size, candidates=200)

    def work() -> bytes:
        assert folder  # which is removed with this function
        return encode(explorer_data(open_run(Path(folder.name) / "run")))

    return work


def _load(size: int, by: str) -> Work:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "outcomes.npz"
    results(20, size, features=True).save(path)

    def work() -> Outcomes:
        assert folder
        return Outcomes.load(path)

    return work


@dataclass(frozen=True)
class Line:
    """Some work, the size that grows, and the sizes."""

    name: str
    by: str
    prepare: Callable[[int, str], Work]
    sizes: tuple[int, ...]


TASKS = (1000, 10_000, 100_000, 1_000_000)
LINES = (
    Line("evaluate", "agents", _evaluate, (10, 100, 1000)),
    Line("evaluate", "tasks", _evaluate, TASKS),
    Line("evaluate", "rollouts", _evaluate, (1, 10, 100, 1000)),
    Line("load outcomes", "tasks", _load, TASKS),
    Line("success model", "agents", _success, (10, 100, 1000)),
    # With fewer tasks, two passes take less than the least number of steps.
    Line("success model", "tasks", _success, (160_000, 400_000, 1_000_000)),
    Line("map of a model", "agents", _map_of_model, (10, 100, 1000)),
    Line("map of a model", "tasks", _map_of_model, (10_000, 100_000, 1_000_000)),
    Line("map of a model", "dimensions", _map_of_model, (2, 8, 32)),
    Line("map of a table", "agents", _map_of_table, (100, 1000, 10_000)),
    Line("map of a table", "items", _map_of_table, (100, 300, 1000)),
    Line("similar", "tasks", _similar, TASKS),
    Line("similar", "dimensions", _similar, (2, 8, 32)),
    Line("predictor", "agents", _predictor, (100, 1000, 10_000)),
    Line("predictor", "items", _predictor, (100, 1000, 10_000)),
    Line("explorer", "tasks", _explorer, TASKS),
)


# -- measuring and printing ------------------------------------------------------------------------


def measure(line: Line) -> Growth:
    """Measure all sizes on one core."""
    from threadpoolctl import threadpool_limits

    from taskspace.torch_state import one_thread

    with warnings.catch_warnings(), threadpool_limits(1), one_thread():
        warnings.simplefilter("ignore")
        return Growth(list(line.sizes), [_taken(line, size) for size in line.sizes])


def _taken(line: Line, size: int) -> Step:
    work, clock = line.prepare(size, line.by), Clock()
    clock("first", work)
    first = clock.steps["first"]
    if first.seconds > SHORT:
        return first
    for number in range(REPEATS):
        clock(f"{number}", work)
    return Step(min(step.seconds for step in clock.steps.values()), first.peak)


def measure_all(lines: Sequence[Line] = LINES) -> dict[str, Growth]:
    """Measure everything, by name of the work and of the size."""
    return {f"{line.name}, by {line.by}": measure(line) for line in lines}


def as_json(found: dict[str, Growth]) -> dict[str, Any]:
    """The results as plain JSON, in seconds and bytes."""
    return {
        name: {
            **asdict(growth),
            "exponent": growth.exponent,
            "memory_exponent": growth.memory_exponent,
        }
        for name, growth in found.items()
    }


def print_report(console: Console) -> None:
    """Print a table with one row per work and size."""
    found = measure_all()
    columns: dict[str, Callable[[Growth], str]] = {
        "sizes": lambda growth: f"{growth.sizes[0]:,} to {growth.sizes[-1]:,}",
        "time": lambda growth: f"{growth.steps[0].seconds:.2g} to {growth.steps[-1].seconds:.2g} s",
        "exponent": lambda growth: f"{growth.exponent:.2f}",
        "memory": lambda growth: in_bytes(growth.steps[-1].peak),
        "its exponent": lambda growth: (
            "-" if growth.memory_exponent is None else f"{growth.memory_exponent:.2f}"
        ),
    }
    rows: dict[str, Callable[[str], str]] = {
        name: functools.partial(_cell, columns, growth) for name, growth in found.items()
    }
    title = "Growth of CPU time and peak memory, on one core"
    print_lines(console, title, rows, {name: name for name in columns})


def _cell(columns: dict[str, Callable[[Growth], str]], growth: Growth, column: str) -> str:
    return columns[column](growth)
