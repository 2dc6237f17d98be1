"""Another process answers several calls, and ends when it is told to."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from taskspace.training.processes import Process
from tests.messages import says


def who(*, report: Callable[[Any], None]) -> None:
    report(os.getpid())


def fail(text: str, *, report: Callable[[Any], None]) -> None:
    raise LookupError(text)


def linger(*, report: Callable[[Any], None]) -> None:
    time.sleep(60)


def call(process: Process, name: str, **named: Any) -> list[Any]:
    reported: list[Any] = []
    process.call(f"{__name__}:{name}", named, reported.append)
    return reported


def test_one_process_answers_call_after_call_also_after_an_error() -> None:
    with Process() as process:
        first = call(process, "who")
        with pytest.raises(LookupError, match=says("nothing there")):
            call(process, "fail", text="nothing there")
        assert call(process, "who") == first
    assert first != [os.getpid()]
    with pytest.raises(ProcessLookupError):
        os.kill(first[0], 0)


def test_a_call_ends_when_the_process_is_killed() -> None:
    with Process() as process:
        call(process, "who")
        threading.Timer(0.2, process.kill).start()
        with pytest.raises(ChildProcessError, match=says("process died")):
            call(process, "linger")
