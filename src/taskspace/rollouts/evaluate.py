"""`evaluate`: the agents of a population play tasks; the number of cores changes no result."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from taskspace import checks
from taskspace.agents.adapters import named_policy
from taskspace.agents.policies import MLPPolicy
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.base import Environment, check_environment
from taskspace.envs.from_gymnasium import GymEnvironment
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import progress_bar
from taskspace.rollouts.accumulator import Accumulator, CountsStore
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
    checkpoints: Checkpoints = NONE,
) -> Outcomes:
    """Play every agent on every task several times, and count the successes.

    Networks (`MLPPolicy`, and Stable-Baselines3 models with a plain network) run in the compiled
    engine; other agents choose one batch of actions at a time. Gymnasium steps a `GymEnvironment`,
    whose agents may also be `EpisodeAgent`s. The result depends only on the arguments up to `seed`.

    Args:
        population: A `Population`, a list of agents, a mapping from names to agents, or one agent.
        env: The environment.
        tasks: The tasks (tasks, columns).
        rollouts: The number of rollouts per pair of an agent and a task.
        seed: The seed.
        threads: The number of threads, for an `Environment`; by default one per core.
        workers: The number of processes, for a `GymEnvironment`; by default one per core if its
            steps are slow enough for this to save time, else one.
        executor: "ray" to run on a Ray cluster: the one that the program is connected to, else the
            one at RAY_ADDRESS, else one that is started on this machine. The work of lost workers
            and nodes is repeated. None runs on this machine.
        on_error: What to do if an agent or the environment raises an error during an episode:
            "raise" a `PlayError` that names the agent and the task, or "skip" the remaining
            rollouts of this pair and list it in `info["errors"]` of the outcomes.
        keep_results: Whether the outcomes include the result of each rollout.
        keep_returns: Whether the outcomes include the mean returns (of the shaped reward, if the
            environment has one) and, with several rollouts, their spreads. They are kept in any
            case if the environment has no notion of success; such outcomes are returns.
        progress: Whether to show a progress bar; by default only on a terminal.
        checkpoints: Where `run` stores the counts of an `Environment`'s agents from time to time;
            by default nowhere.

    Returns:
        The outcomes.

    Raises:
        TypeError: If an agent or the environment has the wrong type.
        ValueError: If another argument is invalid, or if an agent does not fit the environment.
        PlayError: If an agent or the environment raises an error during an episode.
        PolicyOutputError: If an agent returns something other than actions.

    Example:
        >>> import taskspace as ts
        >>> env = ts.make("MultiKeyNav")
        >>> from taskspace.agents.policies import ExpertPolicy
        >>> agents = {"expert": ExpertPolicy(env), "untrained": ts.MLPPolicy.random(env, seed=0)}
        >>> outcomes = ts.evaluate(agents, env, env.sample_tasks(100, seed=0), rollouts=5)
        >>> outcomes.rates.mean(axis=1).round(2)
        array([0.99, 0.01])
    """
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', got {checks.brief(on_error)}")
    remote = on_ray(executor, threads=threads, workers=workers)
    names, agents = _named(population)
    if isinstance(env, GymEnvironment):
        if threads is not None:
            raise ValueError(
                f"threads must be None for the Gymnasium environment {env.name},"
                f" got {checks.brief(threads)};"
                " use workers="
            )
        return evaluate_gymnasium(
            env, names, agents, tasks, rollouts, seed=seed, workers=workers, remote=remote,
            on_error=on_error, keep_results=keep_results, keep_returns=keep_returns,
            progress=progress,
        )  # fmt: skip
    if check_environment(env).step is None:
        raise ValueError(
            f"there are no steps in {env.name}; play its agents with taskspace.rollouts.karel.play"
        )
    if workers is not None:
        raise ValueError(
            f"workers must be None for the compiled environment {env.name}, which runs in threads,"
            f" got {checks.brief(workers)}; use threads="
        )
    if on_error == "skip" and keep_results:
        raise ValueError("keep_results must be False with on_error='skip', got True")
    found = [named_policy(name, agent, env) for name, agent in zip(names, agents, strict=True)]
    policies = [EnginePolicy.prepare(p, env) if isinstance(p, MLPPolicy) else p for p in found]
    rows = env.check_tasks(tasks)
    if not len(rows):
        raise ValueError("tasks must be at least one task, got none")
    rollouts = checks.whole(rollouts, "rollouts", 1, checks.MOST_ROLLOUTS)
    asked = threads if threads is not None else os.cpu_count() or 1
    threads = checks.whole(asked, "threads", 1, checks.MOST_THREADS)
    key = checks.seed(seed)
    evaluation = CompiledEvaluation(
        env, names, rows, rollouts, key, keep_results, keep_returns, on_error == "skip"
    )
    totals = Accumulator.empty(
        names, len(rows), rollouts,
        keep_results=keep_results, keep_returns=keep_returns, horizon=env.horizon,
    )  # fmt: skip
    store = CountsStore(checkpoints)
    store.restore(totals)
    left = [None if agent in store.finished else policy for agent, policy in enumerate(policies)]
    with connected() if remote else contextlib.nullcontext():
        pieces = play_on_ray(evaluation, left) if remote else play_here(evaluation, left, threads)
        with (
            contextlib.closing(pieces),
            progress_bar("Playing episodes", totals.successes.size * rollouts, progress) as advance,
        ):
            advance(len(store.finished) * len(rows) * rollouts)
            for chunk, part in pieces:
                totals.add(chunk.agent, part)
                advance(chunk.last - chunk.first)
                if chunk.last == len(rows) * rollouts:  # the chunks of an agent come in order
                    store.finish(chunk.agent, totals)
    return _outcomes(evaluation, totals)


def _outcomes(evaluation: CompiledEvaluation, totals: Accumulator) -> Outcomes:
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
        raise ValueError("the population must be at least one agent, got an empty one")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the names of agents must be distinct, got {repeated!r} twice")
    return names, agents
