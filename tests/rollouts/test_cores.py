"""The cores of this machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from taskspace.rollouts.cores import available_cores


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux tells and sets affinity")
def test_only_cores_that_this_process_may_use_count() -> None:
    assert 1 <= available_cores() <= (os.cpu_count() or 1)
    core = min(os.sched_getaffinity(0))
    code = (
        f"import os; os.sched_setaffinity(0, {{{core}}})\n"
        "from taskspace.rollouts.cores import available_cores\n"
        "print(available_cores())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1"]


def test_where_the_system_does_not_tell_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1
