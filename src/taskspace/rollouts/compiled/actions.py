"""Sampling actions from the outputs of a network, with the episode's random stream."""

from __future__ import annotations

import numpy as np
from numba import njit

from taskspace.envs.normals import lane_normals
from taskspace.envs.streams import next_bits
from taskspace.envs.views import column, row, stack_array
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
    for action in range(1, count):
        for lane in range(LANES):
            output = outputs[action, lane]
            largest[lane] = output if output > largest[lane] else largest[lane]
    for action in range(count):
        for lane in range(LANES):
            total[lane] += exponential(outputs[action, lane] - largest[lane])
            outputs[action, lane] = total[lane]
    chosen = largest
    for lane in range(LANES):
        # With 24 random bits the product is below the total even after rounding, so that an
        # action of probability 0 is never sampled, not even the last one.
        # They are converted as an integer of 32 bits, because AVX2 cannot convert 64.
        share = np.float32(np.int32(next_bits(column(streams, lane)) >> _S40)) * _TWO_24
        total[lane] *= share
        chosen[lane] = 0
    for action in range(count - 1):
        for lane in range(LANES):
            chosen[lane] += _ONE if outputs[action, lane] <= total[lane] else _ZERO
    for lane in range(LANES):
        actions[lane] = np.int64(np.int32(chosen[lane]))


@njit
def draw_gaussian(outputs, streams, actions, bound, squash):
    """Sample actions from a Gaussian; the rows of outputs are means, then log deviations.

    Actions are clipped to [-bound, bound], or mapped into it by tanh.
    """
    count = len(outputs) // 2
    noise, other = stack_array(np.float32, LANES), stack_array(np.float32, LANES)
    high, low = stack_array(np.int32, LANES), stack_array(np.int32, LANES)
    ended = stack_array(np.int64, LANES)
    for lane in range(LANES):
        ended[lane] = 0
    for component in range(count):
        means, deviations = row(outputs, component), row(outputs, count + component)
        if squash:
            for lane in range(LANES):
                deviations[lane] = min(max(deviations[lane], _LOG_STD_MIN), _LOG_STD_MAX)
        exp_lanes(deviations)
        if component % 2 == 0:  # numbers come in pairs
            lane_normals(streams, ended, 0, noise, other, high, low)
        for lane in range(LANES):
            means[lane] += deviations[lane] * noise[lane]
            noise[lane] = other[lane]
        if squash:
            tanh_lanes(means)
        for lane in range(LANES):
            value = means[lane] * bound if squash else means[lane]
            actions[lane, component] = min(max(value, -bound), bound)
