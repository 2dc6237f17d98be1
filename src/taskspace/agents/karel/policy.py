"""A trained synthesizer as an agent: it writes programs for tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.karel import decoding
from taskspace.agents.karel.network import Size, Synthesizer
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import SPECIFICATION
from taskspace.envs.karel.grids import to_grids
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import PAD

BATCH = 256  # tasks decoded at a time


@dataclass(frozen=True, eq=False)
class SynthesisPolicy:
    """A trained synthesizer as an agent: it writes its best program for a task.

    `width` is that of the beam; 1 takes the most likely token each time. An agent with a beam tries
    its programs on the five examples that it sees, and gives the most likely one that explains
    them. (The authors give the most likely one, right or wrong; a small network that may check
    itself solves about twice as many new tasks.)
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
                else first_that_fits(decoding.beam(self.network, seen, self.width), batch)
            )
        return np.concatenate(parts)

    def solves(self, tasks: KarelTasks) -> NDArray[np.bool_]:
        """Which tasks its program solves: the five examples it saw, and the sixth."""
        return solved(self.programs(tasks), tasks)


def first_that_fits(candidates: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.uint8]:
    """Of the programs for each task (tasks, candidates, tokens) the first that explains what is
    seen of it, else the first.
    """
    # Where a beam has run dry there is only padding, which no one can run.
    candidates = np.where(candidates[:, :, :1] == PAD, candidates[:, :1], candidates)
    fits = np.stack(
        [fits_examples(candidates[:, i], tasks) for i in range(candidates.shape[1])], axis=1
    )
    chosen: NDArray[np.uint8] = candidates[np.arange(len(candidates)), fits.argmax(1)]
    return chosen


def fits_examples(programs: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.bool_]:
    """Whether each program maps the five inputs that are seen of its task to the outputs."""
    reached = run(programs[:, None], tasks.inputs).reach(tasks.outputs)
    return np.asarray(reached[:, :SPECIFICATION].all(1))


def solved(programs: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.bool_]:
    """Whether each program maps all six inputs of its task to the outputs."""
    return np.asarray(run(programs[:, None], tasks.inputs).reach(tasks.outputs).all(1))
