"""`evaluate`: a population on tasks, on all cores, with the same result on any number of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.envs.base import Environment, Tasks, check_environment
from taskspace.envs.compiling import build
from taskspace.envs.lanes import sparse_reward
from taskspace.envs.own import GymEnvironment
from taskspace.outcomes import Outcomes, smallest_counts
from taskspace.population.adapters import named_policy
from taskspace.population.policies import MLPPolicy
from taskspace.progress import progress_bar
from taskspace.rollout.compiled import EnginePolicy, play_factory
from taskspace.rollout.general import BadAnswerError, play_general
from taskspace.rollout.gymnasium import PlayError, evaluate_gymnasium
from taskspace.rollout.network import LANES

# The most steps in one piece of work: a tenth of a second or less, so that Ctrl-C is soon heard
# and threads end together; enough for the last lanes of a piece to cost little.
_STEPS_PER_CHUNK = 500_000


@dataclass(frozen=True)
class _Chunk:
    """Episodes first .. last - 1 of one agent; episode = task * rollouts + rollout."""

    agent: int
    first: int
    last: int


@dataclass(frozen=True)
class _Played:
    """What came of a chunk."""

    tasks: slice  # the tasks that it has episodes of
    successes: NDArray[np.int64]  # for each of them
    steps: NDArray[np.int64]
    results: NDArray[np.bool_]  # for each episode; empty where not wanted
    returns: NDArray[np.float64]  # likewise


def evaluate(
    population: Any,
    env: Environment | GymEnvironment,
    tasks: Any,
    rollouts: int = 10,
    *,
    seed: int = 0,
    threads: int | None = None,
    workers: int | None = None,
    on_error: str = "raise",
    keep_results: bool = False,
    keep_returns: bool = False,
    progress: bool | None = None,
) -> Outcomes:
    """Let every agent try every task `rollouts` times and count the successes.

    `population` is a list of agents, or a mapping from names to agents. Networks (`MLPPolicy`,
    and Stable-Baselines3 models that are one) run in the compiled engine on `threads` cores (all
    by default); other agents are asked for one batch of actions at a time. The result depends
    on nothing but the arguments up to `seed`.

    A `GymEnvironment` is stepped by Gymnasium, in `workers` processes; by default in this one,
    or in as many as there are cores if a trial of its steps says that these are slow enough to
    pay. There an agent may also be an object with `start(env, seed)`, which returns a function
    from an observation to an action: it is called for each episode with the environment in hand.

    When an agent, or the environment under it, raises in the middle of an episode, so does this,
    and says whose episode on which task it was. With `on_error="skip"` the rest is played; such
    a pair keeps the rollouts played before, and `info["errors"]` tells of it.

    `keep_results` keeps each single outcome, `keep_returns` the mean return (of the shaped reward
    where the environment has one). A bar shows the progress on a terminal, unless `progress`
    says otherwise.

    >>> import taskspace as ts
    >>> env = ts.make("MultiKeyNav")
    >>> agents = {"expert": ts.ExpertPolicy(env), "untrained": ts.MLPPolicy.random(env, seed=0)}
    >>> outcomes = ts.evaluate(agents, env, env.sample_tasks(100, seed=0), rollouts=5)
    >>> outcomes.rates.mean(axis=1).round(2)
    array([0.99, 0.01])
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', not {on_error!r}")
    names, agents = _named(population)
    if isinstance(env, GymEnvironment):
        if threads is not None:
            raise ValueError(f"{env.name} is stepped in processes, not threads; pass workers=")
        return evaluate_gymnasium(
            env, names, agents, tasks, rollouts, seed=seed, workers=workers, on_error=on_error,
            keep_results=keep_results, keep_returns=keep_returns, progress=progress,
        )  # fmt: skip
    if check_environment(env).step is None:
        raise ValueError(
            f"{env.name} has no steps; agents that write programs are played by"
            " taskspace.synthesis.playing.play"
        )
    if workers is not None:
        raise ValueError(f"{env.name} is compiled and played in threads; pass threads=")
    if on_error == "skip" and keep_results:
        raise ValueError("keep_results needs all rollouts; it does not go with on_error='skip'")
    policies = [named_policy(name, agent, env) for name, agent in zip(names, agents, strict=True)]
    rows = env.check_tasks(tasks)
    if not len(rows):
        raise ValueError("there are no tasks; expected at least one")
    rollouts = checks.whole(rollouts, "rollouts", 1)
    threads = checks.whole(threads if threads is not None else os.cpu_count() or 1, "threads", 1)
    key = checks.seed(seed)
    shape = (len(policies), len(rows))
    successes = smallest_counts(shape, rollouts)
    steps = smallest_counts(shape, rollouts * env.horizon)
    returns = np.zeros(shape, np.float32) if keep_returns else None
    results = np.zeros((*shape, rollouts), np.bool_) if keep_results else None
    player = _Player(
        env, names, policies, rows, rollouts, key, keep_results, keep_returns, on_error == "skip"
    )
    total = len(policies) * len(rows) * rollouts
    with progress_bar("Playing episodes", total, progress) as advance:
        for chunk, played in player.play_all(threads):
            cells = (chunk.agent, played.tasks)
            successes[cells] += played.successes.astype(successes.dtype)
            steps[cells] += played.steps.astype(steps.dtype)
            if results is not None:
                results[chunk.agent].reshape(-1)[chunk.first : chunk.last] = played.results
            if returns is not None:
                returns[cells] += _means(played.returns, chunk, rollouts)
            advance(chunk.last - chunk.first)
    info = {"environment": env.name, "seed": key, "success": "the environment's own rule"}
    counts = player.played_rollouts()
    if returns is not None:
        returns *= rollouts / np.maximum(counts, 1)
    return Outcomes(
        successes=successes,
        rollouts=counts,
        agents=np.array(names),
        features=rows,
        feature_names=env.state_names,
        steps=steps,
        returns=returns,
        results=results,
        info={**info, "errors": player.told_errors()} if on_error == "skip" else info,
    )


