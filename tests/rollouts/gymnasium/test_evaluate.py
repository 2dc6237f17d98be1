"""Users' Gymnasium environments: the right numbers, the same bits in any number of processes."""

from __future__ import annotations

import os
import re
from typing import Any, cast

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Space, Text

import taskspace as ts
from taskspace.agents.policies import Gaussian
from taskspace.envs.from_gymnasium import GymEnvironment
from taskspace.envs.success_rules import EpisodeSummary
from taskspace.rollouts.errors import PlayError, PolicyOutputError
from taskspace.rollouts.evaluate import evaluate
from taskspace.rollouts.gymnasium import evaluate as gymnasium_evaluate
from taskspace.rollouts.gymnasium.actions import seed_lanes
from tests.messages import says


class Corridor(gym.Env[Any, Any]):
    """Walk `goal` steps to the right before 12 are over; wind may push back, food may be found."""

    observation_space: Space[Any] = Box(-20, 20, (2,), np.float64)
    action_space: Space[Any] = Discrete(2)

    def __init__(self, goal: int = 3, wind: float = 0.0) -> None:
        self.goal, self.wind = goal, wind

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if options:
            self.goal, self.wind = options["goal"], options["wind"]
        self.place, self.seed = 0, seed
        return self.seen(), {}

    def seen(self) -> Any:
        return np.array([self.place, self.goal], np.float64)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place += 1 if action == 1 else -1
        if self.np_random.random() < self.wind:
            self.place -= 1
        there = self.place >= self.goal
        info = {"is_success": there, "food": self.place == 1}
        return self.seen(), 1.0 if there else -0.1, there, False, info


def set_goal(env: Corridor, task: dict[str, Any]) -> None:
    env.goal, env.wind = task["goal"], task["wind"]


COLUMNS = ["goal", "wind"]
TASKS = [[1, 0], [3, 0], [5, 0.3], [12, 0], [13, 0]]


def corridor(make: Any = Corridor, **named: Any) -> GymEnvironment:
    given: dict[str, Any] = {"set_task": set_goal, "success": "is_success", "columns": COLUMNS}
    return GymEnvironment(make, **{**given, "max_steps": 12, **named})


def right(observations: Any) -> Any:
    return np.ones(len(observations), np.int64)


def left(observations: Any) -> Any:
    return np.zeros(len(observations), np.int64)


def undecided(observations: Any) -> Any:
    return np.zeros((len(observations), 2), np.float32)


class Planner:
    """Looks at the goal in its environment, and sometimes stumbles."""

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise

    def start(self, env: gym.Env[Any, Any], seed: int) -> Any:
        corridor: Any = env.unwrapped
        assert corridor.place == 0  # just reset
        rng = np.random.default_rng(seed)
        return lambda observation: int(observation[0] < corridor.goal and rng.random() > self.noise)


class Always:
    """Goes right."""

    def start(self, env: gym.Env[Any, Any], seed: int) -> Any:
        return lambda observation: 1


# -- the right numbers -----------------------------------------------------------------------------


def test_outcomes_are_those_of_the_environment() -> None:
    agents = {"right": right, "left": left, "planner": Planner()}
    outcomes = evaluate(agents, corridor(), TASKS, 3, seed=7, keep_results=True, keep_returns=True)
    assert outcomes.successes[:, [0, 1, 3, 4]].tolist() == [[3, 3, 3, 0], [0] * 4, [3, 3, 3, 0]]
    assert 0 < outcomes.rates[0].mean() < 1
    assert outcomes.steps is not None
    assert outcomes.steps[:, [0, 1, 3, 4]].tolist() == [
        [3, 9, 36, 36], [36] * 4, [3, 9, 36, 36],
    ]  # fmt: skip
    assert outcomes.returns is not None
    assert outcomes.returns[0, 1] == pytest.approx(0.8)
    assert outcomes.returns[1, 1] == pytest.approx(-1.2)
    assert outcomes.results is not None
    assert (outcomes.results.sum(axis=2) == outcomes.successes).all()
    assert outcomes.feature_names == ("goal", "wind")
    assert outcomes.features is not None
    assert outcomes.features.tolist() == TASKS
    rule = outcomes.info.pop("success")
    assert re.search(says("info['is_success'] last"), rule)
    assert outcomes.info == {"environment": "Corridor", "seed": 7, "max_steps": 12}


