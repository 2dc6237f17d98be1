"""Environments by name."""

from __future__ import annotations

import pytest

import taskspace as ts
from taskspace.envs.registry import ENVIRONMENTS
from tests.messages import says


def test_an_unknown_environment_is_refused_with_names_and_the_nearest() -> None:
    with pytest.raises(ValueError, match=says("'CartPole' 'CartPoleVar'")) as error:
        ts.make("CartPole")
    assert all(name in str(error.value) for name in ENVIRONMENTS)


def test_a_name_like_no_other_gets_no_hint() -> None:
    with pytest.raises(ValueError, match=says("'xyz' MultiKeyNav Karel")):
        ts.make("xyz")


@pytest.mark.parametrize("name", ["MULTIKEYNAV", "multikeynav", "MultiKeyNav"])
def test_capitals_do_not_matter(name: str) -> None:
    assert ts.make(name).name == "MultiKeyNav"
