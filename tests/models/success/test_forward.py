"""The forward pass with NumPy is that of torch, whatever else is in the call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from taskspace.models.success.forward import Forward, sigmoid
from taskspace.models.success.network import Encoding, linear_network, logits_of, success_network
from taskspace.torch_state import torch_seed
from tests.tolerances import CHANCE

TASKS = np.random.default_rng(0).normal(size=(1500, 3))
TASKS[:, 1] = TASKS[:, 1] > 0  # a feature that is not divided into bins


def network(kind: str, blocks: int = 2) -> torch.nn.Sequential:
    """A network with random weights, of which none is 0 or 1."""
    with torch_seed(0):
        encoding = Encoding.of(TASKS, bins=8)
        made = success_network(encoding, 16, blocks, 5)
        if kind == "linear":
            made = linear_network(encoding, 5)
        for parameter in made.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)
    return made.eval()


def forward(made: torch.nn.Module) -> Forward:
    return Forward({name: tensor.numpy() for name, tensor in made.state_dict().items()})


@pytest.mark.parametrize(
    ("kind", "blocks"), [("network", 0), ("network", 1), ("network", 3), ("linear", 0)]
)
def test_it_is_what_torch_computes(kind: str, blocks: int) -> None:
    made, rows = network(kind, blocks), np.vstack([TASKS, 1e9 * TASKS[:3]])  # and far away
    found = forward(made).probabilities(rows)
    exact = torch.sigmoid(logits_of(made.double(), torch.from_numpy(rows))).numpy()
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)
    assert np.ptp(found) > 0.5
    single = torch.sigmoid(logits_of(made.float(), torch.from_numpy(rows))).numpy()
    np.testing.assert_allclose(found, single, rtol=0, atol=10 * CHANCE)


def test_a_task_beside_others_has_its_own_probabilities() -> None:
    made = forward(network("network"))
    every = made.probabilities(TASKS)
    assert every.shape == (1500, 5)
    np.testing.assert_allclose(made.probabilities(TASKS[700:701]), every[700:701], atol=1e-13)


def test_no_weights_are_changed() -> None:
    made: Any = network("network")
    before = {name: tensor.clone() for name, tensor in made.state_dict().items()}
    tasks = TASKS.copy()
    forward(made).probabilities(tasks)
    np.testing.assert_array_equal(tasks, TASKS)
    assert all(torch.equal(before[name], tensor) for name, tensor in made.state_dict().items())


def test_the_ends_of_the_logistic_function_are_exact_and_silent() -> None:
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        assert sigmoid(np.array([-800.0, 0.0, 800.0])).tolist() == [0.0, 0.5, 1.0]