@pytest.mark.parametrize("set_task", ["options", "constructor", set_goal])
def test_every_way_to_set_a_task_plays_the_same(set_task: Any) -> None:
    whole = Dict(goal=Discrete(20), wind=Box(0, 1))  # goals come as int
    env = corridor(set_task=set_task, space=whole, columns=None)
    expected = evaluate([undecided, Planner(0.2)], corridor(), TASKS, 10).successes
    assert (evaluate([undecided, Planner(0.2)], env, TASKS, 10).successes == expected).all()


def solved_early(episode: EpisodeSummary) -> bool:
    """Fewer than 4 steps, with the goal in sight."""
    assert episode.length == len(episode.rewards) <= 12
    assert episode.truncated == (episode.length == 12)
    assert episode.observation[0] == (episode.task["goal"] if episode.terminated else 12)
    assert episode.info["is_success"] == episode.terminated
    return episode.terminated and episode.length < 4


@pytest.mark.parametrize(
    ("success", "at", "expected", "tokens"),
    [
        ("food", "last", [1, 0, 0], "info['food'] last"),
        ("food", "any", [1, 1, 1], "info['food'] any"),
        (0.75, "last", [1, 1, 0], "return 0.75"),
        (solved_early, "last", [1, 1, 0], "Fewer than 4 steps, with the goal in sight."),
    ],
)
def test_success_by_every_rule(success: Any, at: Any, expected: Any, tokens: str) -> None:
    env = corridor(success=success, success_at=at)
    outcomes = evaluate([right], env, [[1, 0], [3, 0], [13, 0]], 1)
    assert outcomes.successes[0].tolist() == expected
    assert re.search(says(tokens), outcomes.info["success"])


def test_a_registered_environment_with_varied_physics() -> None:
    def set_gravity(env: Any, task: dict[str, Any]) -> None:
        env.gravity = task["gravity"]

    env = GymEnvironment("CartPole-v1", set_task=set_gravity, success=100, columns=["gravity"])
    outcomes = evaluate(lambda s: (s[:, 2] + s[:, 3] > 0).astype(int), env, [[0.1], [60.0]], 5)
    rates = outcomes.rates[0]
    assert rates[0] > rates[1]
    plain = gym.make("CartPole-v1")
    plain.unwrapped.gravity = 60.0  # type: ignore[attr-defined]
    seeds = seed_lanes(
        np.zeros((2, 5), np.uint64), np.arange(5), np.ones(5, np.int64), np.arange(5), 0, 0
    )
    steps = 0
    for seed in seeds[:, 0].tolist():
        state, _ = plain.reset(seed=seed)
        ended = False
        while not ended:
            state, _, terminated, truncated, _ = plain.step(int(state[2] + state[3] > 0))
            ended, steps = terminated or truncated, steps + 1
    assert outcomes.steps is not None
    assert outcomes.steps[0, 1] == steps


# -- the same bits ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same_bits() -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(2, 9), torch.nn.Tanh(), torch.nn.Linear(9, 2))
    agents = {"network": network, "undecided": undecided, "planner": Planner(0.3)}
    tasks = np.column_stack([np.arange(1, 31) % 7 + 1, np.linspace(0, 0.9, 30)])
    one, two, five = (
        evaluate(agents, corridor(), tasks, 7, seed=3, workers=w, keep_returns=True)
        for w in (1, 2, 5)
    )
    assert 0.1 < one.rates.mean() < 0.9
    for other in (two, five):
        assert (other.successes == one.successes).all()
        assert (other.steps == one.steps).all()  # type: ignore[union-attr]
        assert (other.returns == one.returns).all()  # type: ignore[union-attr]
    assert (evaluate(agents, corridor(), tasks, 7, seed=4).successes != one.successes).any()


def test_more_agents_and_tasks_do_not_change_the_first_ones() -> None:
    whole = evaluate([undecided, Planner(0.3)], corridor(), TASKS, 20)
    part = evaluate([undecided], corridor(), TASKS[:3], 20)
    assert (whole.successes[:1, :3] == part.successes).all()


