"""`check_env`: test that an environment fulfils the contract of `Environment`."""

from __future__ import annotations

import warnings

import numpy as np
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from numpy.typing import NDArray

from taskspace.agents.policies import ExpertPolicy
from taskspace.envs.base import Environment, check_environment
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED, empty_lanes
from taskspace.envs.to_gymnasium import TaskEnv
from taskspace.rollouts.evaluate import evaluate
from taskspace.rollouts.trajectories import record

_TASKS = 500


def check_env(env: Environment) -> None:
    """Test that an environment fulfils the contract of `Environment`.

    The checks cover spaces and bounds, determinism, the horizon, random failures, rewards, the
    expert (if there is one), tasks, clusters and drawings.

    Args:
        env: The environment.

    Raises:
        TypeError: If `env` is not an `Environment`.
        AssertionError: If a check fails; the message says which one.

    Example:
        >>> import taskspace as ts
        >>> from taskspace.testing import check_env
        >>> check_env(ts.make("MultiKeyNav"))
    """
    _check_facts(check_environment(env))
    for distribution in env.distributions:
        _check_tasks(env, distribution)
    tasks = env.sample_tasks(_TASKS, seed=1)
    _check_clusters(env, tasks)
    _check_episodes(env, tasks)
    _check_failures(env, tasks)
    if env.expert is not None:
        _check_expert(env, tasks)
    _check_drawing(env, tasks)
    with warnings.catch_warnings():
        # Advice on the scale of actions and the bounds of velocities; errors are still raised.
        warnings.filterwarnings("ignore", message=".*Box (observation|action) space.*")
        gymnasium_check_env(TaskEnv(env), skip_render_check=True)


def _check_facts(env: Environment) -> None:
    assert env.state_size > 0, "columns must not be empty"
    assert len(set(env.state_names)) == env.state_size, "the names of columns must be unique"
    assert env.horizon >= 1, f"horizon must be at least 1, got {env.horizon}"
    assert 0 < env.gamma <= 1, f"gamma must be in (0, 1], got {env.gamma}"
    unknown = set(env.context) - set(env.state_names)
    assert not unknown, f"context must be names of columns, got {sorted(unknown)}"


def _check_tasks(env: Environment, distribution: str) -> None:
    tasks = env.sample_tasks(_TASKS, seed=0, distribution=distribution)
    assert tasks.shape == (_TASKS, env.state_size), (
        f"sample_tasks must return shape {(_TASKS, env.state_size)}, got {tasks.shape}"
    )
    env.check_tasks(tasks)  # sampled tasks must be valid
    again = env.sample_tasks(_TASKS, seed=0, distribution=distribution)
    assert (tasks == again).all(), "sample_tasks must return equal tasks for equal seeds"
    other = env.sample_tasks(_TASKS, seed=1, distribution=distribution)
    assert (tasks != other).any(), "sample_tasks must return different tasks for different seeds"
    bad = tasks[0].copy()
    bad[0] = np.nan
    try:
        env.check_tasks(bad)
    except ValueError:
        return
    raise AssertionError("check_tasks must raise a ValueError for NaN")


def _check_clusters(env: Environment, tasks: NDArray[np.float64]) -> None:
    labels = env.clusters(tasks)
    assert labels.shape == (len(tasks),), (
        f"clusters must return one label per task, got shape {labels.shape}"
    )
    known = (labels >= 0) & (labels < len(env.cluster_names))
    assert known.all(), "clusters must return indices of cluster_names"


def _random_actions(env: Environment, steps: int, lanes: int) -> NDArray[np.generic]:
    rng = np.random.default_rng(0)
    if env.discrete:
        return rng.integers(0, len(env.action_names), (steps, lanes))
    bound = float(env.action_bound or 1.0)
    return rng.uniform(-bound, bound, (steps, lanes, len(env.action_names)))


