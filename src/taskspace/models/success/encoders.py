"""Encoders: networks that turn tasks which are not rows of numbers into codes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import checks

# The encoders that can be saved, and the modules that define them (imported when needed).
ENCODERS = {
    "GridEncoder": "taskspace.models.success.grid_encoder",
    "KarelEncoder": "taskspace.models.success.karel_encoder",
}


class Encoder(Protocol):
    """A `torch.nn.Module` that reads tasks for a `SuccessModel`.

    The model gets a function that makes the encoder: `SuccessModel(network=make)` calls
    `make(tasks)` with the training tasks, an array with the rows and the type of
    `outcomes.features`, and puts its own layers on top of the encoder. If a parameter of the
    encoder requires gradients, encoder and layers are trained together. If none does, the encoder
    is frozen: every training task is encoded once, and only the layers are trained.

    An encoder that is listed in `ENCODERS` can be saved with the model. It must have two more
    methods: `spec()` returns a dictionary of JSON values, and the class method `from_spec(spec)`
    makes an encoder with parameters and buffers of the same names, shapes and types. Their values
    are saved and restored by the model.

    Attributes:
        size: The number of values in the code of a task.
    """

    size: int

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        """Encode tasks.

        Args:
            tasks: Tasks (n, columns), in the type of `outcomes.features`: uint8 or float64.

        Returns:
            Codes (n, size) in single precision.
        """


def make_encoder(make: Callable[[NDArray[Any]], Encoder], tasks: NDArray[Any]) -> torch.nn.Module:
    """A copy of the encoder that `make` returns, on the CPU; what is no encoder is refused."""
    made = make(tasks)
    if not isinstance(made, torch.nn.Module):
        raise ValueError(f"network must return a torch.nn.Module, got {type(made).__name__}")
    size = getattr(made, "size", None)
    if not isinstance(size, (int, np.integer)) or size < 1:
        raise ValueError(
            f"the size of an encoder must be a positive integer, got {checks.brief(size)}"
        )
    # A copy, because a function may return the same encoder twice, and training changes it.
    encoder = copy.deepcopy(made).cpu().eval()
    with torch.no_grad():
        codes = encoder(torch.from_numpy(tasks[:1]))
    if codes.shape != (1, size) or codes.dtype != torch.float32:
        raise ValueError(
            f"the codes of an encoder must have shape (n, {size}) and type torch.float32,"
            f" got {tuple(codes.shape)} and {codes.dtype} for one task"
        )
    return encoder


def encoder_factory(name: str) -> Callable[[NDArray[Any]], Encoder]:
    """A function for `SuccessModel(network=…)` that makes a new encoder of this class."""

    def make(tasks: NDArray[Any]) -> Encoder:
        encoder: Encoder = getattr(import_module(ENCODERS[name]), name)()
        return encoder

    return make


def is_frozen(encoder: torch.nn.Module) -> bool:
    """Whether training leaves the encoder as it is."""
    return not any(parameter.requires_grad for parameter in encoder.parameters())


def wants_one_thread(encoder: torch.nn.Module) -> bool:
    """Whether the encoder is one of this library that gains nothing from more threads."""
    return bool(getattr(encoder, "one_thread", False))


def describe(encoder: Any) -> dict[str, Any]:
    """The name and the spec of an encoder, as JSON values; unlisted classes are refused."""
    name = type(encoder).__name__
    if ENCODERS.get(name) != type(encoder).__module__:
        raise ValueError(
            f"the encoder of a model that is saved must be one of {', '.join(ENCODERS)}, got {name}"
        )
    return {"name": name, "spec": encoder.spec()}


def restore(description: dict[str, Any]) -> torch.nn.Module:
    """The encoder with this name and spec; its parameters are still to be loaded."""
    name = description["name"]
    encoder: torch.nn.Module = getattr(import_module(ENCODERS[name]), name).from_spec(
        description["spec"]
    )
    return encoder
