"""The forward pass of a perceptron with NumPy alone, in which the rows are independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Layer = tuple[Floats, Floats]  # the weight (outputs, inputs) and the bias (outputs,)

ROWS_AT_ONCE = 4096  # so that the outputs of a layer stay in the cache


def forward(layers: Sequence[Layer], rows: Floats) -> Floats:
    """The outputs of a perceptron (rows, outputs) for rows of inputs (rows, inputs).

    A matrix product sums in an order that depends on the number of rows, so rounding in one row
    would depend on the number of other rows. Here each sum runs over the inputs one by one, with
    multiplications and additions that every processor rounds in the same way.

    >>> forward([(np.array([[1.0], [-1.0]]), np.zeros(2)), (np.ones((1, 2)), np.ones(1))], [[-3.0]])
    array([[4.]])
    """
    given = np.asarray(rows)
    found = np.empty((len(given), len(layers[-1][1])))
    for start in range(0, len(given), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        found[some] = _forward(layers, np.ascontiguousarray(given[some].T)).T
    return found


def _forward(layers: Sequence[Layer], values: Floats) -> Floats:
    """The same, transposed (inputs, rows), so that NumPy's inner loops run along the rows."""
    for number, (weight, bias) in enumerate(layers):
        if number:
            values = np.maximum(values, 0.0)
        total = np.repeat(bias[:, None], values.shape[1], axis=1)
        product = np.empty_like(total)
        with np.errstate(over="ignore", invalid="ignore"):  # inputs far out of range
            for column, value in zip(weight.T, values, strict=True):
                np.multiply(column[:, None], value, out=product)
                total += product
        values = total
    return values
