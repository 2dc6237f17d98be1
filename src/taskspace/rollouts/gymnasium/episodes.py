"""The episodes of one agent on some tasks of a user's Gymnasium environment.

The result of an episode depends on the agent, the task and the rollout alone, and the results of a
task are summed in the order of its rollouts. The sums are therefore bit-identical however tasks are
distributed over processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.adapters import EpisodeAgent
from taskspace.agents.policies import Gaussian, MLPPolicy
from taskspace.envs.base import Column, Tasks
from taskspace.envs.from_gymnasium import GymEnvironment, Spaces, as_task
from taskspace.rollouts.accumulator import PartialResults
from taskspace.rollouts.errors import PlayError, PolicyOutputError
from taskspace.rollouts.gymnasium.actions import network_function, seed_lanes, to_actions
from taskspace.rollouts.gymnasium.env_pool import EnvPool, EpisodeResult, EpisodeStart
from taskspace.rollouts.return_moments import ReturnMoments

LANES = 64  # the number of actions that a policy chooses at a time, for any number of processes
EPISODES_PER_CALL = 8  # sent to a process at a time, for agents that play one episode at a time

Pair = tuple[int, int]  # task, rollout


class RemoteTraceback(Exception):
    """The traceback of an error, possibly from another process, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True)
class GymEvaluation:
    """Everything that the rollouts depend on, except the policies: the checked arguments."""

    environment: GymEnvironment
    spaces: Spaces
    columns: tuple[Column, ...]
    rows: Tasks
    names: list[str]
    rollouts: int
    seed: int
    skip: bool
    keep_results: bool

    @property
    def episodes(self) -> int:
        """The number of episodes of an agent."""
        return len(self.rows) * self.rollouts

    @property
    def lanes(self) -> int:
        """The number of episodes that run at a time, for any number of processes."""
        return min(LANES, self.episodes)

    def start(self, task: int, seeds: NDArray[np.int64]) -> EpisodeStart:
        """An episode of a task."""
        return EpisodeStart(as_task(self.columns, self.rows[task]), int(seeds[0]), int(seeds[1]))


