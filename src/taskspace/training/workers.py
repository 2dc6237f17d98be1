"""Trainings side by side: threads for compiled ones, processes for those in Python."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from taskspace import checks
from taskspace.population.population import Agent
from taskspace.training.snapshots import Report

Training = Callable[[Report], list[Agent]]

# Started by hand: a pool of multiprocessing would first run the caller's script a second time.
_COMMAND = [sys.executable, "-c", "from taskspace.training.workers import serve; serve()"]


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(
    trainings: Sequence[Training], workers: int | None, report: Report
) -> list[list[Agent]]:
    """The results in order, from `workers` trainings at a time (as many as cores by default)."""
    count = checks.whole(available_cores() if workers is None else workers, "workers", 1)
    stopped = False

    def stoppable(done: int) -> None:
        if stopped:
            raise InterruptedError("another training failed, or the user gave up")
        report(done)

    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(training, stoppable) for training in trainings]
        try:
            return [future.result() for future in futures]
        finally:
            stopped = True  # after an error or Ctrl-C: those that run end at their next report
            pool.shutdown(wait=False, cancel_futures=True)


def in_process(function: Callable[..., list[Agent]], *arguments: Any, **named: Any) -> Training:
    """A training that calls `function(*arguments, **named, report=…)` in a process of its own.

    The two talk by pickles over a pipe between them, which nobody else can write to.
    """

    def training(report: Report) -> list[Agent]:
        with subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                pickle.dump((function, arguments, named), process.stdin)
                process.stdin.close()
                while True:
                    kind, content = pickle.load(process.stdout)
                    if kind == "done":
                        return content  # type: ignore[no-any-return]
                    if kind == "error":
                        raise content
                    report(content)
            except (EOFError, BrokenPipeError):
                code = process.wait()
                raise RuntimeError(f"a training process died (exit code {code})") from None
            finally:
                process.kill()

    return training


def serve() -> None:
    """The other end: do what stands on standard input, tell of it on standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that what the training prints does not get among the answers

    def send(kind: str, content: Any) -> None:
        pickle.dump((kind, content), answers)
        answers.flush()

    try:
        function, arguments, named = pickle.load(sys.stdin.buffer)
        agents = function(*arguments, **named, report=lambda done: send("report", done))
    except Exception as error:
        send("error", error)
    else:
        send("done", agents)
