"""What a user may get wrong: one clear sentence each, before any work starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import taskspace as ts

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


def check(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)


# -- arguments -------------------------------------------------------------------------------------

NO_AGENT = "an agent is an MLPPolicy, an ExpertPolicy, .* or a function of a batch of obs.*; got "
COLUMNS = r"tasks of MultiKeyNav have 7 columns \(location, keyA, .*\); got an array of shape "
SEED = r"a seed is a whole number from 0 to 2\*\*63 - 1, not "

ARGUMENTS: list[Case] = [
    (lambda: evaluate([]), "the population is empty; expected at least one agent"),
    (lambda: evaluate({}), "the population is empty; expected at least one agent"),
    (lambda: evaluate(()), "the population is empty; expected at least one agent"),
    (lambda: evaluate(None), f"agent-0: {NO_AGENT}NoneType"),
    (lambda: evaluate("expert"), f"agent-0: {NO_AGENT}str"),
    (lambda: evaluate([POLICY, "x"]), f"agent-1: {NO_AGENT}str"),
    (lambda: evaluate({"me": 5}), f"me: {NO_AGENT}int"),
    (lambda: evaluate({"me": ts.MLPPolicy.random(POINTMASS)}), "me: MultiKeyNav has discrete act"),
    (lambda: evaluate(POLICY, POINTMASS, MASSES), "agent-0: PointMass has continuous actions"),
    (lambda: evaluate(tasks=TASKS[:0]), "there are no tasks; expected at least one"),
    (lambda: evaluate(tasks=[]), COLUMNS + r"\(0,\)"),
    (lambda: evaluate(tasks=5), COLUMNS + r"\(\)"),
    (lambda: evaluate(tasks=TASKS[:, :5]), COLUMNS + r"\(3, 5\)"),
    (lambda: evaluate(tasks=TASKS[None]), COLUMNS + r"\(1, 3, 7\)"),
    (lambda: evaluate(tasks="tasks"), "tasks of MultiKeyNav must be an array of numbers"),
    (lambda: evaluate(tasks=[[0, 1], [2]]), "tasks of MultiKeyNav must be an array of numbers"),
    (lambda: evaluate(tasks={"location": [1]}), "tasks of MultiKeyNav must be an array of numbers"),
    (lambda: evaluate(tasks=iter(TASKS)), "tasks of MultiKeyNav must be an array of numbers"),
    (lambda: evaluate(tasks=TASKS * [np.nan] * 7), "there is a NaN or infinity"),
    (
        lambda: evaluate(tasks=TASKS + np.array([[0], [0], [np.inf]])),
        "there is a NaN or infinity in row 2",
    ),
    (lambda: evaluate(tasks=TASKS + 1), r"task 0 of MultiKeyNav: location is .*, expected a num"),
    (lambda: evaluate(tasks=MASSES), "task 0 of MultiKeyNav: keyB is 3, expected 0 or 1"),
    (lambda: evaluate(rollouts=0), "rollouts must be a whole number from 1 on, not 0"),
    (lambda: evaluate(rollouts=-1), "rollouts must be a whole number from 1 on, not -1"),
    (lambda: evaluate(rollouts=True), "rollouts must be a whole number from 1 on, not True"),
    (lambda: evaluate(rollouts=2.5), "rollouts must be a whole number from 1 on, not 2.5"),
    (lambda: evaluate(rollouts="10"), "rollouts must be a whole number from 1 on, not '10'"),
    (lambda: evaluate(rollouts=None), "rollouts must be a whole number from 1 on, not None"),
    (lambda: evaluate(threads=0), "threads must be a whole number from 1 on, not 0"),
    (lambda: evaluate(threads=True), "threads must be a whole number from 1 on, not True"),
    (lambda: evaluate(threads=1.5), "threads must be a whole number from 1 on, not 1.5"),
    (lambda: evaluate(seed=-1), SEED + "-1"),
    (lambda: evaluate(seed=1.5), SEED + "1.5"),
    (lambda: evaluate(seed="a"), SEED + "'a'"),
    (lambda: evaluate(seed=True), SEED + "True"),
    (lambda: evaluate(seed=2**63), SEED + "9223372036854775808"),
    (lambda: ts.record(None, ENV, TASKS), f"{NO_AGENT}NoneType"),
    (lambda: ts.record([POLICY], ENV, TASKS), f"{NO_AGENT}list"),
    (lambda: ts.record(POLICY, POINTMASS, MASSES), "PointMass has continuous actions"),
    (lambda: ts.record(POLICY, ENV, TASKS + 1), "task 0 of MultiKeyNav: location is"),
    (lambda: ts.record(POLICY, ENV, []), COLUMNS + r"\(0,\)"),
    (lambda: ts.record(POLICY, ENV, TASKS, seed=-1), SEED + "-1"),
    (lambda: ENV.draw_task(TASKS[0] + 1), "task 0 of MultiKeyNav: location is"),
    (lambda: ENV.draw_task(TASKS[0, :3]), COLUMNS + r"\(3,\)"),
    (lambda: ENV.draw_task("x"), "tasks of MultiKeyNav must be an array of numbers"),
    (lambda: ENV.draw_task(TASKS[0] * np.nan), "there is a NaN or infinity"),
    (lambda: ENV.sample_tasks(-1), "the number of tasks must be a whole number from 0 on, not -1"),
    (lambda: ENV.sample_tasks(3, seed=-1), SEED + "-1"),
    (
        lambda: ENV.sample_tasks(3, distribution="x"),
        "no task distribution 'x'; it has: all, door-1",
    ),
    (
        lambda: ts.make("BasicKarel").sample_tasks(10**9),
        "has 24000 tasks in 'all'; 1000000000 were",
    ),
    (lambda: POINTMASS.expert_actions(MASSES), "PointMass has no expert"),
    (lambda: ts.make(None), "an environment is made by its name, such as 'MultiKeyNav', not None"),  # type: ignore[arg-type]
    (lambda: ts.make(""), "there is no environment ''. Known are: MultiKeyNav, "),
    (lambda: ts.make("cartpole"), "no environment 'cartpole', did you mean 'CartPoleVar'?"),
    (lambda: ts.make("taskspace/PointMass-v0"), "did you mean 'PointMass'?"),
]


@pytest.mark.parametrize(("call", "sentence"), ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_bad_arguments_are_refused_in_one_sentence(call: Callable[[], Any], sentence: str) -> None:
    check(call, sentence)


UNCLEAR: list[Case] = [
    (lambda: evaluate(tasks=None), "array of numbers|columns"),
    (lambda: evaluate(env="MultiKeyNav"), "environment"),
    (lambda: evaluate(env=None), "environment"),
    (lambda: evaluate(tasks=TASKS.astype(complex)), "numbers"),
    (lambda: evaluate(tasks=np.ma.masked_array(TASKS, TASKS > 0)), "mask"),
    (lambda: ts.record(POLICY, ENV, TASKS[:0]), "there are no tasks"),
    (lambda: ts.record(POLICY, "MultiKeyNav", TASKS), "environment"),  # type: ignore[arg-type]
    (lambda: ENV.draw_task(TASKS), "one task"),
    (lambda: ENV.draw_task(TASKS[:0]), "task"),
    (lambda: ENV.draw_episode([], []), "state"),
    (lambda: ENV.draw_episode(TASKS, [0]), "action"),
    (lambda: ENV.draw_episode(TASKS[:, :3], [0, 1]), "columns"),
    (lambda: ENV.clusters(TASKS[:, :3]), "columns"),
    (lambda: ENV.clusters("x"), "array of numbers"),
    (lambda: ENV.clusters(TASKS * np.nan), "NaN"),
    (lambda: ENV.expert_actions(TASKS[:, :3]), "columns"),
    (lambda: ENV.expert_actions(TASKS[0, 0]), "columns"),
    (lambda: ENV.sample_tasks(2.5), "number of tasks"),  # type: ignore[arg-type]
    (lambda: ENV.sample_tasks("3"), "number of tasks"),  # type: ignore[arg-type]
    (lambda: ENV.sample_tasks(True), "number of tasks"),
    (lambda: ts.make(ENV), "did you mean 'MultiKeyNav'|name"),  # type: ignore[arg-type]
    (lambda: ts.record(POLICY, ENV, TASKS)[0:2], "whole number|integer"),  # type: ignore[index]
]


@pytest.mark.parametrize(("call", "sentence"), UNCLEAR, ids=range(len(UNCLEAR)))
def test_more_bad_arguments_are_refused_in_one_sentence(
    call: Callable[[], Any], sentence: str
) -> None:
    check(call, sentence)


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

    check(lambda: evaluate({1: agent, "1": agent}), "two agents have the name '1'")
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

DISCRETE = r"for 1024 observations of MultiKeyNav a policy returns 1024 whole numbers .*; got "
CONTINUOUS = (
    r"for 1024 observations of PointMass a policy returns actions of shape \(1024, 2\).*; got "
)

ANSWERS: list[Case] = [
    (lambda: evaluate(lambda o: None), DISCRETE + r"object of shape \(\)"),
    (lambda: evaluate(lambda o: 0), DISCRETE + r"int64 of shape \(\)"),
    (lambda: evaluate(lambda o: np.zeros(3, int)), DISCRETE + r"int64 of shape \(3,\)"),
    (lambda: evaluate(lambda o: np.zeros(len(o))), DISCRETE + r"float64 of shape \(1024,\)"),
    (lambda: evaluate(lambda o: np.zeros((len(o), 3))), DISCRETE + r"float64 of shape \(1024, 3"),
    (lambda: evaluate(lambda o: np.zeros((len(o), 7), int)), DISCRETE + r"int64 of shape \(1024,"),
    (lambda: evaluate(lambda o: ["finish"] * len(o)), DISCRETE + r"<U6 of shape \(1024,\)"),
    (lambda: evaluate(lambda o: {"action": 0}), DISCRETE + r"object of shape \(\)"),
    (lambda: evaluate(torch.nn.Linear(7, 3)), DISCRETE + r"float32 of shape \(1024, 3\)"),
    (lambda: evaluate(lambda o: np.full((len(o), 7), np.nan)), "a policy returned NaN"),
    (lambda: evaluate(lambda o: zeros(o) + 7), "actions of MultiKeyNav are 0 to 6; got 7 to 7"),
    (lambda: evaluate(lambda o: zeros(o) - 1), "actions of MultiKeyNav are 0 to 6; got -1 to -1"),
    (lambda: on_pointmass(lambda o: None), CONTINUOUS + r"object of shape \(\)"),
    (lambda: on_pointmass(lambda o: np.zeros(3)), CONTINUOUS + r"float64 of shape \(3,\)"),
    (
        lambda: on_pointmass(lambda o: np.zeros((len(o), 3))),
        CONTINUOUS + r"float64 of shape \(1024, 3\)",
    ),
    (
        lambda: on_pointmass(lambda o: (np.zeros((len(o), 2)),) * 3),
        CONTINUOUS + r"float64 of shape \(1024, 2\), ",
    ),
    (lambda: on_pointmass(lambda o: np.full((len(o), 2), np.nan)), "a policy returned NaN"),
    (lambda: ts.record(lambda o: None, ENV, TASKS), DISCRETE + r"object of shape \(\)"),
]


@pytest.mark.parametrize(("call", "sentence"), ANSWERS, ids=range(len(ANSWERS)))
def test_bad_answers_are_refused_in_one_sentence(call: Callable[[], Any], sentence: str) -> None:
    check(call, sentence)


def _infinite(observations: Any) -> Any:
    logits = np.zeros((len(observations), 7), np.float32)
    logits[:, 3] = np.inf
    return logits


UNCLEAR_ANSWERS: list[Case] = [
    (lambda: evaluate(lambda o: [[0], [1, 2]]), "a policy returns"),
    (lambda: evaluate(lambda o: (zeros(o), None)), "a policy returns"),
    (lambda: on_pointmass(lambda o: "x"), "a policy returns"),
    (lambda: on_pointmass(lambda o: ()), "a policy returns"),
    (lambda: on_pointmass(lambda o: np.zeros((len(o), 2), complex)), "a policy returns"),
    (lambda: evaluate(torch.nn.LSTM(7, 7)), "a policy returns"),
    (lambda: evaluate(_infinite), "infinit"),
    (lambda: evaluate(lambda o: np.full((len(o), 7), -np.inf)), "infinit"),
    (lambda: on_pointmass(lambda o: np.full((len(o), 2), np.inf)), "infinit"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), UNCLEAR_ANSWERS, ids=range(len(UNCLEAR_ANSWERS)))
def test_more_bad_answers_are_refused_in_one_sentence(
    call: Callable[[], Any], sentence: str
) -> None:
    check(call, sentence)


def test_a_bad_answer_names_the_agent() -> None:
    check(lambda: evaluate({"good": zeros, "bad": lambda o: None}), "bad: ")


def test_a_function_may_answer_with_a_tensor_that_has_gradients() -> None:
    assert evaluate(lambda o: torch.zeros(len(o), 7, requires_grad=True)).n_agents == 1


def test_a_single_action_may_be_excluded_by_an_infinite_logit() -> None:
    def only_3(observations: Any) -> Any:
        logits = np.full((len(observations), 7), -np.inf)
        logits[:, 3] = 0
        return logits

    assert set(ts.record(only_3, ENV, TASKS).actions) == {3}


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
