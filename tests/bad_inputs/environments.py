"""Bad arguments of environments, agents, populations, training and rollouts."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import torch

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import read_tasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.language import decode, encode, parse
from taskspace.envs.karel.worlds import from_text
from taskspace.rollouts.errors import PlayError, PolicyOutputError
from taskspace.rollouts.trajectories import record
from taskspace.testing import check_env
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import cut, environment, named, policy, saved, written

ONE = np.ones((2, 2))


def _tasks(change: Callable[[Any], Any]) -> Callable[[Path], Any]:
    return lambda _: environment().check_tasks(change(environment().sample_tasks(3, seed=0)))


def _with(column: int, value: float) -> Callable[[Path], Any]:
    def change(tasks: Any) -> Any:
        tasks[1, column] = value
        return tasks

    return _tasks(change)


def _play(**changes: Any) -> Callable[[Path], Any]:
    def call(_: Path) -> Any:
        env = environment()
        arguments = {
            "population": policy(), "env": env, "tasks": env.sample_tasks(3, seed=0),
            "rollouts": 2, "progress": False,
        }  # fmt: skip
        return ts.evaluate(**{**arguments, **changes})

    return call


def _train(**changes: Any) -> Callable[[Path], Any]:
    return lambda _: ts.train_population(**{"env": environment(), "fast": True, **changes})


def _network(weights: Any = (ONE,), biases: Any = ([0, 0],), *more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.MLPPolicy(weights, biases, *more)


def _set_gravity(env: Any, task: dict[str, Any]) -> None:
    env.gravity = task["gravity"]


def _gym(make: Any = "CartPole-v1", **changes: Any) -> ts.GymEnvironment:
    settings = {"set_task": _set_gravity, "success": 100, "columns": ["gravity"]}
    return ts.GymEnvironment(make, **{**settings, **changes})


def _made(make: Any = "CartPole-v1", **changes: Any) -> Callable[[Path], Any]:
    return lambda _: _gym(make, **changes)


def _in_gym(agent: Any, **changes: Any) -> Callable[[Path], Any]:
    return lambda _: ts.evaluate(agent, _gym(), [[9.8]], 1, progress=False, **changes)


def _saved_population(folder: Path) -> Path:
    return saved(ts.Population({"one": policy()}, "MultiKeyNav"), folder / "a.zip")


def _of_header(header: Any) -> Callable[[Path], Any]:
    def load(folder: Path) -> Any:
        with zipfile.ZipFile(folder / "a.zip", "w") as archive:
            archive.writestr("population.json", json.dumps(header))
        return ts.Population.load(folder / "a.zip")

    return load


def _snapshots(*arguments: Any) -> Callable[[Path], Any]:
    return lambda _: ts.SnapshotCallback(*arguments)


BOX = gym.spaces.Box(1, 20, (1,))

CALLS = [
    # -- environments --------------------------------------------------------------------------
    Call("make: unknown", lambda _: ts.make("Chess"), "Chess MultiKeyNav"),
    Call("make: a typo", lambda _: ts.make("MultiKeyNave"), "mean 'MultiKeyNav'"),
    Call("make: None", lambda _: ts.make(None), "None"),
    Call("make: a number", lambda _: ts.make(5), "5"),
    Call("make: a list", lambda _: ts.make(["MultiKeyNav"]), "['MultiKeyNav']"),
    Call("make: empty", lambda _: ts.make(""), "''"),
    Call("sample_tasks: below 0", lambda _: environment().sample_tasks(-1), "tasks -1"),
    Call("sample_tasks: a fraction", lambda _: environment().sample_tasks(1.5), "tasks 1.5"),
    Call("sample_tasks: text", lambda _: environment().sample_tasks("5"), "tasks '5'"),
    Call("sample_tasks: 10**15", lambda _: environment().sample_tasks(10**15), "1,000,000,000"),
    Call("sample_tasks: more than the memory", lambda _: environment().sample_tasks(10**9),
         "memory 1,000,000,000"),
    Call("sample_tasks: seed", lambda _: environment().sample_tasks(1, seed=-1), "seed -1"),
    Call("sample_tasks: seed a fraction", lambda _: environment().sample_tasks(1, seed=0.5),
         "seed 0.5"),
    Call("sample_tasks: distribution",
         lambda _: environment().sample_tasks(1, distribution="x"), "'x' all"),
    Call("sample_tasks: distribution a list",
         lambda _: environment().sample_tasks(1, distribution=["all"]), "['all']"),
    Call("check_tasks: None", _tasks(lambda _: None), "tasks None"),
    Call("check_tasks: text", _tasks(lambda _: "task"), "tasks 'task'"),
    Call("check_tasks: numbers as text", _tasks(lambda tasks: tasks.astype(str)), "tasks numbers"),
    Call("check_tasks: ragged", _tasks(lambda _: [[1, 2], [3]]), "equal"),
    Call("check_tasks: a column too few", _tasks(lambda tasks: tasks[:, :-1]), "7 (3, 6)"),
    Call("check_tasks: three dimensions", _tasks(lambda tasks: tasks[None]), "7 (1, 3, 7)"),
    Call("check_tasks: NaN", _with(0, np.nan), "tasks NaN row 2"),
    Call("check_tasks: 77", _with(0, 77), "task 1 location 77"),
    Call("check_tasks: 1e308", _with(0, 1e308), "location 1e+308"),
    Call("check_tasks: a fraction of a key", _with(1, 0.5), "task 1 0.5"),
    Call("check_tasks: masked", _tasks(lambda tasks: np.ma.masked_array(tasks, tasks > 0)), "mask"),
    Call("check_tasks: complex", _tasks(lambda tasks: tasks * 1j), "tasks numbers"),
    Call("check_tasks: a DataFrame of other columns",
         _tasks(lambda tasks: pd.DataFrame(tasks, columns=list("abcdefg"))), "location"),
    Call("expert_actions: none", lambda _: ts.make("PointMass").expert_actions([[0] * 5]),
         "expert PointMass"),
    Call("draw_task: several", lambda _: environment().draw_task(
        environment().sample_tasks(2, seed=0)), "task 2"),
    Call("draw_task: out of range", lambda _: environment().draw_task([9] * 7), "location 9"),
    Call("draw_episode: too few actions", lambda _: environment().draw_episode([[0] * 7] * 3, [0]),
         "states 3 1"),
    Call("draw_episode: actions None", lambda _: environment().draw_episode([[0] * 7] * 3, None),
         "actions None"),
    Call("check_env: None", lambda _: check_env(None), "environment None", TypeError),
    Call("check_env: a name", lambda _: check_env("MultiKeyNav"), "environment 'MultiKeyNav'",
         TypeError),
    Call("check_env: a class", lambda _: check_env(type(environment())), "environment", TypeError),
    Call("gym.make: a task out of range",
         lambda _: gym.make("taskspace/MultiKeyNav-v0").reset(options={"task": [9] * 7}), "9"),
    # -- GymEnvironment ------------------------------------------------------------------------
    Call("gym: unknown", _made("NoSuchEnv-v0"), "'NoSuchEnv-v0'"),
    Call("gym: None", _made(None), "make None", TypeError),
    Call("gym: an environment itself", lambda _: _gym(gym.make("CartPole-v1")), "make", TypeError),
    Call("gym: set_task", _made(set_task="reset"), "set_task 'reset'"),
    Call("gym: set_task None", _made(set_task=None), "set_task None"),
    Call("gym: success a list", _made(success=[]), "success []", TypeError),
    Call("gym: success_at any of None", _made(success=None, success_at="any"), "success None"),
    Call("gym: success NaN", _made(success=np.nan), "success nan", TypeError),
    Call("gym: success empty", _made(success=""), "success ''", TypeError),
    Call("gym: success_at", _made(success_at="first"), "success_at 'first'"),
    Call("gym: success_at any of a number", _made(success_at="any"), "success 100"),
    Call("gym: columns a text", _made(columns="gravity"), "columns 'gravity'", TypeError),
    Call("gym: columns none", _made(columns=[]), "columns []"),
    Call("gym: columns twice", _made(columns=["a", "a"]), "'a' twice"),
    Call("gym: columns reserved", _made(columns=["task"]), "'task'"),
    Call("gym: columns numbers", _made(columns=[1]), "columns [1]"),
    Call("gym: space a text", _made(space="box"), "space 'box'", TypeError),
    Call("gym: space of text", _made(space=gym.spaces.Text(5)), "space", TypeError),
    Call("gym: space of another size", _made(columns=["a", "b"], space=BOX), "columns 1 2"),
    Call("gym: max_steps", _made(max_steps=0), "max_steps 0"),
    Call("gym: max_steps a fraction", _made(max_steps=1.5), "max_steps 1.5"),
    Call("gym: sample_tasks without a space", lambda _: _gym().sample_tasks(3), "space"),
    Call("gym: sample_tasks below 0", lambda _: _gym(space=BOX).sample_tasks(-3), "tasks -3"),
    Call("gym: a task out of range", lambda _: _gym(space=BOX).check_tasks([[99]]), "gravity 99"),
    Call("gym: a task of text", lambda _: _gym().check_tasks([["a"]]), "tasks numbers"),
    Call("gym: a task of two columns", lambda _: _gym().check_tasks([[1, 2]]), "1 (1, 2)"),
    Call("gym: a table without the column",
         lambda _: _gym().check_tasks(pd.DataFrame({"mass": [1]})), "'gravity'"),
    Call("gym: a table with a column too many",
         lambda _: _gym().check_tasks(pd.DataFrame({"gravity": [1], "mass": [1]})), "'mass'"),
    Call("gym: threads", _in_gym(lambda states: [0], threads=2), "threads 2"),
    Call("gym: workers", _in_gym(lambda states: [0], workers=0), "workers 0"),
    Call("gym: an agent that is none", _in_gym("agent"), "agent str", TypeError),
    Call("gym: keep_results of skipped errors",
         _in_gym(lambda states: [0], on_error="skip", keep_results=True), "keep_results"),
    # -- policies ------------------------------------------------------------------------------
    Call("policy: weights None", _network(None), "weights None", TypeError),
    Call("policy: weights a number", _network(5), "weights 5", TypeError),
    Call("policy: weights a text", _network("weights"), "weights 'weights'", TypeError),
    Call("policy: no layers", _network([], []), "layer 0"),
    Call("policy: biases too few", _network([ONE, ONE], [[0, 0]]), "2 1"),
    Call("policy: shapes", _network([np.ones((2, 3)), np.ones((2, 3))], [[0, 0], [0, 0]]),
         "layer 1"),
    Call("policy: NaN", _network([ONE * np.nan]), "weights NaN"),
    Call("policy: 1e308", _network([ONE * 1e308]), "weights"),
    Call("policy: 1e20", _network([ONE * 1e20]), "weights 1e+20"),
    Call("policy: text", _network([[["a"]]]), "weights numbers"),
    Call("policy: three dimensions", _network([np.ones((1, 2, 2))]), "weights (1, 2, 2)"),
    Call("policy: activation", _network([ONE], [[0, 0]], "gelu"), "activation 'gelu'"),
    Call("policy: output", _network([ONE], [[0, 0]], "relu", "softmax"), "output 'softmax'",
         TypeError),
    Call("policy: all actions masked", _network([ONE], [[0, 0]], "relu", Categorical((0, 1))),
         "masked (0, 1)"),
    Call("Categorical: a list", lambda _: Categorical([0]), "masked [0]", TypeError),
    Call("Categorical: below 0", lambda _: Categorical((-1,)), "-1"),
    Call("Gaussian: NaN", lambda _: Gaussian((np.nan,)), "log_std NaN"),
    Call("Gaussian: a number", lambda _: Gaussian(0.5), "log_std 0.5"),
    Call("policy.random: None", lambda _: ts.MLPPolicy.random(None), "environment None",
         TypeError),
    Call("policy.random: hidden", lambda _: ts.MLPPolicy.random(environment(), hidden=32),
         "hidden 32", TypeError),
    Call("policy.random: hidden text", lambda _: ts.MLPPolicy.random(environment(), hidden="32"),
         "hidden '32'", TypeError),
    Call("policy.random: hidden 0", lambda _: ts.MLPPolicy.random(environment(), hidden=(0,)),
         "hidden 0"),
    Call("policy.random: hidden huge",
         lambda _: ts.MLPPolicy.random(environment(), hidden=(10**9,)), "10,000"),
    Call("policy.random: seed", lambda _: ts.MLPPolicy.random(environment(), seed="x"),
         "seed 'x'"),
    Call("from_torch: None", lambda _: ts.MLPPolicy.from_torch(None), "module NoneType"),
    Call("from_torch: other layers",
         lambda _: ts.MLPPolicy.from_torch(torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1))),
         "Conv2d"),
    Call("ExpertPolicy: none", lambda _: ExpertPolicy(ts.make("PointMass")), "expert PointMass"),
    Call("ExpertPolicy: a name", lambda _: ExpertPolicy("MultiKeyNav"), "environment", TypeError),
    # -- populations ---------------------------------------------------------------------------
    Call("Agent: name None", lambda _: Agent(None, policy()), "name None", TypeError),
    Call("Agent: name empty", lambda _: Agent("", policy()), "name ''"),
    Call("Agent: step", lambda _: Agent("a", policy(), step=-1), "step -1"),
    Call("Agent: skill", lambda _: Agent("a", policy(), skill=2), "skill 2"),
    Call("Agent: skill text", lambda _: Agent("a", policy(), skill="high"), "skill 'high'"),
    Call("Population: None", lambda _: ts.Population(None), "None", TypeError),
    Call("Population: a text", lambda _: ts.Population("agents"), "'agents'", TypeError),
    Call("Population: bytes", lambda _: ts.Population(b"agents"), "b'agents'", TypeError),
    Call("Population: a number as a name", lambda _: ts.Population({1: policy()}), "name 1",
         TypeError),
    Call("Population: a name twice",
         lambda _: ts.Population([Agent("a", policy()), Agent("a", policy())]), "'a' twice"),
    Call("Population: environment", lambda _: ts.Population({}, 5), "environment 5", TypeError),
    Call("Population[...]: unknown", lambda _: ts.Population({"a": policy()})["b"], "'b'",
         KeyError),
    Call("Population.select: unknown", lambda _: ts.Population({"a": policy()}).select("b"),
         "'b'"),
    Call("Population.save: a function",
         lambda folder: ts.Population({"a": print}).save(folder / "a.zip"), "'a'", TypeError),
    Call("Population.save: None", lambda _: ts.Population({"a": policy()}).save(None),
         "path None", TypeError),
    Call("Population.load: None", lambda _: ts.Population.load(None), "path None", TypeError),
    Call("Population.load: missing", lambda folder: ts.Population.load(folder / "a.zip"), "a.zip",
         FileNotFoundError),
    Call("Population.load: half of it",
         lambda folder: ts.Population.load(cut(_saved_population(folder))), "damaged"),
    Call("Population.load: outcomes",
         lambda folder: ts.Population.load(saved(named(), folder / "a.npz")), "population"),
    Call("Population.load: a pickle",
         lambda folder: ts.Population.load(written(folder / "a.zip", pickle.dumps([1]))),
         "damaged"),
    Call("Population.load: another format", _of_header({"format": "x", "version": 1}), "'x'"),
    Call("Population.load: a list", _of_header([1]), "damaged"),
    Call("Population.load: without agents",
         _of_header({"format": "taskspace population", "version": 1}), "damaged"),
    Call("from_checkpoints: no folder",
         lambda folder: ts.Population.from_checkpoints(folder / "no", "PPO"), "folder",
         FileNotFoundError),
    Call("from_checkpoints: no models",
         lambda folder: ts.Population.from_checkpoints(folder, "PPO"), "models"),
    Call("from_checkpoints: algorithm", lambda folder: ts.Population.from_checkpoints(
        written(folder / "a.zip", b"PK").parent, 5), "5", TypeError),
    Call("from_checkpoints: a damaged model", lambda folder: ts.Population.from_checkpoints(
        written(folder / "a.zip", b"PK").parent, "PPO"), "a.zip"),
    Call("SnapshotCallback: every", _snapshots(0), "every 0"),
    Call("SnapshotCallback: every a fraction", _snapshots(1.5), "every 1.5"),
    Call("SnapshotCallback: name", _snapshots(10, 5), "name 5", TypeError),
    # -- evaluate ------------------------------------------------------------------------------
    Call("evaluate: no agents", _play(population=[]), "population empty"),
    Call("evaluate: agent None", _play(population=None), "agent NoneType", TypeError),
    Call("evaluate: agents a text", _play(population="abc"), "agent str", TypeError),
    Call("evaluate: a number among agents", _play(population={"a": 5}), "a int", TypeError),
    Call("evaluate: names twice", _play(population={1: print, "1": print}), "'1' twice"),
    Call("evaluate: env a name", _play(env="MultiKeyNav"), "environment", TypeError),
    Call("evaluate: env None", _play(env=None), "environment None", TypeError),
    Call("evaluate: agent of another environment", _play(env=ts.make("CartPoleVar"), tasks=None),
         "actions CartPoleVar 7"),
    Call("evaluate: tasks None", _play(tasks=None), "tasks None"),
    Call("evaluate: no tasks", _play(tasks=np.ones((0, 7))), "tasks none"),
    Call("evaluate: tasks out of range", _play(tasks=[[9] * 7]), "location 9"),
    Call("evaluate: rollouts 0", _play(rollouts=0), "rollouts 0"),
    Call("evaluate: rollouts a fraction", _play(rollouts=2.5), "rollouts 2.5"),
    Call("evaluate: rollouts huge", _play(rollouts=10**18), "rollouts 1,000,000"),
    Call("evaluate: rollouts text", _play(rollouts="2"), "rollouts '2'"),
    Call("evaluate: seed", _play(seed=-1), "seed -1"),
    Call("evaluate: threads", _play(threads=0), "threads 0"),
    Call("evaluate: threads huge", _play(threads=10**6), "threads 1,024"),
    Call("evaluate: workers", _play(workers=2), "workers 2"),
    Call("evaluate: executor", _play(executor="dask"), "executor 'dask'"),
    Call("evaluate: on_error", _play(on_error="ignore"), "on_error 'ignore'"),
    Call("evaluate: an agent of text actions", _play(population=lambda states: ["left"]),
         "agent-0", PolicyOutputError),
    Call("evaluate: an agent that returns None", _play(population=lambda states: None), "agent-0",
         PolicyOutputError),
    Call("evaluate: an agent that fails", _play(population=lambda states: 1 / 0), "agent-0",
         PlayError),
    Call("evaluate: actions that there are not",
         _play(population=lambda states: np.full(len(states), 99)), "99", PolicyOutputError),
    Call("record: tasks None", lambda _: record(policy(), environment(), None), "tasks None"),
    Call("record: an agent that is none", lambda _: record(5, environment(), None), "agent int",
         TypeError),
    Call("train_population: env", _train(env=None), "environment None", TypeError),
    Call("train_population: seed", _train(seed=-1), "seed -1"),
    Call("train_population: recipe", _train(recipe="best"), "recipe 'best'"),
    Call("train_population: recipe a list", _train(recipe=[]), "recipe []"),
    Call("train_population: workers", _train(workers=0), "workers 0"),
    Call("train_population: executor", _train(executor=5), "executor 5"),
    Call("train_population: Karel", _train(env=ts.make("Karel")), "Karel"),
    # -- Karel ---------------------------------------------------------------------------------
    Call("parse: nothing", lambda _: parse(""), "DEF"),
    Call("parse: a number", lambda _: parse(5), "5", TypeError),
    Call("parse: None", lambda _: parse(None), "None", TypeError),
    Call("parse: an unknown token", lambda _: parse("DEF run m( jump m)"), "'jump'"),
    Call("parse: cut off", lambda _: parse("DEF run m( move"), "end"),
    Call("encode: an unknown token", lambda _: encode(["jump"]), "'jump'"),
    Call("encode: too long", lambda _: encode(["DEF run m( move m)"], 2), "2 5"),
    Call("decode: out of range", lambda _: decode([999]), "999"),
    Call("decode: text", lambda _: decode(["move"]), "numbers <U4"),
    Call("from_text: nothing", lambda _: from_text(""), "world"),
    Call("read_tasks: missing", lambda folder: read_tasks(folder / "a.jsonl"), "a.jsonl",
         FileNotFoundError),
    Call("read_tasks: empty", lambda folder: read_tasks(written(folder / "a.jsonl", "")), "empty"),
    Call("read_tasks: no JSON",
         lambda folder: list(read_tasks(written(folder / "a.jsonl", "move\n"))), "JSON"),
    Call("read_tasks: a list",
         lambda folder: list(read_tasks(written(folder / "a.jsonl", "[1]\n"))), "a.jsonl:1"),
    Call("generate_tasks: below 0", lambda _: generate_tasks(-5), "-5"),
    Call("generate_tasks: side", lambda _: generate_tasks(10, side=99), "side 99"),
    Call("generate_tasks: seed", lambda _: generate_tasks(10, seed="x"), "seed 'x'"),
    Call("KarelTasks.load: missing", lambda folder: KarelTasks.load(folder / "a.npz"), "a.npz",
         FileNotFoundError),
    Call("KarelTasks.load: outcomes",
         lambda folder: KarelTasks.load(saved(named(), folder / "a.npz")), "a.npz"),
]  # fmt: skip
