"""Time and peak memory for a map of a million tasks, step by step."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.bench.clock import Clock, Step, in_bytes
from taskspace.bench.printing import print_lines
from taskspace.models.embedding.constraints import check_orders, draw_pairs, draw_triplets
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.statistics import SuccessStatistics, anti_correlated

SIZES = ((100, 10_000), (100, 100_000), (100, 1_000_000), (1000, 1_000_000))  # agents, tasks
MANY = 1000  # agents for which only the success model, its map and its predictor are measured
ROLLOUTS, FEATURES = 10, 6
STEPS, FREE_STEPS = 6000, 10  # training steps with features (the default), and without
CONSTRAINTS = 250 * 128  # per type, as many as are drawn at a time
ROWS, NEAREST = 100, 10


@dataclass(frozen=True)
class Size:
    """All steps for one number of tasks."""

    table: float  # bytes of the outcomes
    matrix: float  # bytes of all similarities in single precision, which are never stored
    steps: dict[str, Step]


def make_outcomes(agents: int, tasks: int) -> Outcomes:
    """Outcomes of agents with three skills on tasks that need them to different degrees."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(tasks, FEATURES)).astype(np.float32)
    needs = np.abs(features[:, :3])
    needs /= needs.sum(1, keepdims=True)
    successes = np.empty((agents, tasks), np.uint8)
    for row, skills in zip(successes, rng.normal(size=(agents, 3)), strict=True):
        rates = 1 / (1 + np.exp(-4 * (needs @ skills.astype(np.float32) - features[:, 3])))
        drawn = ROLLOUTS * rates + rng.random(tasks, np.float32)  # rounded up or down at random
        row[:] = np.minimum(drawn, ROLLOUTS)  # in single precision, 10 + 0.9999999 is 11
    return Outcomes(successes, np.array(ROLLOUTS), features=features)


def measure(agents: int, tasks: int, steps: int = STEPS) -> Size:
    """Run every step once, in this process and on one core."""
    from threadpoolctl import threadpool_limits

    from taskspace.torch_state import one_thread

    outcomes, clock = make_outcomes(agents, tasks), Clock()
    with warnings.catch_warnings(), threadpool_limits(1), one_thread():
        warnings.simplefilter("ignore")
        _information(outcomes, clock)
        if agents < MANY:
            _files(outcomes, clock)
            _similarities(outcomes, clock)
            _maps(outcomes, clock, steps)
    return Size(float(outcomes.successes.nbytes), 4.0 * tasks * tasks, clock.steps)


def _information(outcomes: Outcomes, clock: Clock) -> None:
    from taskspace.applications.predictor import PerformancePredictor
    from taskspace.models.embedding.task_embedder import TaskEmbedder
    from taskspace.models.success.model import SuccessModel

    model = clock(
        "success model, one pass",
        lambda: SuccessModel(epochs=1, random_state=0, progress=False).fit(outcomes),
    )
    embedder = clock("information map", lambda: TaskEmbedder(random_state=0).fit(model))
    clock("vectors of all tasks", lambda: embedder.transform(outcomes.features))
    clock("predictor", lambda: PerformancePredictor().fit(model))


def _files(outcomes: Outcomes, clock: Clock) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcomes.npz"
        clock("save the outcomes", lambda: outcomes.save(path))
        clock("load the outcomes", lambda: Outcomes.load(path))


def _similarities(outcomes: Outcomes, clock: Clock) -> None:
    rng, everything = np.random.default_rng(0), np.arange(outcomes.n_tasks)
    some = everything[:ROWS]
    statistics = clock("success rates by task", lambda: SuccessStatistics.from_outcomes(outcomes))
    clock("check for contradictions", lambda: _checks(statistics, rng))
    number = f"{CONSTRAINTS:,}"
    clock(f"{number} triplets", lambda: draw_triplets(statistics, CONSTRAINTS, rng, everything))
    clock(f"{number} pairs", lambda: draw_pairs(statistics, CONSTRAINTS, rng, everything))
    clock(f"similarity of {ROWS} tasks with all", lambda: statistics.matrix(some))
    clock(f"{NEAREST} most similar to {ROWS} tasks", lambda: statistics.most_similar(NEAREST, some))


def _maps(outcomes: Outcomes, clock: Clock, steps: int) -> None:
    from taskspace.models.embedding.agreement import agreement
    from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder

    def fit(given: Outcomes, steps: int) -> OrdinalEmbedder:
        return OrdinalEmbedder(2, steps=steps, random_state=0, progress=False).fit(given)

    embedder = clock(f"fit, {steps} steps", lambda: fit(outcomes, steps))
    clock("transform all tasks", lambda: embedder.transform(outcomes.features))
    clock("agreement of two maps", lambda: agreement(embedder, embedder, outcomes.features))
    nameless = Outcomes(outcomes.successes, outcomes.rollouts)
    clock(f"fit without features, {FREE_STEPS} steps", lambda: fit(nameless, FREE_STEPS))


def _checks(statistics: SuccessStatistics, rng: np.random.Generator) -> None:
    check_orders(statistics)
    anti_correlated(statistics, rng)


def measure_all(sizes: tuple[tuple[int, int], ...] = SIZES, steps: int = STEPS) -> dict[str, Size]:
    """Measure each size in a separate process, to measure its memory alone."""
    found = {}
    for agents, tasks in sizes:
        command = [sys.executable, "-m", __name__, *map(str, (agents, tasks, steps))]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        size = json.loads(done.stdout)
        named = {name: Step(**step) for name, step in size["steps"].items()}
        found[f"{agents:,} × {tasks:,}"] = Size(size["table"], size["matrix"], named)
    return found


def print_report(console: Console) -> None:
    """Print a table with one column per number of tasks."""
    found = measure_all()
    lines: dict[str, Callable[[Size], str]] = {
        "size of the outcomes": lambda size: in_bytes(size.table),
        "size of all similarities (never stored)": lambda size: in_bytes(size.matrix),
    }
    for name in next(iter(found.values())).steps:
        lines[name] = lambda size, name=name: _cell(size.steps.get(name))  # type: ignore[misc]
    print_lines(console, "Maps of many tasks, agents × tasks", lines, found)
    console.print(
        "CPU time on one core, and peak memory in addition to the memory before the step."
    )


def _cell(step: Step | None) -> str:
    return "-" if step is None else f"{step.seconds:.2f} s, {in_bytes(step.peak)}"


def as_json(found: dict[str, Size]) -> dict[str, Any]:
    """The results as plain JSON, in seconds and bytes."""
    return {name: asdict(size) for name, size in found.items()}


if __name__ == "__main__":
    print(json.dumps(asdict(measure(*map(int, sys.argv[1:4])))))
