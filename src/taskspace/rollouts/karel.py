"""Rollouts of synthesizers on Karel tasks: their programs run on all six examples."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.karel.policy import BATCH, SynthesisPolicy
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.files import read_sealed_arrays, write_sealed_arrays
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
    checkpoints: Checkpoints = NONE,
) -> Outcomes:
    """Play every agent on every task once: an agent always writes the same program for a task.

    Agents run in parallel. The result is bit-identical on any number of cores, and on a Ray
    cluster (`executor="ray"`). What is finished is stored in `checkpoints`, and not played again.
    """
    if not population or not len(tasks):
        raise ValueError(
            "there must be at least one agent and one task, got"
            f" {len(population)} agents and {len(tasks)} tasks"
        )
    remote = ray.on_ray(executor)
    pieces = [
        Piece(agent, first, min(first + BLOCK, len(tasks)))
        for agent in range(len(population))
        for first in range(0, len(tasks), BLOCK)
    ]
    solved = {piece: checkpoints.load(piece.name, _load) for piece in pieces}
    left = [piece for piece in pieces if solved[piece] is None]
    policies = list(population.values())
    with (
        ray.connected() if remote else contextlib.nullcontext(),
        progress_bar("Writing programs", len(population) * len(tasks), progress) as advance,
        contextlib.closing((_play_on_ray if remote else _play_here)(policies, tasks, left)) as rows,
    ):
        advance(sum(piece.last - piece.first for piece in set(pieces) - set(left)))
        for piece, row in zip(left, rows, strict=True):
            checkpoints.save(piece.name, row, _save)
            solved[piece] = row
            advance(len(row))
    found = np.concatenate([solved[piece] for piece in pieces])
    solved_by = found.reshape(len(population), len(tasks)).astype(np.uint8)
    return Outcomes(
        solved_by,
        np.ones_like(solved_by),
        agents=np.array(list(population)),
        features=tasks.rows(),
        feature_names=KarelTasks.row_names(),
        info={"environment": "Karel", "success": "its program solves all six examples"},
    )


# -- pieces of the work ----------------------------------------------------------------------------

BLOCK = 8 * BATCH  # tasks: whole batches, so that dividing the tasks does not change any bits
Rows = Generator[NDArray[np.bool_], None, None]


@dataclass(frozen=True)
class Piece:
    """Tasks first .. last - 1 of one agent."""

    agent: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.agent}-{self.first}.npz"


def _save(solved: NDArray[np.bool_], path: Path) -> None:
    write_sealed_arrays({"solved": solved}, path)


def _load(path: Path) -> NDArray[np.bool_]:
    return read_sealed_arrays(path)["solved"]


def _play_here(
    policies: Sequence[SynthesisPolicy], tasks: KarelTasks, pieces: Sequence[Piece]
) -> Rows:
    """Which tasks of each piece are solved."""

    def play_piece(piece: Piece) -> NDArray[np.bool_]:
        return policies[piece.agent].solves(tasks[piece.first : piece.last])

    threads = torch.get_num_threads()
    try:
        # PyTorch's number of threads is set per thread, and for all threads started later.
        with ThreadPoolExecutor(available_cores(), "", torch.set_num_threads, (1,)) as pool:
            yield from pool.map(play_piece, pieces)
    finally:
        torch.set_num_threads(threads)


def _play_on_ray(
    policies: Sequence[SynthesisPolicy], tasks: KarelTasks, pieces: Sequence[Piece]
) -> Rows:
    """The same on a cluster."""
    sent = ray.ship(tasks, "the tasks")

    def calls() -> Iterator[tuple[Any, ...]]:
        for agent, same in groupby(pieces, lambda piece: piece.agent):
            policy = ray.ship(policies[agent], f"agent {agent}")
            yield from ((policy, sent, piece) for piece in same)

    with contextlib.closing(ray.in_order(_play_piece, calls())) as found:
        yield from found


def _play_piece(policy: ray.Shipped, tasks: ray.Shipped, piece: Piece) -> NDArray[np.bool_]:
    """The work of one worker: one agent on some tasks."""
    torch.set_num_threads(1)
    return np.asarray(policy.unpack().solves(tasks.unpack()[piece.first : piece.last]))
