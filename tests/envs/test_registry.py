"""Environments by name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import taskspace as ts
from taskspace.envs.registry import ENVIRONMENTS, names
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


# -- environments of other packages ----------------------------------------------------------------

MODULE = """
from taskspace.envs.pointmass import PointMass

class Bigger(PointMass):
    name = "Bigger"
"""
ENTRIES = """[taskspace.environments]
Bigger = other_environments:Bigger
PointMass = other_environments:Bigger
Broken = other_environments:Nothing
"""


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution as pip leaves it, on the path of modules."""
    about = tmp_path / "other-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    (tmp_path / "other_environments.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "other_environments", raising=False)


@pytest.mark.usefixtures("_installed")
def test_other_packages_add_environments_and_cannot_replace_ours() -> None:
    assert type(ts.make("bigger")).__module__ == "other_environments"
    assert type(ts.make("PointMass")).__module__ == "taskspace.envs.pointmass"
    assert names()[-2:] == ["Bigger", "Broken"]
    with pytest.raises(ValueError, match=says("'nothing' MultiKeyNav Bigger")):
        ts.make("nothing")


@pytest.mark.usefixtures("_installed")
def test_an_environment_that_cannot_be_loaded_is_refused_when_it_is_made() -> None:
    with pytest.raises(ImportError, match=says("'Broken' taskspace.environments Nothing")):
        ts.make("broken")


@pytest.mark.usefixtures("_installed")
def test_a_run_needs_the_settings_of_an_environment(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=says("Bigger environment run MultiKeyNav fit")):
        ts.run("Bigger", tmp_path / "run")
