"""Populations on disk: a zip archive of a JSON description and the networks in safetensors.

This module pickles nothing. Stable-Baselines3 models are stored as the zip archive that their own
`save` writes, which contains pickled objects: load such files only from sources that you trust.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import os
import sys
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.agents.agent import Agent, check_names_differ
from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian, MLPPolicy
from taskspace.agents.sb3 import algorithm_named, library_of
from taskspace.envs.registry import ENVIRONMENTS, make
from taskspace.files import atomic_path, check_format, check_seal, seal

FORMAT = "taskspace population"
FORMAT_VERSION = 1

_HEADER, _NETWORKS = "population.json", "networks.safetensors"
_DAMAGED = (
    "{} must be a population that Population.save wrote, got a damaged file or another format"
)

# Policies with methods `to_tensors` and `from_tensors` of their own.
_OWN_FORMS = {"SynthesisPolicy": "taskspace.agents.karel.policy"}

Tensors = dict[str, NDArray[np.float32]]


def write(agents: Sequence[Agent], environment: str, path: str | os.PathLike[str]) -> None:
    """Write the agents of an environment to one file, atomically."""
    from safetensors.numpy import save

    tensors: Tensors = {}
    models: dict[str, bytes] = {}
    described = [
        _describe(agent, f"{index}", tensors, models) for index, agent in enumerate(agents)
    ]
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "environment": environment,
        "agents": described,
    }
    header_text = json.dumps(header, indent=1).encode()
    files = {_HEADER: header_text, _NETWORKS: save(tensors), **models}
    with atomic_path(path) as temporary:
        with zipfile.ZipFile(temporary, "w") as archive:
            for name, content in files.items():
                # A ZipInfo has no time stamp, so equal populations give bit-identical files.
                archive.writestr(zipfile.ZipInfo(name), content)
        seal(temporary)


def read(path: str | os.PathLike[str]) -> tuple[list[Agent], str]:
    """The agents that `write` wrote, and the name of their environment."""
    if not checks.path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        check_seal(path)
        files = _members(path)
        header = json.loads(files[_HEADER])
        kind, version = header["format"], header["version"]
    except Exception as error:  # zipfile and json raise many types for damaged files
        raise ValueError(_DAMAGED.format(path)) from error
    check_format(path, (kind, version), (FORMAT, FORMAT_VERSION))
    try:
        return _restore(header, files)
    except ImportError:
        raise
    except Exception as error:
        raise ValueError(f"{_DAMAGED.format(path)}: {error}") from error


def read_subpopulations(path: str | os.PathLike[str]) -> dict[str, str]:
    """The subpopulation of each agent by name, without reading the networks."""
    try:
        with zipfile.ZipFile(path) as archive:
            agents = json.loads(archive.read(_HEADER))["agents"]
        return {str(agent["name"]): str(agent["subpopulation"]) for agent in agents}
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError) as error:
        raise ValueError(_DAMAGED.format(path)) from error


def _members(path: str | os.PathLike[str]) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        # `write` does not compress; a compressed file might not fit in memory.
        if any(item.file_size != item.compress_size for item in archive.infolist()):
            raise ValueError("compressed")
        return {name: archive.read(name) for name in archive.namelist()}


def _restore(header: dict[str, Any], files: dict[str, bytes]) -> tuple[list[Agent], str]:
    from safetensors.numpy import load

    tensors = load(files[_NETWORKS])
    agents = [
        Agent(
            name=row["name"],
            policy=_policy(row["policy"], f"{index}", tensors, files),
            subpopulation=row["subpopulation"],
            step=row["step"],
            skill=math.nan if row["skill"] is None else row["skill"],
        )
        for index, row in enumerate(header["agents"])
    ]
    check_names_differ(agents)
    return agents, header["environment"]


def _describe(agent: Agent, key: str, tensors: Tensors, models: dict[str, bytes]) -> dict[str, Any]:
    """Describe an agent in JSON, and add its weights to `tensors` or `models`."""
    policy = agent.policy
    if isinstance(policy, MLPPolicy):
        for layer, (weight, bias) in enumerate(zip(policy.weights, policy.biases, strict=True)):
            tensors[f"{key}/weight/{layer}"] = np.ascontiguousarray(weight)
            tensors[f"{key}/bias/{layer}"] = np.ascontiguousarray(bias)
        kind = {"kind": "network", "layers": len(policy.weights), "activation": policy.activation}
        described = {**kind, **_describe_output(policy.output)}
    elif isinstance(policy, ExpertPolicy) and policy.env.name in ENVIRONMENTS:
        described = {"kind": "expert", "environment": policy.env.name}
    elif type(policy).__name__ in _OWN_FORMS:
        settings, weights = policy.to_tensors()
        tensors |= {f"{key}/{name}": np.ascontiguousarray(w) for name, w in weights.items()}
        described = {"kind": type(policy).__name__, "settings": settings}
    else:
        described = {"kind": "stable-baselines3", "class": _sb3_class(agent)}
        buffer = io.BytesIO()
        policy.save(buffer)
        models[f"models/{key}.zip"] = buffer.getvalue()
    return {
        "name": agent.name,
        "subpopulation": agent.subpopulation,
        "step": agent.step,
        "skill": None if math.isnan(agent.skill) else agent.skill,
        "policy": described,
    }


def _describe_output(output: Categorical | Gaussian) -> dict[str, Any]:
    if isinstance(output, Categorical):
        return {"output": "categorical", "masked": [int(action) for action in output.masked]}
    log_std = None if output.log_std is None else [float(number) for number in output.log_std]
    return {"output": "gaussian", "log_std": log_std, "squashed": output.squashed}


def _sb3_class(agent: Agent) -> str:
    """The name of the class of a Stable-Baselines3 model; other policies raise a TypeError."""
    name = type(agent.policy).__name__
    if "stable_baselines3" in sys.modules and library_of(agent.policy) is not None:
        return name
    raise TypeError(
        f"the policy of agent {agent.name!r} must be an MLPPolicy, an ExpertPolicy of taskspace or"
        f" a Stable-Baselines3 model to be saved, got a {name}; use MLPPolicy.from_torch for torch"
        " modules"
    )


def _policy(row: dict[str, Any], key: str, tensors: Tensors, files: dict[str, bytes]) -> Any:
    if row["kind"] == "network":
        layers = range(row["layers"])
        weights = [tensors[f"{key}/weight/{layer}"] for layer in layers]
        biases = [tensors[f"{key}/bias/{layer}"] for layer in layers]
        return MLPPolicy(weights, biases, row["activation"], _output(row))
    if row["kind"] == "expert":
        return ExpertPolicy(make(row["environment"]))
    if row["kind"] in _OWN_FORMS:
        mark = f"{key}/"
        own = {n.removeprefix(mark): w for n, w in tensors.items() if n.startswith(mark)}
        kind = getattr(importlib.import_module(_OWN_FORMS[row["kind"]]), row["kind"])
        return kind.from_tensors(row["settings"], own)
    if row["kind"] != "stable-baselines3":
        raise ValueError(f"the kind of a policy must be a known one, got {row['kind']!r}")
    return algorithm_named(row["class"]).load(io.BytesIO(files[f"models/{key}.zip"]), device="cpu")


def _output(row: dict[str, Any]) -> Categorical | Gaussian:
    if row["output"] == "categorical":
        return Categorical(tuple(row["masked"]))
    log_std = None if row["log_std"] is None else tuple(row["log_std"])
    return Gaussian(log_std, row["squashed"])
