"""The network kernel and the drawing of actions, against NumPy and closed forms."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numba import njit

from taskspace.rollouts.compiled import network
from taskspace.rollouts.compiled.network import (
    LANES,
    WorkSpace,
    begin_lane,
    exp_lanes,
    first_sums,
    forward,
    pack_layers,
    tanh_lanes,
)


def random_layers(sizes: tuple[int, ...]) -> tuple[list[Any], list[Any]]:
    rng = np.random.default_rng(0)
    pairs = list(itertools.pairwise(sizes))
    weights = [rng.standard_normal((b, a)).astype(np.float32) / np.sqrt(a) for a, b in pairs]
    return weights, [rng.standard_normal(b).astype(np.float32) for _, b in pairs]


def plain_forward(weights: Any, biases: Any, inputs: Any, tanh: bool) -> Any:
    values = inputs.astype(np.float64)
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        values = weight.astype(np.float64) @ values + bias[:, None]
        if layer < len(weights) - 1:
            values = np.tanh(values) if tanh else np.maximum(values, 0)
    return values


def compiled_forward(
    weights: Any, biases: Any, inputs: Any, tanh: bool, fixed: Any = (False,), kernel: Any = forward
) -> Any:
    """The outputs of the kernel; columns that are `fixed` are summed up before."""
    is_fixed = np.resize(fixed, len(inputs))
    sizes = np.array([np.count_nonzero(~is_fixed), *(len(bias) for bias in biases)])
    space = WorkSpace.empty(sizes.tolist(), biases[0])
    first = np.vstack([biases[0], weights[0][:, is_fixed].T])
    columns = np.flatnonzero(is_fixed)
    for lane in range(LANES if is_fixed.any() else 0):
        sums, work = np.empty(len(biases[0]), np.float32), np.empty(len(first), np.int64)
        first_sums(first, columns, inputs[:, lane].astype(np.float64), work, sums)
        begin_lane(sums, space.begun, lane)
    space.inputs[:] = inputs[~is_fixed]
    packed = pack_layers([weights[0][:, ~is_fixed], *weights[1:]], biases)
    kernel(packed, sizes, tanh, space.memory, bool(is_fixed.any()))
    return space.outputs.copy()


@pytest.mark.parametrize("tanh", [False, True])
@pytest.mark.parametrize(
    "sizes", [(7, 32, 32, 7), (88, 64, 32, 6), (1, 1), (5, 3), (3, 9, 5, 6, 2)]
)
def test_forward_equals_numpy(sizes: tuple[int, ...], tanh: bool) -> None:
    weights, biases = random_layers(sizes)
    inputs = np.random.default_rng(1).standard_normal((sizes[0], LANES)).astype(np.float32)
    ours = compiled_forward(weights, biases, inputs, tanh)
    np.testing.assert_allclose(ours, plain_forward(weights, biases, inputs, tanh), atol=1e-5)


@pytest.mark.parametrize("sizes", [(88, 64, 32, 6), (5, 3), (3, 9, 5, 6, 2)])
@pytest.mark.parametrize("fixed", [(True, False), (True, True, False), (False, True)])
def test_fixed_columns_are_summed_up_before(sizes: tuple[int, ...], fixed: Any) -> None:
    weights, biases = random_layers(sizes)
    inputs = np.random.default_rng(1).standard_normal((sizes[0], LANES)).astype(np.float32)
    inputs[np.random.default_rng(2).random(inputs.shape) < 0.5] = 0  # which are passed over
    ours = compiled_forward(weights, biases, inputs, False, fixed)
    np.testing.assert_allclose(ours, plain_forward(weights, biases, inputs, False), atol=1e-5)


def test_a_lane_does_not_depend_on_its_place() -> None:
    weights, biases = random_layers((7, 32, 32, 7))
    inputs = np.random.default_rng(1).standard_normal((7, LANES)).astype(np.float32)
    ours = compiled_forward(weights, biases, inputs, False)
    for shift in (1, 17, 40):
        rolled = compiled_forward(weights, biases, np.roll(inputs, shift, axis=1), False)
        np.testing.assert_array_equal(np.roll(ours, shift, axis=1), rolled)


def test_exp_is_exact_to_single_precision() -> None:
    for low in np.arange(-86.0, 87.0, 2.0):
        values = np.linspace(low, low + 2, LANES).astype(np.float32)
        ours = values.copy()
        exp_lanes(ours)
        np.testing.assert_allclose(ours, np.exp(values.astype(np.float64)), rtol=4e-7)


def test_exp_of_a_masked_logit_is_zero() -> None:
    values = np.full(LANES, -1e9, np.float32)
    values[1] = -np.inf
    exp_lanes(values)
    assert (values == 0).all()


def test_tanh_equals_numpy() -> None:
    values = np.linspace(-50, 50, LANES).astype(np.float32)
    ours = values.copy()
    tanh_lanes(ours)
    np.testing.assert_allclose(ours, np.tanh(values), atol=3e-7)


@pytest.mark.parametrize("tanh", [False, True])
def test_tiles_of_any_width_give_the_same_bits(monkeypatch: pytest.MonkeyPatch, tanh: bool) -> None:
    assert network._BLOCK in (16, 64)
    weights, biases = random_layers((7, 33, 20, 6))
    inputs = np.random.default_rng(1).standard_normal((7, LANES)).astype(np.float32)
    outputs = []
    for width in (16, 32, 64):
        monkeypatch.setattr(network, "_BLOCK", width)
        kernel = njit(network.forward.py_func)
        outputs.append(compiled_forward(weights, biases, inputs, tanh, kernel=kernel))
    np.testing.assert_array_equal(outputs[1:], outputs[:1] * 2)
