"""Means and spreads of returns in parts equal those of all returns together."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.rollouts.return_moments import ReturnMoments


@pytest.mark.parametrize("cuts", [[], [1], [4], [3, 7, 8]])
def test_parts_add_up_to_the_whole(cuts: list[int]) -> None:
    returns = np.random.default_rng(0).normal(1e6, 1.0, (3, 4))  # large means lose no digits
    total = ReturnMoments.zeros((3,))
    for some in np.split(np.arange(12), cuts):
        task = some // 4
        part = ReturnMoments.of_episodes(task - task[0], returns.ravel()[some], len(set(task)))
        total.add(slice(task[0], task[-1] + 1), part)
    np.testing.assert_array_equal(total.number, [4, 4, 4])
    np.testing.assert_allclose(total.means, returns.mean(1), rtol=1e-14)
    np.testing.assert_allclose(total.spreads(), returns.std(1, ddof=1), rtol=1e-7)


def test_failed_tasks_have_no_episodes() -> None:
    part = ReturnMoments.of_episodes(np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 0.0, 0.0]), 2, [1])
    assert part.number.tolist() == [2, 0]
    total = ReturnMoments.zeros((2,))
    total.add(slice(0, 2), part)
    total.add(slice(1, 2), ReturnMoments.of_episodes(np.array([0]), np.array([5.0]), 1))
    np.testing.assert_array_equal(total.means, [1.5, 5])
    np.testing.assert_array_equal(np.isnan(total.spreads()), [False, True])
