"""The command line, as a user meets it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from taskspace import __version__, benchmarks
from taskspace.envs.registry import ENVIRONMENTS, PROGRAMMING
from tests.messages import says

SCRIPT = str(Path(sys.executable).parent / "taskspace")
WAYS = {"module": [sys.executable, "-m", "taskspace.cli"], "script": [SCRIPT]}


def run(*arguments: str, way: str = "module", **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*WAYS[way], *arguments],
        capture_output=True, text=True, timeout=60, encoding="utf-8",
        env={**os.environ, "COLUMNS": "160", **variables},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done


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


@pytest.mark.parametrize("way", WAYS)
def test_envs_lists_every_environment_under_its_headings(way: str) -> None:
    done = run("envs", way=way)
    assert (done.returncode, done.stderr) == (0, "")
    for heading in ("name", "tasks vary by", "actions", "state", "horizon", "clusters"):
        assert heading in done.stdout
    first_words = [line.split()[0] for line in done.stdout.splitlines() if line.split()]
    known = ENVIRONMENTS | PROGRAMMING
    assert [word for word in first_words if word in known] == list(known)


def test_envs_is_readable_in_80_columns() -> None:
    lines = run("envs", COLUMNS="80").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)


def test_envs_works_without_unicode() -> None:
    done = run("envs", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "BasicKarel" in done.stdout


def test_bench_help_says_what_is_measured() -> None:
    done = run("bench", "rollouts", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--json" in done.stdout
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines() if line.strip()]
    told = dict(line for line in lines if len(line) == 2)
    for module in Path(benchmarks.__file__).parent.glob("*.py"):  # one a line, and none forgotten
        assert ("def print_report(" in module.read_text()) == (module.stem in told)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "required: command"),
        (["nothing"], "invalid choice: 'nothing'"),
        (["envs", "more"], "unrecognized arguments: more"),
        (["--nothing", "envs"], "unrecognized arguments: --nothing"),
        (["bench"], "required: what"),
        (["bench", "nothing"], "invalid choice: 'nothing'"),
    ],
)
def test_mistakes_exit_with_2_and_usage(arguments: list[str], told: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: taskspace")
    assert told in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        (["bench", "similarity", "--json"], "bench similarity JSON"),
        (["run", "multikeynav", "--data", "x"], "--data Karel"),
        (["run", "multikeynav", "--ray", "127.0.0.1:1"], "Ray 127.0.0.1:1"),
        (["run", "multikeynav", "--ray", "here"], "Ray 10.0.0.1:6379"),
        (["run", "karel", "--data", "nowhere"], "nowhere/training.npz"),
        (["run", "multikeynav", "--preset", "small"], "'small' fast default paper"),
    ],
)
def test_mistakes_are_told_in_one_sentence(arguments: list[str], tokens: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(f"^taskspace: {says(tokens)}", done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
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
