"""What a user may get wrong: one clear sentence each, before any work starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import taskspace as ts
from taskspace.rollouts.errors import PolicyOutputError
from taskspace.rollouts.trajectories import record
from tests.messages import says

ENV, POINTMASS = ts.make("MultiKeyNav"), ts.make("PointMass")
POLICY = ts.MLPPolicy.random(ENV, hidden=(4,), seed=0)
TASKS, MASSES = ENV.sample_tasks(3, seed=0), POINTMASS.sample_tasks(3, seed=0)


def evaluate(population: Any = POLICY, env: Any = ENV, tasks: Any = TASKS, **more: Any) -> Any:
    return ts.evaluate(population, env, tasks, **{"rollouts": 2, **more})


def on_pointmass(agent: Any) -> Any:
    return ts.evaluate([agent], POINTMASS, MASSES, 2)


def zeros(observations: Any) -> Any:
    return np.zeros(len(observations), int)


Case = tuple[Callable[[], Any], str]


def check(call: Callable[[], Any], tokens: str, error: type[Exception] = ValueError) -> None:
    with pytest.raises(error, match=says(tokens)) as caught:
        call()
    assert "\n" not in str(caught.value)


# -- arguments -------------------------------------------------------------------------------------

COLUMNS = "MultiKeyNav 7 location keyA "

ARGUMENTS: list[Case] = [
    (lambda: evaluate([]), "population empty"),
    (lambda: evaluate({}), "population empty"),
    (lambda: evaluate(()), "population empty"),
    (lambda: evaluate({"me": ts.MLPPolicy.random(POINTMASS)}), "me MultiKeyNav discrete gaussian"),
    (lambda: evaluate(POLICY, POINTMASS, MASSES), "agent-0 PointMass continuous categorical"),
    (lambda: evaluate(tasks=TASKS[:0]), "tasks"),
    (lambda: evaluate(tasks=[]), COLUMNS + "(0,)"),
    (lambda: evaluate(tasks=5), COLUMNS + "()"),
    (lambda: evaluate(tasks=TASKS[:, :5]), COLUMNS + "(3, 5)"),
    (lambda: evaluate(tasks=TASKS[None]), COLUMNS + "(1, 3, 7)"),
    (lambda: evaluate(tasks="tasks"), "MultiKeyNav numbers"),
    (lambda: evaluate(tasks=[[0, 1], [2]]), "MultiKeyNav numbers"),
    (lambda: evaluate(tasks={"location": [1]}), "MultiKeyNav numbers"),
    (lambda: evaluate(tasks=iter(TASKS)), "MultiKeyNav numbers"),
    (lambda: evaluate(tasks=TASKS * [np.nan] * 7), "MultiKeyNav finite"),
    (
        lambda: evaluate(tasks=TASKS + np.array([[0], [0], [np.inf]])),
        "finite row 3",
    ),
    (lambda: evaluate(tasks=TASKS + 1), "task 0 MultiKeyNav location [0, 1]"),
    (lambda: evaluate(tasks=MASSES), "task 0 MultiKeyNav keyB 3 0 1"),
    (lambda: evaluate(rollouts=0), "rollouts 0"),
    (lambda: evaluate(rollouts=-1), "rollouts -1"),
    (lambda: evaluate(rollouts=True), "rollouts True"),
    (lambda: evaluate(rollouts=2.5), "rollouts 2.5"),
    (lambda: evaluate(rollouts="10"), "rollouts '10'"),
    (lambda: evaluate(rollouts=None), "rollouts None"),
    (lambda: evaluate(threads=0), "threads 0"),
    (lambda: evaluate(threads=True), "threads True"),
    (lambda: evaluate(threads=1.5), "threads 1.5"),
    (lambda: evaluate(seed=-1), "seed -1"),
    (lambda: evaluate(seed=1.5), "seed 1.5"),
    (lambda: evaluate(seed="a"), "seed 'a'"),
    (lambda: evaluate(seed=True), "seed True"),
    (lambda: evaluate(seed=2**63), "seed 9223372036854775808"),
    (lambda: record(POLICY, POINTMASS, MASSES), "PointMass continuous categorical"),
    (lambda: record(POLICY, ENV, TASKS + 1), "task 0 MultiKeyNav location"),
    (lambda: record(POLICY, ENV, []), COLUMNS + "(0,)"),
    (lambda: record(POLICY, ENV, TASKS, seed=-1), "seed -1"),
    (lambda: ENV.draw_task(TASKS[0] + 1), "task 0 MultiKeyNav location"),
    (lambda: ENV.draw_task(TASKS[0, :3]), COLUMNS + "(3,)"),
    (lambda: ENV.draw_task("x"), "MultiKeyNav numbers"),
    (lambda: ENV.draw_task(TASKS[0] * np.nan), "MultiKeyNav finite"),
    (lambda: ENV.sample_tasks(-1), "tasks -1"),
    (lambda: ENV.sample_tasks(3, seed=-1), "seed -1"),
    (
        lambda: ENV.sample_tasks(3, distribution="x"),
        "MultiKeyNav 'x' all door-1",
    ),
    (
        lambda: ts.make("BasicKarel").sample_tasks(10**9),
        "BasicKarel 'all' 24000 1000000000",
    ),
    (lambda: POINTMASS.expert_actions(MASSES), "PointMass expert"),
    (lambda: ts.make(None), "environment name None"),  # type: ignore[arg-type]
    (lambda: ts.make(""), "environment '' MultiKeyNav Karel"),
    (lambda: ts.make("cartpole"), "'cartpole' 'CartPoleVar'"),
    (lambda: ts.make("taskspace/PointMass-v0"), "'taskspace/PointMass-v0' 'PointMass'"),
]


@pytest.mark.parametrize(("call", "tokens"), ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_bad_arguments_are_refused_in_one_sentence(call: Callable[[], Any], tokens: str) -> None:
    check(call, tokens)


NO_AGENT = "MLPPolicy ExpertPolicy torch "

OF_ANOTHER_TYPE: list[Case] = [
    (lambda: evaluate(None), f"agent-0 {NO_AGENT} NoneType"),
    (lambda: evaluate("expert"), f"agent-0 {NO_AGENT} str"),
    (lambda: evaluate([POLICY, "x"]), f"agent-1 {NO_AGENT} str"),
    (lambda: evaluate({"me": 5}), f"me {NO_AGENT} int"),
    (lambda: record(None, ENV, TASKS), f"{NO_AGENT} NoneType"),
    (lambda: record([POLICY], ENV, TASKS), f"{NO_AGENT} list"),
    (lambda: evaluate(env="MultiKeyNav"), "environment 'MultiKeyNav'"),
    (lambda: evaluate(env=None), "environment None"),
    (lambda: record(POLICY, "MultiKeyNav", TASKS), "environment 'MultiKeyNav'"),  # type: ignore[arg-type]
    (lambda: record(POLICY, ENV, TASKS)[0:2], "'slice'"),  # type: ignore[index]
]


@pytest.mark.parametrize(("call", "tokens"), OF_ANOTHER_TYPE, ids=range(len(OF_ANOTHER_TYPE)))
def test_arguments_of_another_type_are_refused(call: Callable[[], Any], tokens: str) -> None:
    check(call, tokens, TypeError)


UNCLEAR: list[Case] = [
    (lambda: evaluate(tasks=None), "MultiKeyNav numbers"),
    (lambda: evaluate(tasks=TASKS.astype(complex)), "MultiKeyNav numbers"),
    (lambda: evaluate(tasks=np.ma.masked_array(TASKS, TASKS > 0)), "mask"),
    (lambda: record(POLICY, ENV, TASKS[:0]), "tasks"),
    (lambda: ENV.draw_task(TASKS), "task 3"),
    (lambda: ENV.draw_task(TASKS[:0]), "task 0"),
    (lambda: ENV.draw_episode([], []), "states MultiKeyNav (0,)"),
    (lambda: ENV.draw_episode(TASKS, [0]), "actions 3 1"),
    (lambda: ENV.draw_episode(TASKS[:, :3], [0, 1]), "states 7 (3, 3)"),
    (lambda: ENV.clusters(TASKS[:, :3]), "states 7 (3, 3)"),
    (lambda: ENV.clusters("x"), "states numbers"),
    (lambda: ENV.clusters(TASKS * np.nan), "states finite"),
    (lambda: ENV.expert_actions(TASKS[:, :3]), "states 7 (3, 3)"),
    (lambda: ENV.expert_actions(TASKS[0, 0]), "states 7 ()"),
    (lambda: ENV.sample_tasks(2.5), "tasks 2.5"),  # type: ignore[arg-type]
    (lambda: ENV.sample_tasks("3"), "tasks '3'"),  # type: ignore[arg-type]
    (lambda: ENV.sample_tasks(True), "tasks True"),
    (lambda: ts.make(ENV), "environment name MultiKeyNav"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "tokens"), UNCLEAR, ids=range(len(UNCLEAR)))
def test_more_bad_arguments_are_refused_in_one_sentence(
    call: Callable[[], Any], tokens: str
) -> None:
    check(call, tokens)


@pytest.mark.parametrize(
    "bad",
    [{"tasks": TASKS + 1}, {"rollouts": 0}, {"threads": 0}, {"seed": -1}, {"population": [None]}],
)
def test_nothing_is_played_before_the_arguments_are_checked(bad: dict[str, Any]) -> None:
    asked = []

    def agent(observations: Any) -> Any:
        asked.append(1)
        return zeros(observations)

    arguments = {"population": [agent], **bad}
    arguments["population"] = [agent, *bad.get("population", [])]
    with pytest.raises((TypeError, ValueError)):
        evaluate(**arguments)
    assert not asked


def test_agents_of_the_same_name_are_refused_before_playing() -> None:
    asked = []

    def agent(observations: Any) -> Any:
        asked.append(1)
        return zeros(observations)

    check(lambda: evaluate({1: agent, "1": agent}), "agents '1'")
    assert not asked


# -- arguments that are fine -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "tasks",
    [
        TASKS.tolist(),
        tuple(map(tuple, TASKS)),
        pd.DataFrame(TASKS, columns=ENV.state_names),
        torch.tensor(TASKS),
        TASKS.astype(object),
        np.asfortranarray(TASKS),
    ],
    ids=["lists", "tuples", "DataFrame", "tensor", "objects", "Fortran"],
)
def test_tasks_come_in_many_shapes(tasks: Any) -> None:
    np.testing.assert_array_equal(evaluate(tasks=tasks).features, TASKS)


def test_one_task_may_be_a_plain_row() -> None:
    np.testing.assert_array_equal(evaluate(tasks=TASKS[0].tolist()).features, TASKS[:1])


def test_one_agent_needs_no_list_and_one_object_may_play_twice() -> None:
    assert evaluate(POLICY).agents.tolist() == ["agent-0"]
    assert evaluate([POLICY, POLICY]).agents.tolist() == ["agent-0", "agent-1"]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int16, np.uint8, np.int8])
@pytest.mark.filterwarnings("ignore:overflow")
def test_numpy_numbers_of_rollouts_are_as_good_as_any(kind: Any) -> None:
    tasks = np.repeat(TASKS, 150, axis=0)
    expected, got = evaluate(tasks=tasks, rollouts=100), evaluate(tasks=tasks, rollouts=kind(100))
    np.testing.assert_array_equal(got.steps, expected.steps)
    np.testing.assert_array_equal(got.rollouts, expected.rollouts)


def test_outcomes_do_not_change_with_the_callers_tasks() -> None:
    tasks = TASKS.copy()
    outcomes = evaluate(tasks=tasks)
    tasks[:] = 0
    np.testing.assert_array_equal(outcomes.features, TASKS)


# -- answers of agents -----------------------------------------------------------------------------

DISCRETE = "MultiKeyNav 1024 actions (1024, 7) logits "
CONTINUOUS = "PointMass 1024 actions (1024, 2) "

ANSWERS: list[Case] = [
    (lambda: evaluate(lambda o: None), DISCRETE + "object ()"),
    (lambda: evaluate(lambda o: 0), DISCRETE + "int64 ()"),
    (lambda: evaluate(lambda o: np.zeros(3, int)), DISCRETE + "int64 (3,)"),
    (lambda: evaluate(lambda o: np.zeros(len(o))), DISCRETE + "float64 (1024,)"),
    (lambda: evaluate(lambda o: np.zeros((len(o), 3))), DISCRETE + "float64 (1024, 3)"),
    (lambda: evaluate(lambda o: np.zeros((len(o), 7), int)), DISCRETE + "int64 (1024, 7)"),
    (lambda: evaluate(lambda o: ["finish"] * len(o)), DISCRETE + "<U6 (1024,)"),
    (lambda: evaluate(lambda o: {"action": 0}), DISCRETE + "object ()"),
    (lambda: evaluate(torch.nn.Linear(7, 3)), DISCRETE + "float32 (1024, 3)"),
    (lambda: evaluate(lambda o: np.full((len(o), 7), np.nan)), "agent-0 NaN"),
    (lambda: evaluate(lambda o: zeros(o) + 7), "MultiKeyNav actions 0 6 7"),
    (lambda: evaluate(lambda o: zeros(o) - 1), "MultiKeyNav actions 0 6 -1"),
    (lambda: on_pointmass(lambda o: None), CONTINUOUS + "object ()"),
    (lambda: on_pointmass(lambda o: np.zeros(3)), CONTINUOUS + "float64 (3,)"),
    (
        lambda: on_pointmass(lambda o: np.zeros((len(o), 3))),
        CONTINUOUS + "float64 (1024, 3)",
    ),
    (
        lambda: on_pointmass(lambda o: (np.zeros((len(o), 2)),) * 3),
        CONTINUOUS + "float64 (1024, 2),",
    ),
    (lambda: on_pointmass(lambda o: np.full((len(o), 2), np.nan)), "policy NaN"),
    (lambda: record(lambda o: None, ENV, TASKS), DISCRETE + "object ()"),
]


@pytest.mark.parametrize(("call", "tokens"), ANSWERS, ids=range(len(ANSWERS)))
def test_bad_answers_are_refused_in_one_sentence(call: Callable[[], Any], tokens: str) -> None:
    check(call, tokens, PolicyOutputError)


def _infinite(observations: Any) -> Any:
    logits = np.zeros((len(observations), 7), np.float32)
    logits[:, 3] = np.inf
    return logits


UNCLEAR_ANSWERS: list[Case] = [
    (lambda: evaluate(lambda o: [[0], [1, 2]]), "agent-0 actions 1024"),
    (lambda: evaluate(lambda o: (zeros(o), None)), "agent-0 actions 1024"),
    (lambda: on_pointmass(lambda o: "x"), "agent-0 actions 1024"),
    (lambda: on_pointmass(lambda o: ()), "agent-0 actions 1024"),
    (lambda: on_pointmass(lambda o: np.zeros((len(o), 2), complex)), "agent-0 actions 1024"),
    (lambda: evaluate(torch.nn.LSTM(7, 7)), "agent-0 actions 1024"),
    (lambda: evaluate(_infinite), "agent-0 NaN"),
    (lambda: evaluate(lambda o: np.full((len(o), 7), -np.inf)), "agent-0 NaN"),
    (lambda: on_pointmass(lambda o: np.full((len(o), 2), np.inf)), "agent-0 NaN"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "tokens"), UNCLEAR_ANSWERS, ids=range(len(UNCLEAR_ANSWERS)))
def test_more_bad_answers_are_refused_in_one_sentence(call: Callable[[], Any], tokens: str) -> None:
    check(call, tokens, PolicyOutputError)


def test_a_bad_answer_names_the_agent() -> None:
    check(lambda: evaluate({"good": zeros, "bad": lambda o: None}), "bad", PolicyOutputError)


def test_a_function_may_answer_with_a_tensor_that_has_gradients() -> None:
    assert evaluate(lambda o: torch.zeros(len(o), 7, requires_grad=True)).n_agents == 1


def test_a_single_action_may_be_excluded_by_an_infinite_logit() -> None:
    def only_3(observations: Any) -> Any:
        logits = np.full((len(observations), 7), -np.inf)
        logits[:, 3] = 0
        return logits

    assert set(record(only_3, ENV, TASKS).actions) == {3}


def test_an_error_inside_an_agent_passes_through_in_the_middle() -> None:
    calls = []

    def fails_at_last(observations: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("my own mistake")
        return zeros(observations)

    with pytest.raises(RuntimeError, match="my own mistake"):
        evaluate({"network": POLICY, "mine": fails_at_last}, rollouts=20)
    assert len(calls) == 3


def test_an_agent_that_writes_on_its_observations_changes_nothing() -> None:
    def scribbles(observations: Any) -> Any:
        observations[:] = 0
        return zeros(observations)

    np.testing.assert_array_equal(evaluate(scribbles).steps, evaluate(zeros).steps)
