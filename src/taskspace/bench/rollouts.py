"""Speed of rollouts: plain Python loop, general path, and compiled engine."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from rich.console import Console

from taskspace.agents.policies import Gaussian, MLPPolicy
from taskspace.bench.printing import print_lines
from taskspace.envs.aligned import aligned
from taskspace.envs.base import Environment
from taskspace.envs.compiling import build
from taskspace.envs.registry import make
from taskspace.progress import progress_bar
from taskspace.rollouts.compiled.loop import EnginePolicy
from taskspace.rollouts.compiled.network import LANES, WorkSpace, forward
from taskspace.rollouts.evaluate import evaluate
from taskspace.testing.agents import as_torch, trained_like
from taskspace.testing.plain_envs import plain_environments
from taskspace.testing.plain_loop import steps_per_second

ENVIRONMENTS = ("MultiKeyNav", "CartPoleVar", "PointMass", "BasicKarel")
TASKS, ROUNDS, CORES = 500, 5, os.cpu_count() or 1
PAIRS = 15  # repetitions on one core and on all cores; single ones are too noisy


@dataclass(frozen=True)
class Speed:
    """The measurements of one environment; "per core" compares one core with the plain loop."""

    plain_steps_per_s: float
    general_steps_per_s: float
    compiled_steps_per_s: float  # one core
    compiled_all_steps_per_s: float
    compiled_episodes_per_s: float  # one core
    ratio_per_core: float
    ns_per_step: float
    products_ns: float  # of a step: its matrix products
    sampling_ns: float  # of a step: from the network's outputs to actions
    scaling: float  # speed on all cores relative to one
    machine_scaling: float  # the same for bare matrix products, i.e. the limit of the machine
    torch_ns: float  # of a step that consists of the network's matrix products, in torch
    limit_ns: float  # of such a step in our kernel or in torch, whichever is faster
    limit_share: float  # fraction of the speed of the faster one


def measure(name: str, seconds: float = 1.0) -> Speed:
    """Measure one environment; every number is the median of interleaved rounds."""
    env = make(name)
    policies = trained_like(env)
    tasks = env.sample_tasks(TASKS, seed=1)
    plain, modules = plain_environments()[name], [as_torch(policy) for policy in policies]
    general = [
        _as_function(policy, module) for policy, module in zip(policies, modules, strict=True)
    ]
    rollouts = _rollouts_for(policies, env, tasks, seconds)
    rounds = []
    for _ in range(ROUNDS):
        one, episodes = _rate(policies, env, tasks, rollouts, threads=1)
        rounds.append((
            steps_per_second(plain, modules, tasks.tolist(), env.discrete, seconds),
            _rate(general, env, tasks, max(1, rollouts // 20), threads=1)[0],
            one,
            episodes,
            1e9 / one,
            _products_ns(policies[0], env, seconds / 2),
            _all_products_ns(policies[0], env, seconds / 2),
            _torch_ns(policies[0], seconds / 2),
            _sampling_ns(policies[0], env, seconds / 2),
        ))  # fmt: skip
    plain_rate, general_rate, one, episodes, ns, products, whole, torch_ns, sampling = map(
        statistics.median, zip(*rounds, strict=True)
    )
    limit = min(whole, torch_ns)
    every, scaling, machine = _scaling(policies, env, tasks, max(1, rollouts // 2), seconds / 4)
    return Speed(
        plain_steps_per_s=plain_rate,
        general_steps_per_s=general_rate,
        compiled_steps_per_s=one,
        compiled_all_steps_per_s=every,
        compiled_episodes_per_s=episodes,
        ratio_per_core=statistics.median(row[2] / row[0] for row in rounds),
        ns_per_step=ns,
        products_ns=products,
        sampling_ns=sampling,
        scaling=scaling,
        machine_scaling=machine,
        torch_ns=torch_ns,
        limit_ns=limit,
        limit_share=limit / ns,
    )


def _scaling(
    policies: Sequence[Any], env: Environment, tasks: Any, rollouts: int, seconds: float
) -> tuple[float, float, float]:
    """Steps per second on all cores, and the speedup over one core: engine, matrix products.

    Medians over alternating runs. The products share no memory, so that their speedup is the limit
    of the machine.
    """
    multiply = _multiplier(policies[0], env)
    times = max(CORES, int(seconds / _best(lambda: multiply(1), repeats=100)))
    rounds = []
    with ThreadPoolExecutor(CORES) as pool:
        for _ in range(PAIRS):
            one = _rate(policies, env, tasks, rollouts, threads=1)[0]
            every = _rate(policies, env, tasks, rollouts, threads=CORES)[0]
            alone = _timed(lambda: multiply(times))
            shared = _timed(lambda: list(pool.map(multiply, [times // 10] * 10 * CORES)))
            rounds.append((every, every / one, CORES * alone / shared))
    every, engine, machine = map(statistics.median, zip(*rounds, strict=True))
    return every, engine, machine


def _multiplier(policy: MLPPolicy, env: Environment) -> Callable[[int], None]:
    """A function that repeats the matrix products of a whole network, for 64 lanes."""
    return _repeated(EnginePolicy.with_fixed(policy, env, np.zeros(env.state_size, np.bool_)))


def _repeated(engine: EnginePolicy) -> Callable[[int], None]:
    """A function that repeats the matrix products of a step in our kernel, for 64 lanes."""
    memory = WorkSpace.empty(engine.sizes.tolist(), engine.begins[0]).memory
    repeat = build(_forward_factory, forward)

    def multiply(times: int) -> None:
        own_sums = len(engine.fixed) > 0
        repeat(times, engine.packed, engine.sizes, engine.tanh, aligned(memory), own_sums)

    multiply(1)  # compile
    return multiply


def _as_function(policy: MLPPolicy, module: torch.nn.Module) -> Any:
    """The policy for the general path: the torch module, for Gaussians with its deviation."""
    if not isinstance(policy.output, Gaussian):
        return module

    def means_and_deviations(observations: Any) -> Any:
        with torch.no_grad():
            means = module(torch.from_numpy(observations)).numpy()
        return means, np.zeros_like(means)

    return means_and_deviations


def _rate(agents: Sequence[Any], env: Environment, tasks: Any, rollouts: int, threads: int) -> Any:
    """Steps and episodes per second."""
    start = time.perf_counter()
    outcomes = evaluate(agents, env, tasks, rollouts, threads=threads, progress=False)
    elapsed = time.perf_counter() - start
    assert outcomes.steps is not None
    return int(
        outcomes.steps.sum(dtype=np.int64)
    ) / elapsed, outcomes.successes.size * rollouts / elapsed


def _rollouts_for(policies: Sequence[Any], env: Environment, tasks: Any, seconds: float) -> int:
    """The number of rollouts that take the compiled engine about this long on one core."""
    evaluate(policies, env, tasks, 1, threads=1, progress=False)  # compile, warm up
    start = time.perf_counter()
    evaluate(policies, env, tasks, 10, threads=1, progress=False)
    return max(20, int(10 * seconds / (time.perf_counter() - start)))


def _products_ns(policy: MLPPolicy, env: Environment, seconds: float) -> float:
    """Time per step of the matrix products in a step of the engine."""
    multiply = _repeated(EnginePolicy.prepare(policy, env))
    return 1e9 * _mean(lambda: multiply(500), seconds) / (500 * LANES)


def _all_products_ns(policy: MLPPolicy, env: Environment, seconds: float) -> float:
    """Time per step of the matrix products of the whole network in our kernel."""
    multiply = _multiplier(policy, env)
    return 1e9 * _mean(lambda: multiply(500), seconds) / (500 * LANES)


def _torch_ns(policy: MLPPolicy, seconds: float) -> float:
    """Time per step of the same products in torch, which has many steps at once to work on."""
    torch.set_num_threads(1)
    weights = [torch.from_numpy(weight).T.contiguous() for weight in policy.weights]
    batch = torch.zeros(4096, policy.sizes[0])

    def products() -> None:
        values = batch
        for weight in weights:
            values = values @ weight

    return 1e9 * _mean(products, seconds) / len(batch)


def _sampling_ns(policy: MLPPolicy, env: Environment, seconds: float) -> float:
    """Time per step of the draw of an action, from outputs like those of a network."""
    engine = EnginePolicy.prepare(policy, env)
    rng = np.random.default_rng(0)
    outputs = rng.normal(size=(int(engine.sizes[-1]), LANES)).astype(np.float32)
    streams = rng.integers(1, 2**63, (2, LANES)).astype(np.uint64)
    repeat, actions = build(_draw_factory, engine.draw), engine.empty_actions(LANES)

    def draw(times: int) -> None:
        repeat(times, outputs, outputs.copy(), streams, actions, engine.bound, engine.squash)

    draw(1)  # compile
    return 1e9 * _mean(lambda: draw(500), seconds) / (500 * LANES)


def _draw_factory(draw: Any) -> Any:
    def repeat(times, outputs, work, streams, actions, bound, squash):  # type: ignore[no-untyped-def]
        for _ in range(times):
            work[:] = outputs  # the draw overwrites them
            draw(work, streams, actions, bound, squash)

    return repeat


def _forward_factory(forward: Any) -> Any:
    def repeat(times, packed, sizes, tanh, memory, own_sums):  # type: ignore[no-untyped-def]
        for _ in range(times):
            forward(packed, sizes, tanh, memory, own_sums)

    return repeat


def _timed(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _mean(function: Callable[[], Any], seconds: float) -> float:
    """Mean time per call, over at least this many seconds.

    The best of many calls would leave out interruptions, which the engine's time includes.
    """
    calls, start = 0, time.perf_counter()
    while True:
        function()
        calls, elapsed = calls + 1, time.perf_counter() - start
        if elapsed >= seconds:
            return elapsed / calls


def _best(function: Callable[[], Any], repeats: int = 20) -> float:
    return min(_timed(function) for _ in range(repeats))


def measure_all() -> dict[str, Speed]:
    """Measure all environments, with a progress bar."""
    with progress_bar("Measuring", len(ENVIRONMENTS)) as advance:
        speeds = {}
        for name in ENVIRONMENTS:
            speeds[name] = measure(name)
            advance(1)
    return speeds


def as_json(speeds: dict[str, Speed]) -> dict[str, dict[str, float]]:
    """The results as plain JSON, by environment."""
    return {name: asdict(speed) for name, speed in speeds.items()}


def _short(number: float) -> str:
    """Three digits, for a table: 3,580, 812 k, 15.4 M."""
    if number < 1e4:
        return f"{number:,.0f}"
    return f"{number / 1e3:.0f} k" if number < 1e6 else f"{number / 1e6:.1f} M"


_ROWS: dict[str, Callable[[Speed], str]] = {
    "plain loop, steps/s": lambda s: _short(s.plain_steps_per_s),
    "general path, steps/s": lambda s: _short(s.general_steps_per_s),
    "engine, steps/s": lambda s: _short(s.compiled_steps_per_s),
    f"engine, steps/s, {CORES} cores": lambda s: _short(s.compiled_all_steps_per_s),
    "engine, episodes/s": lambda s: _short(s.compiled_episodes_per_s),
    "engine, ns/step": lambda s: f"{s.ns_per_step:.0f}",
    "  matrix products": lambda s: f"{s.products_ns:.0f}",
    "  sampling of actions": lambda s: f"{s.sampling_ns:.0f}",
    "  dynamics and the rest": lambda s: f"{s.ns_per_step - s.products_ns - s.sampling_ns:.0f}",
    "matrix products in torch": lambda s: f"{s.torch_ns:.0f}",
    "engine / plain loop": lambda s: f"{s.ratio_per_core:,.0f}×",
    f"speedup on {CORES} cores": lambda s: f"{s.scaling:.2f}×",
    "speedup of matrix products": lambda s: f"{s.machine_scaling:.2f}×",
    "fraction of the limit": lambda s: f"{s.limit_share:.0%}",
}


def print_report(console: Console) -> None:
    """Measure everything and print a table."""
    title = "Rollouts on one core of this machine"
    print_lines(console, title, _ROWS, measure_all())
    console.print(
        "The limit is a step that consists of the network's matrix products only, in our kernel or"
        " in torch, whichever is faster."
    )
    console.print(_first_result())
    for copies in (64, 4096):
        console.print(_vector_line(copies))
    for what in ("agents", "tasks", "rollouts"):
        console.print(_growth_line(what))


def _first_result() -> str:
    """The time from the start of Python to the first outcomes, with a warm disk cache."""
    program = (
        "import taskspace as ts; env = ts.make('MultiKeyNav');"
        "ts.evaluate([ts.MLPPolicy.random(env, seed=0)], env, env.sample_tasks(100, seed=0))"
    )
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        seconds.append(time.perf_counter() - start)
    return f"First result in a new process: {statistics.median(seconds):.1f} s after the start"


def _vector_line(copies: int) -> str:
    """Our vector environment against the cart pole of Gymnasium, with random actions."""
    rng = np.random.default_rng(0)
    actions = [rng.integers(0, 2, copies) for _ in range(100)]
    ids = ("taskspace/CartPoleVar-v0", "CartPole-v1")
    envs = [gym.make_vec(i, copies, vectorization_mode="vector_entry_point") for i in ids]
    for env in envs:
        env.reset(seed=0)
    times: list[list[float]] = [[], []]
    for _ in range(11):
        for env, seconds in zip(envs, times, strict=True):
            start = time.perf_counter()
            for action in actions:
                env.step(action)
            seconds.append((time.perf_counter() - start) / len(actions))
    ours, theirs = (statistics.median(seconds) for seconds in times)
    ratio = statistics.median(b / a for a, b in zip(*times, strict=True))
    return (
        f"One step of {copies} cart poles: CartPoleVar {1e6 * ours:.0f} µs, CartPole of Gymnasium"
        f" {1e6 * theirs:.0f} µs: {ratio:.1f}×"
    )


def _growth_line(what: str) -> str:
    """Time for 1, 2, 4 and 8 times as many agents, tasks or rollouts, and a fitted exponent."""
    env = make("MultiKeyNav")
    policy, factors = trained_like(env)[-1], (1, 2, 4, 8)
    tasks = env.sample_tasks(1000 * max(factors), seed=1)
    times = []
    for factor in factors:
        times.append(_best(lambda f=factor: evaluate(  # type: ignore[misc]
            [policy] * (4 * f if what == "agents" else 4),
            env,
            tasks[: 1000 * (f if what == "tasks" else 1)],
            50 * (f if what == "rollouts" else 1),
            progress=False,
        ), repeats=3))  # fmt: skip
    exponent = float(np.polyfit(np.log(factors), np.log(times), 1)[0])
    shown = ", ".join(f"{1000 * seconds:.0f}" for seconds in times)
    return f"1, 2, 4, 8 times as many {what}: {shown} ms; time grows as {what}^{exponent:.2f}"
