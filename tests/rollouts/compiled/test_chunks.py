"""Pieces of work: all episodes once, wherever they are played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.rollouts.compiled import chunks
from taskspace.rollouts.compiled.chunks import Chunk, CompiledEvaluation, play_here
from taskspace.rollouts.compiled.loop import EnginePolicy
from taskspace.rollouts.compiled.network import LANES
from taskspace.rollouts.errors import PlayError, PolicyOutputError
from tests.messages import says

ENV = ts.make("MultiKeyNav")


def evaluation(tasks: int, rollouts: int, **named: Any) -> CompiledEvaluation:
    given: dict[str, Any] = {"keep_results": True, "keep_returns": True, "skip": False}
    rows = np.tile([0.95, 1.0, 1, 1, 1, 0, 0], (tasks, 1))
    rows[:, 0] = np.linspace(0.1, 0.9, tasks)
    return CompiledEvaluation(ENV, ["a", "b"], rows, rollouts, 3, **{**given, **named})


def finish(observations: Any) -> Any:
    return np.full(len(observations), 6)


@pytest.mark.parametrize(("tasks", "rollouts"), [(1, 1), (7, 10), (50, 64), (3, 5000), (200, 3)])
@pytest.mark.parametrize("steps", [1, 4000, 10**9])
def test_chunks_hold_every_episode_once(
    tasks: int, rollouts: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "_STEPS_PER_CHUNK", steps)
    plan = evaluation(tasks, rollouts)
    found = list(plan.chunks(1))
    assert {chunk.agent for chunk in found} == {1}
    episodes = [n for chunk in found for n in range(chunk.first, chunk.last)]
    assert episodes == list(range(tasks * rollouts))
    most = max(LANES, steps // ENV.horizon)
    assert all(chunk.last - chunk.first <= most for chunk in found)
    if rollouts <= most:
        assert all(chunk.first % rollouts == 0 for chunk in found)


@pytest.mark.parametrize("rollouts", [1, 100])
def test_a_context_that_changes_is_refused(rollouts: int) -> None:
    class KeysAreContext(type(ENV)):  # type: ignore[misc]
        context = ("keyA", "keyB", "keyC", "keyD", "doorBit1", "doorBit2")

    env = KeysAreContext()
    policy = ts.MLPPolicy([np.zeros((7, 7))], [np.array([0.0, 0, 99, 0, 0, 0, 0])])  # picks key A
    tasks = np.array([[0.05, 0, 0, 0, 0, 0, 0]] * 10)
    with pytest.raises(ValueError, match=says("context never change keyA")):
        ts.evaluate([policy], env, tasks, rollouts, progress=False)


def test_the_tasks_of_a_chunk_are_those_of_its_episodes() -> None:
    plan = evaluation(10, 4)
    for first, last in ((0, 1), (0, 4), (3, 5), (4, 8), (7, 33)):
        tasks = {episode // 4 for episode in range(first, last)}
        part = plan.tasks_of(Chunk(0, first, last))
        assert set(range(part.start, part.stop)) == tasks
    assert plan.steps == 10 * 4 * ENV.horizon


def test_parts_of_an_agent_are_those_of_the_whole() -> None:
    plan = evaluation(5, 4)
    whole = plan.play(ExpertPolicy(ENV), Chunk(1, 0, 20))
    assert whole.results is not None
    for first, last in ((0, 7), (7, 20)):
        part = plan.play(ExpertPolicy(ENV), Chunk(1, first, last))
        assert part.first_episode == first
        assert part.results is not None
        np.testing.assert_array_equal(part.results, whole.results[first:last])


def test_results_and_returns_are_left_out_where_nobody_wants_them() -> None:
    part = evaluation(5, 4, keep_results=False, keep_returns=False).play(finish, Chunk(0, 0, 20))
    assert (part.results, part.returns) == (None, None)
    assert part.successes.tolist() == [0, 0, 0, 0, 4]  # one of five stands at the door
    assert part.steps.tolist() == [4] * 5


def at_half(observations: Any) -> Any:
    if np.any(np.abs(observations[:, 0] - 0.5) < 1e-6):
        raise ZeroDivisionError("half")
    return finish(observations)


def test_an_error_names_the_agent_and_its_tasks() -> None:
    plan = evaluation(5, 4)
    with pytest.raises(PlayError, match=says("b task-1 task-3 ZeroDivisionError half")):
        plan.play(at_half, Chunk(1, 4, 16))
    with pytest.raises(PolicyOutputError, match=says("a")):
        plan.play(lambda observations: None, Chunk(0, 0, 20))


def test_an_error_may_cost_its_task_alone() -> None:
    part = evaluation(5, 4, skip=True).play(at_half, Chunk(0, 2, 20))
    assert part.errors == {2: (4, "ZeroDivisionError: half")}
    assert part.steps.tolist() == [2, 4, 0, 4, 4]


def test_networks_come_first_and_results_in_order() -> None:
    plan = evaluation(5, 4)
    network = EnginePolicy.prepare(ts.MLPPolicy.random(ENV, seed=0), ENV)
    for threads in (1, 3):
        played = list(play_here(plan, [finish, network], threads))
        assert [chunk for chunk, _ in played] == [Chunk(1, 0, 20), Chunk(0, 0, 20)]
        assert played[1][1].successes.tolist() == [0, 0, 0, 0, 4]