def _play(env: Environment, tasks: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Play random actions; returns states, status and rewards of every lane at each step."""
    states, streams = empty_lanes(env.state_size, len(tasks))
    states[:] = tasks.T
    streams[:] = np.random.default_rng(1).integers(1, 2**63, streams.shape, np.uint64)
    elapsed, status = np.zeros(len(tasks), np.int64), np.full(len(tasks), RUNNING)
    rewards, history = np.zeros(len(tasks)), []
    for actions in _random_actions(env, env.horizon + 1, len(tasks)):
        env.lanes.step(states, actions, streams, elapsed, status, rewards, gamma, env.horizon)
        history.append(np.vstack([states, status, rewards]))
    return np.array(history)


def _check_episodes(env: Environment, tasks: NDArray[np.float64]) -> None:
    history = _play(env, tasks, env.gamma)
    states, status = history[:, : env.state_size], history[:, env.state_size]
    assert np.isfinite(states).all(), "states must be finite"
    for column in env.context_columns:
        assert (states[:, column] == tasks[:, column]).all(), (
            f"context must be columns that never change in an episode, got"
            f" {env.state_names[column]}, which changes"
        )
    assert np.array_equal(history, _play(env, tasks, env.gamma)), (
        "episodes with equal seeds must be equal"
    )
    space = env.observation_space
    inside = (np.float32(states.transpose(0, 2, 1)) >= space.low) & (
        np.float32(states.transpose(0, 2, 1)) <= space.high
    )
    assert inside.all(), "states must be inside the observation space"
    assert set(np.unique(status)) <= {RUNNING, SOLVED, FAILED, OUT_OF_TIME}, (
        "status must be RUNNING, SOLVED, FAILED or OUT_OF_TIME"
    )
    assert (status[env.horizon - 1 :] != RUNNING).all(), "episodes must end at the horizon"
    early = status[: env.horizon - 1]
    assert (early != OUT_OF_TIME).all(), "episodes must not run out of time before the horizon"
    if env.reward is None:
        rewards = history[:, env.state_size + 1]
        ends = np.diff(status, axis=0, prepend=RUNNING) != 0
        assert ((rewards == 1) == (ends & (status == SOLVED))).all(), (
            "reward must be 1 on success and 0 otherwise"
        )


def _check_failures(env: Environment, tasks: NDArray[np.float64]) -> None:
    """With gamma = 0.5, every first step must fail with probability 1/2, before its action."""
    first = _play(env, np.repeat(tasks, 8, axis=0), 0.5)[0]
    assert (first[env.state_size] == FAILED).mean() > 0.5 - 4 * np.sqrt(0.25 / (8 * len(tasks))), (
        "steps must fail at random with probability 1 - gamma, got fewer failures"
    )


def _check_expert(env: Environment, tasks: NDArray[np.float64]) -> None:
    class Reliable(type(env)):  # type: ignore[misc]
        gamma = 1.0

    reliable = Reliable()
    solved = record(ExpertPolicy(reliable), reliable, tasks).solved.mean()
    assert solved >= 0.99, f"the expert must solve at least 99 % of the tasks, got {solved:.1%}"
    rates = evaluate([ExpertPolicy(env)], env, tasks, rollouts=2).rates
    floor = env.gamma**env.horizon * 0.99 - 4 * np.sqrt(0.25 / rates.size)
    assert rates.mean() >= floor, "the expert must not fail more often than random failures explain"


def _check_drawing(env: Environment, tasks: NDArray[np.float64]) -> None:
    assert env.draw_task(tasks[0]).has_data() or env.draw_task(tasks[0]).patches, (
        "draw_task must draw something"
    )
    states = np.vstack([tasks[0], tasks[0]])
    actions = np.zeros(1, np.int64) if env.discrete else np.zeros((1, len(env.action_names)))
    env.draw_episode(states, actions)
    assert env.text(tasks[0]).strip(), "text must not be empty"
