"""`evaluate`: the same bits however it is run, and the right numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.agents.policies import Categorical, ExpertPolicy
from taskspace.checkpoints import Checkpoints
from taskspace.rollouts.compiled import chunks, python_policies
from taskspace.rollouts.trajectories import record
from taskspace.testing.agents import as_torch, trained_like

MAIN = ("MultiKeyNav", "CartPoleVar", "PointMass", "BasicKarel")


@pytest.fixture(scope="module")
def multikeynav() -> tuple[Any, Any, Any]:
    env = ts.make("MultiKeyNav")
    return env, trained_like(env), env.sample_tasks(150, seed=3)


def same(a: ts.Outcomes, b: ts.Outcomes) -> bool:
    assert a.steps is not None
    assert b.steps is not None
    return bool((a.successes == b.successes).all() and (a.steps == b.steps).all())


@pytest.mark.slow
@pytest.mark.parametrize("name", MAIN)
def test_any_number_of_threads_and_any_chunking_give_the_same_bits(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = ts.make(name)
    policies, tasks = trained_like(env), env.sample_tasks(60, seed=3)
    one = ts.evaluate(policies, env, tasks, 7, seed=5, threads=1)
    assert one.successes.any()
    for threads, steps in ((2, 500_000), (3, env.horizon * 64), (2, env.horizon * 101)):
        monkeypatch.setattr(chunks, "_STEPS_PER_CHUNK", steps)
        assert same(one, ts.evaluate(policies, env, tasks, 7, seed=5, threads=threads))


def test_a_chunk_may_begin_within_the_rollouts_of_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    env = ts.make("BasicKarel")  # part of whose first layer is summed up once per task
    policies, tasks = trained_like(env)[-1:], env.sample_tasks(5, seed=3)
    whole = ts.evaluate(policies, env, tasks, 100, seed=5, threads=1)
    monkeypatch.setattr(chunks, "_STEPS_PER_CHUNK", env.horizon * 64)
    assert same(whole, ts.evaluate(policies, env, tasks, 100, seed=5, threads=1))
    assert 0 < whole.rates.mean() < 1


def test_the_seed_matters(multikeynav: Any) -> None:
    env, policies, tasks = multikeynav
    one, other = (ts.evaluate(policies, env, tasks, 10, seed=seed) for seed in (0, 1))
    assert not same(one, other)
    assert abs(one.rates.mean() - other.rates.mean()) < 0.05


def test_more_tasks_and_agents_do_not_change_the_first_ones(multikeynav: Any) -> None:
    env, policies, tasks = multikeynav
    whole = ts.evaluate(policies, env, tasks, 5)
    part = ts.evaluate(policies[:2], env, tasks[:40], 5)
    assert (whole.successes[:2, :40] == part.successes).all()


@pytest.mark.slow
def test_episodes_of_different_tasks_agents_and_rollouts_are_independent() -> None:
    """One task and one agent many times over: outcomes must look like fair, unrelated coins."""
    env = ts.make("MultiKeyNav")
    policy = trained_like(env)[1]
    candidates = env.sample_tasks(200, seed=0)
    rates = ts.evaluate([policy], env, candidates, 200).rates[0]
    task = candidates[np.abs(rates - 0.5).argmin()]
    results = ts.evaluate(
        [policy] * 4, env, np.repeat(task[None], 500, axis=0), 100, keep_results=True
    ).results
    assert results is not None
    centred = results - results.mean()
    n = results.size
    for axis in range(3):
        neighbours = np.delete(centred, 0, axis) * np.delete(centred, -1, axis)
        correlation = neighbours.mean() / centred.var()
        assert abs(correlation) < 4 / np.sqrt(neighbours.size)
    p = results.mean()
    spread = results.mean(axis=2).var() / (p * (1 - p) / 100)
    assert abs(spread - 1) < 4 * np.sqrt(2 / (n / 100))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MultiKeyNav", "CartPoleVar", "BasicKarel"])
def test_general_path_plays_the_same_episodes_as_the_compiled_one(name: str) -> None:
    """Same streams, same draws: only rounding in the network can make a difference, rarely."""
    env = ts.make(name)
    policies, tasks = trained_like(env), env.sample_tasks(100, seed=3)
    compiled = ts.evaluate(policies, env, tasks, 5, keep_results=True)
    modules = ts.evaluate([as_torch(p) for p in policies], env, tasks, 5, keep_results=True)
    assert compiled.results is not None
    assert modules.results is not None
    assert (compiled.results == modules.results).mean() > 0.995


@pytest.mark.slow
def test_general_path_with_gaussians_agrees_with_the_compiled_one() -> None:
    env = ts.make("PointMass")
    policy = trained_like(env)[0]
    module = as_torch(policy)

    def means_and_deviations(observations: Any) -> Any:
        with torch.no_grad():
            means = module(torch.from_numpy(observations)).numpy()
        return means, np.zeros_like(means)

    tasks = env.sample_tasks(100, seed=3)
    compiled = ts.evaluate([policy], env, tasks, 5)
    generic = ts.evaluate([means_and_deviations], env, tasks, 5)
    assert 0.1 < compiled.rates.mean() < 0.99
    assert (compiled.successes == generic.successes).mean() > 0.95


@pytest.mark.parametrize("lanes", [64, 256])
def test_general_path_does_not_depend_on_its_lanes(
    multikeynav: Any, monkeypatch: pytest.MonkeyPatch, lanes: int
) -> None:
    env, _, tasks = multikeynav

    def left_or_right(observations: Any) -> Any:
        logits = np.full((len(observations), 7), -3.0, np.float32)
        logits[:, :2] = observations[:, :1]
        return logits

    whole = ts.evaluate([left_or_right, ExpertPolicy(env)], env, tasks, 10)
    monkeypatch.setattr(python_policies, "GENERAL_LANES", lanes)
    assert same(whole, ts.evaluate([left_or_right, ExpertPolicy(env)], env, tasks, 10))


def test_success_rate_has_its_closed_form() -> None:
    """At the door with all keys, an agent that finishes with probability 1/7 a step wins soon."""
    env = ts.make("MultiKeyNav")
    uniform = ts.MLPPolicy([np.zeros((7, 7))], [np.zeros(7)])
    task = [0.95, 1, 1, 1, 1, 0, 0]
    # Held keys crash (4/7), finish solves (1/7), moves (2/7) may stay at the door or leave it;
    # masking them leaves finish against four crashes, each step surviving with gamma.
    only = ts.MLPPolicy([np.zeros((7, 7))], [np.zeros(7)], output=Categorical(masked=(0, 1)))
    rates = ts.evaluate([uniform, only], env, [task], 200_000).rates[:, 0]
    assert abs(rates[1] - 0.999 / 5) < 4 * np.sqrt(0.16 / 200_000)
    assert rates[0] > 0.999 / 7


@pytest.mark.slow
def test_a_masked_action_is_never_taken() -> None:
    env = ts.make("MultiKeyNav")
    base = trained_like(env)[-1]
    masked = ts.MLPPolicy(base.weights, base.biases, output=Categorical(masked=(6,)))
    outcomes = ts.evaluate([base, masked], env, env.sample_tasks(50, seed=0), 20)
    assert outcomes.rates[0].mean() > 0.2
    assert outcomes.successes[1].sum() == 0  # without `finish` nothing is ever solved
    assert not (record(masked, env, env.sample_tasks(50, seed=0)).actions == 6).any()


@pytest.mark.slow
def test_results_returns_and_lengths_fit_together() -> None:
    env = ts.make("PointMass")
    policies, tasks = trained_like(env), env.sample_tasks(40, seed=1)
    outcomes = ts.evaluate(policies, env, tasks, 6, keep_results=True, keep_returns=True)
    assert outcomes.results is not None
    assert outcomes.returns is not None
    assert (outcomes.results.sum(axis=2) == outcomes.successes).all()
    # A success is worth 10,000; the hints on the way together less than 1.
    np.testing.assert_allclose(outcomes.returns, outcomes.rates * 10_000, atol=1.0)
    assert (outcomes.mean_lengths >= 1).all()
    assert (outcomes.mean_lengths <= env.horizon).all()


def test_returns_are_success_rates_where_the_reward_is_sparse(multikeynav: Any) -> None:
    env, policies, tasks = multikeynav
    outcomes = ts.evaluate(policies, env, tasks, 8, keep_returns=True)
    assert outcomes.returns is not None
    np.testing.assert_allclose(outcomes.returns, outcomes.rates, atol=1e-6)


def test_spreads_of_returns_are_those_of_single_rollouts(multikeynav: Any) -> None:
    env, policies, tasks = multikeynav
    keep: dict[str, Any] = {"keep_results": True, "keep_returns": True}
    one, two = (ts.evaluate(policies, env, tasks, 8, threads=n, **keep) for n in (1, 2))
    assert one.results is not None
    assert one.return_spreads is not None
    plain = one.results.astype(np.float64).std(axis=2, ddof=1)  # a success is worth 1
    np.testing.assert_allclose(one.return_spreads, plain, atol=1e-6)
    np.testing.assert_array_equal(one.returns, two.returns)
    np.testing.assert_array_equal(one.return_spreads, two.return_spreads)
    once = ts.evaluate(policies, env, tasks, 1, keep_returns=True)
    assert once.return_spreads is None


def test_more_rollouts_than_a_chunk_holds() -> None:
    env = ts.make("MultiKeyNav")
    policy = ts.MLPPolicy.random(env, seed=0)
    outcomes = ts.evaluate([policy], env, env.sample_tasks(2, seed=0), 70_000)
    assert outcomes.successes.dtype == np.uint32
    assert (outcomes.mean_lengths > 1).all()


def test_counts_are_stored_small(multikeynav: Any) -> None:
    env, policies, tasks = multikeynav
    outcomes = ts.evaluate(policies, env, tasks, 100)
    assert outcomes.successes.dtype == np.uint8
    assert outcomes.steps is not None
    assert outcomes.steps.dtype == np.uint16
    assert outcomes.rollouts.strides == (0, 0)


@pytest.mark.slow
def test_memory_stays_bounded() -> None:
    """40 agents x 20,000 tasks x 20 rollouts: 16 M episodes may not be held at once."""
    program = """
