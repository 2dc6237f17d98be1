"""Compiled training of a small network to predict actions.

In PyTorch, a training step of such a network is mostly the overhead of its two dozen calls. This
loop takes a third of the time, releases the interpreter lock, and is bit-identical in any thread.

Layers are matrices (inputs + 1, outputs); the last row is the bias, for an input of ones. If inputs
are zeros and a few ones, as in a grid world, the first layer adds up its rows for the ones instead
of multiplying; the results are bit-identical.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from taskspace.envs.aligned import aligned, aligned_zeros
from taskspace.envs.compiling import build
from taskspace.envs.views import row

_F32 = np.float32
_ZERO, _ONE = _F32(0), _F32(1)
_KEEP_1, _KEEP_2, _TINY = _F32(0.9), _F32(0.999), _F32(1e-8)  # Adam's usual constants

_SPARSE = 3  # if at most a third of a row's inputs are 1, adding is faster than multiplying
_PORTION = 64  # examples whose values fit in the processor's first cache

Matrices = tuple[NDArray[np.float32], ...]


@dataclass(frozen=True, eq=False)
class Learner:
    """A network in training, and the state of Adam."""

    layers: Matrices
    means: Matrices
    squares: Matrices
    actions: int

    @classmethod
    def untrained(cls, sizes: Sequence[int], rng: np.random.Generator) -> Learner:
        """Uniform weights and biases within 1 / sqrt(inputs), as PyTorch initializes them."""
        layers = tuple(
            rng.uniform(-1, 1, (inputs + 1, outputs)).astype(_F32) / np.sqrt(_F32(inputs))
            for inputs, outputs in itertools.pairwise(sizes)
        )
        # The processor adds eight numbers at a time, so rows are padded with zeros.
        last = np.pad(layers[-1], ((0, 0), (0, -sizes[-1] % 8)))
        layers = tuple(map(aligned, (*layers[:-1], last)))
        means, squares = (tuple(aligned_zeros(each.shape) for each in layers) for _ in range(2))
        return cls(layers, means, squares, sizes[-1])

    def weights_and_biases(self) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
        """Copies in the form of `MLPPolicy`: matrices (outputs, inputs) and vectors."""
        layers = [*self.layers[:-1], self.layers[-1][:, : self.actions]]
        return [layer[:-1].T.copy() for layer in layers], [layer[-1].copy() for layer in layers]

    def fit(
        self,
        inputs: NDArray[np.float32],
        ones: NDArray[np.uint16],
        actions: NDArray[np.int64],
        batches: NDArray[np.int64],
        done: int,
        rate: float,
    ) -> None:
        """One step of Adam per row of `batches` (steps, examples), after `done` earlier steps.

        `ones` is what `ones_of` makes of the inputs.
        """
        if self.layers[0].shape[1] % 16:  # the rows of ones are added 16 numbers at a time
            ones = ones[:, :0]
        # All but the last have a last column of ones, for the biases.
        values = tuple(np.ones((_PORTION, len(layer)), _F32) for layer in self.layers)
        picked = np.zeros((_PORTION, ones.shape[1]), np.uint16)
        slopes = tuple(aligned_zeros((_PORTION, layer.shape[1])) for layer in self.layers)
        gradients = tuple(aligned_zeros(layer.shape) for layer in self.layers)
        turned = tuple(aligned_zeros(layer[:-1].T.shape) for layer in self.layers)
        build(_fit_factory)(
            self.layers, self.means, self.squares,
            inputs, ones, actions, self.actions, batches, done, _F32(rate),
            (*values, slopes[-1]), picked, slopes, gradients, turned,
        )  # fmt: skip


def ones_of(inputs: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Per row: the number of its ones, and their columns; no columns if this would not pay."""
    is_one = inputs == _ONE
    counts = is_one.sum(1)
    most = int(counts.max(initial=0))
    few = most <= inputs.shape[1] / _SPARSE and inputs.shape[1] <= np.iinfo(np.uint16).max
    if not few or not (is_one | (inputs == _ZERO)).all():
        return np.zeros((len(inputs), 0), np.uint16)
    ones = np.zeros((len(inputs), 1 + most), np.uint16)
    ones[:, 0] = counts
    rows, columns = is_one.nonzero()
    ones[rows, 1 + np.arange(len(rows)) - (counts.cumsum() - counts)[rows]] = columns
    return ones


