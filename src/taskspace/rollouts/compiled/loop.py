"""The compiled engine: an agent's network and the dynamics of its episodes in one loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.policies import Gaussian, MLPPolicy
from taskspace.envs.base import Environment
from taskspace.envs.lanes import RUNNING, SOLVED
from taskspace.envs.streams import agent_words, start_stream
from taskspace.envs.views import column, row
from taskspace.rollouts.compiled.actions import draw_categorical, draw_gaussian
from taskspace.rollouts.compiled.network import LANES, buffer_rows, forward, pack_layers

# Rows of states that are a power of two apart would compete for the same places in the cache.
_PADDING = 8
_IDLE = -1  # the status of a lane without an episode


@dataclass(frozen=True)
class EnginePolicy:
    """A policy in the memory layout of the engine."""

    packed: NDArray[np.float32]
    sizes: NDArray[np.int64]
    tanh: bool
    squash: bool
    bound: float
    continuous: bool

    @classmethod
    def prepare(cls, policy: MLPPolicy, env: Environment) -> EnginePolicy:
        """Convert a policy that fits the environment."""
        weights, biases = policy.engine_layers()
        return cls(
            packed=pack_layers(weights, biases),
            sizes=np.array([policy.sizes[0], *(len(bias) for bias in biases)]),
            tanh=policy.activation == "tanh",
            squash=isinstance(policy.output, Gaussian) and policy.output.squashed,
            bound=float(env.action_bound or 0.0),
            continuous=isinstance(policy.output, Gaussian),
        )

    @property
    def draw(self) -> Any:
        """The compiled function that samples actions from the network's outputs."""
        return draw_gaussian if self.continuous else draw_categorical

    @property
    def network(self) -> tuple[Any, ...]:
        """The arguments that the compiled functions take for a policy."""
        return self.packed, self.sizes, self.tanh, self.squash, self.bound

    def empty_actions(self, lanes: int) -> NDArray[Any]:
        """An array for one action per lane."""
        if self.continuous:
            return np.zeros((int(self.sizes[-1]) // 2, lanes)).T
        return np.zeros(lanes, np.int64)

    def empty_buffers(self) -> NDArray[np.float32]:
        """An array for the activations of two layers."""
        return np.zeros((2, buffer_rows(self.sizes.tolist()), LANES), np.float32)


def act_factory(draw: Any) -> Callable[..., None]:
    """The actions of a network in many lanes, in blocks of 64, exactly as in `play`."""

    def act(packed, sizes, tanh, squash, bound, states, streams, buffers, actions):
        for start in range(0, states.shape[1], LANES):
            for feature in range(len(states)):
                for lane in range(LANES):
                    buffers[0, feature, lane] = states[feature, start + lane]
            output = forward(packed, sizes, tanh, buffers)
            lanes = slice(start, start + LANES)
            draw(buffers[output, : sizes[-1]], streams[:, lanes], actions[lanes], bound, squash)

    return act


def play_factory(step: Any, draw: Any) -> Callable[..., None]:
    """The engine for an environment's step of many lanes and a policy's `draw` of actions."""

    def play(
        packed, sizes, tanh, squash, bound,  # the policy
        tasks, rollouts, first, last,  # episodes first .. last - 1 of task * rollouts + rollout
        seed, agent, gamma, horizon,
        buffers, actions,  # work space
        successes, steps,  # counts, an entry per task from the first episode's on
        results, returns,  # an entry per episode, or empty where they are not wanted
    ):  # fmt: skip
        """Play the episodes in 64 lanes; a lane takes the next episode as soon as its own ends."""
        states = np.zeros((tasks.shape[1], LANES + _PADDING))
        streams = np.zeros((2, LANES), np.uint64)
        # Arrays of their own: a compiler that knows that they do not overlap vectorizes the step.
        status, elapsed = np.full(LANES, _IDLE), np.zeros(LANES, np.int64)
        actions, rewards, earned = np.zeros_like(actions), np.zeros(LANES), np.zeros(LANES)
        episode, entry = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
        words = agent_words(seed, agent)
        waiting, task, rollout = first, first // rollouts, first % rollouts
        first_task, playing = task, 0
        ended, count = np.arange(LANES), LANES  # lanes that take the next episode: at first all
        while True:
            for index in range(count):
                lane = ended[index]
                if status[lane] != _IDLE:
                    solved = status[lane] == SOLVED
                    successes[entry[lane]] += solved
                    steps[entry[lane]] += elapsed[lane]
                    if len(results):
                        results[episode[lane] - first] = solved
                    if len(returns):
                        returns[episode[lane] - first] = earned[lane]
                    status[lane] = _IDLE
                    playing -= 1
                if waiting < last:
                    column(states, lane)[:] = row(tasks, task)
                    start_stream(column(streams, lane), words, task, rollout)
                    status[lane], elapsed[lane], earned[lane] = RUNNING, 0, 0.0
                    episode[lane], entry[lane] = waiting, task - first_task
                    playing += 1
                    waiting += 1
                    rollout += 1
                    if rollout == rollouts:
                        task, rollout = task + 1, 0
            if playing == 0:
                break
            for feature in range(len(states)):
                for lane in range(LANES):
                    buffers[0, feature, lane] = states[feature, lane]
            output = forward(packed, sizes, tanh, buffers)
            draw(buffers[output, : sizes[-1]], streams, actions, bound, squash)
            step(states, actions, streams, elapsed, status, rewards, gamma, horizon)
            if len(returns):
                for lane in range(LANES):
                    earned[lane] += rewards[lane]
            count = 0
            for lane in range(LANES):  # no branch: which lanes end cannot be predicted
                ended[count] = lane
                count += status[lane] > RUNNING

    return play
