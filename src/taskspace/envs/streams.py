"""Random streams for compiled code, one per episode.

A stream is two 64-bit words (xoroshiro128++), seeded with a hash of the numbers that identify the
episode. An episode has no other source of randomness, so its result does not depend on the thread,
the lane or the process that plays it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from taskspace.envs.views import column

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SECOND_WORD = np.uint64(0xD1B54A32D192ED03)
# Shifts: with a plain Python 11, Numba would turn unsigned arithmetic into floating point.
_S11, _S15, _S17, _S21, _S27, _S28, _S30, _S31, _S36, _S47, _S49 = (
    np.uint64(n) for n in (11, 15, 17, 21, 27, 28, 30, 31, 36, 47, 49)
)
_TWO_53 = 2.0**-53


@njit
def _mix(word):
    """The finalizer of SplitMix64: every input bit affects every output bit."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@njit
def agent_words(seed, agent):
    """What the two words of a stream have in common for all episodes of an agent."""
    first, second = _mix(_GOLDEN + np.uint64(seed)), _mix(_SECOND_WORD + np.uint64(seed))
    number = np.uint64(agent)
    return _mix(first * _GOLDEN + number), _mix(second * _GOLDEN + number)


@njit
def start_stream(stream, words, task, rollout):
    """Set `stream` to the start of the sequence of an agent's episode."""
    first = _mix(words[0] * _GOLDEN + np.uint64(task))
    second = _mix(words[1] * _GOLDEN + np.uint64(task))
    stream[0] = _mix(first * _GOLDEN + np.uint64(rollout))
    # xoroshiro must not start from two zero words; setting one bit prevents that.
    stream[1] = _mix(second * _GOLDEN + np.uint64(rollout)) | np.uint64(1)


@njit
def seed_stream(stream, seed, agent, task, rollout):
    """Set `stream` to the start of the sequence that these four numbers identify."""
    start_stream(stream, agent_words(seed, agent), task, rollout)


@njit
def _advance(a, b):
    """64 random bits, and the two words of the stream after them (xoroshiro128++)."""
    total = a + b
    bits = ((total << _S17) | (total >> _S47)) + a
    b ^= a
    return bits, ((a << _S49) | (a >> _S15)) ^ b ^ (b << _S21), (b << _S28) | (b >> _S36)


@njit
def next_bits(stream):
    """64 random bits; advances the stream."""
    bits, stream[0], stream[1] = _advance(stream[0], stream[1])
    return bits


@njit
def uniform(stream):
    """A random number in [0, 1)."""
    return np.float64(next_bits(stream) >> _S11) * _TWO_53


@njit
def uniform_bits(a, b):
    """The 53 random bits of the next `uniform` of a stream with these words."""
    return np.int64(_advance(a, b)[0] >> _S11)


@njit
def uniform_if(wanted, stream):
    """A random number in [0, 1); without a branch, the stream advances only if it is wanted."""
    a, b = stream[0], stream[1]
    bits, next_a, next_b = _advance(a, b)
    stream[0], stream[1] = next_a if wanted else a, next_b if wanted else b
    return np.float64(bits >> _S11) * _TWO_53


@njit
def integer(stream, n):
    """A random integer in 0 .. n - 1."""
    return np.int64(uniform(stream) * n)


# The ziggurat of Marsaglia and Tsang: 256 layers of equal area under exp(-x^2 / 2).
_LAYERS = 256
_TAIL = 3.6541528853610088
_AREA = _TAIL * np.exp(-0.5 * _TAIL**2) + np.sqrt(np.pi / 2) * math.erfc(_TAIL / math.sqrt(2))


def _ziggurat_edges() -> np.ndarray:
    """Right edges of the layers, widest first; the width of the base layer includes its tail."""
    edges = np.zeros(_LAYERS + 1)
    edges[0] = _AREA / np.exp(-0.5 * _TAIL**2)
    edges[1] = _TAIL
    for layer in range(2, _LAYERS):
        height = np.exp(-0.5 * edges[layer - 1] ** 2) + _AREA / edges[layer - 1]
        edges[layer] = np.sqrt(-2.0 * np.log(height))
    return edges


_EDGES = _ziggurat_edges()
_HEIGHTS = np.exp(-0.5 * _EDGES**2)


@njit
def _in_layer(bits):
    """A random number in a random layer, the layer, and whether it is under the curve for sure."""
    layer = np.int64(bits & np.uint64(_LAYERS - 1))
    x = (np.float64(np.int64(bits) >> 11) * (2.0 * _TWO_53)) * _EDGES[layer]
    return x, layer, abs(x) < _EDGES[layer + 1]


@njit
def normal(stream):
    """A standard normal number."""
    bits = next_bits(stream)
    x, _, inside = _in_layer(bits)
    return x if inside else _near_edge(stream, bits)


@njit
def lane_normals(streams, ended, numbers, bits):
    """A standard normal number for each lane that has not ended, exactly as `normal` draws it.

    The first loop is vectorized, and the second has one rare branch. Lanes that have ended keep
    their streams. `bits` is work space.
    """
    for lane in range(len(numbers)):
        a, b = streams[0, lane], streams[1, lane]
        bits[lane], next_a, next_b = _advance(a, b)
        streams[0, lane] = a if ended[lane] else next_a
        streams[1, lane] = b if ended[lane] else next_b
    for lane in range(len(numbers)):
        numbers[lane], _, inside = _in_layer(bits[lane])
        if not inside and not ended[lane]:  # one in 70
            numbers[lane] = _near_edge(column(streams, lane), bits[lane])


@njit
def _near_edge(stream, bits):
    """A normal number, after a first draw that may be outside the curve."""
    x, layer, inside = _in_layer(bits)
    while not inside:
        if layer == 0:
            return _tail(stream, x)
        low, high = _HEIGHTS[layer], _HEIGHTS[layer + 1]
        if low + uniform(stream) * (high - low) < np.exp(-0.5 * x * x):
            return x
        x, layer, inside = _in_layer(next_bits(stream))
    return x


@njit
def _tail(stream, sign):
    """A normal number beyond the base layer, by Marsaglia's rejection."""
    while True:
        # 1 - uniform is never 0, so the logarithms are finite.
        x = -np.log(1.0 - uniform(stream)) / _TAIL
        y = -np.log(1.0 - uniform(stream))
        if y + y > x * x:
            return _TAIL + x if sign > 0 else -_TAIL - x
