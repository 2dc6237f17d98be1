"""Progress bars: seen on a terminal, on standard error, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from taskspace.progress import in_notebook, progress_bar
from tests.messages import says

PROGRAM = """
from taskspace.progress import in_notebook, progress_bar
with progress_bar("Playing", 3{show}) as advance:
    for _ in range(3):
        advance(1, "loss 0.5")
print("result")
"""


def run_on_terminal(show: str = "") -> tuple[str, str]:
    """What a program with a progress bar writes to a terminal on stderr, and to a piped stdout."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(show=show)],
        stdout=subprocess.PIPE, stderr=theirs, env=environment,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:
        pass  # how a terminal says on Linux that the other side has gone
    finally:
        os.close(ours)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    return output.decode(), seen.decode()


def test_nothing_is_printed_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Playing", 3) as advance:
        advance(3)
    assert capfd.readouterr() == ("", "")


def test_the_bar_appears_on_a_terminal_on_standard_error_alone() -> None:
    output, seen = run_on_terminal()
    assert output == "result\n"
    assert "Playing" in seen
    assert "3/3" in seen
    assert "loss 0.5" in seen


def test_no_bar_where_it_is_unwanted() -> None:
    assert run_on_terminal(", show=False") == ("result\n", "")


def test_a_bar_that_is_wanted_shows_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with progress_bar("Playing", 3, show=True) as advance:
        advance(3)
    output, errors = capfd.readouterr()
    assert output == ""
    assert "3/3" in errors


@pytest.mark.parametrize("show", ["yes", 1, 0, "", []])
def test_what_is_neither_yes_nor_no_is_refused(show: Any) -> None:
    tokens = f"progress True False None {show!r}"
    with pytest.raises(ValueError, match=says(tokens)), progress_bar("Playing", 3, show):
        pass


@pytest.mark.parametrize("show", [True, False])
def test_an_error_inside_passes_through(show: bool) -> None:
    with pytest.raises(RuntimeError, match="inside"), progress_bar("Playing", 3, show=show):
        raise RuntimeError("inside")


def test_a_kernel_of_jupyter_is_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/test_notebook.py has a bar in a live kernel."""
    assert not in_notebook()
    shell = type("Hosted", (type("ZMQInteractiveShell", (), {}),), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert in_notebook()