def _tile(rows: int, columns: int) -> Any:
    """The compiled function c += a @ b for a tile of c, which stays in registers meanwhile.

    Its arguments are, for each of a, b and c: the array, the flat index of its first element, and
    the distance between rows; then the distance between columns of a, so that a may be transposed;
    then the number of columns of a. Columns of b and c are adjacent.
    """

    @intrinsic
    def add_product(typing_context, a, a0, a_row, b, b0, b_row, c, c0, c_row, a_column, inner):  # type: ignore
        signature = types.void(a, a0, a_row, b, b0, b_row, c, c0, c_row, a_column, inner)

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(ir.FloatType(), columns)
            undefined = ir.Constant(vector, ir.Undefined)
            first = ir.Constant(ir.VectorType(ir.IntType(32), columns), [0] * columns)
            fused = ("contract",)  # multiply and add in one instruction

            def number(value: int) -> ir.Constant:
                return ir.Constant(ir.IntType(64), value)

            def data(index: int) -> Any:
                array = context.make_array(signature.args[index])(context, builder, args[index])
                return builder.gep(array.data, [args[index + 1]])

            def at(pointer: Any, row: Any, distance: Any) -> Any:
                return builder.gep(pointer, [builder.mul(row, distance)])

            def spread(pointer: Any) -> Any:
                """One number in all elements of a vector."""
                one = builder.insert_element(
                    undefined, builder.load(pointer), ir.Constant(ir.IntType(32), 0)
                )
                return builder.shuffle_vector(one, undefined, first)

            left, right = data(0), data(3)
            lefts = [at(left, number(row), args[2]) for row in range(rows)]
            targets = [
                builder.bitcast(at(data(6), number(row), args[8]), vector.as_pointer())
                for row in range(rows)
            ]
            starts = [builder.load(target, align=4) for target in targets]
            before = builder.block
            loop, after = (builder.append_basic_block(name) for name in ("inner", "outer"))
            builder.branch(loop)
            builder.position_at_end(loop)
            index = builder.phi(ir.IntType(64))
            index.add_incoming(number(0), before)
            sums = [builder.phi(vector) for _ in starts]
            there = builder.bitcast(at(right, index, args[5]), vector.as_pointer())
            values = builder.load(there, align=4)
            following = builder.add(index, number(1))
            index.add_incoming(following, loop)
            totals = []
            for start, total, pointer in zip(starts, sums, lefts, strict=True):
                product = builder.fmul(spread(at(pointer, index, args[9])), values, flags=fused)
                totals.append(builder.fadd(total, product, flags=fused))
                total.add_incoming(start, before)
                total.add_incoming(totals[-1], loop)
            builder.cbranch(builder.icmp_signed("<", following, args[10]), loop, after)
            builder.position_at_end(after)
            for target, total in zip(targets, totals, strict=True):
                builder.store(total, target, align=4)
            return context.get_dummy_value()

        return signature, generate

    return add_product


_4x16, _1x16, _4x8, _1x8, _1x1 = (
    _tile(rows, columns) for rows, columns in ((4, 16), (1, 16), (4, 8), (1, 8), (1, 1))
)


@njit(error_model="numpy")
def _add_product(a, a_row, a_column, b, c, rows, inner, columns):  # type: ignore[no-untyped-def]
    """C += a @ b for the first `rows`, `inner` and `columns`.

    `a` may be transposed: the distances between its rows and between its columns are given. Sums
    are in the order of `inner` in every tile, so the tiles do not affect the result.
    """
    b_row, c_row = b.shape[1], c.shape[1]
    start = 0
    while start < columns:
        left = columns - start
        width = 16 if left >= 16 else 8 if left >= 8 else 1
        i = 0
        while i < rows:
            x, y = i * a_row, i * c_row + start
            many = width > 1 and i + 4 <= rows
            if width == 16 and many:
                _4x16(a, x, a_row, b, start, b_row, c, y, c_row, a_column, inner)
            elif width == 16:
                _1x16(a, x, a_row, b, start, b_row, c, y, c_row, a_column, inner)
            elif many:
                _4x8(a, x, a_row, b, start, b_row, c, y, c_row, a_column, inner)
            elif width == 8:
                _1x8(a, x, a_row, b, start, b_row, c, y, c_row, a_column, inner)
            else:
                _1x1(a, x, a_row, b, start, b_row, c, y, c_row, a_column, inner)
            i += 4 if many else 1
        start += width