def test_rollouts_and_agents_differ() -> None:
    results = evaluate(
        [undecided, undecided], corridor(), [[3, 0.1]], 200, keep_results=True
    ).results
    assert results is not None
    first, second = results[:, 0].astype(float)
    assert 0 < first.mean() < 1
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(200)


def test_logits_are_sampled_with_their_probabilities() -> None:
    class Once(Corridor):
        def step(self, action: Any) -> Any:
            return self.seen(), float(action), True, False, {}

    def three_to_one(observations: Any) -> Any:
        return np.tile(np.log([0.25, 0.75]), (len(observations), 1))

    def never(observations: Any) -> Any:
        return np.tile([0.0, -np.inf], (len(observations), 1))

    rates = evaluate([three_to_one, never], corridor(Once, success=1), [[1, 0]], 1000).rates
    assert abs(rates[0, 0] - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 1000)
    assert rates[1, 0] == 0


# -- spaces ----------------------------------------------------------------------------------------


class Talking(Corridor):
    """Observations with an image, a number and a text."""

    observation_space = Dict(
        image=Box(0, 255, (2, 2, 3), np.uint8), goal=Discrete(20), mission=Text(20), at=Box(0, 9)
    )

    def seen(self) -> Any:
        image = np.full((2, 2, 3), max(self.place, 0), np.uint8)
        return {"image": image, "goal": self.goal, "mission": f"go to {self.goal}", "at": [1.0]}


@pytest.mark.parametrize("workers", [1, 2])
def test_dicts_with_texts_reach_the_agents(workers: int) -> None:
    def reads(observations: Any) -> Any:
        texts = [int(text.split()[-1]) for text in observations["mission"]]
        assert texts == observations["goal"].tolist()
        assert observations["image"].dtype == np.uint8
        assert observations["at"].dtype == np.float32
        return (observations["image"][:, 0, 0, 0] < observations["goal"]).astype(int)

    class Module(torch.nn.Module):
        def forward(self, observations: Any) -> Any:
            away = (observations["goal"] - observations["image"][:, 0, 0, 0]).float()
            assert isinstance(observations["mission"], tuple)
            return torch.stack([-away, away], dim=1) * 50

    rates = evaluate([reads, Module()], corridor(Talking), TASKS[:2], 40, workers=workers).rates
    assert (rates == 1).all()


def test_whole_numbers_as_observations_and_shifted_actions() -> None:
    class Shifted(Corridor):
        observation_space = Discrete(40)
        action_space = Discrete(2, start=4)

        def seen(self) -> Any:
            return np.int64(self.place + 20)

        def step(self, action: Any) -> Any:
            assert action in (4, 5)
            return super().step(action - 4)

    def numbers(observations: Any) -> Any:
        assert observations.shape == (12,)
        return np.full(12, 5)

    def logits(observations: Any) -> Any:
        return np.tile([-99.0, 99.0], (12, 1))

    assert (evaluate([numbers, logits], corridor(Shifted), TASKS[:2], 6).rates == 1).all()
    with pytest.raises(PolicyOutputError, match=says("agent-0 actions Shifted start=4) 1")):
        evaluate([right], corridor(Shifted), TASKS[:2])


