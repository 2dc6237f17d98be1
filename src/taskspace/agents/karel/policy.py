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
    """A trained synthesizer as an agent: it writes one program per task.

    `width` is the width of the beam; 1 is greedy decoding. With a beam, the agent runs its programs
    on the five visible examples and returns the most likely program that explains them. (The
    authors return the most likely program without this check; with it, a small network solves about
    twice as many new tasks.)
    """

    network: Synthesizer
    width: int = 1

    def to_tensors(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
        """The settings, as JSON, and the weights, to save the policy."""
        weights = {name: weight.numpy() for name, weight in self.network.state_dict().items()}
        return {"size": asdict(self.network.size), "width": self.width}, weights

    @classmethod
    def from_tensors(
        cls, settings: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]]
    ) -> SynthesisPolicy:
        """The policy from the results of `to_tensors`."""
        with torch.random.fork_rng(devices=[]):  # new layers draw random weights that are not used
            network = Synthesizer(Size(**settings["size"]))
        network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
        return cls(network, int(settings["width"]))

    def programs(self, tasks: KarelTasks) -> NDArray[np.uint8]:
        """One program per task, from its first five examples."""
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
        """Which tasks the programs solve: all five visible examples, and the sixth."""
        return solved(self.programs(tasks), tasks)


def first_that_fits(candidates: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.uint8]:
    """For each task, the first of its candidates (tasks, candidates, tokens) that explains the
    visible examples, else the first.
    """
    # A beam may have fewer programs; rows of padding cannot run.
    candidates = np.where(candidates[:, :, :1] == PAD, candidates[:, :1], candidates)
    fits = np.stack(
        [fits_examples(candidates[:, i], tasks) for i in range(candidates.shape[1])], axis=1
    )
    chosen: NDArray[np.uint8] = candidates[np.arange(len(candidates)), fits.argmax(1)]
    return chosen


def fits_examples(programs: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.bool_]:
    """Whether each program maps the five visible inputs of its task to the outputs."""
    reached = run(programs[:, None], tasks.inputs).reach(tasks.outputs)
    return np.asarray(reached[:, :SPECIFICATION].all(1))


def solved(programs: NDArray[np.uint8], tasks: KarelTasks) -> NDArray[np.bool_]:
    """Whether each program maps all six inputs of its task to the outputs."""
    return np.asarray(run(programs[:, None], tasks.inputs).reach(tasks.outputs).all(1))
