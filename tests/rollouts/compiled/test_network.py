"""The network kernel and the drawing of actions, against NumPy and closed forms."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import stats

from taskspace.envs.streams import seed_stream
from taskspace.rollouts.compiled.actions import draw_categorical, draw_gaussian
from taskspace.rollouts.compiled.network import (
    LANES,
    buffer_rows,
    exp_lanes,
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


def compiled_forward(weights: Any, biases: Any, inputs: Any, tanh: bool) -> Any:
    sizes = [len(inputs), *(len(bias) for bias in biases)]
    buffers = np.full((2, buffer_rows(sizes), LANES), np.nan, np.float32)
    buffers[0, : len(inputs)] = inputs
    which = forward(pack_layers(weights, biases), np.array(sizes), tanh, buffers)
    return buffers[which, : sizes[-1]].copy()


@pytest.mark.parametrize("tanh", [False, True])
@pytest.mark.parametrize(
    "sizes", [(7, 32, 32, 7), (88, 64, 32, 6), (1, 1), (5, 3), (3, 9, 5, 6, 2)]
)
def test_forward_equals_numpy(sizes: tuple[int, ...], tanh: bool) -> None:
    weights, biases = random_layers(sizes)
    inputs = np.random.default_rng(1).standard_normal((sizes[0], LANES)).astype(np.float32)
    ours = compiled_forward(weights, biases, inputs, tanh)
    np.testing.assert_allclose(ours, plain_forward(weights, biases, inputs, tanh), atol=1e-5)


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


@njit
def draw_often(
    draw: Any, outputs: Any, streams: Any, actions: Any, bound: float, squash: bool
) -> None:
    for round_ in range(len(actions)):
        draw(outputs.copy(), streams, actions[round_], bound, squash)


def fresh_streams() -> Any:
    streams = np.zeros((2, LANES), np.uint64)
    for lane in range(LANES):
        seed_stream(streams[:, lane], 1, 2, lane, 3)
    return streams


@pytest.mark.slow
def test_categorical_actions_have_softmax_frequencies() -> None:
    logits = np.array([0.3, -1.0, 2.0, 0.0, -4.0], np.float32)
    actions = np.zeros((3000, LANES), np.int64)
    outputs = np.repeat(logits[:, None], LANES, axis=1)
    draw_often(draw_categorical, outputs, fresh_streams(), actions, 0.0, False)
    expected = np.exp(logits) / np.exp(logits).sum()
    counts = np.bincount(actions.ravel(), minlength=5)
    assert stats.chisquare(counts, expected * actions.size).pvalue > 1e-3


@pytest.mark.parametrize("masked", [[0], [4], [0, 4], [1, 2, 3], [0, 1, 2, 3]])
def test_masked_actions_are_never_drawn(masked: list[int]) -> None:
    outputs = np.zeros((5, LANES), np.float32)
    outputs[masked] = -1e9
    actions = np.zeros((2000, LANES), np.int64)
    draw_often(draw_categorical, outputs, fresh_streams(), actions, 0.0, False)
    assert set(np.unique(actions)) == set(range(5)) - set(masked)


@pytest.mark.slow
def test_gaussian_actions_are_clipped_normals() -> None:
    outputs = np.repeat(np.array([[0.5], [-3.0], [np.log(2.0)], [0.0]], np.float32), LANES, axis=1)
    actions = np.zeros((2000, LANES, 2))
    draw_often(draw_gaussian, outputs, fresh_streams(), actions, 10.0, False)
    assert stats.kstest(actions[..., 0].ravel()[:50_000], "norm", (0.5, 2.0)).pvalue > 1e-3
    assert stats.kstest(actions[..., 1].ravel()[:50_000], "norm", (-3.0, 1.0)).pvalue > 1e-3
    draw_often(draw_gaussian, outputs, fresh_streams(), actions, 1.0, False)
    assert actions.min() == -1.0
    assert actions.max() == 1.0


def test_squashed_actions_follow_tanh() -> None:
    outputs = np.repeat(np.array([[0.2], [np.log(0.5)]], np.float32), LANES, axis=1)
    actions = np.zeros((1000, LANES, 1))
    draw_often(draw_gaussian, outputs, fresh_streams(), actions, 10.0, True)
    assert np.abs(actions).max() < 10.0
    hidden = np.arctanh(actions.ravel()[:50_000] / 10.0)
    assert stats.kstest(hidden, "norm", (0.2, 0.5)).pvalue > 1e-3


def test_squashed_deviation_is_bounded_as_in_sac() -> None:
    outputs = np.repeat(np.array([[0.0], [50.0]], np.float32), LANES, axis=1)
    actions = np.zeros((500, LANES, 1))
    draw_often(draw_gaussian, outputs, fresh_streams(), actions, 1.0, True)
    inner = np.abs(actions) < 0.99
    # With deviation exp(2) = 7.4 about 28 % lie within atanh(0.99) = 2.65; with exp(50) none would.
    assert 0.2 < inner.mean() < 0.36
