"""Mistakes in what to run."""

from __future__ import annotations

import re

import pytest

from tests.cli.maps import command
from tests.cli.process import complaint, run
from tests.messages import says

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        (["multikeynav", "--data", "x"], "data MultiKeyNav Karel 'x'"),
        (["multikeynav", "--ray", "here"], "Ray 10.0.0.1:6379 'here'"),
        (["karel", "--data", "nowhere"], "nowhere/training.npz"),
        (["multikeynav", "--preset", "small"], "preset 'small' fast"),
    ],
)
def test_mistakes_are_told_in_one_sentence(arguments: list[str], tokens: str) -> None:
    told = complaint(command("run", *arguments))
    assert re.search(says(tokens), told)
    assert told.count("\n") == 1


def test_a_cluster_that_does_not_answer_is_told_in_one_sentence() -> None:
    told = complaint(run("run", "multikeynav", "--ray", "127.0.0.1:1"))
    assert re.search(says("Ray 127.0.0.1:1"), told)
    assert told.count("\n") == 1
