"""Playing a population on a user's Gymnasium environment."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.envs.base import Column, Tasks
from taskspace.envs.own import GymEnvironment, Stage, as_task
from taskspace.envs.success_rules import InfoKey
from taskspace.outcomes import Outcomes
from taskspace.population.adapters import EpisodeAgent, named_policy
from taskspace.population.policies import Gaussian, MLPPolicy
from taskspace.progress import progress_bar
from taskspace.rollout.answers import network_function, seed_lanes, take_actions
from taskspace.rollout.crew import Crew, Ended, Lane, Start, crew
from taskspace.rollout.general import BadAnswerError

LANES = 64  # a policy is asked for this many actions at a time, on any number of processes
_PROBE_SECONDS = 0.1
_PAYING_SECONDS = 10.0  # work below this is not worth starting processes for
_PAYING_STEP = 100e-6  # nor is a step below this worth the messages between them
_PERFORMED = 8  # episodes handed to a process at a time, for agents that play alone

Pair = tuple[int, int]  # task, rollout


class PlayError(RuntimeError):
    """An agent or the environment raised in the middle of an episode."""


class RemoteTraceback(Exception):
    """The traceback of an error, perhaps of another process, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True)
class Plan:
    """What is to be played: the arguments of `evaluate`, checked."""

    environment: GymEnvironment
    stage: Stage
    columns: tuple[Column, ...]
    rows: Tasks
    names: list[str]
    policies: list[Any]
    rollouts: int
    seed: int
    skip: bool

    @property
    def lanes(self) -> int:
        """How many episodes are under way at a time; the same on any number of processes."""
        return min(LANES, len(self.rows) * self.rollouts)

    def start(self, task: int, seeds: NDArray[np.int64]) -> Start:
        """An episode of a task."""
        return Start(as_task(self.columns, self.rows[task]), int(seeds[0]), int(seeds[1]))


@dataclass
class Scores:
    """What came of the episodes so far."""

    successes: NDArray[np.int64]  # (agents, tasks)
    rollouts: NDArray[np.int64]
    steps: NDArray[np.int64]
    rewards: NDArray[np.float64]
    results: NDArray[np.bool_] | None  # (agents, tasks, rollouts)
    keys: set[str] = field(default_factory=set)  # entries that infos had
    failed: dict[Pair, str] = field(default_factory=dict)  # (agent, task) and what was raised

    @classmethod
    def empty(cls, plan: Plan, keep_results: bool) -> Scores:
        """Nothing played yet."""
        shape = (len(plan.policies), len(plan.rows))
        results = np.zeros((*shape, plan.rollouts), np.bool_) if keep_results else None
        successes, played, steps = np.zeros((3, *shape), np.int64)
        return cls(successes, played, steps, np.zeros(shape), results)

    def add(self, agent: int, pair: Pair, ended: Ended) -> None:
        """Count an episode."""
        task, rollout = pair
        self.successes[agent, task] += ended.solved
        self.rollouts[agent, task] += 1
        self.steps[agent, task] += ended.length
        self.rewards[agent, task] += ended.total_reward
        self.keys |= ended.keys
        if self.results is not None:
            self.results[agent, task, rollout] = ended.solved


def evaluate_gymnasium(
    environment: GymEnvironment, names: list[str], agents: list[Any], tasks: Any, rollouts: int,
    *, seed: int, workers: int | None, on_error: str, keep_results: bool, keep_returns: bool,
    progress: bool | None,
) -> Outcomes:  # fmt: skip
    """Let every agent try every task; `evaluate` says the rest."""
    columns, rows = environment.read_tasks(tasks)
    if not len(rows):
        raise ValueError("there are no tasks; expected at least one")
    if on_error == "skip" and keep_results:
        raise ValueError("keep_results needs all rollouts; it does not go with on_error='skip'")
    rollouts = checks.whole(rollouts, "rollouts", 1)
    asked = None if workers is None else checks.whole(workers, "workers", 1)
    key = checks.seed(seed)
    stage = environment.stage(as_task(columns, rows[0]))
    policies = [named_policy(n, a, stage) for n, a in zip(names, agents, strict=True)]
    plan = Plan(
        environment, stage, columns, rows, names, policies, rollouts, key, on_error == "skip"
    )
    processes = asked or _paying_processes(plan)
    scores = Scores.empty(plan, keep_results)
    with (
        progress_bar("Playing episodes", scores.successes.size * rollouts, progress) as advance,
        crew(environment, stage, plan.lanes, processes) as lanes,
    ):
        for agent in range(len(policies)):
            _Play(plan, agent, lanes, processes, scores, advance).run()
    _check_key(environment, scores)
    return _outcomes(plan, scores, keep_returns)


