"""Rollouts of a population on a user's Gymnasium environment."""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec, registry

from taskspace import checks
from taskspace.agents.adapters import EpisodeAgent, named_policy
from taskspace.envs.from_gymnasium import GymEnvironment, as_task
from taskspace.envs.success_rules import InfoKey, ReturnsOnly
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import Advance, progress_bar
from taskspace.rollouts import ray
from taskspace.rollouts.accumulator import Accumulator, PartialResults
from taskspace.rollouts.cores import available_cores
from taskspace.rollouts.gymnasium.env_pool import EnvPool, Lane, env_pool, local_pool
from taskspace.rollouts.gymnasium.episodes import (
    EPISODES_PER_CALL,
    LANES,
    EpisodeRunner,
    GymEvaluation,
)

_PROBE_SECONDS = 0.1
_PAYING_SECONDS = 10.0  # less work is not worth starting processes for
_PAYING_STEP = 100e-6  # seconds; shorter steps are not worth the messages between processes
_PIECE_SECONDS = 1.0  # of steps, for a worker of Ray; the time that agents take is unknown
_PIECES_PER_CORE = 4  # at least, so that cores end together


def evaluate_gymnasium(
    environment: GymEnvironment, names: list[str], agents: list[Any], tasks: Any, rollouts: int,
    *, seed: int, workers: int | None, remote: bool, on_error: str, keep_results: bool,
    keep_returns: bool, progress: bool | None,
) -> Outcomes:  # fmt: skip
    """Play every agent on every task; see `evaluate`."""
    columns, rows = environment.read_tasks(tasks)
    if not len(rows):
        raise ValueError("tasks must be at least one task, got none")
    if on_error == "skip" and keep_results:
        raise ValueError("keep_results must be False with on_error='skip', got True")
    by_return = isinstance(environment.rule, ReturnsOnly)
    if by_return and keep_results:
        raise ValueError(
            f"keep_results must be False for {environment.name}, which has no notion of success,"
            " got True"
        )
    rollouts = checks.whole(rollouts, "rollouts", 1, checks.MOST_ROLLOUTS)
    asked = None if workers is None else checks.whole(workers, "workers", 1, checks.MOST_THREADS)
    key = checks.seed(seed)
    spaces = environment.spaces(as_task(columns, rows[0]))
    policies = [named_policy(n, a, spaces) for n, a in zip(names, agents, strict=True)]
    evaluation = GymEvaluation(
        environment, spaces, columns, rows, names, rollouts, key, on_error == "skip", keep_results
    )
    keep_returns = keep_returns or by_return
    totals = Accumulator.empty(
        names, len(rows), rollouts, keep_results=keep_results, keep_returns=keep_returns
    )
    with (
        ray.connected() if remote else contextlib.nullcontext(),
        progress_bar("Playing episodes", len(names) * evaluation.episodes, progress) as advance,
    ):
        if remote:
            _play_on_ray(evaluation, policies, totals, advance)
        else:
            _play_here(
                evaluation, policies, asked or _paying_processes(evaluation), totals, advance
            )
    _check_key(environment, totals)
    outcomes = _outcomes(evaluation, totals)
    return outcomes.by_return() if by_return else outcomes


def _play_here(
    evaluation: GymEvaluation,
    policies: list[Any],
    processes: int,
    totals: Accumulator,
    advance: Advance,
) -> None:
    everything = range(len(evaluation.rows))
    with env_pool(evaluation.environment, evaluation.spaces, evaluation.lanes, processes) as pool:
        for agent, policy in enumerate(policies):
            runner = EpisodeRunner(evaluation, agent, everything, pool, processes, advance)
            totals.add(agent, runner.run(policy))


# -- on Ray ----------------------------------------------------------------------------------------


def _play_on_ray(
    evaluation: GymEvaluation, policies: list[Any], totals: Accumulator, advance: Advance
) -> None:
    spec = (
        registry.get(evaluation.environment.make)
        if isinstance(evaluation.environment.make, str)
        else None
    )
    shipped_setup = ray.ship(
        _WorkerSetup(evaluation, spec), evaluation.environment.name, shared=True
    )
    seconds = _probe(evaluation)[0]
    sent: deque[tuple[int, range]] = deque()

    def calls() -> Iterator[tuple[Any, ...]]:
        for agent, policy in enumerate(policies):
            shipped = ray.ship(policy, evaluation.names[agent])
            for tasks in _pieces(evaluation, policy, seconds, ray.cores()):
                sent.append((agent, tasks))
                yield shipped_setup, shipped, agent, tasks

    with contextlib.closing(ray.in_order(_play_piece, calls())) as results:
        for part in results:
            agent, tasks = sent.popleft()
            totals.add(agent, part)
            advance(len(tasks) * evaluation.rollouts)


