"""Drawing actions from the outputs of a network, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy import stats

from taskspace.envs.normals import normal_pair
from taskspace.envs.streams import seed_stream
from taskspace.rollouts.compiled.actions import draw_categorical, draw_gaussian
from taskspace.rollouts.compiled.network import (
    LANES,
)


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


@pytest.mark.slow
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


@pytest.mark.parametrize("components", [1, 2, 3])
def test_gaussian_components_share_pairs_of_normal_numbers(components: int) -> None:
    means = np.arange(components, dtype=np.float32)
    outputs = np.repeat(np.append(means, np.zeros_like(means))[:, None], LANES, axis=1)
    actions, streams = np.zeros((2, LANES, components)), fresh_streams()
    draw_often(draw_gaussian, outputs, streams, actions, 10.0, False)
    expected = fresh_streams()
    for lane in range(LANES):
        for found in actions[:, lane]:
            numbers = [n for _ in range(0, components, 2) for n in normal_pair(expected[:, lane])]
            np.testing.assert_allclose(found, means + numbers[:components], rtol=1e-6)
    assert (streams == expected).all()


@pytest.mark.slow
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