import resource, taskspace as ts
env = ts.make("MultiKeyNav")
policies = [ts.MLPPolicy.random(env, hidden=(4,), seed=i) for i in range(40)]
tasks = env.sample_tasks(20_000, seed=0)
ts.evaluate(policies, env, tasks[:10], 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
outcomes = ts.evaluate(policies, env, tasks, 20)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
matrices = (outcomes.successes.nbytes + outcomes.steps.nbytes) / 1024
print((after - before - matrices) / 1024)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 100  # MB beyond the matrices


@pytest.mark.slow
def test_ctrl_c_stops_long_before_the_end_and_leaves_no_file(tmp_path: Path) -> None:
    program = """
import sys, taskspace as ts
env = ts.make("CartPoleVar")
policies = [ts.MLPPolicy.random(env, seed=i) for i in range(50)]
tasks = env.sample_tasks(5000, seed=0)
ts.evaluate(policies[:1], env, tasks[:10], 1)
print("started", flush=True)
ts.evaluate(policies, env, tasks, 100_000).save(sys.argv[1])  # an hour
"""
    target = tmp_path / "outcomes.npz"
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(target)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)  # a second where nothing else runs
    assert "KeyboardInterrupt" in errors
    assert list(tmp_path.iterdir()) == []


# -- checkpoints -----------------------------------------------------------------------------------