@dataclass(frozen=True)
class _WorkerSetup:
    """What a worker needs; it uses its copies of the environment for many pieces."""

    evaluation: GymEvaluation
    spec: EnvSpec | None  # if the user's program registers the environment

    @functools.cached_property
    def pool(self) -> EnvPool:
        """The copies of the environment."""
        if self.spec is not None:
            registry.setdefault(self.spec.id, self.spec)
        return local_pool(
            self.evaluation.environment, self.evaluation.spaces, self.evaluation.lanes
        )


def _play_piece(
    setup: ray.Shipped, policy: ray.Shipped, agent: int, tasks: range
) -> PartialResults:
    """The work of one worker: some tasks of one agent."""
    unpacked = setup.unpack()
    return EpisodeRunner(unpacked.evaluation, agent, tasks, unpacked.pool).run(policy.unpack())


def _pieces(evaluation: GymEvaluation, policy: Any, seconds: float, cores: int) -> Iterator[range]:
    """The tasks of one agent, in pieces that keep a worker busy, but not for long.

    Agents that play one episode at a time may be slow, and need no other episodes beside theirs.
    """
    least = EPISODES_PER_CALL if isinstance(policy, EpisodeAgent) else LANES
    fair = len(evaluation.names) * evaluation.episodes // (_PIECES_PER_CORE * cores)
    episodes = max(least, min(fair, int(_PIECE_SECONDS / seconds) if seconds else 0))
    size = -(-episodes // evaluation.rollouts)
    for first in range(0, len(evaluation.rows), size):
        yield range(first, min(first + size, len(evaluation.rows)))


# -- how long it will take -------------------------------------------------------------------------


def _paying_processes(evaluation: GymEvaluation) -> int:
    """One process per core if that saves time, judged by random actions on the first task."""
    cores = available_cores()
    if cores == 1 or sys.platform != "linux":
        return 1  # without fork, a process would run the caller's script a second time
    episode, step = _probe(evaluation)
    paying = (
        len(evaluation.names) * evaluation.episodes * episode > _PAYING_SECONDS
        and step > _PAYING_STEP
    )
    return cores if paying else 1


def _probe(evaluation: GymEvaluation) -> tuple[float, float]:
    """The seconds of an episode and of a step; 0 if there is an error."""
    lane = Lane(evaluation.environment, evaluation.spaces, 0)
    start, steps, episodes = evaluation.start(0, np.zeros(2, np.int64)), 0, 0
    try:
        lane.begin(start)  # before the measurement: making a copy may be slow
        began = time.perf_counter()
        while (spent := time.perf_counter() - began) < _PROBE_SECONDS:
            lane.begin(start)
            episodes, result = episodes + 1, None
            while result is None and time.perf_counter() - began < _PROBE_SECONDS:
                result, steps = lane.advance(evaluation.spaces.action_space.sample()), steps + 1
    except Exception:
        return 0.0, 0.0  # the rollouts will report the error
    finally:
        lane.close()
    return spent / max(1, episodes), spent / max(1, steps)


# -- results ---------------------------------------------------------------------------------------


def _check_key(environment: GymEnvironment, totals: Accumulator) -> None:
    """Raise an error if no info had the success entry."""
    played = int(np.broadcast_to(totals.played(), totals.successes.shape).sum())
    if isinstance(environment.rule, InfoKey) and played:
        where = f"{environment.name} in any of {played} episodes"
        environment.rule.check(totals.info_keys, where)


def _outcomes(evaluation: GymEvaluation, totals: Accumulator) -> Outcomes:
    info: dict[str, Any] = {
        "environment": evaluation.environment.name,
        "seed": evaluation.seed,
        "success": evaluation.environment.rule.words,
        "max_steps": evaluation.spaces.max_steps,
    }
    if evaluation.skip:
        info["errors"] = totals.error_list()
    return totals.outcomes(
        evaluation.rows, tuple(column.name for column in evaluation.columns), info
    )
