"""Mistakes in what to run."""

from __future__ import annotations

import pytest

from tests.cli.process import complaint


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["multikeynav", "--data", "x"], "--data is for Karel; other environments make"),
        (["multikeynav", "--ray", "127.0.0.1:1"], "there is no Ray at 127.0.0.1:1 ("),
        (
            ["multikeynav", "--ray", "here"],
            "an address of Ray looks like 10.0.0.1:6379",
        ),
        (["karel", "--data", "nowhere"], "there is no file nowhere/training.npz"),
        (
            ["multikeynav", "--preset", "small"],
            "there is no preset 'small'; there are: fast",
        ),
    ],
)
def test_mistakes_are_told_in_one_sentence(arguments: list[str], told: str) -> None:
    assert complaint("run", *arguments).startswith(told)
