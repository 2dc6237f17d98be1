"""Copies of a Gymnasium environment: the episodes that they play, and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.rollouts.gymnasium.env_pool import (
    EpisodeStart,
    Lane,
    env_pool,
    failed_episode,
    join,
    local_pool,
)
from tests.rollouts.gymnasium.test_evaluate import Corridor, Planner, corridor


class Trap(Corridor):
    """Breaks at the third place, and at once where the goal is negative."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if self.goal < 0:
            raise ValueError("no such goal")
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        found = super().step(action)
        if self.place == 3:
            raise ZeroDivisionError("trap")
        return found


def start(goal: int, seed: int = 0) -> EpisodeStart:
    return EpisodeStart({"goal": goal, "wind": 0.0}, seed, 0)


def lane(make: Any = Corridor, **named: Any) -> Lane:
    environment = corridor(make, **named)
    return Lane(environment, environment.spaces(start(3).task), 0)


def test_a_lane_tells_what_came_of_its_episode() -> None:
    played = lane()
    observation, info = played.reset(options={"0": start(2)})
    assert (observation.tolist(), info) == ([0, 2], {})
    assert played.step(1)[4] == {}
    observation, *_, info = played.step(1)
    result = info["result"]
    assert observation.tolist() == [2, 2]
    assert (result.solved, result.length, result.error) == (True, 2, "")
    assert result.total_reward == pytest.approx(0.9)
    assert result.keys == {"is_success", "food"}


def test_a_lane_stands_still_between_episodes() -> None:
    played = lane()
    played.reset(options={"0": start(1)})
    played.step(1)
    observation, reward, terminated, truncated, info = played.step(1)
    assert observation.tolist() == [1, 1]
    assert (reward, terminated, truncated, info) == (0.0, False, False, {})


def test_an_episode_ends_at_the_limit_of_steps() -> None:
    played = lane(max_steps=4)
    played.reset(options={"0": start(9)})
    results = [played.step(1)[4] for _ in range(4)]
    assert results[:3] == [{}, {}, {}]
    assert (results[3]["result"].solved, results[3]["result"].length) == (False, 4)


def test_errors_end_the_episode_and_not_the_lane() -> None:
    played = lane(Trap)
    played.reset(options={"0": start(5)})
    results = [played.step(1)[4] for _ in range(4)]
    assert results[2]["result"].error == "ZeroDivisionError: trap"
    assert "trap" in results[2]["result"].trace
    assert results[3] == {}
    _, info = played.reset(options={"0": start(-1)})
    assert info["result"].error == "ValueError: no such goal"
    played.reset(options={"0": start(1)})
    assert played.step(1)[4]["result"].solved


@pytest.mark.parametrize(("set_task", "made"), [("options", 1), ("constructor", 2)])
def test_a_new_copy_is_made_where_the_task_takes_one(set_task: Any, made: int) -> None:
    played = lane(set_task=set_task)
    copies = [played.begin(start(goal)) for goal in (3, 3, 4)]
    assert len({id(copy) for copy in copies}) == made
    assert copies[0] is copies[1]


def test_an_agent_may_play_a_whole_episode() -> None:
    played = lane()
    assert played.play_episode(Planner(), start(3)).length == 3
    failure = played.play_episode(object(), start(3))
    assert failure.error.startswith("AttributeError")


def test_an_error_is_kept_as_text() -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        result = failed_episode(error)
    assert (result.solved, result.error) == (False, "KeyError: 'x'")
    assert "test_env_pool" in result.trace


def test_batches_of_anything_are_joined() -> None:
    one, two = np.zeros((2, 3)), np.ones((1, 3))
    assert join([one, two]).tolist() == [[0] * 3, [0] * 3, [1] * 3]
    assert join([("a",), ("b", "c")]) == ("a", "b", "c")
    joined = join([{"x": one, "y": ("a", "b")}, {"x": two, "y": ("c",)}])
    assert joined["x"].shape == (3, 3)
    assert joined["y"] == ("a", "b", "c")


def play(pool: Any) -> tuple[list[Any], list[Any]]:
    """Three lanes go right; lane 1 starts again at once."""
    seen, ended = [], []
    observations, broken = pool.begin({0: start(3), 1: start(1), 2: start(2)})
    assert broken == []
    for moment in range(3):
        observations, found = pool.step(np.ones(3, np.int64))
        ended += [(moment, index, result.solved, result.length) for index, result in found]
        if moment == 0:
            observations, _ = pool.begin({1: start(2)})
        seen.append(observations.tolist())
    return seen, ended


def test_lanes_are_played_side_by_side() -> None:
    environment = corridor()
    seen, ended = play(local_pool(environment, environment.spaces(start(3).task), 3))
    assert ended == [(0, 1, True, 1), (1, 2, True, 2), (2, 0, True, 3), (2, 1, True, 2)]
    assert seen == [
        [[1, 3], [0, 2], [1, 2]], [[2, 3], [1, 2], [2, 2]], [[3, 3], [2, 2], [2, 2]],
    ]  # fmt: skip


@pytest.mark.slow
def test_processes_play_the_same() -> None:
    environment = corridor()
    spaces = environment.spaces(start(3).task)
    starts = [start(goal, seed) for seed, goal in enumerate((1, 2, 3, 4, 5))]
    found = []
    for processes in (1, 2):
        with env_pool(environment, spaces, 3, processes) as pool:
            found.append((play(pool), pool.play_episodes(Planner(0.3), starts)))
    assert found[0] == found[1]
