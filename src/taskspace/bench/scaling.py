"""Costs and speed of Ray against local threads, on the cores of this machine."""

from __future__ import annotations

import contextlib
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.agents.policies import MLPPolicy
from taskspace.bench.printing import print_lines
from taskspace.envs.registry import make
from taskspace.progress import progress_bar
from taskspace.rollouts import ray
from taskspace.rollouts.compiled import chunks
from taskspace.rollouts.evaluate import evaluate

ENVIRONMENT = "MultiKeyNav"
AGENTS, ROLLOUTS, TASKS = 20, 10, 200_000  # some four seconds of work on two cores
PIECES = (5_000_000, 20_000_000, 100_000_000, 200_000_000)  # most steps per piece of work
PAIRS = 5  # repetitions with local threads and Ray
CALLS = 300  # empty calls, to measure the overhead
MANY_TASKS = 1_000_000


@dataclass(frozen=True)
class Piece:
    """The measurements for pieces of work of one size."""

    steps: int  # at most, if no episode ends early
    seconds: float  # per piece, on one core
    share: float  # speed relative to local threads on the same cores


@dataclass(frozen=True)
class Costs:
    """The costs that do not depend on the work."""

    start_seconds: float  # to start a cluster on this machine
    first_seconds: float  # to the first result: workers start and import the library
    call_ms: float  # per empty piece, with all cores busy
    ship_seconds: float  # to put a million tasks into the object store
    ship_mb: float
    fetch_seconds: float  # to read them in a worker for the first time
    driver_mb: float  # memory of this process before Ray
    driver_more_mb: float  # additional memory with Ray
    idle_mb: float  # memory of an idle worker
    worker_mb: float  # memory of the largest worker after the work
    local_steps_per_s: float  # with local threads
    cores: int
    episode_steps: float  # the mean length of an episode


@dataclass(frozen=True)
class Scaling:
    """All measurements."""

    costs: Costs
    pieces: tuple[Piece, ...]

    @property
    def share(self) -> float:
        """The speed relative to local threads, with pieces of the size that `evaluate` uses."""
        nearest = min(self.pieces, key=lambda piece: abs(piece.steps - chunks._STEPS_PER_PIECE))
        return nearest.share

    def break_even(self, machines: int, started: bool) -> float:
        """Seconds of work on this machine above which a cluster of such machines is faster.

        `started` is whether the cluster is already running.
        """
        fixed = self.costs.first_seconds + (0.0 if started else self.costs.start_seconds)
        gain = 1 - 1 / (machines * self.share)
        return fixed / gain if gain > 0 else float("inf")

    def core_hours(self, agents: int, tasks: int) -> float:
        """Core hours for some agents and tasks on a cluster of such cores."""
        steps = agents * tasks * ROLLOUTS * self.costs.episode_steps
        return steps * self.costs.cores / (self.costs.local_steps_per_s * self.share) / 3600


def measure_all() -> Scaling:
    """Measure everything, in about two minutes."""
    from taskspace.testing.agents import trained_like  # needs torch, which workers do not

    env = make(ENVIRONMENT)
    trained = trained_like(env)
    agents = [trained[i % len(trained)] for i in range(AGENTS)]
    tasks, many = env.sample_tasks(TASKS, seed=1), env.sample_tasks(MANY_TASKS, seed=2)
    evaluate(agents[:1], env, tasks[:100], 1, progress=False)  # compile
    before = _memory_mb()
    with contextlib.ExitStack() as stack:
        start = _timed(lambda: stack.enter_context(ray.connected()))
        first = _timed(lambda: _call_all(_import_engine, 2 * ray.cores()))
        idle = max(_call_all(_worker_mb, 2 * ray.cores()))
        call = _timed(lambda: _call_all(_nothing, CALLS)) / CALLS
        shipped: list[ray.Shipped] = []
        ship = _timed(lambda: shipped.append(ray.ship(many, "tasks", shared=True)))
        fetch = max(ray.in_order(_fetch, [(shipped[0],)]))
        length, count = _episode_steps(agents, env, tasks), ray.cores()
        speeds, pieces = _measure_pieces(agents, env, tasks, length / env.horizon)
        worker = max(_call_all(_worker_mb, 2 * ray.cores()))
        more = _memory_mb() - before
    costs = Costs(
        start, first, 1000 * call, ship, many.nbytes / 1e6, fetch, before, more, idle, worker,
        statistics.median(speeds), count, length,
    )  # fmt: skip
    return Scaling(costs, tuple(pieces))


