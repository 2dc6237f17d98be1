"""What tests of commands on a finished map share: results to make one of, and how to ask it."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.cli import main
from tests.commands import Done, in_this_process
from tests.messages import says

N_AGENTS, N_TASKS = 60, 40
RNG = np.random.default_rng(0)
SKILLS = RNG.normal(size=(N_AGENTS, 2))
LEVELS = np.column_stack([RNG.normal(size=N_TASKS), np.arange(N_TASKS) % 2])  # level, which skill
SOLVED = SKILLS[:, LEVELS[:, 1].astype(int)] > LEVELS[:, 0]


def command(*arguments: Any) -> Done:
    """A command; in this process, as one of its own takes seconds (see test_processes.py)."""
    done = in_this_process([str(argument) for argument in arguments], Path.cwd())
    assert isinstance(done.returncode, int), done.returncode
    return done


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(text)))


def check_complaint(words: list[str], tokens: str, output: pytest.CaptureFixture[str]) -> None:
    """A mistake ends in one sentence with these tokens, and leaves no run folder behind."""
    assert main(words) == 2
    errors = output.readouterr().err
    assert re.search(says(tokens), errors)
    assert len(errors.strip().splitlines()) == 1
    assert not Path("run").exists()
