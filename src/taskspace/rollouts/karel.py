"""Rollouts of synthesizers on Karel tasks: their programs run on all six examples."""

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
    """Play every agent on every task once: an agent always writes the same program for a task.

    Agents run in parallel. The result is bit-identical on any number of cores, and on a Ray
    cluster (`executor="ray"`).
    """
    if not population or not len(tasks):
        raise ValueError(
            "there must be at least one agent and one task, got"
            f" {len(population)} agents and {len(tasks)} tasks"
        )
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
        # PyTorch's number of threads is set per thread, and for all threads started later.
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
    """The work of one worker: one agent on all tasks."""
    torch.set_num_threads(1)
    return np.asarray(policy.unpack().solves(tasks.unpack()))