@intrinsic
def _add_16(typing_context, target, t0, source, s0):  # type: ignore
    """Add 16 numbers of `source` to as many of `target`, beginning at these flat indices."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.FloatType(), 16).as_pointer()

        def pointer(index: int) -> Any:
            array = context.make_array(signature.args[index])(context, builder, args[index])
            return builder.bitcast(builder.gep(array.data, [args[index + 1]]), vector)

        to, added = pointer(0), builder.load(pointer(2), align=4)
        builder.store(builder.fadd(builder.load(to, align=4), added), to, align=4)
        return context.get_dummy_value()

    return types.void(target, t0, source, s0), generate


@intrinsic
def _sum_16(typing_context, sums, s0, layer, l0, l_row, columns, count):  # type: ignore
    """Add 16 numbers of some rows of `layer` to as many of `sums`, in registers.

    `columns[1 : count + 1]` are the indices of the rows, of which there must be at least one; the
    other arguments are flat indices, and the distance between rows.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.FloatType(), 16).as_pointer()

        def pointer(index: int, offset: Any) -> Any:
            array = context.make_array(signature.args[index])(context, builder, args[index])
            return builder.gep(array.data, [offset])

        target = builder.bitcast(pointer(0, args[1]), vector)
        start, one = builder.load(target, align=4), ir.Constant(ir.IntType(64), 1)
        before = builder.block
        loop, after = (builder.append_basic_block(name) for name in ("ones", "sum"))
        builder.branch(loop)
        builder.position_at_end(loop)
        index, total = builder.phi(ir.IntType(64)), builder.phi(start.type)
        column = builder.zext(builder.load(pointer(5, index)), ir.IntType(64))
        there = builder.add(args[3], builder.mul(column, args[4]))
        added = builder.load(builder.bitcast(pointer(2, there), vector), align=4)
        following, result = builder.add(index, one), builder.fadd(total, added)
        index.add_incoming(one, before)
        index.add_incoming(following, loop)
        total.add_incoming(start, before)
        total.add_incoming(result, loop)
        builder.cbranch(builder.icmp_signed("<=", following, args[6]), loop, after)
        builder.position_at_end(after)
        builder.store(result, target, align=4)
        return context.get_dummy_value()

    return types.void(sums, s0, layer, l0, l_row, columns, count), generate


@njit(error_model="numpy")
def _add_rows(layer, ones, rows, sums):  # type: ignore[no-untyped-def]
    """`sums` += inputs @ layer, for inputs that are zeros and ones."""
    outputs = layer.shape[1]
    for i in range(rows):
        columns, target = row(ones, i), i * sums.shape[1]
        count = np.int64(columns[0])
        for j in range(0, outputs if count > 0 else 0, 16):
            _sum_16(sums, target + j, layer, j, outputs, columns, count)


@njit(error_model="numpy")
def _add_to_rows(gradient, ones, rows, slopes):  # type: ignore[no-untyped-def]
    """`gradient` += inputs.T @ slopes, for such inputs and the ones of the biases."""
    inputs, outputs = gradient.shape[0] - 1, gradient.shape[1]
    for i in range(rows):
        columns, source = row(ones, i), i * outputs
        for one in range(1, np.int64(columns[0]) + 1):
            target = np.int64(columns[one]) * outputs
            for j in range(0, outputs, 16):
                _add_16(gradient, target + j, slopes, source + j)
        for j in range(0, outputs, 16):
            _add_16(gradient, inputs * outputs + j, slopes, source + j)


@njit(error_model="numpy")
def _forward(layers, values, ones, rows):  # type: ignore[no-untyped-def]
    """Fill in the first `rows` values of all layers; `values[0]` or `ones` holds the inputs."""
    for k in range(len(layers)):
        inputs, outputs = layers[k].shape[0] - 1, layers[k].shape[1]
        target = values[k + 1]
        for i in range(rows):
            for j in range(outputs):
                target[i, j] = layers[k][inputs, j]
        if k == 0 and ones.shape[1] > 0:
            _add_rows(layers[k], ones, rows, target)
        else:
            a_row = values[k].shape[1]
            _add_product(values[k], a_row, 1, layers[k], target, rows, inputs, outputs)
        if k + 1 < len(layers):
            for i in range(rows):
                for j in range(outputs):
                    target[i, j] = max(target[i, j], _ZERO)