def _measure_pieces(
    agents: Any, env: Any, tasks: Any, played: float
) -> tuple[list[float], list[Piece]]:
    """Measure local threads and Ray in turn, with pieces of each size.

    Episodes end early: a piece has only the fraction `played` of its possible steps.
    """
    speeds: list[float] = []
    pieces = []
    with progress_bar("Measuring", len(PIECES) * PAIRS) as advance:
        for steps in PIECES:
            with _pieces_of(steps):
                shares = []
                for _ in range(PAIRS):
                    local = _rate(agents, env, tasks, None)
                    speeds.append(local)
                    shares.append(_rate(agents, env, tasks, "ray") / local)
                    advance(1)
            share = statistics.median(shares)
            each = steps * played * ray.cores() / (share * statistics.median(speeds))
            pieces.append(Piece(steps, each, share))
    return speeds, pieces


@contextlib.contextmanager
def _pieces_of(steps: int) -> Any:
    """Use pieces of this size, even if there are few per core."""
    before = chunks._STEPS_PER_PIECE, chunks._PIECES_PER_CORE
    chunks._STEPS_PER_PIECE, chunks._PIECES_PER_CORE = steps, 1
    try:
        yield
    finally:
        chunks._STEPS_PER_PIECE, chunks._PIECES_PER_CORE = before


def _rate(agents: Any, env: Any, tasks: Any, executor: str | None) -> float:
    """Steps per second."""
    start = time.perf_counter()
    outcomes = evaluate(agents, env, tasks, ROLLOUTS, executor=executor, progress=False)
    elapsed = time.perf_counter() - start
    assert outcomes.steps is not None
    return int(outcomes.steps.sum(dtype=np.int64)) / elapsed


def _episode_steps(agents: Any, env: Any, tasks: Any) -> float:
    """The mean length of an episode."""
    outcomes = evaluate(agents, env, tasks[:1000], 1, progress=False)
    assert outcomes.steps is not None
    return float(outcomes.steps.mean())


def _call_all(function: Callable[[int], Any], times: int) -> list[Any]:
    return list(ray.in_order(function, ((i,) for i in range(times))))


def _nothing(_: int) -> None:
    pass


def _import_engine(_: int) -> None:
    env = make(ENVIRONMENT)
    evaluate([MLPPolicy.random(env)], env, env.sample_tasks(10, seed=0), 1, progress=False)


def _worker_mb(_: int) -> float:
    time.sleep(0.05)  # so that every worker gets one call
    return _memory_mb()


def _fetch(shipped: ray.Shipped) -> float:
    return _timed(lambda: shipped.unpack().sum())


def _memory_mb() -> float:
    """The peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _timed(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def as_json(scaling: Scaling) -> dict[str, Any]:
    """The results as plain JSON."""
    return asdict(scaling)


_COSTS: dict[str, Callable[[Costs], str]] = {
    "cores": lambda c: f"{c.cores}",
    "steps per episode": lambda c: f"{c.episode_steps:.1f}",
    "local threads, steps/s": lambda c: f"{c.local_steps_per_s / 1e6:.1f} M",
    "start of a local cluster": lambda c: f"{c.start_seconds:.1f} s",
    "start of its workers": lambda c: f"{c.first_seconds:.1f} s",
    "overhead per piece of work": lambda c: f"{c.call_ms:.1f} ms",
    "sending a million tasks": lambda c: f"{c.ship_seconds:.2f} s for {c.ship_mb:.0f} MB",
    "reading them in a worker": lambda c: f"{c.fetch_seconds:.2f} s",
    "memory of this process": lambda c: f"{c.driver_mb:.0f} MB",
    "additional memory with Ray": lambda c: f"{c.driver_more_mb:.0f} MB",
    "memory of an idle worker": lambda c: f"{c.idle_mb:.0f} MB",
    "memory of the largest worker": lambda c: f"{c.worker_mb:.0f} MB",
}
_PIECE: dict[str, Callable[[Piece], str]] = {
    "seconds per piece": lambda p: f"{p.seconds:.2f}",
    "Ray / local threads": lambda p: f"{p.share:.2f}",
}


def print_report(console: Console) -> None:
    """Measure everything and print tables."""
    found = measure_all()
    title = f"{ENVIRONMENT} on Ray, {AGENTS} agents × {TASKS:,} tasks × {ROLLOUTS} rollouts"
    print_lines(console, title, _COSTS, {"": found.costs})
    by_size = {f"{piece.steps / 1e6:g} M": piece for piece in found.pieces}
    print_lines(console, "Speed by number of steps per piece of work", _PIECE, by_size)
    console.print(
        f"`evaluate` uses {chunks._STEPS_PER_PIECE / 1e6:g} M steps per piece, or fewer to keep all"
        " cores busy."
    )
    for machines in (2, 4, 16):
        new, running = found.break_even(machines, False), found.break_even(machines, True)
        console.print(
            f"{machines} such machines are faster than one for more than {new:.0f} s of work"
            f" ({running:.0f} s if the cluster is already running)."
        )
    hours = found.core_hours(10_000, 1_000_000)
    console.print(
        f"10,000 agents × 1,000,000 tasks × {ROLLOUTS} rollouts: {hours:,.0f} core hours."
    )
