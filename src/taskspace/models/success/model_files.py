"""What the folder of a `SuccessModel` contains, and the network that is restored from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.models.success.encoders import describe, restore
from taskspace.models.success.network import Encoding, linear_network, success_network
from taskspace.outcomes.return_scale import ReturnScale

if TYPE_CHECKING:
    from taskspace.models.success.model import SuccessModel


def contents(model: SuccessModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The settings and the arrays of a fitted model."""
    parameters = {k: _plain(v) for k, v in model.get_params().items() if k != "network"}
    settings = {
        "parameters": parameters,
        "agents": model.agents_.tolist(),
        "feature_names": model.feature_names_,
        "test_scores": model.test_scores_,
    }
    if model.scale_ is not None:
        settings |= {"scale": _listed(model.scale_), "dispersion": model.dispersion_}
        settings["misfit"] = model.misfit_
    if model.task_names_ is not None:
        settings["task_names"] = model.task_names_.tolist()
        settings["sample"] = model.sample_.tolist()
        return settings, {"profiles": model.profiles_}
    settings |= {"history": model.history_, "calibration": model.calibration_}
    settings["kind"] = model.kind_
    if not isinstance(model.network_[0], Encoding):
        settings["encoder"] = describe(model.network_[0])
    arrays = {"sample": model.sample_, "held_out": model.held_out_}
    arrays |= {name: tensor.numpy() for name, tensor in model.network_.state_dict().items()}
    return settings, arrays


def saved_network(
    model: SuccessModel, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> torch.nn.Sequential:
    """The network of a model whose other parts are restored."""
    tensors = {name: torch.tensor(array) for name, array in arrays.items()}
    with torch.random.fork_rng(devices=[]):  # new layers draw weights, which are overwritten
        encoder = _saved_encoder(settings, tensors)
        if model.kind_ == "network":
            network = success_network(encoder, model.width, model.blocks, len(model.agents_))
        else:
            network = linear_network(encoder, len(model.agents_))
    network.load_state_dict(tensors)
    return network.eval()


def _saved_encoder(settings: dict[str, Any], tensors: dict[str, torch.Tensor]) -> torch.nn.Module:
    if "encoder" in settings:
        return restore(settings["encoder"])
    return Encoding({name: tensors[f"0.{name}"] for name in Encoding.parts})


def _listed(scale: ReturnScale) -> dict[str, Any]:
    """A scale as numbers and lists."""
    return {name: part.tolist() for name, part in vars(scale).items() if part is not None}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
