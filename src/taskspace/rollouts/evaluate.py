"""`evaluate`: a population on tasks, on all cores, with the same result on any number of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.agents.adapters import named_policy
from taskspace.agents.policies import MLPPolicy
from taskspace.envs.base import Environment, check_environment
from taskspace.envs.from_gymnasium import GymEnvironment
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import progress_bar
from taskspace.rollouts.accumulator import Accumulator
from taskspace.rollouts.compiled.chunks import CompiledEvaluation, play_here, play_on_ray
from taskspace.rollouts.compiled.loop import EnginePolicy
from taskspace.rollouts.gymnasium.evaluate import evaluate_gymnasium
from taskspace.rollouts.ray import connected, on_ray


def evaluate(
    population: Any,
    env: Environment | GymEnvironment,
    tasks: Any,
    rollouts: int = 10,
    *,
    seed: int = 0,
    threads: int | None = None,
    workers: int | None = None,
    executor: str | None = None,
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

    With `executor="ray"` all of this happens on a Ray cluster: the one that the program is
    connected to (`ray.init`), or that RAY_ADDRESS names, or else one that is started on this
    machine for the occasion. A worker or a node that is lost on the way is made up for.

    When an agent, or the environment under it, raises in the middle of an episode, so does this,
    and says whose episode on which task it was. With `on_error="skip"` the rest is played; such
    a pair keeps the rollouts played before, and `info["errors"]` tells of it.

    `keep_results` keeps each single outcome, `keep_returns` the mean return (of the shaped reward
    where the environment has one). A bar shows the progress on a terminal, unless `progress`
    says otherwise.

    >>> import taskspace as ts
    >>> env = ts.make("MultiKeyNav")
    >>> from taskspace.agents.policies import ExpertPolicy
    >>> agents = {"expert": ExpertPolicy(env), "untrained": ts.MLPPolicy.random(env, seed=0)}
    >>> outcomes = ts.evaluate(agents, env, env.sample_tasks(100, seed=0), rollouts=5)
    >>> outcomes.rates.mean(axis=1).round(2)
    array([0.99, 0.01])
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', not {on_error!r}")
    remote = on_ray(executor, threads=threads, workers=workers)
    names, agents = _named(population)
    if isinstance(env, GymEnvironment):
        if threads is not None:
            raise ValueError(f"{env.name} is stepped in processes, not threads; pass workers=")
        return evaluate_gymnasium(
            env, names, agents, tasks, rollouts, seed=seed, workers=workers, remote=remote,
            on_error=on_error, keep_results=keep_results, keep_returns=keep_returns,
            progress=progress,
        )  # fmt: skip
    if check_environment(env).step is None:
        raise ValueError(
            f"{env.name} has no steps; agents that write programs are played by"
            " taskspace.rollouts.karel.play"
        )
    if workers is not None:
        raise ValueError(f"{env.name} is compiled and played in threads; pass threads=")
    if on_error == "skip" and keep_results:
        raise ValueError("keep_results needs all rollouts; it does not go with on_error='skip'")
    found = [named_policy(name, agent, env) for name, agent in zip(names, agents, strict=True)]
    policies = [EnginePolicy.prepare(p, env) if isinstance(p, MLPPolicy) else p for p in found]
    rows = env.check_tasks(tasks)
    if not len(rows):
        raise ValueError("there are no tasks; expected at least one")
    rollouts = checks.whole(rollouts, "rollouts", 1)
    threads = checks.whole(threads if threads is not None else os.cpu_count() or 1, "threads", 1)
    key = checks.seed(seed)
    evaluation = CompiledEvaluation(
        env, names, rows, rollouts, key, keep_results, keep_returns, on_error == "skip"
    )
    totals = Accumulator.empty(
        names, len(rows), rollouts,
        keep_results=keep_results, keep_returns=keep_returns, horizon=env.horizon,
    )  # fmt: skip
    with connected() if remote else contextlib.nullcontext():
        pieces = (
            play_on_ray(evaluation, policies)
            if remote
            else play_here(evaluation, policies, threads)
        )
        with (
            contextlib.closing(pieces),
            progress_bar("Playing episodes", totals.successes.size * rollouts, progress) as advance,
        ):
            for chunk, part in pieces:
                totals.add(chunk.agent, part)
                advance(chunk.last - chunk.first)
    return _outcomes(evaluation, totals)


def _outcomes(evaluation: CompiledEvaluation, totals: Accumulator) -> Outcomes:
    if totals.returns is not None:
        # Chunks have divided by all rollouts, also by those that went wrong.
        totals.returns *= evaluation.rollouts / np.maximum(totals.played(), 1)
    info: dict[str, Any] = {
        "environment": evaluation.env.name,
        "seed": evaluation.seed,
        "success": "the environment's own rule",
    }
    if evaluation.skip:
        info["errors"] = totals.error_list()
    return totals.outcomes(evaluation.tasks, evaluation.env.state_names, info)


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
