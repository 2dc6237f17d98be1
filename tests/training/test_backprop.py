"""The compiled training loop, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from taskspace.training.backprop import Learner, ones_of


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(7, 32, 32, 7), (88, 64, 32, 6), (5, 3, 2, 9)])
def test_training_is_that_of_pytorch(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((1000, sizes[0])).astype(np.float32)
    actions = rng.integers(sizes[-1], size=1000)
    batches = rng.integers(1000, size=(20, 100))  # the second portion is not full
    learner = Learner.untrained(sizes, rng)
    weights, biases = learner.weights_and_biases()
    theirs = [torch.tensor(array, requires_grad=True) for array in (*weights, *biases)]
    optimizer = torch.optim.Adam(theirs, 1e-3)
    for batch in batches:
        values = torch.tensor(inputs[batch])
        for layer in range(len(weights)):
            values = values @ theirs[layer].T + theirs[len(weights) + layer]
            values = values.relu() if layer < len(weights) - 1 else values
        loss = torch.nn.functional.cross_entropy(values, torch.tensor(actions[batch]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    learner.fit(inputs, ones_of(inputs), actions, batches[:5], 0, 1e-3)
    learner.fit(inputs, ones_of(inputs), actions, batches[5:], 5, 1e-3)
    weights, biases = learner.weights_and_biases()
    for ours, their in zip((*weights, *biases), theirs, strict=True):
        np.testing.assert_allclose(ours, their.detach().numpy(), atol=2e-6)


@pytest.mark.parametrize("sizes", [(88, 64, 32, 6), (20, 16, 3), (20, 32)])
def test_adding_up_the_rows_of_ones_gives_the_same_bits(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    inputs = (rng.random((500, sizes[0])) < 0.1).astype(np.float32)
    inputs[:3] = 0  # rows without any
    inputs *= inputs.cumsum(1) <= sizes[0] // 3
    actions, batches = rng.integers(sizes[-1], size=500), rng.integers(500, size=(20, 100))
    ones, none = ones_of(inputs), np.zeros((500, 0), np.uint16)
    assert ones.shape[1] > 1
    trained = []
    for given in (ones, none):
        learner = Learner.untrained(sizes, np.random.default_rng(2))
        learner.fit(inputs, given, actions, batches, 0, 1e-3)
        trained.append(learner.layers)
    for ours, theirs in zip(*trained, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_first_layer_that_is_not_a_multiple_of_16_multiplies_the_ones() -> None:
    rng = np.random.default_rng(1)
    inputs = np.eye(20, dtype=np.float32)
    learner, before = (Learner.untrained((20, 7, 3), np.random.default_rng(2)) for _ in range(2))
    batches = rng.integers(20, size=(50, 40))
    learner.fit(inputs, ones_of(inputs), np.arange(20) % 3, batches, 0, 1e-2)
    assert np.isfinite(learner.layers[0]).all()
    assert (learner.layers[0] != before.layers[0]).any()


def test_columns_that_have_no_number_of_16_bits_are_multiplied() -> None:
    inputs = np.zeros((1, 70_000), np.float32)
    inputs[0, 69_999] = 1
    assert ones_of(inputs).shape == (1, 0)


def test_ones_are_listed_per_row() -> None:
    inputs = np.zeros((3, 9), np.float32)
    inputs[0, [2, 5, 8]], inputs[2, 0] = 1, 1
    assert ones_of(inputs).tolist() == [[3, 2, 5, 8], [0, 0, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("value", [0.5, -1.0, np.nan])
def test_other_numbers_are_multiplied(value: float) -> None:
    inputs = np.zeros((3, 9), np.float32)
    inputs[1, 4] = value
    assert ones_of(inputs).shape == (3, 0)


def test_many_ones_are_multiplied() -> None:
    inputs = np.zeros((3, 9), np.float32)
    inputs[1, :4] = 1
    assert ones_of(inputs).shape == (3, 0)
    assert ones_of(inputs[:0]).shape[0] == 0