class Echo(gym.Env[Any, Any]):
    """One step; the info holds the action."""

    observation_space = Box(-1, 1, (3,))

    def __init__(self, space: Space[Any]) -> None:
        self.action_space = space

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.float32(self.np_random.uniform(-1, 1, 3)), {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        return np.zeros(3, np.float32), float(np.sum(action)), True, False, {}


def echo(space: Space[Any], least: float = 0.0) -> GymEnvironment:
    return GymEnvironment(
        lambda: Echo(space), set_task=lambda env, task: None, success=least, max_steps=1,
        columns=["a"], name="Echo",
    )  # fmt: skip


def test_continuous_actions_are_clipped_drawn_and_squashed() -> None:
    space = Box(np.array([-1, 0], np.float32), np.array([3, 1], np.float32))

    def outside(observations: Any) -> Any:
        return np.tile([9.0, -9.0], (len(observations), 1))

    def drawn(observations: Any) -> Any:
        return np.tile([1.0, 0.5], (len(observations), 1)), np.full((len(observations), 2), -1.5)

    means = ts.MLPPolicy([np.zeros((2, 3))], [np.zeros(2)], output=Gaussian((-9.0, -9.0), True))
    outcomes = evaluate(
        [outside, drawn, means], echo(space), [[0.0]], 100, keep_returns=True, keep_results=True
    )
    assert outcomes.returns is not None
    assert outcomes.returns[0, 0] == 3
    assert abs(outcomes.returns[1, 0] - 1.5) < 4 * np.exp(-1.5) * np.sqrt(2 / 100)
    assert outcomes.returns[2, 0] == pytest.approx(1.5, abs=1e-3)


@pytest.mark.parametrize("space", [MultiDiscrete([3, 4]), MultiBinary(2)])
def test_several_whole_numbers_an_action(space: Space[Any]) -> None:
    def ones(observations: Any) -> Any:
        return np.ones((len(observations), 2), np.int8)

    assert evaluate([ones], echo(space, 2), [[0.0]], 3).rates.tolist() == [[1.0]]
    with pytest.raises(PolicyOutputError, match=says("agent-0 actions Echo 4")):
        evaluate([lambda o: 4 * ones(o)], echo(space), [[0.0]])
    with pytest.raises(PolicyOutputError, match=says("agent-0 actions Echo (10, 2) (10,)")):
        evaluate([right], echo(space), [[0.0]])


def test_stable_baselines_models_play() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    ppo = sb3.PPO("MlpPolicy", "CartPole-v1", n_steps=8, batch_size=8, device="cpu", seed=0)
    dqn = sb3.DQN("MlpPolicy", "CartPole-v1", device="cpu", seed=0)
    env = GymEnvironment("CartPole-v1", set_task=lambda e, t: None, success=1, columns=["a"])
    assert (evaluate([ppo, dqn], env, [[0.0]], 3).rates == 1).all()
    continuous = Echo(Box(-2, 2, (2,)))
    sac = sb3.SAC("MlpPolicy", continuous, device="cpu", seed=0)
    assert evaluate([sac], echo(continuous.action_space, -4), [[0.0]], 9).rates.tolist() == [[1.0]]
    with pytest.raises(ValueError, match=says("mine observations (4,) Corridor (2,)")):
        evaluate({"mine": ppo}, corridor(), TASKS)
    talking = sb3.PPO(
        "MultiInputPolicy", gym.wrappers.FilterObservation(Talking(), ["goal", "at"]),
        n_steps=8, batch_size=8, device="cpu", seed=0,
    )  # fmt: skip
    few = corridor(lambda: gym.wrappers.FilterObservation(Talking(), ["goal", "at"]), name="few")
    assert evaluate([talking], few, TASKS[:2], 5).rates.shape == (1, 2)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "error", "tokens"),
    [
        (3, TypeError, "agent-0 MLPPolicy start int"),
        (
            ts.MLPPolicy([np.zeros((2, 5))], [np.zeros(2)]),
            ValueError,
            "agent-0 policy 5 Corridor 2",
        ),
        (
            ts.MLPPolicy([np.zeros((4, 2))], [np.zeros(4)]),
            ValueError,
            "agent-0 policy 4 actions Corridor 2",
        ),
        (
            ts.MLPPolicy([np.zeros((2, 2))], [np.zeros(2)], output=Gaussian((0.0, 0.0))),
            ValueError,
            "agent-0 Corridor discrete gaussian",
        ),
        (torch.nn.Linear(2, 3), PolicyOutputError, "agent-0 Corridor 50 actions (50,) (50, 3)"),
        (lambda o: None, PolicyOutputError, "agent-0 Corridor 50 actions (50,) object ()"),
        (lambda o: np.full((50, 2), np.nan), PolicyOutputError, "agent-0 policy NaN"),
    ],
)
def test_agents_that_do_not_fit(agent: Any, error: type[Exception], tokens: str) -> None:
    with pytest.raises(error, match=says(tokens)):
        evaluate([agent], corridor(), TASKS)


