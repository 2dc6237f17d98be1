"""The policy network, for 64 lanes at once, near the processor's limit.

Activations are (features, lanes) in single precision. For matrix products of these sizes, a general
library spends most of its time on set-up, and plain loops on memory access. Here tiles of four
outputs x sixteen lanes (64 with AVX-512, which has four times the registers) are summed in
registers; the code for this is generated explicitly, because LLVM does not find it by itself. Each
sum is computed in the same order in every lane and tile, so a result depends on neither.

Inputs that do not change in an episode are multiplied once per task: `first_sums` sums up their
part of the first layer, and `forward` adds the rest in every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic, register_jitable
from numpy.typing import NDArray

from taskspace.envs.aligned import aligned_zeros
from taskspace.envs.views import column, row

LANES = 64
_TILE_OUTPUTS = 4
_FEATURES = cpu_target.target_context.codegen().magic_tuple()[2]  # of the processor
_BLOCK = 64 if "+avx512f" in _FEATURES else 16  # lanes whose sums fit in its registers

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


@register_jitable
def _padded(size: int) -> int:
    """The number of outputs of a layer, in whole tiles."""
    return size + -size % _TILE_OUTPUTS


@dataclass(frozen=True)
class WorkSpace:
    """The activations of 64 lanes, in one piece of memory: `forward` finds each part in it."""

    memory: NDArray[np.float32]
    inputs: NDArray[np.float32]  # (inputs, lanes)
    begun: NDArray[np.float32]  # (outputs of the first layer, lanes): its sums to begin with
    outputs: NDArray[np.float32]  # (outputs, lanes)

    @classmethod
    def empty(cls, sizes: Sequence[int], biases: NDArray[np.float32]) -> WorkSpace:
        """Work space for layers of these sizes; the first one begins with its biases."""
        parts = sizes[0], _padded(sizes[1]), _padded(sizes[-1])
        hidden = 2 * max(map(_padded, sizes[1:])) * _BLOCK
        memory = aligned_zeros((sum(parts) * LANES + hidden,))
        rows = memory[: sum(parts) * LANES].reshape(-1, LANES)
        inputs, begun, outputs = rows[: parts[0]], rows[parts[0] : -parts[2]], rows[-parts[2] :]
        begun[: len(biases)] = biases[:, None]
        return cls(memory, inputs, begun, outputs[: sizes[-1]])


@intrinsic
def _tile(typing_context, packed, start, inputs, memory, source, target, row_length, relu):  # type: ignore
    """Four outputs x a block of lanes: biases plus weights times inputs, optionally with ReLU.

    `packed[start:]` holds the block as `pack_layers` wrote it; `source` and `target` are indices
    into `memory`, and `row_length` is the length of the rows at `target`.
    """
    arguments = packed, start, inputs, memory, source, target, row_length, relu
    return types.void(*arguments), _generate_tile


@intrinsic
def _first_tile(  # type: ignore
    typing_context, packed, start, inputs, memory, source, target, row_length, relu, begun
):  # fmt: skip
    """The same in the first layer, which starts from the sums at the index `begun`."""
    arguments = packed, start, inputs, memory, source, target, row_length, relu, begun
    return types.void(*arguments), _generate_tile


def _generate_tile(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
    """The code of a tile; the first layer has the argument `begun`, and 64 lanes in a row."""
    _, start, inputs, _, source, target, row_length, relu, *begun = args
    vector = ir.VectorType(ir.FloatType(), _BLOCK)
    undefined = ir.Constant(vector, ir.Undefined)
    lane_zero = ir.Constant(ir.VectorType(ir.IntType(32), _BLOCK), [0] * _BLOCK)
    fused = ("contract",)  # multiply and add in one instruction

    def number(value: int) -> ir.Constant:
        return ir.Constant(ir.IntType(64), value)

    def pointer(argument: int, offset: Any) -> Any:
        array = context.make_array(signature.args[argument])(context, builder, args[argument])
        return builder.gep(array.data, [offset])

    def spread(index: Any) -> Any:
        """One weight in all elements of a vector."""
        weight = builder.load(builder.gep(weights, [index]))
        first = builder.insert_element(undefined, weight, ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(first, undefined, lane_zero)

    def row_at(start: Any, index: Any, length: Any) -> Any:
        there = builder.gep(start, [builder.mul(index, length)])
        return builder.bitcast(there, vector.as_pointer())

    weights, outputs = pointer(0, start), [number(output) for output in range(_TILE_OUTPUTS)]
    source_length = number(LANES if begun else _BLOCK)
    if begun:
        rows = [row_at(pointer(3, begun[0]), output, source_length) for output in outputs]
        begin = [builder.load(row, align=4) for row in rows]
    else:
        begin = [spread(output) for output in outputs]
    before, loop, after = (
        builder.block,
        builder.append_basic_block("inputs"),
        builder.append_basic_block("outputs"),
    )
    builder.branch(loop)

    builder.position_at_end(loop)
    index = builder.phi(ir.IntType(64))
    index.add_incoming(number(0), before)
    sums = [builder.phi(vector) for _ in outputs]
    following = builder.add(index, number(1))
    block = builder.mul(following, number(_TILE_OUTPUTS))
    value = builder.load(row_at(pointer(3, source), index, source_length), align=4)
    totals = []
    for output, first, total in zip(outputs, begin, sums, strict=True):
        total.add_incoming(first, before)
        product = builder.fmul(spread(builder.add(block, output)), value, flags=fused)
        totals.append(builder.fadd(product, total, flags=fused))
        total.add_incoming(totals[-1], loop)
    index.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, inputs), loop, after)

    builder.position_at_end(after)
    zero = ir.Constant(vector, [0.0] * _BLOCK)
    for output, total in zip(outputs, totals, strict=True):
        positive = builder.select(builder.fcmp_ordered(">", total, zero), total, zero)
        result = builder.select(relu, positive, total)
        builder.store(result, row_at(pointer(3, target), output, row_length), align=4)
    return context.get_dummy_value()


@njit
def first_sums(begins, columns, state, nonzero, sums):
    """Sum the biases of the first layer and what the given columns of a state add to it.

    `begins` has the biases in its first row, and then the weights of each column; `nonzero` is
    work space.
    """
    count = 0
    for index in range(len(columns)):  # no branch: which columns are 0 cannot be predicted
        nonzero[count] = index
        count += state[columns[index]] != 0.0
    first = row(begins, 0)
    for output in range(len(sums)):
        sums[output] = first[output]
    for index in range(count):
        weights = row(begins, nonzero[index] + 1)
        value = np.float32(state[columns[nonzero[index]]])
        for output in range(len(sums)):
            sums[output] += value * weights[output]


@njit
def begin_lane(sums, begun, lane):
    """Let a lane begin with these sums."""
    values = column(begun, lane)
    for output in range(len(sums)):
        values[output] = sums[output]


@njit
def forward(packed, sizes, tanh, memory, own_sums):
    """Run the network on the inputs in a `WorkSpace`, which also gets the outputs.

    Unless lanes have `own_sums`, all blocks begin the first layer with those of the first block,
    which are the biases, so that less memory is read.
    """
    last = len(sizes) - 2
    begun = sizes[0] * LANES
    outputs = begun + _padded(sizes[1]) * LANES
    hidden = outputs + _padded(sizes[-1]) * LANES
    room = (len(memory) - hidden) // 2  # for the activations of one layer
    for lane in range(0, LANES, _BLOCK):
        start, source = 0, lane
        for layer in range(last + 1):
            inputs, relu = sizes[layer], layer < last and not tanh
            target, length = hidden + room * (layer % 2), _BLOCK
            if layer == last:
                target, length = outputs + lane, LANES
            for output in range(0, sizes[layer + 1], _TILE_OUTPUTS):
                at = target + output * length
                if layer == 0:
                    sums = begun + output * LANES + (lane if own_sums else 0)
                    _first_tile(packed, start, inputs, memory, source, at, length, relu, sums)
                else:
                    _tile(packed, start, inputs, memory, source, at, length, relu)
                start += (inputs + 1) * _TILE_OUTPUTS
            if layer < last and tanh:
                for index in range(target, target + sizes[layer + 1] * _BLOCK):
                    memory[index] = hyperbolic_tangent(memory[index])
            source = target


@njit(fastmath={"contract"})
def exponential(value):
    """The exponential in single precision; below -87 it is 0."""
    x = min(max(value, _EXP_MIN), _EXP_MAX)
    n = np.floor(x * _LOG2_E + _HALF)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    series = _C4 + r * (_C5 + r * (_C6 + r * _C7))
    series = _ONE + r * (_ONE + r * (_C2 + r * (_C3 + r * series)))
    power = np.int32((n + _BIAS) * _FRACTION).view(np.float32)  # 2 to the power of n
    return (series if value > _EXP_MIN else _ZERO) * power


@njit
def exp_lanes(values):
    """The exponential of each lane, in place."""
    for lane in range(LANES):
        values[lane] = exponential(values[lane])


@njit
def hyperbolic_tangent(value):
    """The hyperbolic tangent in single precision."""
    return _ONE - _TWO / (exponential(_TWO * value) + _ONE)


@njit
def tanh_lanes(values):
    """The hyperbolic tangent of each lane, in place."""
    for lane in range(LANES):
        values[lane] = hyperbolic_tangent(values[lane])
