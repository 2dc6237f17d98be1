"""The compiled training loop, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from taskspace.training.backprop import Learner


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
    learner.fit(inputs, actions, batches[:5], 0, 1e-3)
    learner.fit(inputs, actions, batches[5:], 5, 1e-3)
    weights, biases = learner.weights_and_biases()
    for ours, their in zip((*weights, *biases), theirs, strict=True):
        np.testing.assert_allclose(ours, their.detach().numpy(), atol=2e-6)
