"""The state of a training on disk: a killed training continues from it, with the same bits."""

from __future__ import annotations

import json
import time
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.agent import Agent
from taskspace.agents.karel.network import Synthesizer
from taskspace.agents.karel.policy import SynthesisPolicy
from taskspace.checkpoints import Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.files import read_sealed_arrays, write_sealed_arrays
from taskspace.training.workers import load_agents, save_agents

_STATE = "state.npz"
_NETWORK, _ADAM = "network", "adam"  # prefixes of the names of arrays

Arrays = dict[str, NDArray[Any]]


@dataclass(eq=False)
class TrainingState:
    """All that changes during a training; its examples follow from the number of steps."""

    network: Synthesizer
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LRScheduler
    agents: list[Agent] = field(default_factory=list)  # the snapshots so far
    steps: int = 0

    def offer(self, subpopulation: str, tasks: KarelTasks, delta: float) -> None:
        """Add a snapshot of the network if its skill has risen by `delta`."""
        skill = float(SynthesisPolicy(self.network).solves(tasks).mean())
        if not self.agents or skill >= self.agents[-1].skill + delta:
            policy = SynthesisPolicy(deepcopy(self.network).cpu())
            name = f"{subpopulation}-{self.steps}"
            self.agents.append(Agent(name, policy, subpopulation, self.steps, skill))

    def arrays(self) -> Arrays:
        """Everything but the snapshots, as arrays."""
        plain = {
            "steps": self.steps,
            "snapshots": [agent.step for agent in self.agents],
            "rate": self.optimizer.param_groups[0]["lr"],
            "schedule": self.schedule.state_dict(),
        }
        tensors = {f"{_NETWORK}/{k}": v for k, v in self.network.state_dict().items()}
        for number, values in self.optimizer.state_dict()["state"].items():
            tensors |= {f"{_ADAM}/{number}/{name}": value for name, value in values.items()}
        found: Arrays = {name: tensor.cpu().numpy() for name, tensor in tensors.items()}
        return {"plain": np.array(json.dumps(plain)), **found}

    def restore(self, arrays: Arrays, folder: Path) -> None:
        """Continue from the result of `arrays`, with the snapshots in the folder."""
        plain = json.loads(str(arrays["plain"]))
        weights: dict[str, Any] = {}
        moments: dict[int, dict[str, Any]] = {}
        for name, values in arrays.items():
            kind, _, rest = name.partition("/")
            if kind == _NETWORK:
                weights[rest] = torch.from_numpy(values)
            elif kind == _ADAM:
                number, _, key = rest.partition("/")
                moments.setdefault(int(number), {})[key] = torch.from_numpy(values)
        self.network.load_state_dict(weights)
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": moments, "param_groups": groups})
        self.optimizer.param_groups[0]["lr"] = plain["rate"]
        self.schedule.load_state_dict(plain["schedule"])
        for step in plain["snapshots"]:
            self.agents += load_agents(folder / _snapshot(step))
        self.steps = plain["steps"]


@dataclass
class StateStore:
    """Where a training stores its state from time to time."""

    checkpoints: Checkpoints
    last: float = field(default_factory=time.monotonic)
    stored: int = 0  # snapshots that are known to be undamaged

    def save_if_due(self, state: TrainingState) -> None:
        """Store the state if the last time is long enough ago; each snapshot is stored once."""
        elapsed = time.monotonic() - self.last
        if self.checkpoints.folder is None or elapsed < self.checkpoints.seconds:
            return
        for agent in state.agents[self.stored :]:
            self.checkpoints.save(_snapshot(agent.step), [agent], save_agents)
        self.stored = len(state.agents)
        # Last, because it lists the snapshots.
        self.checkpoints.save(_STATE, state.arrays(), write_sealed_arrays)
        self.last = time.monotonic()

    def restore(self, state: TrainingState) -> bool:
        """Continue from the stored state; False if there is none, or if it is damaged."""

        def load(path: Path) -> bool:
            state.restore(read_sealed_arrays(path), path.parent)
            self.stored = len(state.agents)
            return True

        return self.checkpoints.load(_STATE, load) is not None


def _snapshot(step: int) -> str:
    return f"{step}.zip"
