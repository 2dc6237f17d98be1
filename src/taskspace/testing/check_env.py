"""`check_env`: does an environment keep the contract? For ours, and for your own."""

from __future__ import annotations

import warnings

import numpy as np
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from numpy.typing import NDArray

from taskspace.agents.policies import ExpertPolicy
from taskspace.envs.base import Environment
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED, empty_lanes
from taskspace.envs.to_gymnasium import TaskEnv
from taskspace.rollouts.evaluate import evaluate
from taskspace.rollouts.trajectories import record

_TASKS = 500


def check_env(env: Environment) -> None:
    """Check an environment; an AssertionError says which promise it breaks.

    Spaces and bounds, determinism, the horizon, the random failures, success by the stated rule
    alone, an expert that solves nearly everything, tasks, clusters and drawings.

    >>> import taskspace as ts
    >>> from taskspace.testing import check_env
    >>> check_env(ts.make("MultiKeyNav"))
    """
    _check_facts(env)
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
        # Its advice on how to scale actions and bound velocities; real faults are raised.
        warnings.filterwarnings("ignore", message=".*Box (observation|action) space.*")
        gymnasium_check_env(TaskEnv(env), skip_render_check=True)


def _check_facts(env: Environment) -> None:
    assert env.state_size > 0, "an environment has at least one column"
    assert len(set(env.state_names)) == env.state_size, "two columns have the same name"
    assert env.horizon >= 1, f"the horizon is {env.horizon}; it must be at least 1"
    assert 0 < env.gamma <= 1, f"gamma is {env.gamma}; it must be in (0, 1]"
    unknown = set(env.context) - set(env.state_names)
    assert not unknown, f"context columns that are no columns: {sorted(unknown)}"


def _check_tasks(env: Environment, distribution: str) -> None:
    tasks = env.sample_tasks(_TASKS, seed=0, distribution=distribution)
    assert tasks.shape == (_TASKS, env.state_size), "sample_tasks gives the wrong shape"
    env.check_tasks(tasks)  # what it samples must be valid
    again = env.sample_tasks(_TASKS, seed=0, distribution=distribution)
    assert (tasks == again).all(), "the same seed gives other tasks"
    other = env.sample_tasks(_TASKS, seed=1, distribution=distribution)
    assert (tasks != other).any(), "another seed gives the same tasks"
    bad = tasks[0].copy()
    bad[0] = np.nan
    try:
        env.check_tasks(bad)
    except ValueError:
        return
    raise AssertionError("check_tasks accepts NaN")


def _check_clusters(env: Environment, tasks: NDArray[np.float64]) -> None:
    labels = env.clusters(tasks)
    assert labels.shape == (len(tasks),), "clusters gives a label for each task"
    known = (labels >= 0) & (labels < len(env.cluster_names))
    assert known.all(), "a cluster has no name"


def _random_actions(env: Environment, steps: int, lanes: int) -> NDArray[np.generic]:
    rng = np.random.default_rng(0)
    if env.discrete:
        return rng.integers(0, len(env.action_names), (steps, lanes))
    bound = float(env.action_bound or 1.0)
    return rng.uniform(-bound, bound, (steps, lanes, len(env.action_names)))


def _play(env: Environment, tasks: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Random actions from these tasks: at each step, states and status of every lane."""
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
    assert np.isfinite(states).all(), "a state is not finite"
    assert np.array_equal(history, _play(env, tasks, env.gamma)), "the same seed plays otherwise"
    space = env.observation_space
    inside = (np.float32(states.transpose(0, 2, 1)) >= space.low) & (
        np.float32(states.transpose(0, 2, 1)) <= space.high
    )
    assert inside.all(), "a state leaves the observation space"
    assert set(np.unique(status)) <= {RUNNING, SOLVED, FAILED, OUT_OF_TIME}, "unknown status"
    assert (status[env.horizon - 1 :] != RUNNING).all(), "an episode outlives the horizon"
    early = status[: env.horizon - 1]
    assert (early != OUT_OF_TIME).all(), "an episode runs out of time before the horizon"
    if env.reward is None:
        rewards = history[:, env.state_size + 1]
        ends = np.diff(status, axis=0, prepend=RUNNING) != 0
        assert ((rewards == 1) == (ends & (status == SOLVED))).all(), "reward is 1 on success only"


def _check_failures(env: Environment, tasks: NDArray[np.float64]) -> None:
    """With gamma = 0.5 every first step fails with probability 1/2, before its action."""
    first = _play(env, np.repeat(tasks, 8, axis=0), 0.5)[0]
    assert (first[env.state_size] == FAILED).mean() > 0.5 - 4 * np.sqrt(0.25 / (8 * len(tasks))), (
        "a step fails at random too rarely"
    )


def _check_expert(env: Environment, tasks: NDArray[np.float64]) -> None:
    class Reliable(type(env)):  # type: ignore[misc]
        gamma = 1.0

    reliable = Reliable()
    solved = record(ExpertPolicy(reliable), reliable, tasks).solved.mean()
    assert solved >= 0.99, f"the expert solves {solved:.1%} of the tasks; expected at least 99 %"
    rates = evaluate([ExpertPolicy(env)], env, tasks, rollouts=2).rates
    floor = env.gamma**env.horizon * 0.99 - 4 * np.sqrt(0.25 / rates.size)
    assert rates.mean() >= floor, "the expert fails more often than the random failures explain"


def _check_drawing(env: Environment, tasks: NDArray[np.float64]) -> None:
    assert env.draw_task(tasks[0]).has_data() or env.draw_task(tasks[0]).patches, "draws nothing"
    states = np.vstack([tasks[0], tasks[0]])
    actions = np.zeros(1, np.int64) if env.discrete else np.zeros((1, len(env.action_names)))
    env.draw_episode(states, actions)
    assert env.text(tasks[0]).strip(), "text of a state is empty"
