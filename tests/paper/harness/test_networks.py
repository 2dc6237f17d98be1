"""Hand-written gradients against differences."""

from __future__ import annotations

import numpy as np

from taskspace.paper.harness.networks import Adam, Network


def test_gradients_are_slopes_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    network = Network((3, 5, 2), rng)
    network.parameters = [p.astype(np.float64) for p in network.parameters]  # type: ignore[misc]
    inputs, wanted = rng.normal(size=(7, 3)), rng.normal(size=(7, 2))

    def loss() -> float:
        return float(0.5 * ((network.forward(inputs) - wanted) ** 2).sum())  # type: ignore[arg-type]

    gradients = network.backward(network.forward(inputs) - wanted)  # type: ignore[arg-type]
    for parameter, gradient in zip(network.parameters, gradients, strict=True):
        where = tuple(0 for _ in parameter.shape)
        parameter[where] += 1e-6
        above = loss()
        parameter[where] -= 2e-6
        below = loss()
        parameter[where] += 1e-6
        np.testing.assert_allclose(gradient[where], (above - below) / 2e-6, rtol=1e-4, atol=1e-7)


def test_adam_minimizes() -> None:
    parameter = np.array([3.0, -2.0], np.float32)
    adam = Adam([parameter], rate=0.05, largest=10.0)
    for _ in range(500):
        adam.step([2 * parameter])
    assert np.abs(parameter).max() < 0.05
