"""The episodes of one agent: counted in their order, however tasks are dealt out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.rollouts.accumulator import PartialResults
from taskspace.rollouts.errors import PolicyOutputError
from taskspace.rollouts.gymnasium.env_pool import local_pool
from taskspace.rollouts.gymnasium.episodes import LANES, EpisodeRunner, GymEvaluation
from tests.messages import says
from tests.rollouts.gymnasium.test_evaluate import Planner, corridor, hates_three, right, undecided

ROWS = [[1, 0], [3, 0.3], [5, 0.3], [13, 0]]


def evaluation(rollouts: int = 5, rows: Any = ROWS, **named: Any) -> GymEvaluation:
    environment = corridor()
    given: dict[str, Any] = {"seed": 2, "skip": False, "keep_results": True}
    spaces = environment.spaces({"goal": 3, "wind": 0.0})
    parts = environment, spaces, *environment.read_tasks(rows), ["a", "b"], rollouts
    return GymEvaluation(*parts, **{**given, **named})


def play(plan: GymEvaluation, policy: Any, tasks: range = range(4), **named: Any) -> PartialResults:
    pool = local_pool(plan.environment, plan.spaces, plan.lanes)
    try:
        return EpisodeRunner(plan, 1, tasks, pool, **named).run(policy)
    finally:
        pool.close()


def test_lanes_are_as_many_as_episodes_but_bounded() -> None:
    assert (evaluation().episodes, evaluation().lanes) == (20, 20)
    assert (evaluation(1000).episodes, evaluation(1000).lanes) == (4000, LANES)


def test_an_episode_gets_its_task_by_the_names_of_its_columns() -> None:
    start = evaluation(rows=[[1, 0], [3, 1]]).start(1, np.array([5, 6]))
    assert (start.task, start.seed, start.agent_seed) == ({"goal": 3, "wind": 1}, 5, 6)
    assert type(start.task["goal"]) is int


@pytest.mark.parametrize("agent", [undecided, Planner(0.3)])
def test_tasks_may_be_dealt_out(agent: Any) -> None:
    plan = evaluation(30)
    whole = play(plan, agent)
    assert 0 < whole.successes[2] < 30
    assert whole.results is not None
    assert whole.returns is not None
    for tasks in (range(3), range(1, 4)):  # at least as many episodes as lanes
        part = play(plan, agent, tasks)
        ours = slice(tasks.start, tasks.stop)
        assert (part.tasks, part.first_episode) == (ours, 30 * tasks.start)
        assert part.results is not None
        np.testing.assert_array_equal(part.successes, whole.successes[ours])
        np.testing.assert_array_equal(part.steps, whole.steps[ours])
        assert part.returns is not None
        np.testing.assert_array_equal(part.returns.means, whole.returns.means[ours])
        np.testing.assert_array_equal(part.returns.squares, whole.returns.squares[ours])
        np.testing.assert_array_equal(
            part.results, whole.results[30 * tasks.start : 30 * tasks.stop]
        )


@pytest.mark.parametrize("agent", [right, Planner()])
def test_results_are_those_of_the_corridor(agent: Any) -> None:
    done: list[int] = []
    plan = evaluation(5, [[1, 0], [3, 0], [12, 0], [13, 0]])
    part = play(plan, agent, advance=done.append)
    assert sum(done) == plan.episodes
    assert part.successes.tolist() == [5, 5, 5, 0]
    assert part.steps.tolist() == [5, 15, 60, 60]
    assert part.returns is not None
    np.testing.assert_allclose(part.returns.means, [1, 0.8, -0.1, -1.2], atol=1e-6)
    assert part.results is not None
    assert part.results.reshape(4, 5).sum(1).tolist() == [5, 5, 5, 0]
    assert part.info_keys == {"is_success", "food"}
    assert part.errors == {}


def test_single_results_are_left_out_where_nobody_wants_them() -> None:
    assert play(evaluation(keep_results=False), right).results is None


def test_rollouts_after_the_first_that_went_wrong_do_not_count() -> None:
    rows = [[1, 0], [3, 0], [4, 0], [13, 0]]
    part = play(evaluation(5, rows, skip=True), hates_three)
    assert part.successes.tolist() == [5, 0, 5, 0]
    assert part.errors == {1: (5, "ArithmeticError: three")}


def test_bad_actions_name_the_agent() -> None:
    with pytest.raises(PolicyOutputError, match=says("b")):
        play(evaluation(), lambda observations: None)