def _means(returns: NDArray[np.float64], chunk: _Chunk, rollouts: int) -> NDArray[np.float32]:
    """A task's returns, summed up in the order of the rollouts, over their number."""
    task = np.arange(chunk.first, chunk.last) // rollouts
    return (np.bincount(task - task[0], returns) / rollouts).astype(np.float32)


def _named(population: Any) -> tuple[list[str], list[Any]]:
    if isinstance(population, Mapping):
        names, agents = [str(name) for name in population], list(population.values())
    elif isinstance(population, Sequence):
        names, agents = [f"agent-{i}" for i in range(len(population))], list(population)
    else:
        names, agents = ["agent-0"], [population]
    if not agents:
        raise ValueError("the population is empty; expected at least one agent")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two agents have the name {repeated!r}")
    return names, agents


class _Player:
    """Plays chunks: networks in threads, other policies in the calling thread."""

    def __init__(
        self, env: Environment, names: list[str], policies: list[Any], tasks: Tasks,
        rollouts: int, seed: int, keep_results: bool, keep_returns: bool, skip: bool,
    ) -> None:  # fmt: skip
        self.env, self.names, self.tasks = env, names, tasks
        self.policies = [
            EnginePolicy.prepare(policy, env) if isinstance(policy, MLPPolicy) else policy
            for policy in policies
        ]
        self.rollouts, self.seed = rollouts, seed
        self.keep_results, self.keep_returns = keep_results, keep_returns
        self.skip = skip
        self.lost: dict[tuple[int, int], tuple[int, str]] = {}  # rollouts and why, by pair
        self.reward = (env.reward if keep_returns else None) or sparse_reward

    def play_all(self, threads: int) -> Iterator[tuple[_Chunk, _Played]]:
        """Results, always in the same order; what is under way at a time is bounded."""
        yield from self._in_threads(self._chunks(compiled=True), threads)
        for chunk in self._chunks(compiled=False):
            yield chunk, self._general(chunk)

    def _chunks(self, compiled: bool) -> Iterator[_Chunk]:
        """All episodes of the agents of one kind, in pieces."""
        episodes = len(self.tasks) * self.rollouts
        size = max(LANES, _STEPS_PER_CHUNK // self.env.horizon)
        size -= size % self.rollouts if self.rollouts <= size else 0  # whole tasks, if possible
        for agent, policy in enumerate(self.policies):
            if isinstance(policy, EnginePolicy) == compiled:
                for first in range(0, episodes, size):
                    yield _Chunk(agent, first, min(first + size, episodes))

    def _in_threads(
        self, waiting: Iterator[_Chunk], threads: int
    ) -> Iterator[tuple[_Chunk, _Played]]:
        running: deque[tuple[_Chunk, Future[_Played]]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            try:
                for chunk in waiting:
                    running.append((chunk, pool.submit(self._compiled, chunk)))
                    if len(running) >= 4 * threads:
                        yield self._oldest(running)
                while running:
                    yield self._oldest(running)
            finally:
                pool.shutdown(cancel_futures=True)  # after Ctrl-C: finish what runs, start no more

    def _oldest(self, running: deque[tuple[_Chunk, Future[_Played]]]) -> tuple[_Chunk, _Played]:
        chunk, future = running.popleft()
        return chunk, future.result()

    def _compiled(self, chunk: _Chunk) -> _Played:
        policy, env = self.policies[chunk.agent], self.env
        tasks = slice(chunk.first // self.rollouts, (chunk.last - 1) // self.rollouts + 1)
        counts, episodes = tasks.stop - tasks.start, chunk.last - chunk.first
        played = _Played(
            tasks,
            np.zeros(counts, np.int64),
            np.zeros(counts, np.int64),
            np.zeros(episodes if self.keep_results else 0, np.bool_),
            np.zeros(episodes if self.keep_returns else 0),
        )
        play = build(play_factory, env.lanes.transition, self.reward, policy.draw)
        play(
            *policy.network, self.tasks, self.rollouts, chunk.first, chunk.last,
            self.seed, chunk.agent, env.gamma, env.horizon,
            policy.empty_buffers(), policy.empty_actions(LANES),
            played.successes, played.steps, played.results, played.returns,
        )  # fmt: skip
        return played

    def _general(self, chunk: _Chunk) -> _Played:
        try:
            solved, lengths, returns = self._answers(chunk)
        except Exception as error:
            if not self.skip:
                raise self._named(error, chunk) from error
            solved, lengths, returns = self._task_by_task(chunk)
        task = np.arange(chunk.first, chunk.last) // self.rollouts
        successes = np.bincount(task - task[0], solved).astype(np.int64)
        steps = np.bincount(task - task[0], lengths).astype(np.int64)
        return _Played(slice(task[0], task[-1] + 1), successes, steps, solved, returns)

    def _answers(self, chunk: _Chunk) -> tuple[NDArray[Any], ...]:
        return play_general(
            self.policies[chunk.agent], self.env, self.tasks, self.rollouts,
            chunk.first, chunk.last, self.seed, chunk.agent,
        )  # fmt: skip

    def _named(self, error: Exception, chunk: _Chunk) -> Exception:
        """The error with the names of the agent and of the tasks that it was playing."""
        name = self.names[chunk.agent]
        if isinstance(error, BadAnswerError):
            return BadAnswerError(f"{name}: {error}")
        first, last = chunk.first // self.rollouts, (chunk.last - 1) // self.rollouts
        tasks = f"task-{first}" + (f" to task-{last}" if last > first else "")
        return PlayError(f"{name} on {tasks}: {type(error).__name__}: {error}")

    def _task_by_task(self, chunk: _Chunk) -> tuple[NDArray[Any], ...]:
        """A chunk that went wrong, once more, to find the tasks at fault: the others count."""
        parts = []
        first = chunk.first
        while first < chunk.last:
            task = first // self.rollouts
            part = _Chunk(chunk.agent, first, min((task + 1) * self.rollouts, chunk.last))
            count = part.last - first
            try:
                parts.append(self._answers(part))
            except Exception as error:
                self._lose(chunk.agent, task, count, error)
                parts.append(
                    (np.zeros(count, np.bool_), np.zeros(count, np.int64), np.zeros(count))
                )
            first = part.last
        return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))

    def _lose(self, agent: int, task: int, count: int, error: Exception) -> None:
        before, _ = self.lost.get((agent, task), (0, ""))
        self.lost[agent, task] = (before + count, f"{type(error).__name__}: {error}")

    def played_rollouts(self) -> NDArray[np.unsignedinteger[Any]]:
        """One number for all pairs, or a table where some went wrong."""
        kind = np.min_scalar_type(self.rollouts)
        if not self.lost:
            return np.array(self.rollouts, kind)
        table = np.full((len(self.policies), len(self.tasks)), self.rollouts, kind)
        for pair, (count, _) in self.lost.items():
            table[pair] -= count
        return table

    def told_errors(self) -> list[dict[str, str]]:
        """Which agents went wrong on which tasks, and how."""
        return [
            {"agent": self.names[agent], "task": f"task-{task}", "error": told}
            for (agent, task), (_, told) in sorted(self.lost.items())
        ]
