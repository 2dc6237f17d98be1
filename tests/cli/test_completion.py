"""Completion in the shell: what Tab proposes, in bash and, where it is installed, in zsh."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.maps import command

TRY = """
source script
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _taskspace; echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scripts for both shells."""
    path: Path = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh"):
        done = command("completion", shell)
        assert done.returncode == 0, done.stderr
        (path / shell).write_text(done.stdout)
    return path


@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        ("si", "similar"),
        ("run cartp", "cartpolevar"),
        ("run --preset f", "fast"),
        ("run cartpolevar --pre", "--preset"),
        ("karel sh", "show"),
        ("karel show tasks.npz --ta", "--task"),
        ("bench roll", "rollouts"),
        ("fit res", ""),  # a file, which the shell completes
        ("fit ", ""),
    ],
)
def test_bash_proposes_commands_options_and_choices(
    folder: Path, typed: str, proposed: str
) -> None:
    words = shlex.join(["taskspace", *typed.split(" ")])
    program = TRY.format(words=words).replace("script", str(folder / "bash"))
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=20)
    assert (done.stdout.strip(), done.stderr) == (proposed, "")


def test_zsh_completes_what_is_typed(folder: Path) -> None:
    shell = shutil.which("zsh")
    if shell is None:
        pytest.skip("zsh is not installed")
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="dumb", HOME=str(folder), ZDOTDIR=str(folder))
        os.execv(shell, ["zsh", "-f", "-i"])
    try:
        os.write(terminal, f"source {folder / 'zsh'}; echo re''ady\n".encode())
        assert "ready\r\n" in _seen(terminal, "ready\r\n")
        os.write(terminal, b"taskspace run cartp\t")
        assert "cartpolevar" in _seen(terminal, "cartpolevar")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


@pytest.mark.parametrize(("shell", "file"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_the_option_adds_one_line_that_loads_the_script(
    shell: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    monkeypatch.delenv("ZDOTDIR", raising=False)
    (tmp_path / file).write_text("alias ll='ls -l'")  # without an end of line
    first, second = command("--install-completion"), command("--install-completion")
    assert (first.returncode, first.stderr, second.returncode) == (0, "", 0)
    before, line = (tmp_path / file).read_text().splitlines()
    assert before == "alias ll='ls -l'"
    assert line in first.stdout
    assert line.endswith(f'eval "$(taskspace completion {shell})"')
    assert "already" in second.stdout


def test_other_shells_are_told_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    done = command("--install-completion")
    assert done.returncode == 2
    assert done.stderr.startswith("taskspace: the shell ($SHELL) must be bash or zsh, got")


def _seen(terminal: int, wanted: str, seconds: float = 20) -> str:
    """What the shell writes until it has written something, or time is over."""
    seen, end = "", time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 4096).decode(errors="replace")
    return seen
