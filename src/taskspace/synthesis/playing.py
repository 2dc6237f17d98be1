"""How synthesizers do on Karel tasks: the program of each is run on all six examples."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.grids import to_grids
from taskspace.envs.karel.interpreter import run
from taskspace.outcomes import Outcomes
from taskspace.progress import progress_bar
from taskspace.synthesis import decoding
from taskspace.synthesis.network import Size, Synthesizer
from taskspace.training.workers import available_cores

BATCH = 256  # tasks decoded at a time


@dataclass(frozen=True, eq=False)
class SynthesisPolicy:
    """A trained synthesizer as an agent: it writes its best program for a task.

    `width` is that of the beam; 1 takes the most likely token each time.
    """

    network: Synthesizer
    width: int = 1

    def to_tensors(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
        """Settings in plain JSON, and weights: its form on disk."""
        weights = {name: weight.numpy() for name, weight in self.network.state_dict().items()}
        return {"size": asdict(self.network.size), "width": self.width}, weights

    @classmethod
    def from_tensors(
        cls, settings: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]]
    ) -> SynthesisPolicy:
        """What `to_tensors` gave."""
        with torch.random.fork_rng(devices=[]):  # fresh layers draw weights, which no one will see
            network = Synthesizer(Size(**settings["size"]))
        network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
        return cls(network, int(settings["width"]))

    def programs(self, tasks: KarelTasks) -> NDArray[np.uint8]:
        """A program for each task, from its first five examples."""
        device = next(self.network.parameters()).device
        parts = []
        for first in range(0, len(tasks), BATCH):
            batch, size = tasks[first : first + BATCH], self.network.size
            grids = to_grids(batch, size.side, radius=size.radius)
            seen = torch.from_numpy(grids).to(device)
            parts.append(
                decoding.greedy(self.network, seen)
                if self.width == 1
                else decoding.beam(self.network, seen, self.width)[:, 0]
            )
        return np.concatenate(parts)

    def solves(self, tasks: KarelTasks) -> NDArray[np.bool_]:
        """Which tasks its program solves: the five examples it saw, and the sixth."""
        return solved(self.programs(tasks), tasks)


def solved(programs: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.bool_]:
    """Whether each program maps all six inputs of its task to the outputs."""
    return np.asarray(run(programs[:, None], tasks.inputs).reach(tasks.outputs).all(1))


def play(
    population: Mapping[str, SynthesisPolicy], tasks: KarelTasks, *, progress: bool | None = None
) -> Outcomes:
    """Every agent on every task, once: what an agent writes for a task is always the same.

    The same bits on any number of cores: agents are what runs side by side.
    """
    if not population or not len(tasks):
        raise ValueError("there must be at least one agent and one task to play")
    rows = []
    total = len(population) * len(tasks)
    threads = torch.get_num_threads()
    try:
        with (
            progress_bar("Writing programs", total, progress) as advance,
            # The number of threads is each thread's own, and that of all threads to come.
            ThreadPoolExecutor(available_cores(), "", torch.set_num_threads, (1,)) as pool,
        ):
            for row in pool.map(lambda policy: policy.solves(tasks), population.values()):
                rows.append(row)
                advance(len(tasks))
    finally:
        torch.set_num_threads(threads)
    solved_by = np.stack(rows).astype(np.uint8)
    return Outcomes(
        solved_by,
        np.ones_like(solved_by),
        agents=np.array(list(population)),
        features=tasks.rows(),
        feature_names=KarelTasks.row_names(),
        info={"environment": "Karel", "success": "its program solves all six examples"},
    )
