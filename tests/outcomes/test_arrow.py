"""Columns keep their values and types on the way to Arrow and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow
import pytest

from taskspace.outcomes.arrow import as_arrow, as_numpy

COLUMNS = {
    "text": np.array(["", "a,b", 'say "x"', "süß", "\n"]),
    "labels": np.array(["", "north"], object),
    "doubles": np.array([0.1, np.nan, -np.inf]),
    "singles": np.array([0.1, 2], np.float32),
    "strided": np.arange(10)[::3],
    "bytes": np.array([0, 255], np.uint8),
    "booleans": np.array([True, False, True]),
    "nothing": np.array([], np.float64),
    "no text": np.array([], np.str_),
    "list": [1, 2, 3],
    "vectors": list(np.arange(6, dtype=np.float32).reshape(3, 2)),
    "mixed": np.array(["a", None], object),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_what_pyarrow_makes_of_it(name: str) -> None:
    values: Any = COLUMNS[name]
    found, expected = as_arrow(values), pyarrow.array(values, from_pandas=True)  # NaN is missing
    found.validate(full=True)
    assert found.type == expected.type
    assert str(found) == str(expected)
    assert as_arrow(found) is found


@pytest.mark.parametrize(
    "chunks",
    [
        [[1, 2], [3]], [[1, None], [3]], [[0.5, None, np.nan]], [[None, 2**40]],
        [pyarrow.array([7, 8, 9, None, 5])[1:]], [pyarrow.array([], pyarrow.int8())],
        [pyarrow.array([0.5, 1.5], pyarrow.float32())],
    ],
)  # fmt: skip
def test_numbers_are_what_pyarrow_makes_of_them(chunks: Any) -> None:
    column = pyarrow.chunked_array(chunks)
    found, expected = as_numpy(column), column.to_numpy(zero_copy_only=False)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
