"""All commands together: help, version, and what becomes of mistakes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from taskspace import __version__
from taskspace.cli import main
from tests.cli.process import WAYS, run


@pytest.mark.parametrize("way", WAYS)
def test_help_teaches(way: str) -> None:
    done = run("--help", way=way)
    assert (done.returncode, done.stderr) == (0, "")
    for part in ("usage: taskspace", "envs", "bench", "examples:", "taskspace bench rollouts"):
        assert part in done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_version(way: str) -> None:
    done = run("--version", way=way)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"taskspace {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "required: command"),
        (["nothing"], "invalid choice: 'nothing'"),
        (["envs", "more"], "unrecognized arguments: more"),
        (["--nothing", "envs"], "unrecognized arguments: --nothing"),
        (["bench"], "required: what"),
        (["bench", "nothing"], "invalid choice: 'nothing'"),
        (["simlar", "runs"], "Did you mean 'similar'?"),
        (["bench", "rolouts"], "Did you mean 'rollouts'?"),
    ],
)
def test_mistakes_exit_with_2_and_usage(arguments: list[str], told: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: taskspace")
    assert told in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["nothing"], ["bench"]])
def test_help_and_mistakes_load_nothing_large(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from taskspace.cli import main\n"
        "try:\n"
        f"    main({arguments})\n"
        "except SystemExit:\n"
        "    pass\n"
        "print([m for m in ('torch', 'matplotlib', 'numba', 'pandas') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["envs"], ["--help"], ["--version"]])
def test_a_reader_that_has_gone_is_no_reason_to_complain(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*WAYS["script"], *arguments], stdout=writer, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(writer)
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told_in_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*WAYS["script"], "envs"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 2
    assert done.stderr == "taskspace: [Errno 28] No space left on device\n"


def shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell starts it, with a redirection."""
    command = f"{shlex.join([*WAYS['module'], *arguments])} {redirection}"
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, encoding="utf-8"
    )


@pytest.mark.parametrize("arguments", [["envs"], ["--version"], ["--help"]])
def test_a_closed_output_is_told_in_one_line(arguments: list[str]) -> None:
    done = shell(">&-", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("taskspace: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("redirection", ["2>&-", "2>&- <&-"])
def test_a_closed_error_output_does_not_matter(redirection: str) -> None:
    done = shell(redirection, "envs")
    assert (done.returncode, done.stdout) == (0, run("envs", COLUMNS="80").stdout)
    assert shell(redirection, "nothing").stdout == ""  # the error does not go to the output


def test_everything_closed_is_an_error_without_words() -> None:
    done = shell(">&- 2>&- <&-", "envs")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.parametrize("error", [MemoryError(), MemoryError("Unable to allocate 1.16 TiB")])
def test_too_little_memory_is_told_in_one_line(
    error: MemoryError, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(name: str) -> None:
        raise error

    monkeypatch.setattr("taskspace.runs.run.open_run", fail)
    assert main(["hardest", "nowhere"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("taskspace: ")
    assert told.count("\n") == 1
    assert "memory" in told
    assert str(error) in told
