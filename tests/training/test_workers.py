"""Trainings side by side, in threads and in processes."""

from __future__ import annotations

import functools
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.agents.policies import Gaussian, MLPPolicy
from taskspace.training.snapshots import Report
from taskspace.training.workers import Training, in_process, run_all
from tests.messages import says


class OddError(Exception):
    """Not one of Python's own."""


ERRORS = {
    "value": ValueError("no such luck"),
    "odd": OddError("quite"),
    "many": UnicodeDecodeError("utf-8", b"abc", 0, 1, "bad"),
}


def network() -> MLPPolicy:
    weights = [np.array([[0.1, -1 / 3], [1e-9, 7.0]]), np.array([[0.2, 0.3]])]
    biases = [np.array([0.0, 0.5]), np.array([1.0])]
    return MLPPolicy(weights, biases, "tanh", Gaussian((-1 / 3,), squashed=True))


def shout(name: str, *, times: int, report: Report) -> list[Agent]:
    print("this must not get among the answers")
    os.system("echo nor this")
    for _ in range(times):
        report(2)
    return [Agent(f"{name}-{os.getpid()}", network())]


def several(*, report: Report) -> list[Agent]:
    return [Agent("a", network(), "all", 3, 1 / 3), Agent("b", network())]


def unsavable(*, report: Report) -> list[Agent]:
    return [Agent("a", None)]


def echo(*, report: Report, **named: Any) -> list[Agent]:
    return [Agent(repr(named), network())]


def fail(*, how: str = "value", report: Report) -> list[Agent]:
    raise ERRORS[how]


def linger(*, report: Report) -> list[Agent]:
    report(os.getpid())
    time.sleep(60)
    return []


def die(*, report: Report) -> list[Agent]:
    os._exit(7)


PARENT = """
from taskspace.training.workers import in_process
from tests.training.test_workers import linger
in_process(linger)(lambda worker: print(worker, flush=True))
"""


@pytest.mark.slow
def test_a_process_ends_with_its_parent_however_that_ends() -> None:
    from taskspace.bench.faults import members, survivors  # slow, and processes import us

    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert worker in members(parent.pid)
        parent.kill()
    assert survivors(parent.pid) == []


def test_results_keep_their_order_and_progress_arrives() -> None:
    def named(name: str) -> Training:
        return lambda report: shout(name, times=3, report=report)

    done: list[int] = []
    found = run_all([named(name) for name in "abc"], 2, done.append)
    assert [agents[0].name[0] for agents in found] == ["a", "b", "c"]
    assert sum(done) == 18


def test_a_process_answers() -> None:
    done: list[int] = []
    (agent,) = in_process(shout, name="a", times=3)(done.append)
    assert agent.name.startswith("a-")
    assert agent.name != f"a-{os.getpid()}"
    assert done == [2, 2, 2]


def test_agents_arrive_whole() -> None:
    first, second = in_process(several)(lambda done: None)
    assert (first.name, first.subpopulation, first.step, first.skill) == ("a", "all", 3, 1 / 3)
    assert (second.name, second.subpopulation, second.step) == ("b", "", 0)
    assert math.isnan(second.skill)
    sent, got = network(), first.policy
    assert (got.activation, got.output) == (sent.activation, sent.output)
    for ours, theirs in zip(
        (*sent.weights, *sent.biases), (*got.weights, *got.biases), strict=True
    ):
        assert ours.tobytes() == theirs.tobytes()


def test_arguments_arrive_to_the_last_bit() -> None:
    named = {"tasks": ts.make("PointMass").sample_tasks(3, seed=0).tolist(), "x": [0.1 + 0.2, -0.0]}
    plain = {"text": "ä\n☃", "none": None, "dict": {"a": [1, True]}, "big": 2**63 - 1}
    (agent,) = in_process(echo, **named, **plain)(lambda done: None)
    assert agent.name == repr({**named, **plain})


@pytest.mark.slow
def test_errors_come_through() -> None:
    with pytest.raises(ValueError, match="no such luck"):
        run_all([in_process(fail)], None, lambda done: None)
    with pytest.raises(ChildProcessError, match=says("7")):
        in_process(die)(lambda done: None)
    with pytest.raises(ChildProcessError, match=r"^OddError: quite$"):
        in_process(fail, how="odd")(lambda done: None)
    with pytest.raises(ChildProcessError, match=r"^UnicodeDecodeError: 'utf-8' codec can't decode"):
        in_process(fail, how="many")(lambda done: None)
    with pytest.raises(TypeError, match=says("agent 'a' NoneType MLPPolicy")):
        in_process(unsavable)(lambda done: None)


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_giving_up_leaves_nothing_behind(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pids: list[int] = []

    def give_up(done: int) -> None:
        assert len(list(tmp_path.iterdir())) == 1
        pids.append(done)
        raise error

    start = time.monotonic()
    with pytest.raises(error):
        in_process(linger)(give_up)
    assert time.monotonic() - start < 50  # it did not wait for the process to end by itself
    assert not list(tmp_path.iterdir())
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_what_cannot_travel_is_refused_before_a_process_starts() -> None:
    for argument in ({1, 2}, {"deep": [object()]}, network):
        with pytest.raises(
            ValueError, match=says("arguments tests.training.test_workers:shout JSON")
        ):
            in_process(shout, name=argument, times=1)


def test_a_function_must_be_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def nested(*, report: Report) -> list[Agent]:
        return []

    functions: list[Any] = [nested, lambda report: [], functools.partial(shout, "a")]
    for function in functions:
        with pytest.raises(ValueError, match=says("module")):
            in_process(function)
    monkeypatch.setattr(fail, "__module__", "__main__")
    with pytest.raises(ValueError, match=says("fail module")):
        in_process(fail)


def test_workers_are_checked() -> None:
    with pytest.raises(ValueError, match=says("workers 0")):
        run_all([], 0, lambda done: None)
