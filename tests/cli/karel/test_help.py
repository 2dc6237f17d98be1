"""The help of the commands for Karel."""

from __future__ import annotations

import pytest

from taskspace.cli import main
from taskspace.envs.karel.quotas import PAPER_TASKS
from tests.cli.karel.commands import Output


@pytest.mark.parametrize(
    ("command", "taught"),
    [
        ([], ("generate", "filter", "show", "exec", "taskspace karel show tasks/training.npz")),
        (["generate"], ("--tasks", "--seed", "--side", "--json-lines", f"{PAPER_TASKS:,}")),
        (["filter"], ("SOURCE", "DIR", "--tasks", f"{PAPER_TASKS:,}")),
        (["show"], ("FILE", "--task", "--picture")),
        (["exec"], ("PROGRAM", "WORLD", "frontIsClear", ".  >  2  .", '"hero": "0:1:east"')),
    ],
)
def test_help_teaches(capsys: Output, command: list[str], taught: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["karel", *command, "--help"])
    out = capsys.readouterr().out
    assert all(part in out for part in taught)
