"""The policy network, for 64 lanes at once, near the processor's limit.

Activations are (features, lanes) in single precision. For matrix products of these sizes, a general
library spends most of its time on set-up, and plain loops on memory access. Here tiles of four
outputs x sixteen lanes are summed in registers; the code for this is generated explicitly, because
LLVM does not find it by itself. Every lane goes through the same instructions, so a result never
depends on the lane that computes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 64
_TILE_OUTPUTS, _TILE_LANES = 4, 16

_F32 = np.float32
_LOG2_E, _HALF, _ONE, _TWO, _ZERO = _F32(1.4426950408889634), _F32(0.5), _F32(1), _F32(2), _F32(0)
_LN2_HIGH, _LN2_LOW = (
    _F32(0.693359375),
    _F32(-2.12194440e-4),
)  # they add up to ln 2; the first is exact
_EXP_MIN, _EXP_MAX = _F32(-87.0), _F32(88.0)
_BIAS, _FRACTION = _F32(127), _F32(2**23)  # where a number keeps its exponent
# 1/n!: on [-ln 2 / 2, ln 2 / 2] the series to the seventh power is exact in single precision.
_C2, _C3, _C4, _C5, _C6, _C7 = (_F32(1 / f) for f in (2, 6, 24, 120, 720, 5040))


def pack_layers(
    weights: Sequence[NDArray[np.float32]], biases: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Arrange layers (outputs, inputs) in the order in which `forward` reads them.

    For each block of four outputs: four biases, then four weights per input. Missing outputs of
    the last block are zero.
    """
    blocks = []
    for weight, bias in zip(weights, biases, strict=True):
        layer = np.column_stack([bias, weight]).astype(np.float32)
        missing = -len(layer) % _TILE_OUTPUTS
        layer = np.pad(layer, ((0, missing), (0, 0)))
        blocks.append(layer.reshape(-1, _TILE_OUTPUTS, layer.shape[1]).transpose(0, 2, 1).ravel())
    return np.concatenate(blocks)


def buffer_rows(sizes: Sequence[int]) -> int:
    """The number of rows that the buffers of `forward` need for layers of these sizes."""
    return max(size + -size % _TILE_OUTPUTS for size in sizes)


@intrinsic
def _tile(typing_context, packed, start, inputs, buffers, source, target, relu):  # type: ignore
    """Four outputs x sixteen lanes: biases plus weights times inputs, optionally with ReLU.

    `packed[start:]` holds the block as `pack_layers` wrote it; `source` and `target` are flat
    indices into `buffers`, whose rows are `LANES` long.
    """
    signature = types.void(packed, start, inputs, buffers, source, target, relu)

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.FloatType(), _TILE_LANES)
        undefined = ir.Constant(vector, ir.Undefined)
        lane_zero = ir.Constant(ir.VectorType(ir.IntType(32), _TILE_LANES), [0] * _TILE_LANES)
        fused = ("contract",)  # multiply and add in one instruction

        def number(value: int) -> ir.Constant:
            return ir.Constant(ir.IntType(64), value)

        def data(index: int, offset: Any) -> Any:
            array = context.make_array(signature.args[index])(context, builder, args[index])
            return builder.gep(array.data, [offset])

        def spread(pointer: Any, index: Any) -> Any:
            """One weight in all elements of a vector."""
            weight = builder.load(builder.gep(pointer, [index]))
            first = builder.insert_element(undefined, weight, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, undefined, lane_zero)

        def row(pointer: Any, index: Any) -> Any:
            there = builder.gep(pointer, [builder.mul(index, number(LANES))])
            return builder.bitcast(there, vector.as_pointer())

        weights, source, target = data(0, args[1]), data(3, args[4]), data(3, args[5])
        biases = [spread(weights, number(output)) for output in range(_TILE_OUTPUTS)]
        before, loop, after = (
            builder.block,
            builder.append_basic_block("inputs"),
            builder.append_basic_block("outputs"),
        )
        builder.branch(loop)

        builder.position_at_end(loop)
        index = builder.phi(ir.IntType(64))
        index.add_incoming(number(0), before)
        sums = [builder.phi(vector) for _ in biases]
        following = builder.add(index, number(1))
        block = builder.mul(following, number(_TILE_OUTPUTS))
        value = builder.load(row(source, index), align=4)
        totals = []
        for output, (bias, total) in enumerate(zip(biases, sums, strict=True)):
            total.add_incoming(bias, before)
            weight = spread(weights, builder.add(block, number(output)))
            product = builder.fmul(weight, value, flags=fused)
            totals.append(builder.fadd(product, total, flags=fused))
            total.add_incoming(totals[-1], loop)
        index.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, args[2]), loop, after)

        builder.position_at_end(after)
        zero = ir.Constant(vector, [0.0] * _TILE_LANES)
        for output, total in enumerate(totals):
            positive = builder.select(builder.fcmp_ordered(">", total, zero), total, zero)
            result = builder.select(args[6], positive, total)
            builder.store(result, row(target, number(output)), align=4)
        return context.get_dummy_value()

    return signature, generate


@njit
def forward(packed, sizes, tanh, buffers):
    """Run the network on `buffers[0]`; returns which of the two buffers holds the output."""
    start, current = 0, 0
    rows = buffers.shape[1]
    for layer in range(len(sizes) - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        hidden = layer < len(sizes) - 2
        for block in range(0, outputs, _TILE_OUTPUTS):
            target = ((1 - current) * rows + block) * LANES
            for lane in range(0, LANES, _TILE_LANES):
                source = current * rows * LANES + lane
                _tile(packed, start, inputs, buffers, source, target + lane, hidden and not tanh)
            start += (inputs + 1) * _TILE_OUTPUTS
        current = 1 - current
        if hidden and tanh:
            for row in range(outputs):
                tanh_lanes(buffers[current, row])
    return current


@intrinsic
def _float_of_bits(typing_context, bits):  # type: ignore
    """The number in single precision that has these 32 bits."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), generate


@njit(fastmath={"contract"})
def exponential(value):
    """The exponential in single precision; below -87 it is 0."""
    x = min(max(value, _EXP_MIN), _EXP_MAX)
    n = np.floor(x * _LOG2_E + _HALF)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    series = _C4 + r * (_C5 + r * (_C6 + r * _C7))
    series = _ONE + r * (_ONE + r * (_C2 + r * (_C3 + r * series)))
    power = _float_of_bits(np.int32((n + _BIAS) * _FRACTION))  # 2 to the power of n
    return (series if value > _EXP_MIN else _ZERO) * power


@njit
def exp_lanes(values):
    """The exponential of each lane, in place."""
    for lane in range(LANES):
        values[lane] = exponential(values[lane])


@njit
def tanh_lanes(values):
    """The hyperbolic tangent of each lane, in place."""
    for lane in range(LANES):
        values[lane] *= _TWO
    exp_lanes(values)
    for lane in range(LANES):
        values[lane] = _ONE - _TWO / (values[lane] + _ONE)
