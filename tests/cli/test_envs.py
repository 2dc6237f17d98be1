"""The list of environments."""

from __future__ import annotations

import pytest

from taskspace.envs.registry import ENVIRONMENTS, PROGRAMMING
from tests.cli.process import WAYS, run

pytestmark = pytest.mark.slow


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
