"""The network of the map: a task's vector does not depend on the other tasks in the call."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.models.embedding.forward import ROWS_AT_ONCE, forward
from taskspace.models.embedding.network import layers_of, perceptron, weights_of
from taskspace.models.embedding.random_model import RandomModel
from taskspace.torch_state import torch_seed

ROWS = np.random.default_rng(0).normal(size=(ROWS_AT_ONCE + 300, 5))


@pytest.fixture(scope="module")
def network() -> Any:
    with torch_seed(0):
        return perceptron((5, 32, 17, 3)).double()


def test_a_perceptron_is_told_from_other_networks(network: Any) -> None:
    linear, relu = torch.nn.Linear(3, 3), torch.nn.ReLU()
    assert layers_of(network) == [network[0], network[2], network[4]]
    assert layers_of(torch.nn.Sequential(linear)) == [linear]
    for other in ([], [relu], [linear, relu], [linear, linear], [linear, relu, relu, linear]):
        assert layers_of(torch.nn.Sequential(*other)) == []
    assert layers_of(linear) == []


def test_it_is_what_torch_computes(network: Any) -> None:
    with torch.no_grad():
        expected = network(torch.from_numpy(ROWS)).numpy()
    layers = weights_of(layers_of(network))
    np.testing.assert_allclose(forward(layers, ROWS), expected, rtol=0, atol=1e-13)
    assert forward(layers, ROWS[:0]).shape == (0, 3)


def test_every_sum_is_rounded_in_one_order() -> None:
    """Exact arithmetic gives the last bit of each sum, so it is the same on every processor."""
    with torch_seed(1):
        layer: Any = perceptron((4, 2)).double()[0]
    row = ROWS[0, :4]
    expected = []
    for weights, bias in zip(layer.weight.tolist(), layer.bias.tolist(), strict=True):
        total = bias
        for weight, value in zip(weights, row.tolist(), strict=True):
            total = float(Fraction(total) + Fraction(float(Fraction(weight) * Fraction(value))))
        expected.append(total)
    assert forward(weights_of([layer]), row[None])[0].tolist() == expected


@pytest.mark.parametrize("size", [1, 2, 7, 300, ROWS_AT_ONCE])
def test_a_row_is_bit_identical_in_batches_of_any_size(network: Any, size: int) -> None:
    layers = weights_of(layers_of(network))
    every = forward(layers, ROWS)
    for start in (0, 5, len(ROWS) - size):
        some = ROWS[start : start + size]
        np.testing.assert_array_equal(forward(layers, some), every[start : start + size])
        strided = np.asfortranarray(some)
        np.testing.assert_array_equal(forward(layers, strided), every[start : start + size])


def test_one_task_has_the_vector_that_it_has_among_many() -> None:
    tasks = ts.make("MultiKeyNav").sample_tasks(1000, seed=0)
    embedder = RandomModel(6, random_state=0).fit(tasks)
    every = embedder.transform(tasks)
    alone = np.concatenate([embedder.transform(tasks[i : i + 1]) for i in range(100)])
    np.testing.assert_array_equal(alone, every[:100])
    np.testing.assert_array_equal(embedder.transform(tasks[::-3]), every[::-3])
    np.testing.assert_array_equal(embedder.difficulty(tasks[7]), embedder.difficulty(tasks)[[7]])


def test_inputs_far_out_of_range_give_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    large = torch.nn.Linear(2, 1).double()
    torch.nn.init.constant_(large.weight, 10.0)
    assert np.isnan(forward(weights_of([large]), np.array([[1e308, -1e308]]))).all()  # inf - inf
    assert not recwarn
