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
from taskspace.envs.views import column, row, stack_array
from taskspace.rollouts.compiled.actions import draw_categorical, draw_gaussian
from taskspace.rollouts.compiled.network import (
    LANES,
    WorkSpace,
    begin_lane,
    first_sums,
    forward,
    pack_layers,
)

# Rows of states that are a power of two apart would compete for the same places in the cache.
_PADDING = 8
_IDLE = -1  # the status of a lane without an episode


@dataclass(frozen=True)
class EnginePolicy:
    """A policy in the memory layout of the engine.

    Columns of the state that do not change in an episode are multiplied once per task, the others
    in every step.
    """

    packed: NDArray[np.float32]  # all layers; of the first one only the columns that change
    sizes: NDArray[np.int64]
    changing: NDArray[np.int64]
    fixed: NDArray[np.int64]
    begins: NDArray[np.float32]  # of the first layer: the biases, and a row per fixed column
    tanh: bool
    squash: bool
    bound: float
    continuous: bool

    @classmethod
    def prepare(cls, policy: MLPPolicy, env: Environment) -> EnginePolicy:
        """Convert a policy that fits the environment."""
        is_fixed = np.isin(env.state_names, env.context)
        # It takes time for each task and episode, so it pays only if these are most of the columns.
        return cls.with_fixed(policy, env, is_fixed & (is_fixed.mean() > 0.5))

    @classmethod
    def with_fixed(
        cls, policy: MLPPolicy, env: Environment, is_fixed: NDArray[np.bool_]
    ) -> EnginePolicy:
        """Convert a policy, with the columns that are multiplied once per task."""
        if is_fixed.all():
            is_fixed = np.zeros_like(is_fixed)  # a step needs at least one input
        weights, biases = policy.engine_layers()
        first = weights[0]
        return cls(
            packed=pack_layers([first[:, ~is_fixed], *weights[1:]], biases),
            sizes=np.array([np.count_nonzero(~is_fixed), *(len(bias) for bias in biases)]),
            changing=np.flatnonzero(~is_fixed),
            fixed=np.flatnonzero(is_fixed),
            begins=np.vstack([biases[0], first[:, is_fixed].T]).astype(np.float32),
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
        """The arguments that the compiled functions take for a policy, with work space."""
        space = WorkSpace.empty(self.sizes.tolist(), self.begins[0])
        columns = self.changing, self.fixed, self.begins
        memory = space.memory, space.inputs, space.begun, space.outputs
        return self.packed, self.sizes, *columns, self.tanh, self.squash, self.bound, *memory

    def empty_actions(self, lanes: int) -> NDArray[Any]:
        """An array for one action per lane."""
        if self.continuous:
            return np.zeros((int(self.sizes[-1]) // 2, lanes)).T
        return np.zeros(lanes, np.int64)


def act_factory(draw: Any) -> Callable[..., None]:
    """The actions of a network in many lanes, in blocks of 64, exactly as in `play`."""

    def act(
        packed, sizes, changing, fixed, begins, tanh, squash, bound,
        memory, inputs, begun, outputs,
        states, streams, actions,
    ):  # fmt: skip
        nonzero, sums = np.empty(len(begins), np.int64), np.empty(begins.shape[1], np.float32)
        for start in range(0, states.shape[1], LANES):
            for lane in range(LANES if len(fixed) else 0):
                first_sums(begins, fixed, column(states, start + lane), nonzero, sums)
                begin_lane(sums, begun, lane)
            for index in range(len(changing)):
                source, target = row(states, changing[index]), row(inputs, index)
                for lane in range(LANES):
                    target[lane] = source[start + lane]
            forward(packed, sizes, tanh, memory, len(fixed) > 0)
            lanes = slice(start, start + LANES)
            draw(outputs, streams[:, lanes], actions[lanes], bound, squash)

    return act


def play_factory(step: Any, draw: Any) -> Callable[..., int]:
    """The engine for an environment's step of many lanes and a policy's `draw` of actions."""

    def play(
        packed, sizes, changing, fixed, begins, tanh, squash, bound,  # the policy
        memory, inputs, begun, outputs,  # its work space
        tasks, rollouts, first, last,  # episodes first .. last - 1 of task * rollouts + rollout
        seed, agent, gamma, horizon,
        actions,  # an array like those that the policy chooses
        successes, steps,  # counts, an entry per task from the first episode's on
        results, returns,  # an entry per episode, or empty where they are not wanted
    ):  # fmt: skip
        """Play the episodes in 64 lanes; a lane takes the next episode as soon as its own ends.

        Returns a fixed column that has changed in one of the last episodes, or -1.
        """
        states = np.zeros((tasks.shape[1], LANES + _PADDING))
        streams, actions = np.zeros((2, LANES), np.uint64), np.zeros_like(actions)
        # On the stack, where nothing overlaps with them: the compiler then vectorizes the step even
        # of states with many columns.
        status, elapsed = stack_array(np.int64, LANES), stack_array(np.int64, LANES)
        rewards, earned = stack_array(np.float64, LANES), stack_array(np.float64, LANES)
        episode, entry = stack_array(np.int64, LANES), stack_array(np.int64, LANES)
        # The first `count` are the lanes that take the next episode, in the beginning all of them.
        ended, count = stack_array(np.int64, LANES), LANES
        for lane in range(LANES):
            status[lane], elapsed[lane], rewards[lane], ended[lane] = _IDLE, 0, 0.0, lane
            entry[lane] = -1
        words = agent_words(seed, agent)
        nonzero, sums = np.empty(len(begins), np.int64), np.empty(begins.shape[1], np.float32)
        waiting, task, rollout = first, first // rollouts, first % rollouts
        first_task, playing = task, 0
        summed = -1  # the task that `sums` belongs to
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
                    state, start = column(states, lane), row(tasks, task)
                    if len(fixed) == 0:
                        state[:] = start
                    elif entry[lane] == task - first_task:  # the lane has the fixed columns already
                        for number in changing:
                            state[number] = start[number]
                    else:
                        state[:] = start
                        if task != summed:
                            first_sums(begins, fixed, start, nonzero, sums)
                            summed = task
                        begin_lane(sums, begun, lane)
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
            for index in range(len(changing)):
                source, target = row(states, changing[index]), row(inputs, index)
                for lane in range(LANES):
                    target[lane] = source[lane]
            forward(packed, sizes, tanh, memory, len(fixed) > 0)
            draw(outputs, streams, actions, bound, squash)
            step(states, actions, streams, elapsed, status, rewards, gamma, horizon)
            if len(returns):
                for lane in range(LANES):
                    earned[lane] += rewards[lane]
            count = 0
            for lane in range(LANES):  # no branch: which lanes end cannot be predicted
                ended[count] = lane
                count += status[lane] > RUNNING
        for lane in range(min(LANES, last - first)):
            for index in range(len(fixed)):
                if states[fixed[index], lane] != tasks[first_task + entry[lane], fixed[index]]:
                    return fixed[index]
        return -1

    return play
