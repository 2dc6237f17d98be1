"""Stable-Baselines3 and sb3-contrib models as agents: from files, or copied during training."""

from __future__ import annotations

import importlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym

from taskspace import checks
from taskspace.agents.adapters import sb3_network
from taskspace.agents.agent import Agent
from taskspace.agents.policies import MLPPolicy
from taskspace.agents.sb3_contrib import episode_agent

_LIBRARIES = ("stable_baselines3", "sb3_contrib")
_STEPS = re.compile(r"(\d+)_steps$")  # how CheckpointCallback ends the names of its files


def algorithm_named(name: str) -> Any:
    """The class of this name, e.g. PPO or TRPO."""
    missing = []
    for library in _LIBRARIES:
        try:
            found = getattr(importlib.import_module(library), name, None)
        except ImportError:
            missing.append(library)
            continue
        if found is not None:
            return found
    hint = f" (not installed: {', '.join(missing)}; pip install 'taskspace[rl]')" if missing else ""
    raise ImportError(f"there is no algorithm {name!r} in {' or '.join(_LIBRARIES)}{hint}")


def library_of(model: Any) -> str | None:
    """The library that the model's class is from, or None for a class of the user."""
    for library in _LIBRARIES:
        try:
            if getattr(importlib.import_module(library), type(model).__name__, None) is type(model):
                return library
        except ImportError:
            continue
    return None


def read_checkpoints(folder: str | os.PathLike[str], algorithm: Any) -> list[Agent]:
    """Load all .zip files in a folder and its subfolders; see `Population.from_checkpoints`."""
    source = Path(folder)
    if not source.is_dir():
        raise FileNotFoundError(f"there is no folder {source}")
    cls = algorithm_named(algorithm) if isinstance(algorithm, str) else algorithm
    if not hasattr(cls, "load"):
        raise TypeError(
            f"algorithm must be a class such as PPO, or its name, got {checks.brief(algorithm)}"
        )
    agents = sorted(_agents(source, cls), key=lambda agent: (agent.subpopulation, agent.step))
    if not agents:
        raise ValueError(f"there are no .zip files of saved models in {source}")
    return agents


def _agents(source: Path, cls: Any) -> Iterator[Agent]:
    for path in sorted(source.rglob("*.zip")):
        try:
            model = cls.load(path, device="cpu")
        except Exception as error:  # zipfile, torch and the algorithm raise many types
            raise ValueError(
                f"{path} must be a saved {cls.__name__}, got an error: {error}"
            ) from error
        steps = _STEPS.search(path.stem)
        inner = path.relative_to(source)
        subpopulation = "/".join(inner.parts[:-1]) or _STEPS.sub("", path.stem).rstrip("_-")
        yield Agent(
            name=str(inner.with_suffix("")),
            policy=frozen(model),
            subpopulation=subpopulation,
            step=int(steps[1]) if steps else model.num_timesteps,
        )


def frozen(model: Any) -> Any:
    """The current policy of a model, as a plain network if possible, else as a copy of the model.

    A copy is made with the model's own `save` and `load`, and has no training environment.
    """
    network, output = sb3_network(model.policy)
    space = model.observation_space
    scaled = model.get_vec_normalize_env()
    if scaled is not None and scaled.norm_obs:
        raise ValueError(
            "the observations of the model must be unscaled, got VecNormalize, which snapshots"
            " cannot include; scale observations in the environment instead"
        )
    row = isinstance(space, gym.spaces.Box) and len(space.shape) == 1
    if network is not None and row and episode_agent(model) is None:
        try:
            return MLPPolicy.from_torch(network, output=output)
        except ValueError:
            pass  # not a plain perceptron
    buffer = io.BytesIO()
    model.save(buffer)
    buffer.seek(0)
    return type(model).load(buffer, device="cpu")
