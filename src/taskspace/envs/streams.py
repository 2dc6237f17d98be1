"""Random streams for compiled code, one per episode.

A stream is two 64-bit words (xoroshiro128++), seeded with a hash of the numbers that identify the
episode. An episode has no other source of randomness, so its result does not depend on the thread,
the lane or the process that plays it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SECOND_WORD = np.uint64(0xD1B54A32D192ED03)
# Shifts: with a plain Python 11, Numba would turn unsigned arithmetic into floating point.
_S11, _S15, _S17, _S21, _S27, _S28, _S30, _S31, _S36, _S43, _S47, _S49 = (
    np.uint64(n) for n in (11, 15, 17, 21, 27, 28, 30, 31, 36, 43, 47, 49)
)
_SIGN_32, _TWO_31, _TWO_32, _TWO_53 = np.uint64(2**31), 2.0**31, 2.0**32, 2.0**-53


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
def advance(a, b):
    """64 random bits, and the two words of the stream after them (xoroshiro128++)."""
    total = a + b
    bits = ((total << _S17) | (total >> _S47)) + a
    b ^= a
    return bits, ((a << _S49) | (a >> _S15)) ^ b ^ (b << _S21), (b << _S28) | (b >> _S36)


@njit
def next_bits(stream):
    """64 random bits; advances the stream."""
    bits, stream[0], stream[1] = advance(stream[0], stream[1])
    return bits


@njit
def _as_uniform(bits):
    """A number in [0, 1) from the upper 53 bits, exactly.

    They are converted in two parts, because AVX2 cannot convert integers of 64 bits.
    """
    high, low = np.int32(bits >> _S43), np.int32((bits >> _S11) ^ _SIGN_32)
    return (np.float64(high) * _TWO_32 + (np.float64(low) + _TWO_31)) * _TWO_53


@njit
def uniform(stream):
    """A random number in [0, 1)."""
    return _as_uniform(next_bits(stream))


@njit
def uniform_bits(a, b):
    """The 53 random bits of the next `uniform` of a stream with these words."""
    return np.int64(advance(a, b)[0] >> _S11)


@njit
def uniform_if(wanted, stream):
    """A random number in [0, 1); without a branch, the stream advances only if it is wanted."""
    a, b = stream[0], stream[1]
    bits, next_a, next_b = advance(a, b)
    stream[0], stream[1] = next_a if wanted else a, next_b if wanted else b
    return _as_uniform(bits)


@njit
def integer(stream, n):
    """A random integer in 0 .. n - 1."""
    return np.int64(uniform(stream) * n)
