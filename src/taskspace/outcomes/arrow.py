"""Columns between NumPy and Arrow by way of their memory.

The conversions of pyarrow import pandas if it is installed, to look for its missing values. That
takes longer than all that a command does with a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_arrow(values: Any) -> Any:
    """A column for a file; NaN is a missing value, i.e. an empty cell of a CSV file.

    >>> as_arrow(np.array(["north", "süd", ""])).to_pylist()
    ['north', 'süd', '']
    >>> str(as_arrow(np.float32([0.5])).type), as_arrow(np.array([True, False])).to_pylist()
    ('float', [True, False])
    >>> as_arrow(np.array([0.5, np.nan])).to_pylist()
    [0.5, None]
    """
    import pyarrow

    if isinstance(values, (pyarrow.Array, pyarrow.ChunkedArray)):
        return values
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        return pyarrow.array(values)  # e.g. a list of vectors
    if values.dtype.kind in "iuf":
        return _from_numbers(values)
    if values.dtype.kind == "b":
        bytewise = _from_memory(pyarrow.uint8(), len(values), values.astype(np.uint8))
        return bytewise.cast(pyarrow.bool_())
    texts = values.tolist()
    if not all(isinstance(text, str) for text in texts):
        numbers = all(text is None or isinstance(text, float) for text in texts)
        return _from_numbers(np.array(texts, np.float64)) if numbers else pyarrow.array(texts)
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    large = _from_memory(pyarrow.large_string(), len(texts), ends, b"".join(encoded))
    return large.cast(pyarrow.string()) if ends[-1] < 2**31 else large


def _from_numbers(values: NDArray[Any]) -> Any:
    """Integers, or floats of which some may be missing."""
    import pyarrow

    kind, count = pyarrow.from_numpy_dtype(values.dtype), len(values)
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return _from_memory(kind, count, values)
    known = np.packbits(~np.isnan(values), bitorder="little")
    parts = [pyarrow.py_buffer(known), pyarrow.py_buffer(np.ascontiguousarray(values))]
    return pyarrow.Array.from_buffers(kind, count, parts)


def _from_memory(kind: Any, count: int, *parts: Any) -> Any:
    import pyarrow

    plain = (np.ascontiguousarray(p) if isinstance(p, np.ndarray) else p for p in parts)
    return pyarrow.Array.from_buffers(kind, count, [None, *map(pyarrow.py_buffer, plain)])


def as_numpy(values: Any) -> NDArray[Any]:
    """A column of integers or floats as an array; missing values become NaN.

    >>> import pyarrow
    >>> as_numpy(pyarrow.chunked_array([[1, None], [3]])), as_numpy(pyarrow.chunked_array([[1, 2]]))
    (array([ 1., nan,  3.]), array([1, 2]))
    """
    import pyarrow

    if values.null_count and pyarrow.types.is_integer(values.type):
        values = values.cast(pyarrow.float64(), safe=False)
    if values.null_count:
        values = values.fill_null(np.nan)
    kind = np.dtype(values.type.to_pandas_dtype())
    parts = [
        np.frombuffer(part.buffers()[1], kind)[part.offset : part.offset + len(part)]
        for part in values.chunks
        if len(part)
    ]
    return np.concatenate(parts) if parts else np.empty(0, kind)
