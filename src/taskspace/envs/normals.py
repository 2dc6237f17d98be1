"""Normal random numbers for compiled code, in pairs, by the method of Box and Muller.

64 random bits give a point in the plane: 30 of them its radius, two a quarter of the circle, and 32
the angle in it. The coordinates are two independent standard normal numbers of absolute value at
most 6.6. Everything is in single precision, without branches or tables, so that a loop over many
episodes is vectorized.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from taskspace.envs.streams import advance, next_bits

_F32, _I32 = np.float32, np.int32
_S32 = np.uint64(32)
_HALF, _ONE, _TWO = _F32(0.5), _F32(1), _F32(2)
_LN_2 = _F32(np.log(2))
_RADIUS_BITS, _TWO_30 = _I32(2**30 - 1), _F32(2.0**-30)
_UNIT_ANGLE = _F32(np.pi / 4 * 2.0**-31)  # 2^31 of them are an eighth of the circle
_FRACTION_BITS = _I32(23)  # below the exponent of a number
_ROOT_HALF = _I32(_F32(np.sqrt(0.5)).view(np.int32))
# ln(1 + x) / x, interpolated at the Chebyshev points of the range in which it is used, with a
# relative error below 3e-7.
_L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8 = (
    _F32(coefficient)
    for coefficient in (
        0.99999994, -0.500003755, 0.333346069, -0.249689072,
        0.199133456, -0.172782093, 0.161262646, -0.0989536121,
    )
)  # fmt: skip
# 1/n!: the series of sine and cosine are exact in single precision up to an eighth of the circle.
_C2, _C3, _C4, _C5, _C6, _C7, _C8, _C9 = (
    _F32(1 / factorial) for factorial in (-2, -6, 24, 120, -720, -5040, 40320, 362880)
)


@njit
def normal_pair(stream):
    """Two standard normal numbers; advances the stream."""
    return _pair(*_halves(next_bits(stream)))


@njit
def lane_normals(streams, ended, start, first, second, high, low):
    """Two standard normal numbers for the lanes from `start` on, as `normal_pair` draws them.

    Lanes that have ended keep their streams. `high` and `low` are work space.
    """
    lanes = min(len(first), streams.shape[1] - start)
    for index in range(lanes):
        lane = start + index
        a, b = streams[0, lane], streams[1, lane]
        bits, next_a, next_b = advance(a, b)
        high[index], low[index] = _halves(bits)
        streams[0, lane] = a if ended[lane] else next_a
        streams[1, lane] = b if ended[lane] else next_b
    for index in range(lanes):  # a loop of its own, in which all numbers have 32 bits
        first[index], second[index] = _pair(high[index], low[index])


@njit
def _halves(bits):
    """The upper and the lower 32 bits, as signed integers, which all processors can convert."""
    return _I32(bits >> _S32), _I32(bits)


@njit(fastmath={"contract"}, error_model="numpy")
def _pair(high, low):
    """Two independent standard normal numbers, from 64 random bits."""
    uniform = (_F32((high >> _I32(2)) & _RADIUS_BITS) + _HALF) * _TWO_30
    radius = np.sqrt(-_TWO * _logarithm(uniform))
    angle = _F32(low) * _UNIT_ANGLE
    square = angle * angle
    sine = angle * (_ONE + square * (_C3 + square * (_C5 + square * (_C7 + square * _C9))))
    cosine = _ONE + square * (_C2 + square * (_C4 + square * (_C6 + square * _C8)))
    cosine = -cosine if high & _I32(1) else cosine
    swap = high & _I32(2)
    return radius * (sine if swap else cosine), radius * (cosine if swap else sine)


@njit(fastmath={"contract"}, error_model="numpy")
def _logarithm(value):
    """The natural logarithm of a positive number."""
    bits = _F32(value).view(np.int32)
    exponent = _I32(_I32(bits - _ROOT_HALF) >> _FRACTION_BITS)
    # Between the roots of 1/2 and of 2.
    mantissa = _I32(bits - _I32(exponent << _FRACTION_BITS)).view(np.float32)
    x = mantissa - _ONE
    series = _L4 + x * (_L5 + x * (_L6 + x * (_L7 + x * _L8)))
    series = _L1 + x * (_L2 + x * (_L3 + x * series))
    return _F32(exponent) * _LN_2 + x * series
