"""Actions for a Gymnasium environment from the outputs of a policy.

Actions are sampled with the random streams of the episodes, as in the compiled engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete
from numpy.typing import NDArray

from taskspace.agents.policies import Categorical, MLPPolicy
from taskspace.envs.compiling import build
from taskspace.envs.from_gymnasium import Spaces
from taskspace.envs.normals import normal_pair
from taskspace.envs.streams import next_bits, seed_stream
from taskspace.rollouts.compiled.python_policies import as_array, described
from taskspace.rollouts.errors import PolicyOutputError

_S32, _S33 = np.uint64(32), np.uint64(33)
_TWO_32 = 2.0**-32
_LOG_STD_MIN, _LOG_STD_MAX = -20.0, 2.0  # the bounds of SAC


def _seed_factory() -> Callable[..., None]:
    def seed_lanes(streams, lanes, tasks, rollouts, seed, agent, seeds):
        """Seed the streams of these episodes, and draw two seeds of 31 bits from each."""
        for index in range(len(lanes)):
            stream = streams[:, lanes[index]]
            seed_stream(stream, seed, agent, tasks[index], rollouts[index])
            seeds[index, 0] = next_bits(stream) >> _S33
            seeds[index, 1] = next_bits(stream) >> _S33

    return seed_lanes


def _uniform_factory() -> Callable[..., None]:
    def fill_uniform(streams, numbers):
        for lane in range(len(numbers)):
            # With 32 bits, the product with a total is below the total, even after rounding.
            numbers[lane] = np.float64(next_bits(streams[:, lane]) >> _S32) * _TWO_32

    return fill_uniform


def _normal_factory() -> Callable[..., None]:
    def fill_normal(streams, numbers):
        for lane in range(len(numbers)):
            for index in range(0, numbers.shape[1], 2):
                pair = normal_pair(streams[:, lane])
                for number in range(min(2, numbers.shape[1] - index)):
                    numbers[lane, index + number] = pair[number]

    return fill_normal


def seed_lanes(
    streams: NDArray[np.uint64], lanes: NDArray[np.int64], tasks: NDArray[np.int64],
    rollouts: NDArray[np.int64], seed: int, agent: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Set the lanes' streams (2, lanes) for these episodes; returns seeds (episodes, 2)."""
    seeds = np.zeros((len(lanes), 2), np.int64)
    build(_seed_factory)(streams, lanes, tasks, rollouts, seed, agent, seeds)
    return seeds


def network_function(policy: MLPPolicy) -> Callable[[NDArray[Any]], Any]:
    """A function from a batch of observations to a network's logits, or means and deviations."""
    weights, biases = policy.engine_layers()

    def outputs(observations: NDArray[Any]) -> Any:
        values = np.asarray(observations, np.float32)
        for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            values = values @ weight.T + bias
            if layer < len(weights) - 1:
                values = np.tanh(values) if policy.activation == "tanh" else np.maximum(values, 0)
        if isinstance(policy.output, Categorical):
            return values
        return values[:, : policy.actions], values[:, policy.actions :]

    return outputs


def to_actions(
    output: Any, spaces: Spaces, streams: NDArray[np.uint64], squashed: bool = False
) -> NDArray[Any]:
    """Actions for all lanes, from actions, logits, or means and log deviations."""
    space, count = spaces.action_space, streams.shape[1]
    if isinstance(space, Box):
        return _continuous_actions(output, spaces, space, streams, squashed)
    values = as_array(output)
    if isinstance(space, Discrete):
        logits = values is not None and values.shape == (count, int(space.n))
        if values is not None and logits and values.dtype.kind == "f":
            return space.start + _draw_categorical(values, streams)
        return _integer_actions(values, spaces, (count,), space.start, space.start + space.n - 1)
    if isinstance(space, MultiDiscrete):
        return _integer_actions(
            values, spaces, (count, *space.shape), space.start, space.start + space.nvec - 1
        )
    if isinstance(space, MultiBinary):
        return _integer_actions(values, spaces, (count, *space.shape), 0, 1)
    raise PolicyOutputError(
        f"the actions of {spaces.name} must be Discrete, Box, MultiDiscrete or MultiBinary,"
        f" got {space}; use an agent with a start method"
    )


def _integer_actions(
    values: NDArray[Any] | None, spaces: Spaces, shape: tuple[int, ...], low: Any, high: Any
) -> NDArray[np.int64]:
    """Actions that are integers."""
    if values is None or values.shape != shape or values.dtype.kind not in "iub":
        wanted = f"integers (actions) of shape {shape}"
        if isinstance(spaces.action_space, Discrete):
            wanted += f" or numbers of shape ({shape[0]}, {spaces.action_space.n}) (logits)"
        raise PolicyOutputError(
            f"the output of the policy for {shape[0]} observations of {spaces.name} must be"
            f" {wanted}, got {described(values)}"
        )
    if (values < low).any() or (values > high).any():
        raise PolicyOutputError(
            f"actions of {spaces.name} must be in {spaces.action_space}, got {values.min()} to"
            f" {values.max()}"
        )
    return values.astype(np.int64)


def _draw_categorical(logits: NDArray[Any], streams: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Actions with probabilities softmax(logits)."""
    largest = logits.max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise PolicyOutputError(
            "the logits of the policy must be finite or -infinity, and finite for some action,"
            " got NaN or infinity"
        )
    sums = np.exp(logits.astype(np.float64) - largest).cumsum(axis=1)
    uniform = np.zeros(len(logits))
    build(_uniform_factory)(streams, uniform)
    return np.asarray((sums <= (uniform * sums[:, -1])[:, None]).sum(axis=1))


def _continuous_actions(
    output: Any, spaces: Spaces, space: Box, streams: NDArray[np.uint64], squashed: bool
) -> NDArray[Any]:
    """Actions within the bounds, sampled if there are means and log deviations."""
    shape = (streams.shape[1], *space.shape)
    parts = [as_array(part) for part in (output if isinstance(output, tuple) else (output,))]
    arrays = [p.astype(np.float64) for p in parts if p is not None and _fits(p, shape)]
    if len(arrays) != len(parts) or len(parts) not in (1, 2):
        raise PolicyOutputError(
            f"the output of the policy for {shape[0]} observations of {spaces.name} must be actions"
            f" of shape {shape}, or a pair of means and log deviations of that shape, got"
            f" {', '.join(described(part) for part in parts) or 'nothing'}"
        )
    if not all(np.isfinite(array).all() for array in arrays):
        raise PolicyOutputError("the output of the policy must be finite, got NaN or infinity")
    actions: Any = arrays[0]
    if len(arrays) == 2:
        noise = np.zeros((shape[0], int(np.prod(space.shape))))
        build(_normal_factory)(streams, noise)
        log_std = arrays[1].clip(_LOG_STD_MIN, _LOG_STD_MAX) if squashed else arrays[1]
        actions = actions + np.exp(log_std) * noise.reshape(shape)
    if squashed:
        actions = space.low + (np.tanh(actions) + 1) / 2 * (space.high - space.low)
    return np.asarray(np.clip(actions, space.low, space.high), space.dtype)


def _fits(values: NDArray[Any], shape: tuple[int, ...]) -> bool:
    return values.shape == shape and values.dtype.kind in "iuf"
