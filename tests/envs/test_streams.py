"""The random streams: the right distributions, and no two streams alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy import stats

from taskspace.envs.normals import normal_pair
from taskspace.envs.streams import (
    integer,
    next_bits,
    seed_stream,
    uniform,
    uniform_bits,
    uniform_if,
)
from tests.envs.twin import StreamRandom, new_stream

DRAWS = 1_000_000


@njit
def draw_uniform(stream: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = uniform(stream)


@njit
def draw_integer(stream: Any, n: int, out: Any) -> None:
    for i in range(len(out)):
        out[i] = integer(stream, n)


@njit
def first_draws(names: Any, words: Any, numbers: Any) -> None:
    """First word and, of a fresh stream, first number for each (seed, agent, task, rollout)."""
    stream = np.empty(2, np.uint64)
    for i in range(len(names)):
        seed, agent, task, rollout = names[i]
        seed_stream(stream, seed, agent, task, rollout)
        words[i] = next_bits(stream)
        seed_stream(stream, seed, agent, task, rollout)
        numbers[i] = uniform(stream)


def first_of(names: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    words, numbers = np.empty(len(names), np.uint64), np.empty(len(names))
    first_draws(names, words, numbers)
    return words, numbers


def grid_of_names(*sizes: int) -> NDArray[np.int64]:
    """All (seed, agent, task, rollout) with each number below its size."""
    return np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), -1).reshape(-1, 4)


@pytest.fixture(scope="module")
def uniforms() -> NDArray[np.float64]:
    out = np.empty(DRAWS)
    draw_uniform(new_stream(1), out)
    return out


def test_uniform_lies_in_0_to_1(uniforms: NDArray[np.float64]) -> None:
    assert uniforms.min() >= 0
    assert uniforms.max() < 1


def test_uniform_has_mean_and_variance_of_a_uniform(uniforms: NDArray[np.float64]) -> None:
    assert abs(uniforms.mean() - 0.5) < 4 * np.sqrt(1 / 12 / DRAWS)
    assert abs(uniforms.var() - 1 / 12) < 4 * np.sqrt(1 / 180 / DRAWS)


def test_uniform_passes_kolmogorov_smirnov(uniforms: NDArray[np.float64]) -> None:
    assert stats.kstest(uniforms, "uniform").pvalue > 0.001


def test_uniform_uses_all_53_bits(uniforms: NDArray[np.float64]) -> None:
    bits = (uniforms * 2**53).astype(np.uint64)
    shares = [((bits >> np.uint64(b)) & np.uint64(1)).mean() for b in range(53)]
    assert np.abs(np.array(shares) - 0.5).max() < 5 * np.sqrt(0.25 / DRAWS)


@pytest.mark.parametrize("lag", [1, 2, 3, 7])
def test_draws_of_one_stream_are_uncorrelated(uniforms: NDArray[np.float64], lag: int) -> None:
    correlation = np.corrcoef(uniforms[:-lag], uniforms[lag:])[0, 1]
    assert abs(correlation) < 4 / np.sqrt(DRAWS)


def test_a_number_that_is_not_wanted_leaves_the_stream_as_it_is() -> None:
    stream, expected = new_stream(9), new_stream(9)
    uniform_if(False, stream)
    assert (stream == expected).all()
    assert uniform_bits(stream[0], stream[1]) * 2.0**-53 == uniform(expected)
    assert uniform_if(True, stream) == uniform(new_stream(9))
    assert (stream == expected).all()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 9, 16, 101])
def test_integer_covers_0_to_n_minus_1_uniformly(n: int) -> None:
    out = np.empty(200_000, np.int64)
    draw_integer(new_stream(3, task=n), n, out)
    counts = np.bincount(out)
    assert out.min() >= 0
    assert len(counts) == n
    assert n == 1 or stats.chisquare(counts).pvalue > 0.001


def test_the_same_name_gives_the_same_stream() -> None:
    assert (new_stream(4, 3, 2, 1) == new_stream(4, 3, 2, 1)).all()


@pytest.mark.parametrize("part", range(4), ids=["seed", "agent", "task", "rollout"])
def test_streams_of_neighbours_are_independent(part: int) -> None:
    names = np.full((20_001, 4), 5)
    names[:, part] = np.arange(len(names))
    _, numbers = first_of(names)
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 4 / np.sqrt(len(names))
    assert stats.kstest(numbers, "uniform").pvalue > 0.001


@pytest.mark.parametrize("part", range(4), ids=["seed", "agent", "task", "rollout"])
def test_2000_streams_and_their_neighbours_are_uncorrelated(part: int) -> None:
    names = np.random.default_rng(part).integers(0, 1000, (2000, 4))
    neighbours = names.copy()
    neighbours[:, part] += 1
    correlation = np.corrcoef(first_of(names)[1], first_of(neighbours)[1])[0, 1]
    assert abs(correlation) < 4 / np.sqrt(2000)


def test_swapping_two_parts_of_a_name_gives_another_stream() -> None:
    names = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [1, 2, 4, 3], [4, 2, 3, 1]])
    assert len(np.unique(first_of(names)[0])) == len(names)


def test_no_two_of_100_000_streams_begin_alike() -> None:
    words, _ = first_of(grid_of_names(10, 10, 100, 10))
    assert len(np.unique(words)) == len(words) == 100_000


def test_bits_of_first_words_are_fair_across_streams() -> None:
    words, _ = first_of(grid_of_names(10, 10, 100, 10))
    shares = [((words >> np.uint64(b)) & np.uint64(1)).mean() for b in range(64)]
    assert np.abs(np.array(shares) - 0.5).max() < 5 * np.sqrt(0.25 / len(words))


def test_the_largest_seed_works() -> None:
    out = np.empty(100_000)
    draw_uniform(new_stream(2**63 - 1, 2**40, 2**40, 2**40), out)
    assert stats.kstest(out, "uniform").pvalue > 0.001


def test_the_twins_random_draws_what_the_kernel_draws() -> None:
    rng, stream = StreamRandom(new_stream(6)), new_stream(6)
    assert rng.random() == uniform(stream)
    assert rng.uniform(-1.0, 3.0) == -1.0 + 4.0 * uniform(stream)
    first, second = normal_pair(stream)
    assert rng.gauss(2.0, 0.5) == 2.0 + 0.5 * first
    assert rng.gauss(0.0, 1.0) == second
    assert (rng.stream == stream).all()
