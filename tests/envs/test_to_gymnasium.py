"""The environments in Gymnasium: one copy, and many stepped by one call."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

import taskspace as ts
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.envs.to_gymnasium import TaskEnv, TaskVectorEnv
from tests.envs.twin import karel_task
from tests.messages import says

TASKS: dict[str, Any] = {
    "MultiKeyNav": [0.25, 1, 0, 0, 1, 1, 1],
    "MultiKeyNavAB": [0.25, 1, 0, 0, 1, 1, 1],
    "MultiKeyNavA": [0.25, 1, 0, 0, 1, 1, 1],
    "CartPoleVar": [0.01, -0.02, 0.03, -0.04, -7.5, 1, 0],
    "PointMass": [0, 0, 3, 0, -1.5, 2.5, 0.5],
    "BasicKarel": karel_task(5, 1, to=6, walls=[0, 15], markers=[3]),
}
BAD: dict[str, tuple[Any, str]] = {
    "MultiKeyNav": ([2, 0, 0, 0, 0, 0, 0], "location 2"),
    "CartPoleVar": ([0, 0, 0, 0, 1, 0, 0], "F 5 15"),
    "PointMass": ([0, 0, 0, 0, 1, 1, 1], "y 0 3"),
    "BasicKarel": (karel_task(5, walls=[5]), "BasicKarel wall"),
}
DOOR = [0.95, 1, 1, 0, 0, 0, 0]  # MultiKeyNav, one `finish` from success
FINISH = 6
# What Gymnasium's checker says of any unbounded state and any unscaled action.
KNOWN_WARNINGS = ("-infinity", "is infinity", "symmetric and normalized")


def random_actions(env: Any, steps: int, copies: int, seed: int = 0) -> NDArray[Any]:
    rng, space = np.random.default_rng(seed), env.task_environment.action_space
    if env.task_environment.discrete:
        return rng.integers(0, space.n, (steps, copies))
    return rng.uniform(-10, 10, (steps, copies, 2))


# -- one copy --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    env = gymnasium.make(f"taskspace/{name}-v0")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    said = [str(warning.message) for warning in caught]
    assert not [text for text in said if not any(known in text for known in KNOWN_WARNINGS)]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_reset_starts_the_given_task(name: str) -> None:
    env = gymnasium.make(f"taskspace/{name}-v0")
    observation, _ = env.reset(options={"task": TASKS[name]})
    assert observation.dtype == np.float32
    np.testing.assert_array_equal(observation, np.float32(TASKS[name]))


@pytest.mark.parametrize("name", BAD)
def test_reset_refuses_a_bad_task_with_the_reason(name: str) -> None:
    task, tokens = BAD[name]
    with pytest.raises(ValueError, match=says(tokens)):
        TaskEnv(name).reset(options={"task": task})


def test_reset_of_one_copy_refuses_two_tasks() -> None:
    with pytest.raises(ValueError, match=says("MultiKeyNav 2 1")):
        TaskEnv("MultiKeyNav").reset(options={"task": [DOOR, DOOR]})


def trace(env: Any, seed: int | None, steps: int = 60) -> NDArray[np.float32]:
    """Observations of a few episodes after reset(seed)."""
    rows = [env.reset(seed=seed)[0]]
    for action in random_actions(env, steps, 1)[:, 0]:
        observation, _, terminated, truncated, _ = env.step(action)
        rows.append(observation)
        if terminated or truncated:
            rows.append(env.reset()[0])
    return np.array(rows)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_seed_reproduces_tasks_and_steps(name: str) -> None:
    env = TaskEnv(name)
    first = trace(env, 4)
    np.testing.assert_array_equal(first, trace(env, 4))
    np.testing.assert_array_equal(first, trace(TaskEnv(name), 4))
    other = trace(env, 5)
    assert first.shape != other.shape or (first != other).any()


def test_without_a_seed_episodes_differ() -> None:
    one, other = (TaskEnv("CartPoleVar").reset()[0] for _ in range(2))
    assert (one != other).any()


def test_a_second_reset_draws_another_task() -> None:
    env = TaskEnv("CartPoleVar")
    assert (env.reset(seed=0)[0] != env.reset()[0]).any()


def test_a_step_after_the_end_needs_a_reset() -> None:
    env = TaskEnv("MultiKeyNav")
    env.reset(options={"task": TASKS["MultiKeyNav"]})
    assert env.step(FINISH)[2:4] == (True, False)
    with pytest.raises(ResetNeeded, match=says("reset()")):
        env.step(0)


def test_a_step_before_the_first_reset_needs_one() -> None:
    with pytest.raises(ResetNeeded, match=says("reset()")):
        TaskEnv("MultiKeyNav").step(0)


@pytest.mark.parametrize("action", [-1, 7, 1.0, "finish", None, [1]])
def test_a_bad_action_is_refused(action: Any) -> None:
    env = TaskEnv("MultiKeyNav")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=says(f"MultiKeyNav {action!r}")):
        env.step(action)


@pytest.mark.parametrize("action", [0.0, [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], [np.nan, 0.0]])
def test_a_bad_force_is_refused(action: Any) -> None:
    env = TaskEnv("PointMass")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=says("actions")):
        env.step(action)


def test_success_is_told_apart_from_failure() -> None:
    env = TaskEnv("MultiKeyNav")
    env.reset(seed=0, options={"task": DOOR})
    assert env.step(FINISH)[1:] == (1.0, True, False, {"is_success": True})
    env.reset(options={"task": [0.5, *DOOR[1:]]})
    assert env.step(FINISH)[1:] == (0.0, True, False, {"is_success": False})


def test_the_horizon_truncates() -> None:
    env = TaskEnv("PointMass")
    env.reset(seed=0)
    ends = [env.step([0.0, 0.0])[1:] for _ in range(100)]
    assert ends[98] == (0.0, False, False, {})
    assert ends[99] == (0.0, False, True, {"is_success": False})


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_render_gives_a_picture_that_is_not_blank(name: str) -> None:
    env = gymnasium.make(f"taskspace/{name}-v0", render_mode="rgb_array")
    env.reset(seed=0)
    picture: Any = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape == (300, 400, 3)
    assert 0.01 < (picture != 255).any(axis=2).mean() < 0.99


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_render_gives_text(name: str) -> None:
    env = gymnasium.make(f"taskspace/{name}-v0", render_mode="ansi")
    env.reset(seed=0)
    text: Any = env.render()
    assert isinstance(text, str)
    assert text.strip()


def test_render_shows_the_present_state() -> None:
    env = TaskEnv("MultiKeyNav", render_mode="rgb_array")
    env.reset(seed=0, options={"task": TASKS["MultiKeyNav"]})
    before = env.render()
    env.step(1)
    assert (env.render() != before).any()


def test_an_unknown_render_mode_is_refused() -> None:
    with pytest.raises(ValueError, match=says("render_mode None 'rgb_array' 'ansi' 'human'")):
        TaskEnv("MultiKeyNav", render_mode="human")


def test_tasks_restricts_what_is_drawn() -> None:
    env = ts.make("CartPoleVar")
    tasks = env.sample_tasks(3, seed=0)
    single = gymnasium.make("taskspace/CartPoleVar-v0", tasks=tasks)
    drawn = np.array([single.reset(seed=None if i else 1)[0] for i in range(60)])
    known = {row.tobytes() for row in tasks.astype(np.float32)}
    assert {row.tobytes() for row in drawn} == known


def test_no_tasks_to_draw_from_are_refused() -> None:
    with pytest.raises(ValueError, match=says("tasks empty")):
        TaskEnv("MultiKeyNav", tasks=np.zeros((0, 7)))


def test_a_bad_task_to_draw_from_is_refused() -> None:
    with pytest.raises(ValueError, match=says("location 2")):
        TaskEnv("MultiKeyNav", tasks=BAD["MultiKeyNav"][0])


def test_tasks_stay_those_given_when_the_array_changes_later() -> None:
    tasks = np.array([DOOR])
    env = TaskEnv("MultiKeyNav", tasks=tasks)
    tasks[:] = np.nan
    assert np.isfinite(env.reset(seed=0)[0]).all()


@pytest.mark.parametrize(
    ("name", "distribution"), [("MultiKeyNav", "door-3"), ("PointMass", "left")]
)
def test_distribution_restricts_what_is_drawn(name: str, distribution: str) -> None:
    env = TaskEnv(name, distribution=distribution)
    drawn = np.array([env.reset(seed=None if i else 1)[0] for i in range(50)])
    if name == "MultiKeyNav":
        assert (drawn[:, 5:] == (1, 0)).all()
    else:
        assert (drawn[:, 4] + drawn[:, 5] / 2 < 0).all()


def test_karel_draws_from_the_data_set_of_its_distribution() -> None:
    env = ts.make("BasicKarel")
    single = TaskEnv(env, distribution="validation")
    known = {row.tobytes() for row in env.sample_tasks(2400, distribution="validation")}
    drawn = [single.reset(seed=None if i else 1)[0].astype(np.float64) for i in range(50)]
    assert {row.tobytes() for row in drawn} <= known


def test_an_unknown_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match=says("MultiKeyNav 'some' all door-1 door-4")):
        TaskEnv("MultiKeyNav", distribution="some")


@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name != "PointMass"])
def test_shaped_reward_is_refused_where_there_is_none(name: str) -> None:
    with pytest.raises(ValueError, match=says(f"{name} reward")):
        TaskEnv(name, shaped=True)


def test_shaped_reward_is_paid_only_when_asked_for() -> None:
    plain, shaped = (TaskEnv("PointMass", shaped=shaped) for shaped in (False, True))
    for env in (plain, shaped):
        env.reset(seed=0, options={"task": TASKS["PointMass"]})
    assert plain.step([0.0, 0.0])[1] == 0
    distance = np.hypot(1.5, 3.0)
    assert shaped.step([0.0, 0.0])[1] == pytest.approx(1e-4 * np.exp(-0.6 * distance), rel=1e-3)


# -- many copies -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "shaped"), [*((name, False) for name in ENVIRONMENTS), ("PointMass", True)]
)
def test_copies_go_the_way_of_single_environments(name: str, shaped: bool) -> None:
    copies, steps = 6, 450
    envs = TaskVectorEnv(name, copies, shaped=shaped)
    singles = [TaskEnv(name, shaped=shaped) for _ in range(copies)]
    rows, _ = envs.reset(seed=30)
    expected = [single.reset(seed=30 + i)[0] for i, single in enumerate(singles)]
    np.testing.assert_array_equal(rows, expected)
    over, ends = [False] * copies, 0
    for actions in random_actions(envs, steps, copies):
        rows, rewards, terminated, truncated, infos = envs.step(actions)
        for i, single in enumerate(singles):
            if over[i]:
                told: Any = (single.reset()[0], 0.0, False, False, {})
            else:
                told = single.step(actions[i])
            np.testing.assert_array_equal(rows[i], told[0])
            assert (rewards[i], terminated[i], truncated[i]) == told[1:4]
            over[i] = told[2] or told[3]
            ends += over[i]
            if over[i]:
                assert infos["_is_success"][i]
                assert infos["is_success"][i] == told[4]["is_success"]
    assert ends >= 2 * copies


def test_nothing_is_said_of_success_while_no_copy_has_ended() -> None:
    envs = TaskVectorEnv("CartPoleVar", 3)
    envs.reset(seed=0)
    assert envs.step(np.zeros(3, np.int64))[4] == {}


def test_copies_without_a_seed_get_different_tasks() -> None:
    rows, _ = TaskVectorEnv("CartPoleVar", 50).reset()
    assert len(np.unique(rows, axis=0)) == 50


def test_each_copy_may_have_its_own_seed() -> None:
    rows, _ = TaskVectorEnv("CartPoleVar", 3).reset(seed=[9, 2, 9])
    assert (rows[0] == rows[2]).all()
    assert (rows[1] == TaskEnv("CartPoleVar").reset(seed=2)[0]).all()
    with pytest.raises(ValueError, match=says("seeds 2 3")):
        TaskVectorEnv("CartPoleVar", 3).reset(seed=[1, 2])


def test_a_copy_without_a_seed_of_its_own_is_random_too() -> None:
    rows, _ = TaskVectorEnv("CartPoleVar", 3).reset(seed=[None, 1, None])
    assert len(np.unique(rows, axis=0)) == 3


def test_each_copy_may_have_its_own_task() -> None:
    env = ts.make("PointMass")
    tasks = env.sample_tasks(4, seed=0)
    rows, _ = TaskVectorEnv(env, 4).reset(options={"task": tasks})
    np.testing.assert_array_equal(rows, tasks.astype(np.float32))


def test_one_task_is_given_to_all_copies() -> None:
    rows, _ = TaskVectorEnv("MultiKeyNav", 4).reset(options={"task": DOOR})
    np.testing.assert_array_equal(rows, np.array([DOOR] * 4, np.float32))


def test_a_wrong_number_of_tasks_is_refused() -> None:
    with pytest.raises(ValueError, match=says("MultiKeyNav 2 3")):
        TaskVectorEnv("MultiKeyNav", 3).reset(options={"task": [DOOR, DOOR]})


def test_reset_mask_resets_the_marked_copies_only() -> None:
    envs = TaskVectorEnv("CartPoleVar", 4)
    envs.reset(seed=0)
    before = envs.step(np.ones(4, np.int64))[0]
    mask = np.array([False, True, False, True])
    after, _ = envs.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(after[~mask], before[~mask])
    assert (after[mask, 6] == 0).all()
    assert envs.step(np.ones(4, np.int64))[0][:, 6].tolist() == [2, 1, 2, 1]


def test_reset_mask_and_tasks_go_together() -> None:
    envs = TaskVectorEnv("MultiKeyNav", 3)
    before, _ = envs.reset(seed=0)
    mask = np.array([False, False, True])
    after, _ = envs.reset(options={"reset_mask": mask, "task": DOOR})
    np.testing.assert_array_equal(after[:2], before[:2])
    np.testing.assert_array_equal(after[2], np.array(DOOR, np.float32))


def test_reset_mask_and_seed_reseed_the_marked_copies_only() -> None:
    one, other = TaskVectorEnv("CartPoleVar", 2), TaskVectorEnv("CartPoleVar", 2)
    one.reset(seed=0)
    other.reset(seed=0)
    one.reset(seed=50, options={"reset_mask": np.array([True, False])})
    rows, _ = one.reset()
    assert (rows[1] == other.reset()[0][1]).all()


def test_copies_left_out_of_the_first_reset_are_random_too() -> None:
    envs = TaskVectorEnv("CartPoleVar", 3)
    envs.reset(seed=0, options={"reset_mask": np.array([True, False, False])})
    rows = envs.step(np.zeros(3, np.int64))[0]  # the other two start now
    assert (rows[1] != rows[2]).any()


@pytest.mark.parametrize("mask", [[True], [1, 0, 1], [False] * 3, [[True] * 3]])
def test_a_bad_reset_mask_is_refused(mask: Any) -> None:
    envs = TaskVectorEnv("MultiKeyNav", 3)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=says("reset_mask 3")):
        envs.reset(options={"reset_mask": np.array(mask)})


def test_tasks_restricts_what_copies_draw_also_at_autoreset() -> None:
    envs = TaskVectorEnv("MultiKeyNav", 5, tasks=[DOOR])
    envs.reset(seed=0)
    for _ in range(6):
        rows = envs.step(np.full(5, FINISH))[0]
        np.testing.assert_array_equal(rows, np.array([DOOR] * 5, np.float32))


def test_autoreset_at_the_next_step_is_declared() -> None:
    envs = gymnasium.make_vec("taskspace/MultiKeyNav-v0", num_envs=2)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_make_vec_steps_all_copies(name: str) -> None:
    envs = gymnasium.make_vec(f"taskspace/{name}-v0", num_envs=7)
    assert isinstance(envs.unwrapped, TaskVectorEnv)
    rows, _ = envs.reset(seed=0)
    assert envs.observation_space.contains(rows)
    envs.action_space.seed(0)
    rows, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
    assert envs.observation_space.contains(rows)
    assert rewards.shape == terminated.shape == truncated.shape == (7,)
    envs.close()


def test_make_vec_of_single_copies_works_too() -> None:
    name = "taskspace/MultiKeyNav-v0"
    envs = gymnasium.make_vec(name, num_envs=3, vectorization_mode="sync")
    rows, _ = envs.reset(seed=0)
    ours, _ = gymnasium.make_vec(name, num_envs=3).reset(seed=0)
    np.testing.assert_array_equal(rows, ours)


@pytest.mark.parametrize(
    "actions",
    [np.zeros(2, np.int64), np.zeros((3, 1), np.int64), np.zeros(3), [0, 7, 0], [0, -1, 0], 0],
)
def test_bad_actions_of_copies_are_refused(actions: Any) -> None:
    envs = TaskVectorEnv("MultiKeyNav", 3)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=says("0 6")):
        envs.step(actions)


@pytest.mark.parametrize("shape", [(1, 2), (4, 2), (3,), (3, 1), (2,), (3, 2, 1)])
def test_bad_forces_of_copies_are_refused(shape: tuple[int, ...]) -> None:
    envs = TaskVectorEnv("PointMass", 3)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=says(f"actions (3, 2) {shape}")):
        envs.step(np.zeros(shape))


def test_a_force_that_is_no_number_is_refused() -> None:
    envs = TaskVectorEnv("PointMass", 2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=says("actions finite 1")):
        envs.step(np.array([[0.0, 0.0], [np.nan, 0.0]]))


def test_copies_need_a_reset_before_the_first_step() -> None:
    with pytest.raises(ResetNeeded, match=says("reset()")):
        TaskVectorEnv("MultiKeyNav", 2).step(np.zeros(2, np.int64))


def test_at_least_one_copy_is_needed() -> None:
    with pytest.raises(ValueError, match=says("num_envs 0")):
        TaskVectorEnv("MultiKeyNav", 0)


def test_what_step_returns_is_not_overwritten_by_the_next_step() -> None:
    envs = TaskVectorEnv("CartPoleVar", 2)
    envs.reset(seed=0)
    first = envs.step(np.ones(2, np.int64))
    kept = [np.array(part) for part in first[:4]]
    envs.step(np.zeros(2, np.int64))
    for part, copy in zip(first[:4], kept, strict=True):
        np.testing.assert_array_equal(part, copy)


def test_copies_render_a_picture_each() -> None:
    envs = gymnasium.make_vec("taskspace/PointMass-v0", num_envs=2, render_mode="rgb_array")
    envs.reset(seed=0)
    pictures: Any = envs.render()
    assert [picture.shape for picture in pictures] == [(300, 400, 3)] * 2


def test_tasks_that_were_checked_start_by_position() -> None:
    tasks = ts.make("MultiKeyNav").sample_tasks(10, seed=0)
    rows = tasks.astype(np.float32)
    env = TaskEnv("MultiKeyNav", tasks=tasks)
    np.testing.assert_array_equal(env.reset(seed=0, options={"task_index": 7})[0], rows[7])
    envs = TaskVectorEnv("MultiKeyNav", 3, tasks=tasks)
    positions, mask = np.array([4, 5, 6]), np.array([True, False, True])
    before, _ = envs.reset(seed=0, options={"task_index": 2})
    np.testing.assert_array_equal(before, rows[[2, 2, 2]])
    after, _ = envs.reset(options={"task_index": positions, "reset_mask": mask})
    np.testing.assert_array_equal(after, rows[[4, 2, 6]])
    for wrong in ([10, 0, 0], [0, -1, 0], [0, 1], 0.5):
        with pytest.raises(ValueError, match=says("task_index")):
            envs.reset(options={"task_index": wrong})
    with pytest.raises(ValueError, match=says("task_index")):
        TaskEnv("MultiKeyNav").reset(options={"task_index": 0})  # it has no tasks of its own
