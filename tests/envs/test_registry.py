"""Environments by name."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
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


def test_gymnasium_knows_the_environments_with_steps() -> None:
    names = {spec.removeprefix("taskspace/") for spec in gym.registry if "taskspace/" in spec}
    assert names == {f"{name}-v0" for name in ENVIRONMENTS}
    assert gym.registry["taskspace/PointMass-v0"].max_episode_steps is None


@pytest.mark.parametrize("name", [None, 5, b"PointMass"])
def test_a_name_is_text(name: Any) -> None:
    with pytest.raises(ValueError, match=says(repr(name))):
        ts.make(name)