@pytest.mark.parametrize(
    ("named", "tokens"),
    [
        ({"tasks": np.zeros((0, 2))}, "tasks"),
        ({"rollouts": 0}, "rollouts 0"),
        ({"workers": 0}, "workers 0"),
        ({"threads": 2}, "Corridor threads workers="),
        ({"on_error": "ignore"}, "on_error 'raise' 'skip' 'ignore'"),
        ({"on_error": "skip", "keep_results": True}, "keep_results on_error='skip'"),
    ],
)
def test_bad_arguments(named: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        evaluate([right], corridor(), **{"tasks": TASKS, **named})


def test_an_entry_that_never_appears_is_no_failure_of_the_agents() -> None:
    with pytest.raises(ValueError, match=says("info Corridor 'succes' 50")):
        evaluate([right], corridor(success="succes"), TASKS)
    with pytest.raises(ValueError, match=says("'succes' food is_success")):
        evaluate([Planner()], corridor(success="succes"), TASKS)


def test_spaces_that_differ_from_task_to_task() -> None:
    def varied(goal: float, wind: float) -> Corridor:
        env = Corridor(int(goal))
        env.observation_space = Box(-20, 20, (1 + int(goal),))
        env.seen = lambda: np.zeros(1 + int(goal))  # type: ignore[method-assign]
        return env

    env, tasks = corridor(varied, set_task="constructor"), [[1, 0], [2, 0]]
    with pytest.raises(PlayError, match=says("agent-0 task-1 ValueError observation_space")):
        evaluate([right], env, tasks, 1)
    # Agents that play alone may deal with them as they like.
    outcomes = evaluate([right, Always()], env, tasks, 3, on_error="skip")
    assert outcomes.rollouts.tolist() == [[3, 0], [3, 3]]
    assert outcomes.successes.tolist() == [[3, 0], [3, 3]]


# -- errors in the middle --------------------------------------------------------------------------


def hates_three(observations: Any) -> Any:
    if ((observations[:, 1] == 3) & (observations[:, 0] == 2)).any():
        raise ArithmeticError("three")
    return right(observations)


class HatesThree(Planner):
    def start(self, env: gym.Env[Any, Any], seed: int) -> Any:
        act = super().start(env, seed)

        def act_or_raise(observation: Any) -> Any:
            if observation.tolist() == [2, 3]:
                raise ArithmeticError("three")
            return act(observation)

        return act_or_raise


class Breaking(Corridor):
    """Breaks on one task, in the third step or (wind 1) at reset."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if self.goal == 3 and self.wind == 1:
            raise KeyError("at reset")
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        if self.goal == 3 and self.place == 2:
            raise ArithmeticError("three")
        return super().step(action)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("agent", "make"),
    [(hates_three, Corridor), (HatesThree(), Corridor), (right, Breaking), (Planner(), Breaking)],
)
def test_errors_name_agent_and_task_and_the_rest_goes_on(
    agent: Any, make: Any, workers: int
) -> None:
    tasks = [[1, 0], [3, 0], [4, 0], [13, 0]]
    agents = {"good": left, "bad": agent, "also good": left}
    env = corridor(make)
    with pytest.raises(PlayError, match=says("bad task-1 ArithmeticError three")) as caught:
        evaluate(agents, env, tasks, 8, workers=workers)
    assert caught.value.__cause__ is not None
    outcomes = evaluate(agents, env, tasks, 8, workers=workers, on_error="skip", keep_returns=True)
    assert outcomes.rollouts.tolist() == [[8] * 4, [8, 0, 8, 8], [8] * 4]
    assert outcomes.successes.tolist() == [[0] * 4, [8, 0, 8, 0], [0] * 4]
    assert outcomes.info["errors"] == [
        {"agent": "bad", "task": "task-1", "error": "ArithmeticError: three"}
    ]


def test_an_environment_that_breaks_at_reset() -> None:
    tasks = [[3, 1], [1, 0]]
    with pytest.raises(PlayError, match=says("agent-0 task-0 KeyError 'at reset'")):
        evaluate([right], corridor(Breaking), tasks)
    outcomes = evaluate([right, Planner()], corridor(Breaking), tasks, on_error="skip")
    assert outcomes.rollouts.tolist() == [[0, 10], [0, 10]]


def test_agents_that_always_raise_and_pairs_that_keep_what_was_played() -> None:
    def broken(observations: Any) -> Any:
        raise ArithmeticError("no")

    class Tires(Planner):
        def start(self, env: gym.Env[Any, Any], seed: int) -> Any:
            self.noise += 1
            if self.noise > 14:
                raise ArithmeticError("tired")
            return lambda observation: 1

    outcomes = evaluate([broken, right], corridor(), TASKS, 30, on_error="skip")
    assert outcomes.rollouts.tolist() == [[0] * 5, [30] * 5]
    assert len(outcomes.info["errors"]) == 5
    outcomes = evaluate([Tires(0)], corridor(), TASKS[:2], on_error="skip", workers=1)
    assert outcomes.rollouts.tolist() == [[10, 4]]
    assert evaluate([right], corridor(), TASKS, on_error="skip").info["errors"] == []


def test_a_process_that_dies_is_told() -> None:
    class Deadly(Corridor):
        def step(self, action: Any) -> Any:
            os._exit(3)

    with pytest.raises(ChildProcessError, match=says("Deadly workers=1")):
        evaluate([right], corridor(Deadly), TASKS, workers=2)


def test_compiled_environments_tell_agent_and_task_too() -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(6, seed=0)
    tasks[4, 0] = 0.5

    def hates_the_middle(observations: Any) -> Any:
        if (observations[:, 0] == 0.5).any():
            raise ArithmeticError("middle")
        return np.full(len(observations), 6)

    agents = {"good": lambda o: np.zeros(len(o), np.int64), "bad": hates_the_middle}
    with pytest.raises(PlayError, match=says("bad task-0 task-5 ArithmeticError middle")):
        evaluate(agents, env, tasks, 3)
    outcomes = evaluate(agents, env, tasks, 3, on_error="skip", keep_returns=True)
    assert outcomes.rollouts.tolist() == [[3] * 6, [3, 3, 3, 3, 0, 3]]
    assert outcomes.info["errors"] == [
        {"agent": "bad", "task": "task-4", "error": "ArithmeticError: middle"}
    ]
    with pytest.raises(ValueError, match=says("MultiKeyNav threads threads=")):
        evaluate(agents, env, tasks, workers=2)


# -- what pays -------------------------------------------------------------------------------------


def test_processes_are_started_where_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, module = [], cast(Any, gymnasium_evaluate)
    original = module.env_pool

    def spy(environment: Any, spaces: Any, lanes: int, processes: int) -> Any:
        chosen.append(processes)
        return original(environment, spaces, lanes, processes)

    monkeypatch.setattr(module, "env_pool", spy)
    evaluate([right], corridor(), TASKS)
    monkeypatch.setattr(module, "_PAYING_SECONDS", 0.0)
    monkeypatch.setattr(module, "_PAYING_STEP", 0.0)
    evaluate([right], corridor(), TASKS)
    assert chosen[0] == 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    assert chosen[1] == cores


def test_environments_without_a_notion_of_success_have_returns() -> None:
    plain = evaluate([right, undecided], corridor(), TASKS, 6, keep_returns=True)
    assert plain.scale is None
    outcomes = evaluate([right, undecided], corridor(success=None), TASKS, 6)
    assert outcomes.scale is not None
    np.testing.assert_array_equal(outcomes.returns, plain.returns)
    np.testing.assert_array_equal(outcomes.return_spreads, plain.return_spreads)
    assert outcomes.returns is not None
    np.testing.assert_allclose(outcomes.returns[0, [0, 1, 4]], [1, 0.8, -1.2], rtol=1e-6)
    assert (float(outcomes.scale.low), float(outcomes.scale.high)) == pytest.approx((-1.2, 1))
    parallel = evaluate([right, undecided], corridor(success=None), TASKS, 6, workers=2)
    np.testing.assert_array_equal(parallel.successes, outcomes.successes)
    np.testing.assert_array_equal(parallel.return_spreads, outcomes.return_spreads)
    assert "returns" in repr(corridor(success=None))
    with pytest.raises(ValueError, match=says("keep_results Corridor")):
        evaluate([right], corridor(success=None), TASKS, keep_results=True)


def test_spreads_are_those_of_the_rollouts() -> None:
    rewards: list[float] = []

    def remember(episode: EpisodeSummary) -> bool:
        rewards.append(episode.total_reward)
        return True

    outcomes = evaluate(
        right, corridor(success=remember), [[5, 0.3]], 9, keep_returns=True, workers=1
    )
    assert outcomes.return_spreads is not None
    assert outcomes.return_spreads[0, 0] == pytest.approx(np.std(rewards, ddof=1), rel=1e-5)
