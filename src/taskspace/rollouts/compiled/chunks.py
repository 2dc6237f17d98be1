"""Rollouts of a population on an `Environment`, in chunks: in threads, or on Ray."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.base import Environment, Tasks
from taskspace.envs.compiling import build
from taskspace.envs.lanes import step_function
from taskspace.rollouts import ray
from taskspace.rollouts.accumulator import PartialResults
from taskspace.rollouts.compiled.loop import EnginePolicy, play_factory
from taskspace.rollouts.compiled.network import LANES
from taskspace.rollouts.compiled.python_policies import play_general
from taskspace.rollouts.errors import PlayError, PolicyOutputError
from taskspace.rollouts.return_moments import ReturnMoments

# The largest number of steps in a chunk: at most a tenth of a second, so that Ctrl-C works quickly
# and threads end together, but enough that the last lanes of a chunk cost little.
_STEPS_PER_CHUNK = 500_000
# The same for a piece of work on Ray, which is several chunks: `taskspace bench scaling` measures
# the overhead of a piece.
_STEPS_PER_PIECE = 200_000_000
_PIECES_PER_CORE = 4  # at least, so that cores end together


@dataclass(frozen=True)
class Chunk:
    """Episodes first .. last - 1 of one agent; episode = task * rollouts + rollout."""

    agent: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class CompiledEvaluation:
    """Everything that the rollouts depend on, except the policies: the checked arguments."""

    env: Environment
    names: Sequence[str]
    tasks: Tasks
    rollouts: int
    seed: int
    keep_results: bool
    keep_returns: bool
    skip: bool

    @property
    def steps(self) -> int:
        """The largest number of steps of an agent."""
        return len(self.tasks) * self.rollouts * self.env.horizon

    def chunks(self, agent: int) -> Iterator[Chunk]:
        """All episodes of an agent, in chunks that do not depend on where they are played."""
        episodes = len(self.tasks) * self.rollouts
        size = max(LANES, _STEPS_PER_CHUNK // self.env.horizon)
        size -= (
            size % self.rollouts if self.rollouts <= size else 0
        )  # all rollouts of a task, if possible
        for first in range(0, episodes, size):
            yield Chunk(agent, first, min(first + size, episodes))

    def tasks_of(self, chunk: Chunk) -> slice:
        """The tasks of a chunk's episodes."""
        return slice(chunk.first // self.rollouts, (chunk.last - 1) // self.rollouts + 1)

    def play(self, policy: Any, chunk: Chunk) -> PartialResults:
        """Play the episodes of a chunk: networks in the engine, other policies in batches."""
        if isinstance(policy, EnginePolicy):
            return self._compiled(policy, chunk)
        return self._general(policy, chunk)

    def _compiled(self, policy: EnginePolicy, chunk: Chunk) -> PartialResults:
        env, tasks = self.env, self.tasks_of(chunk)
        counts, episodes = tasks.stop - tasks.start, chunk.last - chunk.first
        successes, steps = np.zeros((2, counts), np.int64)
        solved = np.zeros(episodes if self.keep_results else 0, np.bool_)
        returns = np.zeros(episodes if self.keep_returns else 0)
        step = step_function(type(env), env.reward if self.keep_returns else None)
        play = build(play_factory, step, policy.draw)
        changed = play(
            *policy.network, self.tasks, self.rollouts, chunk.first, chunk.last,
            self.seed, chunk.agent, env.gamma, env.horizon,
            policy.empty_actions(LANES), successes, steps, solved, returns,
        )  # fmt: skip
        if changed >= 0:
            raise ValueError(
                f"the context of {env.name} must be columns that never change in an episode, got"
                f" {env.state_names[changed]}, which changes"
            )
        return self._results(chunk, successes, steps, solved, returns)

    def _general(self, policy: Any, chunk: Chunk) -> PartialResults:
        errors: dict[int, tuple[int, str]] = {}
        try:
            solved, lengths, returns = self._play_batches(policy, chunk)
        except Exception as error:
            if not self.skip:
                raise self._named(error, chunk) from error
            solved, lengths, returns = self._task_by_task(policy, chunk, errors)
        successes, steps = (self._sums(chunk, each).astype(np.int64) for each in (solved, lengths))
        return self._results(chunk, successes, steps, solved, returns, errors)

    def _sums(self, chunk: Chunk, values: NDArray[Any]) -> NDArray[Any]:
        """Sum one number per episode over each task, in the order of the rollouts."""
        task = np.arange(chunk.first, chunk.last) // self.rollouts
        return np.bincount(task - task[0], values)

    def _results(
        self, chunk: Chunk, successes: NDArray[np.int64], steps: NDArray[np.int64],
        solved: NDArray[np.bool_], returns: NDArray[np.float64],
        errors: Mapping[int, tuple[int, str]] | None = None,
    ) -> PartialResults:  # fmt: skip
        moments, tasks = None, self.tasks_of(chunk)
        if self.keep_returns:
            task = np.arange(chunk.first, chunk.last) // self.rollouts - tasks.start
            failed = [number - tasks.start for number in errors or {}]
            moments = ReturnMoments.of_episodes(task, returns, tasks.stop - tasks.start, failed)
        return PartialResults(
            tasks=tasks,
            successes=successes,
            steps=steps,
            returns=moments,
            results=solved if self.keep_results else None,
            first_episode=chunk.first,
            errors=errors or {},
        )

    def _play_batches(self, policy: Any, chunk: Chunk) -> tuple[NDArray[Any], ...]:
        return play_general(
            policy, self.env, self.tasks, self.rollouts, chunk.first, chunk.last,
            self.seed, chunk.agent,
        )  # fmt: skip

    def _named(self, error: Exception, chunk: Chunk) -> Exception:
        """The error with the names of the agent and of the tasks."""
        name = self.names[chunk.agent]
        if isinstance(error, PolicyOutputError):
            return PolicyOutputError(f"{name}: {error}")
        first, last = chunk.first // self.rollouts, (chunk.last - 1) // self.rollouts
        tasks = f"task-{first}" + (f" to task-{last}" if last > first else "")
        return PlayError(f"{name} on {tasks}: {type(error).__name__}: {error}")

    def _task_by_task(
        self, policy: Any, chunk: Chunk, errors: dict[int, tuple[int, str]]
    ) -> tuple[NDArray[Any], ...]:
        """Repeat a chunk that had an error task by task: only the tasks at fault are skipped."""
        parts = []
        first = chunk.first
        while first < chunk.last:
            task = first // self.rollouts
            part = Chunk(chunk.agent, first, min((task + 1) * self.rollouts, chunk.last))
            count = part.last - first
            try:
                parts.append(self._play_batches(policy, part))
            except Exception as error:
                errors[task] = (count, f"{type(error).__name__}: {error}")
                parts.append(
                    (np.zeros(count, np.bool_), np.zeros(count, np.int64), np.zeros(count))
                )
            first = part.last
        return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


# -- on this machine -------------------------------------------------------------------------------


def play_here(
    evaluation: CompiledEvaluation, policies: Sequence[Any], threads: int
) -> Generator[tuple[Chunk, PartialResults], None, None]:
    """Play all chunks: networks in threads, other policies in this thread.

    Results always come in the same order; the number of chunks under way is bounded.
    """
    compiled, general = _by_kind(policies)
    running: deque[tuple[Chunk, Future[PartialResults]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for agent in compiled:
                for chunk in evaluation.chunks(agent):
                    running.append((chunk, pool.submit(evaluation.play, policies[agent], chunk)))
                    if len(running) >= 4 * threads:
                        yield _oldest(running)
            while running:
                yield _oldest(running)
        finally:
            pool.shutdown(cancel_futures=True)  # after Ctrl-C: finish running chunks only
    for agent in general:
        for chunk in evaluation.chunks(agent):
            yield chunk, evaluation.play(policies[agent], chunk)


def _by_kind(policies: Sequence[Any]) -> tuple[list[int], list[int]]:
    """The agents that the engine plays, and the others; None is an agent that has played."""
    kinds = {i: isinstance(p, EnginePolicy) for i, p in enumerate(policies) if p is not None}
    return [i for i in kinds if kinds[i]], [i for i in kinds if not kinds[i]]


def _oldest(running: deque[tuple[Chunk, Future[PartialResults]]]) -> tuple[Chunk, PartialResults]:
    chunk, future = running.popleft()
    return chunk, future.result()


# -- on Ray ----------------------------------------------------------------------------------------


def play_on_ray(
    evaluation: CompiledEvaluation, policies: Sequence[Any]
) -> Generator[tuple[Chunk, PartialResults], None, None]:
    """Play the same chunks on a cluster; the results and their order are the same."""
    shipped = ray.ship(evaluation, "the environment", shared=True)
    sent: deque[list[Chunk]] = deque()

    def calls() -> Iterator[tuple[Any, ...]]:
        for agents, chunks in _pieces(evaluation, policies, ray.cores()):
            sent.append(chunks)
            yield shipped, agents, chunks

    with contextlib.closing(ray.in_order(_play_piece, calls())) as results:
        for played in results:
            yield from zip(sent.popleft(), played, strict=True)


def _play_piece(
    evaluation: ray.Shipped, agents: ray.Shipped, chunks: Sequence[Chunk]
) -> list[PartialResults]:
    """The work of one worker: some chunks."""
    shared, policies = evaluation.unpack(), agents.unpack()
    # The shared tasks are read-only, and the engine would have to be compiled again for them. Only
    # the parts of this array that are written to take memory: the tasks of this piece.
    tasks = np.empty_like(shared.tasks)
    for chunk in chunks:
        part = shared.tasks_of(chunk)
        tasks[part] = shared.tasks[part]
    own = replace(shared, tasks=tasks)
    return [own.play(policies[chunk.agent], chunk).compact() for chunk in chunks]


def _pieces(
    evaluation: CompiledEvaluation, policies: Sequence[Any], cores: int
) -> Iterator[tuple[ray.Shipped, list[Chunk]]]:
    """Agents, each sent once, and chunks for one worker: some of one agent, or all of several.

    The time that other policies take is unknown, so their pieces are as small as one chunk.
    """
    compiled, general = _by_kind(policies)
    fair = len(compiled) * evaluation.steps // (_PIECES_PER_CORE * cores)
    large = min(max(fair, _STEPS_PER_CHUNK), _STEPS_PER_PIECE)
    for agents, most in ((compiled, large), (general, _STEPS_PER_CHUNK)):
        waiting = iter(agents)
        while group := list(islice(waiting, max(1, most // evaluation.steps))):
            chunks = [chunk for agent in group for chunk in evaluation.chunks(agent)]
            size = len(chunks) if len(group) > 1 else max(1, most // _STEPS_PER_CHUNK)
            names = " or ".join(evaluation.names[agent] for agent in group[:3])
            shipped = ray.ship({agent: policies[agent] for agent in group}, names)
            for first in range(0, len(chunks), size):
                yield shipped, chunks[first : first + size]