class EpisodeRunner:
    """Episodes of one agent on some tasks, in lanes."""

    def __init__(
        self, evaluation: GymEvaluation, agent: int, tasks: range, pool: EnvPool,
        processes: int = 1, advance: Callable[[int], None] = lambda done: None,
    ) -> None:  # fmt: skip
        self.evaluation, self.agent, self.tasks, self.pool = evaluation, agent, tasks, pool
        self.processes, self.advance = processes, advance
        self.successes, self.rollouts, self.steps = np.zeros((3, len(tasks)), np.int64)
        self.returns = ReturnMoments.zeros((len(tasks),))
        self.results = np.zeros(
            (len(tasks), evaluation.rollouts if evaluation.keep_results else 0), np.bool_
        )
        self.keys: set[str] = set()  # of the infos
        self.errors: dict[int, str] = {}  # by task
        self.streams = np.zeros((2, evaluation.lanes), np.uint64)
        self.waiting = self._pairs()
        self.playing: dict[int, Pair] = {}  # by lane
        self.played: dict[
            int, dict[int, EpisodeResult]
        ] = {}  # by task and rollout, until they are summed
        self.limits: dict[int, int] = {}  # by task: the first rollout with an error
        self.observations: Any = None

    def _pairs(self) -> Iterator[Pair]:
        for task in self.tasks:
            for rollout in range(self.evaluation.rollouts):
                if rollout < self._limit(task):
                    yield task, rollout

    def _limit(self, task: int) -> int:
        """The number of rollouts of a task before the first one with an error."""
        return self.limits.get(task, self.evaluation.rollouts)

    def run(self, policy: Any) -> PartialResults:
        """Play all episodes."""
        if isinstance(policy, EpisodeAgent):
            self._run_alone(policy)
        else:
            self._run_batches(_action_function(policy, self.evaluation.spaces))
        return PartialResults(
            tasks=slice(self.tasks.start, self.tasks.stop),
            successes=self.successes,
            steps=self.steps,
            returns=self.returns,
            results=self.results.ravel() if self.evaluation.keep_results else None,
            first_episode=self.tasks.start * self.evaluation.rollouts,
            errors={task: (self._missing(task), why) for task, why in self.errors.items()},
            info_keys=frozenset(self.keys),
        )

    def _missing(self, task: int) -> int:
        return self.evaluation.rollouts - int(self.rollouts[task - self.tasks.start])

    def _run_alone(self, policy: EpisodeAgent) -> None:
        while pairs := list(islice(self.waiting, EPISODES_PER_CALL * self.processes)):
            seeds = self._seeds(np.zeros(len(pairs), np.int64), pairs)
            starts = [self.evaluation.start(p[0], s) for p, s in zip(pairs, seeds, strict=True)]
            for pair, result in zip(pairs, self.pool.play_episodes(policy, starts), strict=True):
                self._record(pair, result)

    def _run_batches(self, act: Callable[[Any, NDArray[np.uint64]], NDArray[Any]]) -> None:
        self._begin(list(range(self.evaluation.lanes)))
        while self.playing:
            try:
                actions = act(_prepared(self._shown()), self.streams)
            except Exception as error:
                self._give_up(error, act)
                continue
            self.observations, ended = self.pool.step(actions)
            self._begin(self._collect(ended))

    def _begin(self, free: list[int]) -> None:
        """Begin the next episodes in these lanes, if there are any left."""
        while free and (pairs := list(islice(self.waiting, len(free)))):
            lanes = free[: len(pairs)]
            seeds = self._seeds(np.array(lanes), pairs)
            tasks = [pair[0] for pair in pairs]
            starts = [self.evaluation.start(t, s) for t, s in zip(tasks, seeds, strict=True)]
            self.playing.update(zip(lanes, pairs, strict=True))
            self.observations, ended = self.pool.begin(dict(zip(lanes, starts, strict=True)))
            free = self._collect(ended)

    def _seeds(self, lanes: NDArray[np.int64], pairs: Sequence[Pair]) -> NDArray[np.int64]:
        task, rollout = np.array(pairs).T
        return seed_lanes(self.streams, lanes, task, rollout, self.evaluation.seed, self.agent)

    def _collect(self, ended: Sequence[tuple[int, EpisodeResult]]) -> list[int]:
        """Record the episodes that ended; returns their lanes, which are free now."""
        free = [lane for lane, _ in ended if lane in self.playing]
        for lane, result in ended:
            if lane in self.playing:
                self._record(self.playing.pop(lane), result)
        return free

    def _record(self, pair: Pair, result: EpisodeResult) -> None:
        """Store the result of an episode."""
        self.advance(1)
        task, rollout = pair
        if result.error:
            self._fail({pair: result.error}, RemoteTraceback(result.trace))
        elif rollout < self._limit(task):
            self.played.setdefault(task, {})[rollout] = result
            self._settle(task)

    def _settle(self, task: int) -> None:
        """Sum a task's results in the order of the rollouts, once all of them are there."""
        played, limit = self.played.get(task, {}), self._limit(task)
        if all(rollout in played for rollout in range(limit)):
            for rollout in range(limit):
                self._add(task, rollout, played[rollout])
            self.played.pop(task, None)

    def _add(self, task: int, rollout: int, result: EpisodeResult) -> None:
        """Add the result of an episode."""
        index = task - self.tasks.start
        self.successes[index] += result.solved
        self.rollouts[index] += 1
        self.steps[index] += result.length
        earned = np.array([result.total_reward])
        self.returns.add([index], ReturnMoments(np.ones(1, np.int64), earned, np.zeros(1)))
        self.keys |= result.keys
        if self.evaluation.keep_results:
            self.results[index, rollout] = result.solved

    def _fail(self, errors: Mapping[Pair, str], cause: Exception) -> None:
        """Record errors, or raise them."""
        if not self.evaluation.skip:
            name, tasks = self.evaluation.names[self.agent], sorted({task for task, _ in errors})
            raise PlayError(f"{name} on {_listed(tasks)}: {min(errors.items())[1]}") from cause
        for (task, rollout), error in errors.items():
            if rollout < self._limit(task):
                self.limits[task], self.errors[task] = rollout, error
                self._settle(task)

    def _shown(self) -> Any:
        """The observations for the agent; lanes without an episode repeat those of another one."""
        lanes, first = self.evaluation.lanes, next(iter(self.playing))
        return _take(self.observations, [i if i in self.playing else first for i in range(lanes)])

    def _give_up(self, error: Exception, act: Callable[..., Any]) -> None:
        """After an error of the agent: end the episodes at fault and continue with the others."""
        if isinstance(error, PolicyOutputError) and not self.evaluation.skip:
            raise PolicyOutputError(f"{self.evaluation.names[self.agent]}: {error}") from error
        self._fail(self._at_fault(error, act), error)
        free = [
            lane for lane, (task, rollout) in self.playing.items() if rollout >= self._limit(task)
        ]
        for lane in free:
            del self.playing[lane]
        self._begin(free)

    def _at_fault(self, error: Exception, act: Callable[..., Any]) -> dict[Pair, str]:
        """The episodes whose observation alone makes the agent raise; all if there is none."""
        found = {}
        for lane, pair in self.playing.items():
            repeated = _take(self.observations, [lane] * self.evaluation.lanes)
            try:
                act(_prepared(repeated), self.streams.copy())
            except Exception as own:
                found[pair] = f"{type(own).__name__}: {own}"
        return found or dict.fromkeys(self.playing.values(), f"{type(error).__name__}: {error}")


def _action_function(
    policy: Any, spaces: Spaces
) -> Callable[[Any, NDArray[np.uint64]], NDArray[Any]]:
    """A function from observations and streams to actions."""
    squashed = False
    if isinstance(policy, MLPPolicy):
        squashed = isinstance(policy.output, Gaussian) and policy.output.squashed
        policy = network_function(policy)
    convert = partial(to_actions, spaces=spaces, squashed=squashed)
    return lambda observations, streams: convert(policy(observations), streams=streams)


def _prepared(observations: Any) -> Any:
    """Observations with floating-point numbers in single precision, for networks."""
    if isinstance(observations, Mapping):
        return {name: _prepared(part) for name, part in observations.items()}
    if isinstance(observations, np.ndarray) and observations.dtype.kind == "f":
        return np.ascontiguousarray(observations, np.float32)
    return observations


def _take(batch: Any, indices: Sequence[int]) -> Any:
    """A batch of some entries of a batch."""
    if isinstance(batch, Mapping):
        return {name: _take(part, indices) for name, part in batch.items()}
    if isinstance(batch, np.ndarray):
        return batch[indices]
    return tuple(batch[index] for index in indices)


def _listed(tasks: Sequence[int], most: int = 3) -> str:
    shown = ", ".join(f"task-{task}" for task in tasks[:most])
    return shown + (f" and {len(tasks) - most} more" if len(tasks) > most else "")