class _Play:
    """All episodes of one agent."""

    def __init__(
        self, plan: Plan, agent: int, lanes: Crew, processes: int, scores: Scores,
        advance: Callable[[int], None],
    ) -> None:  # fmt: skip
        self.plan, self.agent, self.lanes, self.scores = plan, agent, lanes, scores
        self.processes, self.advance = processes, advance
        self.streams = np.zeros((2, plan.lanes), np.uint64)
        self.waiting = self._pairs()
        self.playing: dict[int, Pair] = {}  # by lane
        self.observations: Any = None

    def _pairs(self) -> Iterator[Pair]:
        for task in range(len(self.plan.rows)):
            for rollout in range(self.plan.rollouts):
                if (self.agent, task) not in self.scores.failed:
                    yield task, rollout

    def run(self) -> None:
        """Play them."""
        policy = self.plan.policies[self.agent]
        if isinstance(policy, EpisodeAgent):
            self._run_alone(policy)
        else:
            self._run_batches(_ask(policy, self.plan.stage))

    def _run_alone(self, policy: EpisodeAgent) -> None:
        while pairs := list(islice(self.waiting, _PERFORMED * self.processes)):
            seeds = self._seeds(np.zeros(len(pairs), np.int64), pairs)
            starts = [self.plan.start(p[0], s) for p, s in zip(pairs, seeds, strict=True)]
            for pair, ended in zip(pairs, self.lanes.perform(policy, starts), strict=True):
                self._record(pair, ended)

    def _run_batches(self, ask: Callable[[Any, NDArray[np.uint64]], NDArray[Any]]) -> None:
        self._begin(list(range(self.plan.lanes)))
        while self.playing:
            try:
                actions = ask(_prepared(self._shown()), self.streams)
            except Exception as error:
                self._give_up(error, ask)
                continue
            self.observations, ended = self.lanes.step(actions)
            self._begin(self._collect(ended))

    def _begin(self, free: list[int]) -> None:
        """Give these lanes the next episodes, as far as there are any."""
        while free and (pairs := list(islice(self.waiting, len(free)))):
            lanes = free[: len(pairs)]
            seeds = self._seeds(np.array(lanes), pairs)
            tasks = [pair[0] for pair in pairs]
            starts = [self.plan.start(t, s) for t, s in zip(tasks, seeds, strict=True)]
            self.playing.update(zip(lanes, pairs, strict=True))
            self.observations, ended = self.lanes.begin(dict(zip(lanes, starts, strict=True)))
            free = self._collect(ended)

    def _seeds(self, lanes: NDArray[np.int64], pairs: Sequence[Pair]) -> NDArray[np.int64]:
        task, rollout = np.array(pairs).T
        return seed_lanes(self.streams, lanes, task, rollout, self.plan.seed, self.agent)

    def _collect(self, ended: Sequence[tuple[int, Ended]]) -> list[int]:
        """Count the episodes that ended: their lanes, which are free now."""
        free = [lane for lane, _ in ended if lane in self.playing]
        for lane, what in ended:
            if lane in self.playing:
                self._record(self.playing.pop(lane), what)
        return free

    def _record(self, pair: Pair, ended: Ended) -> None:
        """Count an episode, unless one on the same task has gone wrong before."""
        self.advance(1)
        if (self.agent, pair[0]) in self.scores.failed:
            return
        if ended.error:
            self._fail([pair[0]], ended.error, RemoteTraceback(ended.trace))
        else:
            self.scores.add(self.agent, pair, ended)

    def _fail(self, tasks: Sequence[int], error: str, cause: Exception) -> None:
        """Note what went wrong with these tasks, or raise it."""
        name = self.plan.names[self.agent]
        if not self.plan.skip:
            raise PlayError(f"{name} on {_listed(tasks)}: {error}") from cause
        self.scores.failed.update({(self.agent, task): error for task in tasks})

    def _shown(self) -> Any:
        """What the agent is shown; lanes that were given up repeat one that is being played."""
        lanes, first = self.plan.lanes, next(iter(self.playing))
        return _take(self.observations, [i if i in self.playing else first for i in range(lanes)])

    def _give_up(self, error: Exception, ask: Callable[..., Any]) -> None:
        """The agent raised: give up the tasks at fault and go on with the others."""
        if isinstance(error, BadAnswerError) and not self.plan.skip:
            raise BadAnswerError(f"{self.plan.names[self.agent]}: {error}") from error
        at_fault = self._at_fault(ask)
        self._fail(at_fault, f"{type(error).__name__}: {error}", error)
        free = [lane for lane, (task, _) in self.playing.items() if task in at_fault]
        for lane in free:
            del self.playing[lane]
        self._begin(free)

    def _at_fault(self, ask: Callable[..., Any]) -> list[int]:
        """Tasks with an observation that the agent alone raises at; all, if there is none."""
        found = set()
        for lane, (task, _) in self.playing.items():
            repeated = _take(self.observations, [lane] * self.plan.lanes)
            try:
                ask(_prepared(repeated), self.streams.copy())
            except Exception:
                found.add(task)
        return sorted(found or {task for task, _ in self.playing.values()})


