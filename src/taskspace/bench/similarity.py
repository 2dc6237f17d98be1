"""Error of similarity estimates by number of rollouts: Algorithm 2 against success rates."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.information import mutual_information
from taskspace.similarity.statistics import SuccessStatistics

AGENTS, TASKS, SEEDS = 100, 60, 5
MANY_TASKS, BLOCK = 50_000, 1000
ROLLOUTS = (2, 5, 10, 20, 50, 100, 200, 500)


def known_rates(seed: int = 0) -> NDArray[np.float64]:
    """Success probabilities (agents, tasks) of agents with three skills."""
    rng = np.random.default_rng(seed)
    skills = rng.uniform(-1, 2, (AGENTS, 3))
    needs = rng.dirichlet(np.full(3, 0.3), TASKS)
    return 1 / (1 + np.exp(-4 * (skills @ needs.T - rng.uniform(0, 1, TASKS))))


def errors(rollouts: int) -> tuple[float, float]:
    """Root mean square errors in bits over pairs of tasks: Algorithm 2, and success rates."""
    rates = known_rates()
    truth = SuccessStatistics.from_rates(rates).matrix()
    off = ~np.eye(TASKS, dtype=bool)
    found = []
    for seed in range(SEEDS):
        draws = np.random.default_rng(seed).random((AGENTS, TASKS, rollouts))
        results = draws < rates[..., None]
        counts = Outcomes(results.sum(2), np.array(rollouts))
        estimates = (_paired(results), SuccessStatistics.from_outcomes(counts).matrix())
        found.append([np.sqrt(((e - truth)[off] ** 2).mean()) for e in estimates])
    paired, from_rates = np.mean(found, axis=0)
    return float(paired), float(from_rates)


def _paired(results: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Algorithm 2 for all pairs, which pairs the r-th rollouts of an agent on the two tasks."""
    flat = results.transpose(1, 0, 2).reshape(TASKS, -1).astype(np.float32)
    both, success = flat @ flat.T / flat.shape[1], flat.mean(1)
    return mutual_information(both, success[:, None], success)


def print_report(console: Console) -> None:
    """Print the errors by number of rollouts, and the rollouts for equal errors."""
    measured = {rollouts: errors(rollouts) for rollouts in ROLLOUTS}
    title = f"Error of similarities in bits ({AGENTS} agents, {TASKS} tasks, {SEEDS} seeds)"
    table = Table(title=title, box=SIMPLE_HEAD)
    for heading in ("rollouts per agent", "Algorithm 2", "success rates", "Algorithm 2 needs"):
        table.add_column(heading, justify="right")
    for rollouts, (paired, from_rates) in measured.items():
        table.add_row(
            str(rollouts), f"{paired:.4f}", f"{from_rates:.4f}", _needed(measured, from_rates)
        )
    console.print(table)
    console.print(
        "Last column: the rollouts that Algorithm 2 needs for the same error as success rates."
    )
    console.print(_block_line())


def _block_line() -> str:
    """Time and memory for the similarities of some of many tasks with all of them."""
    rates = np.random.default_rng(0).random((AGENTS, MANY_TASKS))
    statistics = SuccessStatistics.from_rates(rates)
    tracemalloc.start()
    start = time.perf_counter()
    block = statistics.matrix(np.arange(BLOCK))
    seconds, peak = time.perf_counter() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (
        f"{BLOCK} x {MANY_TASKS:,} similarities of {AGENTS} agents: {seconds:.1f} s,"
        f" {(peak - block.nbytes) / 1e6:.0f} MB plus {block.nbytes / 1e6:.0f} MB for the result"
    )


def _needed(measured: dict[int, Any], error: float) -> str:
    """The number of rollouts for this error, interpolated on a logarithmic scale."""
    counts = np.log(list(measured))
    paired = np.log([pair[0] for pair in measured.values()])
    if np.log(error) < paired[-1]:
        return f"> {max(measured)}"
    return f"{np.exp(np.interp(-np.log(error), -paired, counts)):.0f}"
