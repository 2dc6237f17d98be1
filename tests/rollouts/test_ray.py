"""Ray: the same bits as on one machine, even when workers and nodes die on the way.

All tests share one cluster of two nodes on this machine; the last one kills the second.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.bench import scaling
from taskspace.checkpoints import Checkpoints
from taskspace.rollouts.compiled import chunks
from taskspace.rollouts.errors import PlayError
from taskspace.training.recipes import recipe_for
from tests.messages import says

ray = pytest.importorskip("ray", reason="Ray is not installed (pip install 'taskspace[ray]')")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=head)
    made.add_node(num_cpus=1)
    ray.init(made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def multikeynav() -> tuple[Any, Any]:
    env = ts.make("MultiKeyNav")
    return env, env.sample_tasks(300, seed=3)


def assert_same(one: ts.Outcomes, other: ts.Outcomes) -> None:
    assert one.info == other.info
    for name in ("successes", "rollouts", "steps", "returns", "return_spreads", "results"):
        a, b = getattr(one, name), getattr(other, name)
        if a is not None or b is not None:
            assert a.dtype == b.dtype, name
            np.testing.assert_array_equal(a, b, name)  # NaN is equal to NaN


def logits(seed: int) -> Callable[[Any], Any]:
    weights = np.random.default_rng(seed).normal(size=(7, 7)).astype(np.float32)
    return lambda states: states @ weights


@pytest.mark.parametrize(
    ("named", "tokens"),
    [
        ({"executor": "dask"}, "executor None 'ray' 'dask'"),
        ({"executor": "ray", "threads": 2}, "threads= Ray"),
        ({"executor": "ray", "workers": 2}, "workers= Ray"),
    ],
)
def test_bad_arguments(named: dict[str, Any], tokens: str, multikeynav: Any) -> None:
    env, tasks = multikeynav
    with pytest.raises(ValueError, match=says(tokens)):
        ts.evaluate(ExpertPolicy(env), env, tasks, **named)


@pytest.mark.slow
def test_networks_experts_and_functions(cluster: Any, multikeynav: Any) -> None:
    env, tasks = multikeynav
    agents = {
        **{f"network-{i}": ts.MLPPolicy.random(env, seed=i) for i in range(5)},
        "expert": ExpertPolicy(env),
        "function": logits(0),
    }
    choices: list[dict[str, Any]] = [{}, {"keep_returns": True, "keep_results": True}]
    for named in choices:
        here = ts.evaluate(agents, env, tasks, 40, seed=5, **named)
        assert here.successes.any()
        assert_same(here, ts.evaluate(agents, env, tasks, 40, seed=5, executor="ray", **named))


@pytest.mark.slow
def test_agents_that_raise_or_cannot_be_sent(cluster: Any, multikeynav: Any) -> None:
    env, tasks = multikeynav

    def fussy(states: Any) -> Any:
        if (states[:, 0] > 0.99).any():
            raise ArithmeticError("too far")
        return logits(1)(states)

    agents = {"fussy": fussy, "fine": logits(2)}
    with pytest.raises(PlayError, match=says("fussy task-0 task-299 ArithmeticError far")):
        ts.evaluate(agents, env, tasks, 3, executor="ray")
    here = ts.evaluate(agents, env, tasks, 3, on_error="skip", keep_returns=True)
    assert 0 < len(here.info["errors"]) < len(tasks)
    there = ts.evaluate(agents, env, tasks, 3, on_error="skip", keep_returns=True, executor="ray")
    assert_same(here, there)
    lock = threading.Lock()
    with pytest.raises(ValueError, match=says("locked '_thread.lock'")):
        ts.evaluate({"locked": lambda states: lock}, env, tasks, executor="ray")


class Walk(gymnasium.Env[Any, Any]):
    """Go right until the goal; the wind blows you left at times."""

    observation_space = gymnasium.spaces.Box(-50, 50, (2,))
    action_space = gymnasium.spaces.Discrete(2)
    goal = 3.0

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.at = 0.0
        return self._seen(), {}

    def _seen(self) -> Any:
        return np.array([self.at, self.goal], np.float32)

    def step(self, action: Any) -> Any:
        self.at += 1.0 if action and self.np_random.random() < 0.7 else -0.3
        return self._seen(), -0.1, self.at >= self.goal, False, {"there": self.at >= self.goal}


class Careful:
    """Plays alone, with the environment in hand."""

    def start(self, env: Any, seed: int) -> Any:
        rng = np.random.default_rng(seed)
        return lambda observation: int(rng.random() < 0.9)


@pytest.mark.slow
def test_an_environment_and_agents_of_ones_own(cluster: Any) -> None:
    gymnasium.register(
        "Walk-v0", lambda **named: Walk(**named)
    )  # the workers' Gymnasium knows nothing of it
    env = ts.GymEnvironment(
        "Walk-v0", set_task=lambda env, task: setattr(env, "goal", task["goal"]),
        success="there", columns=["goal"], max_steps=12,
    )  # fmt: skip

    def undecided(states: Any) -> Any:
        return np.column_stack([states[:, 0] - 1, np.zeros(len(states))])

    def faints(states: Any) -> Any:
        if (states[:, 0] < -0.5).any():
            raise ArithmeticError("lost")
        return undecided(states)

    tasks = [[goal] for goal in range(1, 30)]
    here = ts.evaluate([undecided, Careful()], env, tasks, 9, keep_returns=True, keep_results=True)
    there = ts.evaluate(
        [undecided, Careful()], env, tasks, 9, keep_returns=True, keep_results=True, executor="ray"
    )
    assert 0 < here.successes.sum() < here.successes.size * 9
    assert_same(here, there)
    here = ts.evaluate([faints], env, tasks, 9, on_error="skip", keep_returns=True)
    assert len(here.info["errors"]) > 0
    assert 0 < here.rollouts.sum() < 9 * len(tasks)
    there = ts.evaluate([faints], env, tasks, 9, on_error="skip", keep_returns=True, executor="ray")
    assert_same(here, there)


@pytest.mark.slow
def test_a_population_trains(cluster: Any, tmp_path: Path) -> None:
    env = ts.make("MultiKeyNav")
    recipe = recipe_for(env).fast()
    few = replace(recipe, subpopulations=recipe.subpopulations[:3])
    store = Checkpoints(tmp_path)
    here = ts.train_population(env, recipe=few)
    there = ts.train_population(env, recipe=few, executor="ray", checkpoints=store)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.zip", "1.zip", "2.zip"]
    assert here.table() == there.table()
    for one, other in zip(here.values(), there.values(), strict=True):
        for layer, same in zip(one.weights, other.weights, strict=True):
            assert np.array_equal(layer, same)
            assert same.flags.writeable


@pytest.mark.slow
def test_the_benchmark_measures(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"TASKS": 100, "MANY_TASKS": 1000, "CALLS": 5, "PAIRS": 1, "PIECES": (500_000,)}
    before = chunks._STEPS_PER_PIECE
    for name, value in small.items():
        monkeypatch.setattr(scaling, name, value)
    numbers = json.loads(json.dumps(scaling.as_json(scaling.measure_all())))
    assert all(number > 0 for name, number in numbers["costs"].items() if "more" not in name)
    assert [piece["steps"] for piece in numbers["pieces"]] == [500_000]
    assert before == chunks._STEPS_PER_PIECE != 500_000


def test_a_cluster_pays_where_it_saves_more_than_it_costs() -> None:
    piece = scaling.Piece(chunks._STEPS_PER_PIECE, 1.0, share=0.8)
    numbers: dict[str, Any] = {field.name: 1.0 for field in fields(scaling.Costs)}
    numbers |= {"start_seconds": 6.0, "first_seconds": 3.0, "local_steps_per_s": 36e6}
    costs = scaling.Costs(**numbers | {"cores": 2, "episode_steps": 20.0})
    found = scaling.Scaling(costs, (piece,))
    work = found.break_even(5, started=False)
    assert work == pytest.approx(9 + work / (5 * 0.8))
    assert found.break_even(5, started=True) == pytest.approx(work / 3)
    assert found.break_even(1, started=True) == float("inf")
    assert found.core_hours(agents=100, tasks=36_000) == pytest.approx(20 * 2 / 0.8 / 3600)


def kill_both(marks: Path, node: Any, cluster: Any) -> None:
    """Kill a worker of the node while it plays, then, when there is another, the whole node."""
    seen: set[Path] = set()
    while len(seen) < 2:
        for path in set(marks.glob(f"{node.node_id}-*")) - seen:
            seen.add(path)
            if len(seen) == 1:
                os.kill(int(path.name.split("-")[1]), signal.SIGKILL)
        time.sleep(0.02)
    cluster.remove_node(node, allow_graceful=False)
    (marks / "both").touch()


@pytest.mark.slow
def test_a_dead_worker_and_a_dead_node_change_nothing(
    cluster: Any, multikeynav: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, tasks = multikeynav
    monkeypatch.setattr(chunks, "_STEPS_PER_CHUNK", 50_000)  # some ten pieces of work
    answer = logits(4)

    def waits(states: Any) -> Any:
        import ray

        (tmp_path / f"{ray.get_runtime_context().get_node_id()}-{os.getpid()}").touch()
        while not (tmp_path / "both").exists():  # so nobody ends before they are dead
            time.sleep(0.02)
        return answer(states)

    networks = [ts.MLPPolicy.random(env, seed=i) for i in range(3)]
    here = ts.evaluate([*networks, answer], env, tasks, 40)
    node = next(iter(cluster.worker_nodes))
    killer = threading.Thread(target=kill_both, args=(tmp_path, node, cluster), daemon=True)
    killer.start()
    there = ts.evaluate([*networks, waits], env, tasks, 40, executor="ray")
    assert_same(here, there)
    killer.join()
    assert not node.any_processes_alive()
