"""The pictures: every environment draws its tasks and episodes, on any axes, without pyplot."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.rollouts.trajectories import record
from tests.envs.twin import karel_task, play
from tests.messages import says


def axes(size: tuple[float, float] = (4, 3)) -> Axes:
    return Figure(figsize=size, dpi=80, layout="constrained").add_subplot()


def picture(ax: Axes) -> NDArray[np.uint8]:
    figure: Any = ax.figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def ink(ax: Axes) -> float:
    """The share of the picture that is not white."""
    return float((picture(ax) != 255).any(axis=2).mean())


def words(ax: Axes) -> str:
    return " ".join(text.get_text() for text in ax.texts)


def downwards(observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """Forces for PointMass, which has no expert: straight to the goal."""
    x, vx, y, vy = observations.T[:4]
    return np.stack([-x - vx, -3 - y - vy], 1)


def episode(name: str, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[Any]]:
    env = ts.make(name)
    agent: Any = downwards if name == "PointMass" else ExpertPolicy(env)
    return record(agent, env, env.sample_tasks(1, seed=seed), seed=seed)[0]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_task_is_drawn_on_the_given_axes(name: str) -> None:
    env, ax = ts.make(name), axes()
    assert env.draw_task(env.sample_tasks(1, seed=0), ax) is ax
    assert 0.01 < ink(ax) < 0.99


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_task_is_drawn_on_a_new_figure(name: str) -> None:
    env = ts.make(name)
    assert ink(env.draw_task(env.sample_tasks(1, seed=1)[0])) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_episode_is_drawn(name: str) -> None:
    ax = axes()
    assert ts.make(name).draw_episode(*episode(name), ax) is ax
    assert 0.01 < ink(ax) < 0.99


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_episode_is_drawn_on_a_new_figure(name: str) -> None:
    assert ink(ts.make(name).draw_episode(*episode(name, 1))) > 0.01


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_episode_without_a_step_is_drawn(name: str) -> None:
    env = ts.make(name)
    states = env.sample_tasks(1, seed=0)
    actions = np.zeros(0, np.int64) if env.discrete else np.zeros((0, 2))
    assert ink(env.draw_episode(states, actions)) > 0.01


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_states_in_the_middle_of_an_episode_are_drawn_and_told(name: str) -> None:
    env = ts.make(name)
    states, _ = episode(name)
    for state in states[:: max(1, len(states) // 5)]:
        ax = axes()
        env.draw_state(state, ax)
        assert ink(ax) > 0.01
        assert env.text(state).strip()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_different_tasks_look_different(name: str) -> None:
    env = ts.make(name)
    one, other = (picture(env.draw_task(task, axes())) for task in env.sample_tasks(2, seed=0))
    assert (one != other).any()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_small_axes_get_small_letters(name: str) -> None:
    env = ts.make(name)
    task = env.sample_tasks(1, seed=0)
    large, small = (env.draw_task(task, axes(size)) for size in ((4, 3), (1, 0.75)))
    assert float(small.texts[0].get_fontsize()) < float(large.texts[0].get_fontsize())


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_bad_task_is_not_drawn(name: str) -> None:
    env = ts.make(name)
    task, ax = env.sample_tasks(1, seed=0)[0], axes()
    task[0] = 7
    with pytest.raises(ValueError, match=says(f"task 0 {name} 7")):
        env.draw_task(task, ax)
    assert not ax.texts


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_text_differs_between_tasks(name: str) -> None:
    env = ts.make(name)
    texts = {env.text(task) for task in env.sample_tasks(10, seed=0)}
    assert all(text.strip() for text in texts)
    assert len(texts) > 5


@pytest.mark.slow
def test_drawing_leaves_pyplot_alone() -> None:
    code = f"""
import sys, numpy as np, taskspace as ts
for name in {list(ENVIRONMENTS)!r}:
    env = ts.make(name)
    tasks = env.sample_tasks(1, seed=0)
    env.draw_task(tasks)
    actions = np.zeros(1, int) if env.discrete else np.zeros((1, 2))
    env.draw_episode(np.vstack([tasks, tasks]), actions)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


NAV = [0.95, 1, 1, 0, 0, 0, 0]
MASS = [0, 0, 0.05, -4, 0, 2, 0]
CART = [0, 0, 0, 0, 10, 0, 0]
KAREL = karel_task(5, 0, to=1)


@pytest.mark.parametrize(
    ("name", "start", "actions", "pattern"),
    [
        ("MultiKeyNav", NAV, [6], "Solved.* 1 "),
        ("MultiKeyNav", [0.5, *NAV[1:]], [6], "Crashed.* 1.*door"),
        ("MultiKeyNav", [0.95, 1, 0, 0, 0, 0, 0], [6], "Crashed.* 1.* B"),
        ("MultiKeyNav", [0.95, 0, 0, 0, 0, 0, 0], [1, 2], "Crashed.* 2.* A"),
        ("MultiKeyNav", [0.98, *NAV[1:]], [1] * 40, "time.* 40"),
        ("MultiKeyNav", NAV, [1, 1], "first 2"),
        ("CartPoleVar", [0, 0, 0.2, 2, 10, 0, 0], [1], "Crashed.* 1"),
        ("CartPoleVar", CART, [1, 0], "2 .*200"),
        ("PointMass", [0, 0, -2.9, 0, 0, 2, 0], [[0, 0]], "Solved.* 1 "),
        ("PointMass", MASS, [[0, 0]], "first 1"),
        ("PointMass", [*MASS[:4], 3, 2, 0], [[0, 0]], "Crashed.* wall.* 1"),
        ("PointMass", [0, 0, 3, 0, 0, 2, 0], [[0, 0]] * 100, "time.* 100"),
        ("BasicKarel", KAREL, [0, 5], "finish ✓"),
        ("BasicKarel", KAREL, [1, 5], "finish ✗"),
        ("BasicKarel", KAREL, [0, 0], "move ✗"),
    ],
)
def test_an_episode_tells_how_it_ended(
    name: str, start: Any, actions: list[Any], pattern: str
) -> None:
    env = ts.make(name)
    states, _ = play(env, start, actions)
    assert re.search(pattern, words(env.draw_episode(states, actions, axes())))


def test_a_balanced_pole_is_told_as_solved() -> None:
    assert "Solved" in words(ts.make("CartPoleVar").draw_episode(*episode("CartPoleVar"), axes()))
