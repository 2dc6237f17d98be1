"""Arrays that begin at a cache line."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.envs.aligned import aligned, aligned_zeros


@pytest.mark.parametrize("shape", [(1,), (7, 3), (64, 65), (0, 5), (100_000,)])
def test_zeros_begin_at_a_cache_line(shape: tuple[int, ...]) -> None:
    kept = [aligned_zeros(shape) for _ in range(20)]  # so that no two are in the same place
    for array in kept:
        assert array.shape == shape
        assert array.dtype == np.float32
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.size == 0 or array.ctypes.data % 64 == 0
        assert not array.any()


def test_a_copy_has_the_same_numbers() -> None:
    values = np.random.default_rng(0).standard_normal((5, 7))
    copy = aligned(values)
    assert copy.ctypes.data % 64 == 0
    np.testing.assert_array_equal(copy, values.astype(np.float32))
    copy[:] = 0
    assert values.all()
