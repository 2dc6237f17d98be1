"""Trainings side by side, in threads and in processes."""

from __future__ import annotations

import os

import pytest

from taskspace.population.population import Agent
from taskspace.training.snapshots import Report
from taskspace.training.workers import Training, in_process, run_all


def shout(name: str, *, times: int, report: Report) -> list[Agent]:
    print("this must not get among the answers")
    for _ in range(times):
        report(2)
    return [Agent(f"{name}-{os.getpid()}", None)]


def fail(*, report: Report) -> list[Agent]:
    raise ValueError("no such luck")


def die(*, report: Report) -> list[Agent]:
    os._exit(7)


def test_results_keep_their_order_and_progress_arrives() -> None:
    def named(name: str) -> Training:
        return lambda report: shout(name, times=3, report=report)

    done: list[int] = []
    found = run_all([named(name) for name in "abc"], 2, done.append)
    assert [agents[0].name[0] for agents in found] == ["a", "b", "c"]
    assert sum(done) == 18


def test_a_process_answers() -> None:
    done: list[int] = []
    (agent,) = in_process(shout, "a", times=3)(done.append)
    assert agent.name.startswith("a-")
    assert agent.name != f"a-{os.getpid()}"
    assert done == [2, 2, 2]


def test_errors_come_through() -> None:
    with pytest.raises(ValueError, match="no such luck"):
        run_all([in_process(fail)], None, lambda done: None)
    with pytest.raises(RuntimeError, match="exit code 7"):
        in_process(die)(lambda done: None)


def test_workers_are_checked() -> None:
    with pytest.raises(ValueError, match="workers must be a whole number from 1 on"):
        run_all([], 0, lambda done: None)