def _ask(policy: Any, stage: Stage) -> Callable[[Any, NDArray[np.uint64]], NDArray[Any]]:
    """A function from observations and streams to actions."""
    squashed = False
    if isinstance(policy, MLPPolicy):
        squashed = isinstance(policy.output, Gaussian) and policy.output.squashed
        policy = network_function(policy)
    take = partial(take_actions, stage=stage, squashed=squashed)
    return lambda observations, streams: take(policy(observations), streams=streams)


def _prepared(observations: Any) -> Any:
    """Fractions in single precision, as networks take them."""
    if isinstance(observations, Mapping):
        return {name: _prepared(part) for name, part in observations.items()}
    if isinstance(observations, np.ndarray) and observations.dtype.kind == "f":
        return np.ascontiguousarray(observations, np.float32)
    return observations


def _take(batch: Any, places: Sequence[int]) -> Any:
    """Some entries of a batch, in a batch of its own."""
    if isinstance(batch, Mapping):
        return {name: _take(part, places) for name, part in batch.items()}
    if isinstance(batch, np.ndarray):
        return batch[places]
    return tuple(batch[place] for place in places)


def _paying_processes(plan: Plan) -> int:
    """As many as cores where they pay, judged by random actions on the first task."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if cores == 1 or sys.platform != "linux":
        return 1  # elsewhere a process would first run the caller's script a second time
    lane = Lane(plan.environment, plan.stage, 0)
    start, steps, episodes = plan.start(0, np.zeros(2, np.int64)), 0, 0
    try:
        lane.begin(start)  # before the clock runs: making a copy may take long
        began = time.perf_counter()
        while (spent := time.perf_counter() - began) < _PROBE_SECONDS:
            lane.begin(start)
            episodes, ended = episodes + 1, None
            while ended is None and time.perf_counter() - began < _PROBE_SECONDS:
                ended, steps = lane.advance(plan.stage.action_space.sample()), steps + 1
    except Exception:
        return 1  # playing will tell what is wrong
    finally:
        lane.close()
    total = len(plan.policies) * len(plan.rows) * plan.rollouts * spent / max(1, episodes)
    return cores if total > _PAYING_SECONDS and spent / max(1, steps) > _PAYING_STEP else 1


def _check_key(environment: GymEnvironment, scores: Scores) -> None:
    """An entry of the info that no episode had is a misspelling, not a failure of all agents."""
    rule, played = environment.rule, int(scores.rollouts.sum())
    if isinstance(rule, InfoKey) and played and rule.key not in scores.keys:
        there = ", ".join(sorted(scores.keys)) or "nothing at all"
        raise ValueError(
            f"no info of {environment.name} had an entry {rule.key!r} in {played} episodes, so"
            f" nobody can tell success; there was: {there}"
        )


def _outcomes(plan: Plan, scores: Scores, keep_returns: bool) -> Outcomes:
    complete = (scores.rollouts == plan.rollouts).all()
    means = scores.rewards / np.maximum(scores.rollouts, 1)
    info = {
        "environment": plan.environment.name,
        "seed": plan.seed,
        "success": plan.environment.rule.words,
        "max_steps": plan.stage.max_steps,
    }
    if plan.skip:
        info["errors"] = [
            {"agent": plan.names[agent], "task": f"task-{task}", "error": error}
            for (agent, task), error in sorted(scores.failed.items())
        ]
    return Outcomes(
        successes=_small(scores.successes),
        rollouts=np.array(plan.rollouts) if complete else _small(scores.rollouts),
        agents=np.array(plan.names),
        features=plan.rows,
        feature_names=tuple(column.name for column in plan.columns),
        steps=_small(scores.steps),
        returns=np.float32(means) if keep_returns else None,
        results=scores.results,
        info=info,
    )


def _small(counts: NDArray[np.int64]) -> NDArray[np.unsignedinteger[Any]]:
    return counts.astype(np.min_scalar_type(int(counts.max())))


def _listed(tasks: Sequence[int], most: int = 3) -> str:
    shown = ", ".join(f"task-{task}" for task in tasks[:most])
    return shown + (f" and {len(tasks) - most} more" if len(tasks) > most else "")
