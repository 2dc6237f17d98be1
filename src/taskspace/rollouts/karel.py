"""How synthesizers do on Karel tasks: the program of each is run on all six examples."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.karel.policy import SynthesisPolicy
from taskspace.envs.karel.compact import KarelTasks
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import progress_bar
from taskspace.rollouts import ray
from taskspace.rollouts.cores import available_cores


def play(
    population: Mapping[str, SynthesisPolicy],
    tasks: KarelTasks,
    *,
    executor: str | None = None,
    progress: bool | None = None,
) -> Outcomes:
    """Every agent on every task, once: what an agent writes for a task is always the same.

    The same bits on any number of cores, or on a Ray cluster (`executor="ray"`): agents are what
    runs side by side.
    """
    if not population or not len(tasks):
        raise ValueError("there must be at least one agent and one task to play")
    remote = ray.on_ray(executor)
    rows = []
    with (
        ray.connected() if remote else contextlib.nullcontext(),
        progress_bar("Writing programs", len(population) * len(tasks), progress) as advance,
        contextlib.closing((_rows_on_ray if remote else _rows_here)(population, tasks)) as found,
    ):
        for row in found:
            rows.append(row)
            advance(len(tasks))
    solved_by = np.stack(rows).astype(np.uint8)
    return Outcomes(
        solved_by,
        np.ones_like(solved_by),
        agents=np.array(list(population)),
        features=tasks.rows(),
        feature_names=KarelTasks.row_names(),
        info={"environment": "Karel", "success": "its program solves all six examples"},
    )


Rows = Generator[NDArray[np.bool_], None, None]


def _rows_here(population: Mapping[str, SynthesisPolicy], tasks: KarelTasks) -> Rows:
    """Which tasks each agent solves."""
    threads = torch.get_num_threads()
    try:
        # The number of threads is each thread's own, and that of all threads to come.
        with ThreadPoolExecutor(available_cores(), "", torch.set_num_threads, (1,)) as pool:
            yield from pool.map(lambda policy: policy.solves(tasks), population.values())
    finally:
        torch.set_num_threads(threads)


def _rows_on_ray(population: Mapping[str, SynthesisPolicy], tasks: KarelTasks) -> Rows:
    """The same on a cluster."""
    sent = ray.ship(tasks, "the tasks")
    calls = ((ray.ship(policy, name), sent) for name, policy in population.items())
    with contextlib.closing(ray.in_order(_row, calls)) as found:
        yield from found


def _row(policy: ray.Shipped, tasks: ray.Shipped) -> NDArray[np.bool_]:
    """What a worker does."""
    torch.set_num_threads(1)
    return np.asarray(policy.unpack().solves(tasks.unpack()))
