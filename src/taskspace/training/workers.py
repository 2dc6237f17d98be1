"""Parallel trainings: in threads if they are compiled, else in processes, or on Ray."""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import threading
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
from taskspace.training.snapshots import Report

Training = Callable[[Report], list[Agent]]

# Not a pool of multiprocessing, which would run the caller's script a second time.
_COMMAND = [sys.executable, "-c", "from taskspace.training.workers import serve; serve()"]


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

    The process imports the function by its name and gets the arguments as JSON. Messages are lines
    of JSON in a pipe; the agents come back in a file of a population.
    """
    reference = import_name(function)
    try:
        request = json.dumps([reference, named])
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the arguments of {reference} must be strings, numbers, None, or lists and dicts of"
            f" these, to be sent to another process, got an error: {error}"
        ) from error

    def training(report: Report) -> list[Agent]:
        with tempfile.TemporaryDirectory(prefix="taskspace-") as folder:
            path = Path(folder) / "agents"
            _ask(request, path, report)
            return load_agents(path)

    return training


def import_name(thing: Any) -> str:
    """The "module:name" by which another process can import a function or a class."""
    module, name = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", repr(thing))
    if module == "__main__" or getattr(sys.modules.get(module), name, None) is not thing:
        raise ValueError(
            f"{name} must be at the top level of a module, so that another process can import it,"
            f" got {module}:{name}"
        )
    return f"{module}:{name}"


def _ask(request: str, path: Path, report: Report) -> None:
    """Start a process that writes the agents to `path`, and forward its reports."""
    command = [*_COMMAND, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            for kind, content in _messages(process, request):
                if kind == "done":
                    return
                if kind == "error":
                    raise _error(*content)
                report(content)
        finally:
            process.kill()


def _messages(process: subprocess.Popen[bytes], request: str) -> Iterator[tuple[str, Any]]:
    """Pairs of kind and content; raises a ChildProcessError if the process dies."""
    assert process.stdin is not None
    assert process.stdout is not None
    # A process may die before it has read the request, or in the middle of a line.
    with contextlib.suppress(BrokenPipeError, json.JSONDecodeError):
        process.stdin.write(f"{request}\n".encode())
        process.stdin.flush()  # stays open: its end shows the process that the parent has ended
        for line in process.stdout:
            yield json.loads(line)
    raise ChildProcessError(f"a training process died (exit code {process.wait()})")


def _error(kind: str, text: str) -> Exception:
    """The same built-in exception as in the process, else one that names it."""
    known = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with contextlib.suppress(TypeError):  # a few exceptions do not take a string
            return known(text)
    return ChildProcessError(f"{kind}: {text}")


def _end_with_parent() -> None:
    """Exit at the end of the input, which comes when the parent ends for any reason."""
    sys.stdin.read()
    os._exit(1)


def serve() -> None:
    """The other process: reads a request from standard input, and writes messages to its output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    messages = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # so that the training's own output does not mix with the messages

    def send(kind: str, content: Any = None) -> None:
        print(json.dumps([kind, content]), file=messages, flush=True)

    try:
        reference, named = json.loads(sys.stdin.readline())
        threading.Thread(target=_end_with_parent, daemon=True).start()
        function = pkgutil.resolve_name(reference)
        agents = function(**named, report=functools.partial(send, "report"))
        save_agents(agents, Path(sys.argv[1]))
    except Exception as error:
        send("error", [type(error).__name__, str(error)])
    else:
        send("done")
