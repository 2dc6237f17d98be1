"""Populations on disk."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3 import PPO

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy, Gaussian
from taskspace.agents.population import Population
from taskspace.agents.storage import read_subpopulations
from tests.agents.test_population import sample
from tests.messages import says

ENV = ts.make("MultiKeyNav")


def continuous(output: Gaussian) -> ts.MLPPolicy:
    rng = np.random.default_rng(0)
    return ts.MLPPolicy([rng.standard_normal((2, 7))], [rng.standard_normal(2)], "tanh", output)


def assert_same(one: ts.MLPPolicy, two: ts.MLPPolicy) -> None:
    for mine, theirs in zip((*one.weights, *one.biases), (*two.weights, *two.biases), strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.tobytes() == theirs.tobytes()
    assert (one.activation, one.output) == (two.activation, two.output)


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    population = sample() + Population(
        {
            "constant": continuous(Gaussian((0.1, -1 / 3))),
            "own": ts.MLPPolicy([np.eye(4)], [np.ones(4)], output=Gaussian(squashed=True)),
            "expert": ExpertPolicy(ENV),
        },
        "MultiKeyNav",
    )
    population.save(tmp_path / "some.population")
    loaded = Population.load(tmp_path / "some.population")
    assert loaded.environment == "MultiKeyNav"
    for mine, theirs in zip(population.agents, loaded.agents, strict=True):
        assert (mine.name, mine.subpopulation, mine.step) == (
            theirs.name, theirs.subpopulation, theirs.step,
        )  # fmt: skip
        assert mine.skill == theirs.skill or (math.isnan(mine.skill) and math.isnan(theirs.skill))
        if mine.name != "expert":
            assert_same(mine.policy, theirs.policy)
    assert loaded["expert"].env.name == "MultiKeyNav"


def test_the_same_population_is_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        sample().save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_stable_baselines3_models_go_along(tmp_path: Path) -> None:
    from taskspace.envs.to_gymnasium import TaskEnv

    model = PPO("MlpPolicy", TaskEnv("MultiKeyNav"), seed=0, device="cpu")
    Population({"ppo": model}).save(tmp_path / "p")
    loaded = Population.load(tmp_path / "p")["ppo"]
    tasks = ENV.sample_tasks(20, seed=0)
    ours, theirs = (ts.evaluate([m], ENV, tasks, 20, keep_results=True) for m in (model, loaded))
    assert np.array_equal(ours.results, theirs.results)  # type: ignore[arg-type]
    assert np.array_equal(ours.steps, theirs.steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", [torch.nn.Linear(7, 7), np.argmax])
def test_what_has_no_form_on_disk_is_refused(policy: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=says("agent 'odd' MLPPolicy")):
        Population({"odd": policy}).save(tmp_path / "p")
    assert not (tmp_path / "p").exists()


def change_header(path: Path, **changes: Any) -> None:
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(files["population.json"]) | changes
    files["population.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("changes", "tokens"),
    [
        ({"version": 2}, "version 2 1"),
        ({"format": "other"}, "'other'"),
        ({"agents": [{}]}, "damaged population"),
        ({"agents": None}, "damaged population"),
    ],
)
def test_foreign_and_newer_files_are_refused(
    changes: dict[str, Any], tokens: str, tmp_path: Path
) -> None:
    path = tmp_path / "p"
    sample().save(path)
    change_header(path, **changes)
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        Population.load(path)
    assert str(path) in str(caught.value)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p"
    with pytest.raises(FileNotFoundError, match=says(str(path))):
        Population.load(path)
    sample().save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"no zip", whole[:-100], whole[:3000] + b"\xff\xee" + whole[3002:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=says(f"{path} damaged population")):
            Population.load(path)


def test_subpopulations_are_read_without_the_networks(tmp_path: Path) -> None:
    path = tmp_path / "p"
    sample().save(path)
    with zipfile.ZipFile(path) as archive:
        header = archive.read("population.json")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("population.json", header)
    assert read_subpopulations(path) == {"a-0": "a", "a-100": "a", "b": "b"}
    for content in (b"", b"no zip"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=says(str(path))):
            read_subpopulations(path)


def test_a_compressed_file_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "p"
    sample().save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match=says(str(path))):
        Population.load(path)
