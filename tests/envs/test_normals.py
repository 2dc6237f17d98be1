"""Normal random numbers: their distribution, and against the formula in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy import stats

from taskspace.envs.normals import lane_normals, normal_pair
from taskspace.envs.streams import next_bits
from tests.envs.twin import new_stream

PAIRS = 2_000_000


@njit
def draw(stream: Any, pairs: Any) -> None:
    for i in range(len(pairs)):
        pairs[i, 0], pairs[i, 1] = normal_pair(stream)


@njit
def draw_bits(stream: Any, bits: Any) -> None:
    for i in range(len(bits)):
        bits[i] = next_bits(stream)


@pytest.fixture(scope="module")
def pairs() -> NDArray[np.float64]:
    out = np.empty((PAIRS, 2))
    draw(new_stream(2), out)
    return out


def box_and_muller(bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The pairs that these bits give: 30 of radius, two of quarter, and 32 of angle."""
    high, low = bits >> np.uint64(32), bits & np.uint64(2**32 - 1)
    radius = np.sqrt(-2 * np.log((np.float64(high >> np.uint64(2)) + 0.5) / 2**30))
    quarter = np.pi / 4 * low.astype(np.uint32).view(np.int32).astype(np.float64) / 2**31
    sine, cosine = np.sin(quarter), np.cos(quarter) * np.where(high & np.uint64(1), -1, 1)
    swap = (high & np.uint64(2)) > 0
    return radius[:, None] * np.where(swap, [sine, cosine], [cosine, sine]).T


def test_pairs_equal_the_formula_in_double_precision() -> None:
    bits, drawn = np.empty(200_000, np.uint64), np.empty((200_000, 2))
    draw_bits(new_stream(3), bits)
    draw(new_stream(3), drawn)
    # A radius near 0 comes from a number near 1, which is rounded to a multiple of 2^-24.
    np.testing.assert_allclose(drawn, box_and_muller(bits), rtol=0, atol=np.sqrt(2 * 2**-24))
    far = np.hypot(*drawn.T) > 0.1
    np.testing.assert_allclose(drawn[far], box_and_muller(bits[far]), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("column", [0, 1])
def test_normal_passes_kolmogorov_smirnov(pairs: NDArray[np.float64], column: int) -> None:
    assert stats.kstest(pairs[:1_000_000, column], "norm").pvalue > 0.001


@pytest.mark.parametrize(
    ("power", "moment", "variance"), [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)]
)
def test_normal_has_the_moments_of_a_normal(
    pairs: NDArray[np.float64], power: int, moment: float, variance: float
) -> None:
    assert abs((pairs**power).mean() - moment) < 4 * np.sqrt(variance / pairs.size)


@pytest.mark.parametrize("edge", [1.0, 2.0, 3.0, 3.5, 4.0, 4.5])
@pytest.mark.parametrize("side", [-1, 1])
def test_normal_has_the_right_tails(pairs: NDArray[np.float64], edge: float, side: int) -> None:
    mass = stats.norm.sf(edge)
    assert abs((side * pairs > edge).mean() - mass) < 4 * np.sqrt(mass / pairs.size)


@pytest.mark.parametrize("power", [1, 2])
def test_numbers_of_a_pair_are_independent(pairs: NDArray[np.float64], power: int) -> None:
    first, second = (pairs**power).T
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(PAIRS)
    assert abs(np.corrcoef(first[:-1], second[1:])[0, 1]) < 4 / np.sqrt(PAIRS)


def test_directions_of_pairs_are_uniform(pairs: NDArray[np.float64]) -> None:
    angles = np.arctan2(*pairs[:500_000].T) / (2 * np.pi) + 0.5
    assert stats.kstest(angles, "uniform").pvalue > 0.001


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize(("lanes", "start"), [(1, 0), (3, 0), (64, 0), (70, 0), (70, 64)])
def test_normals_of_many_lanes_are_those_of_their_streams(
    layout: Any, lanes: int, start: int
) -> None:
    streams = np.array([new_stream(7, task=lane) for lane in range(lanes)], order=layout).T
    ended = np.arange(lanes) % 5 == 4
    drawn = np.zeros((50, 2, lanes), np.float32)
    high, low = np.zeros((2, lanes), np.int32)
    for first, second in drawn:
        lane_normals(streams, ended, start, first, second, high, low)
    for lane in range(lanes):
        stream, alone = new_stream(7, task=lane), np.zeros((50, 2), np.float32)
        if lane >= start and not ended[lane]:
            draw(stream, alone)
            assert (drawn[:, :, lane - start] == alone).all()
        assert (streams[:, lane] == stream).all()
