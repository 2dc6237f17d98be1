"""Parallel trainings: in threads if they are compiled, else in processes, or on Ray."""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import pkgutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from taskspace import checks
from taskspace.agents.agent import Agent
from taskspace.agents.population import Population
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.rollouts import ray
from taskspace.rollouts.cores import available_cores
from taskspace.training.processes import Process
from taskspace.training.snapshots import Report

Training = Callable[[Report], list[Agent]]


def run_all(
    trainings: Sequence[Training],
    workers: int | None,
    report: Report,
    executor: str | None = None,
    checkpoints: Checkpoints = NONE,
) -> list[list[Agent]]:
    """Run `workers` trainings at a time (by default one per core); returns results in order.

    On Ray, all trainings are sent to the cluster, which runs one per core at a time. The agents of
    a training are stored as soon as it ends.
    """
    if ray.on_ray(executor, workers=workers):
        with ray.connected():
            away = [_on_ray(training) for training in trainings]
            return _side_by_side(_stored(away, checkpoints), len(trainings), report)
    count = checks.whole(
        available_cores() if workers is None else workers, "workers", 1, checks.MOST_THREADS
    )
    return _side_by_side(_stored(trainings, checkpoints), count, report)


def _stored(trainings: Sequence[Training], checkpoints: Checkpoints) -> list[Training]:
    """The same trainings; one that ended before a kill only loads its agents."""

    def stored(number: int, training: Training, report: Report) -> list[Agent]:
        name = f"{number}.zip"
        agents = checkpoints.load(name, load_agents)
        if agents is None:
            agents = training(report)
            checkpoints.save(name, agents, save_agents)
        return agents

    return [functools.partial(stored, *numbered) for numbered in enumerate(trainings)]


def save_agents(agents: Sequence[Agent], path: Path) -> None:
    """Write agents to the file of a population."""
    Population(agents).save(path)


def load_agents(path: Path) -> list[Agent]:
    """Load agents written by `save_agents`."""
    return list(Population.load(path).agents)


def _side_by_side(trainings: Sequence[Training], count: int, report: Report) -> list[list[Agent]]:
    stopped = False

    def stoppable(done: int) -> None:
        if stopped:
            raise InterruptedError("another training failed, or the user interrupted it")
        report(done)

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(training, stoppable) for training in trainings]
        try:
            return [future.result() for future in futures]
        finally:
            stopped = True  # after an error or Ctrl-C, trainings end at their next report
            pool.shutdown(wait=False, cancel_futures=True)


def _on_ray(training: Training) -> Training:
    """The same training in a worker of Ray; if it dies, another worker repeats the training."""
    sent = ray.ship(training, "the training")

    def away(report: Report) -> list[Agent]:
        agents: list[Agent] = []
        with contextlib.closing(ray.streamed(_with_progress, sent)) as items:
            for item in items:
                if isinstance(item, int):
                    report(item)
                else:
                    agents = item
        return copy.deepcopy(agents)  # their weights are in Ray's memory, which it will free

    return away


def _with_progress(sent: ray.Shipped) -> Iterator[int | list[Agent]]:
    """The work of one worker: yields the numbers of steps done, and finally the agents."""
    progress: SimpleQueue[int | None] = SimpleQueue()
    training: Training = sent.unpack()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(training, progress.put)
        future.add_done_callback(lambda _: progress.put(None))
        while (done := progress.get()) is not None:
            yield done
    yield future.result()


def in_process(function: Callable[..., list[Agent]], /, **named: Any) -> Training:
    """A training that calls `function(**named, report=…)` in a separate process.

    The agents come back in a file of a population.
    """
    reference = import_name(function)
    try:
        json.dumps(named)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the arguments of {reference} must be strings, numbers, None, or lists and dicts of"
            f" these, to be sent to another process, got an error: {error}"
        ) from error

    def training(report: Report) -> list[Agent]:
        with tempfile.TemporaryDirectory(prefix="taskspace-") as folder:
            path = Path(folder) / "agents"
            request = {"function": reference, "named": named, "path": str(path)}
            with Process() as process:
                process.call(f"{__name__}:train_into", request, report)
            return load_agents(path)

    return training


def train_into(function: str, named: dict[str, Any], path: str, *, report: Report) -> None:
    """In the other process: call the function, and write the agents to a file."""
    save_agents(pkgutil.resolve_name(function)(**named, report=report), Path(path))


def import_name(thing: Any) -> str:
    """The "module:name" by which another process can import a function or a class."""
    module, name = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", repr(thing))
    if module == "__main__" or getattr(sys.modules.get(module), name, None) is not thing:
        raise ValueError(
            f"{name} must be at the top level of a module, so that another process can import it,"
            f" got {module}:{name}"
        )
    return f"{module}:{name}"