@njit(error_model="numpy")
def _loss_slope(logits, count, actions, batch, share):  # type: ignore[no-untyped-def]
    """Turn `count` logits per row into the gradient of `share` x the cross entropy, in place."""
    for i in range(len(batch)):
        logit = row(logits, i)
        top = logit[0]
        for j in range(1, count):
            top = max(top, logit[j])
        for j in range(count):
            logit[j] -= top
    for i in range(len(batch)):
        logit, total = row(logits, i), _ZERO
        for j in range(count):
            logit[j] = np.exp(logit[j])
            total += logit[j]
        part = share / total
        for j in range(count):
            logit[j] *= part
    for i in range(len(batch)):
        logit = row(logits, i)
        logit[actions[batch[i]]] -= share
        for j in range(count, len(logit)):
            logit[j] = _ZERO


@njit(error_model="numpy")
def _backward(layers, values, ones, slopes, gradients, turned, rows):  # type: ignore[no-untyped-def]
    """Add to the gradients; the last of `slopes` is given, the others are filled in.

    `turned` are the layers transposed, without biases.
    """
    for k in range(len(layers) - 1, -1, -1):
        a_row, (inputs, outputs) = values[k].shape[1], layers[k].shape
        if k == 0 and ones.shape[1] > 0:
            _add_to_rows(gradients[k], ones, rows, slopes[k])
        else:
            _add_product(values[k], 1, a_row, slopes[k], gradients[k], inputs, rows, outputs)
        if k > 0:
            below = slopes[k - 1]
            below[:] = _ZERO
            _add_product(slopes[k], outputs, 1, turned[k], below, rows, outputs, inputs - 1)
            for i in range(rows):
                slope, value = row(below, i), row(values[k], i)
                for j in range(inputs - 1):
                    slope[j] = slope[j] if value[j] > _ZERO else _ZERO


@njit(error_model="numpy")
def _adam(layer, mean, square, gradient, count, rate):  # type: ignore[no-untyped-def]
    """One step of Adam for one matrix."""
    scale = rate / _F32(1.0 - 0.9**count)
    spread = _F32(1.0 - 0.999**count)
    for i in range(layer.shape[0]):
        for j in range(layer.shape[1]):
            slope = gradient[i, j]
            mean[i, j] = _KEEP_1 * mean[i, j] + (_ONE - _KEEP_1) * slope
            square[i, j] = _KEEP_2 * square[i, j] + (_ONE - _KEEP_2) * slope * slope
            layer[i, j] -= scale * mean[i, j] / (np.sqrt(square[i, j] / spread) + _TINY)


@njit
def _copy_rows(source, batch, target):  # type: ignore[no-untyped-def]
    """The rows of a batch, to the first rows of `target`, which may be longer."""
    for i in range(len(batch)):
        there, here = row(source, batch[i]), row(target, i)
        for j in range(len(there)):
            here[j] = there[j]


def _fit_factory() -> Callable[..., Any]:
    def fit(  # type: ignore
        layers, means, squares, inputs, ones, actions, count, batches, done, rate,
        values, picked, slopes, gradients, turned,  # work space
    ):  # fmt: skip
        share = _ONE / _F32(batches.shape[1])
        for step in range(len(batches)):
            for k in range(len(layers)):
                gradients[k][:] = _ZERO
                turned[k][:] = layers[k][:-1].T
            # In portions, for the cache; sums are in the order of the batch all the same.
            for first in range(0, batches.shape[1], _PORTION):
                batch = batches[step, first : first + _PORTION]
                # Copied before they are used, so that the processor waits for memory only once.
                if ones.shape[1] > 0:
                    _copy_rows(ones, batch, picked)
                else:
                    _copy_rows(inputs, batch, values[0])
                _forward(layers, values, picked, len(batch))
                _loss_slope(slopes[-1], count, actions, batch, share)
                _backward(layers, values, picked, slopes, gradients, turned, len(batch))
            for k in range(len(layers)):
                _adam(layers[k], means[k], squares[k], gradients[k], done + step + 1, rate)

    return fit