@pytest.mark.parametrize("damaged", [False, True])
def test_agents_that_have_played_do_not_play_again(
    multikeynav: tuple[Any, Any, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damaged: bool,
) -> None:
    env, networks, tasks = multikeynav
    population = {"a": networks[0], "b": networks[1], "expert": ExpertPolicy(env)}
    whole = ts.evaluate(population, env, tasks, 4, seed=5)
    monkeypatch.setattr(chunks, "_STEPS_PER_CHUNK", 4000)  # several chunks per agent
    store = Checkpoints(tmp_path, seconds=0)
    play, played = chunks.CompiledEvaluation.play, list[int]()

    def spy(self: chunks.CompiledEvaluation, policy: Any, chunk: chunks.Chunk) -> Any:
        played.append(chunk.agent)
        if fails and chunk.agent == 2 and chunk.first > 0:
            raise InterruptedError
        return play(self, policy, chunk)

    monkeypatch.setattr(chunks.CompiledEvaluation, "play", spy)
    fails = True
    with pytest.raises(InterruptedError):
        ts.evaluate(population, env, tasks, 4, seed=5, checkpoints=store)
    fails = False
    played.clear()
    path = tmp_path / "counts.npz"
    if damaged:
        path.write_bytes(path.read_bytes()[:-1])
    assert same(whole, ts.evaluate(population, env, tasks, 4, seed=5, checkpoints=store))
    assert set(played) == ({0, 1, 2} if damaged else {2})


@pytest.mark.parametrize("more", [{"keep_results": True}, {"keep_returns": True}])
def test_more_than_counts_is_not_stored(
    multikeynav: tuple[Any, Any, Any], tmp_path: Path, more: dict[str, Any]
) -> None:
    env, networks, tasks = multikeynav
    store = Checkpoints(tmp_path, seconds=0)
    ts.evaluate(networks[:2], env, tasks, 2, seed=5, checkpoints=store, **more)
    assert list(tmp_path.iterdir()) == []
