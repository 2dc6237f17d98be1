"""Sampling actions from the outputs of a network, with the episode's random stream."""

from __future__ import annotations

import numpy as np
from numba import njit

from taskspace.envs.streams import next_bits, normal
from taskspace.envs.views import column, stack_array
from taskspace.rollouts.compiled.network import LANES, exp_lanes, exponential, tanh_lanes

_S40 = np.uint64(40)
_TWO_24 = np.float32(2.0**-24)
_ZERO, _ONE = np.float32(0), np.float32(1)
_LOG_STD_MIN, _LOG_STD_MAX = np.float32(-20), np.float32(2)  # the bounds of SAC


@njit
def draw_categorical(outputs, streams, actions, bound, squash):
    """Sample actions with probabilities softmax(outputs), for outputs (actions, lanes).

    `outputs` is overwritten with the cumulative sums of the exponentials.
    """
    count = len(outputs)
    largest, total = stack_array(np.float32, LANES), stack_array(np.float32, LANES)
    for lane in range(LANES):
        largest[lane], total[lane] = outputs[0, lane], _ZERO
    for row in range(1, count):
        for lane in range(LANES):
            output = outputs[row, lane]
            largest[lane] = output if output > largest[lane] else largest[lane]
    for row in range(count):
        for lane in range(LANES):
            total[lane] += exponential(outputs[row, lane] - largest[lane])
            outputs[row, lane] = total[lane]
    chosen = largest
    for lane in range(LANES):
        # With 24 random bits the product is below the total even after rounding, so that an
        # action of probability 0 is never sampled, not even the last one.
        share = np.float32(next_bits(column(streams, lane)) >> _S40) * _TWO_24
        total[lane] *= share
        chosen[lane] = 0
    for row in range(count - 1):
        for lane in range(LANES):
            chosen[lane] += _ONE if outputs[row, lane] <= total[lane] else _ZERO
    for lane in range(LANES):
        actions[lane] = np.int64(chosen[lane])


@njit
def draw_gaussian(outputs, streams, actions, bound, squash):
    """Sample actions from a Gaussian; the rows of outputs are means, then log deviations.

    Actions are clipped to [-bound, bound], or mapped into it by tanh.
    """
    count = len(outputs) // 2
    for row in range(count):
        deviations = outputs[count + row]
        if squash:
            for lane in range(LANES):
                deviations[lane] = min(max(deviations[lane], _LOG_STD_MIN), _LOG_STD_MAX)
        exp_lanes(deviations)
        means = outputs[row]
        for lane in range(LANES):
            means[lane] += deviations[lane] * np.float32(normal(column(streams, lane)))
        if squash:
            tanh_lanes(means)
        for lane in range(LANES):
            value = means[lane] * bound if squash else means[lane]
            actions[lane, row] = min(max(value, -bound), bound)
