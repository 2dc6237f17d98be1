"""The explorer's data file: what it holds, and that it says what the library says."""

from __future__ import annotations

import base64
import copy
import gzip
import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from taskspace.applications.posterior import Posterior
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.explore.data import (
    CANDIDATES,
    KNOWN,
    LONGEST,
    MOST_GROUPS,
    encode,
    explorer_data,
    thinned,
)
from taskspace.explore.network import page_network
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.runs.run import Run
from taskspace.similarity.profiles import profile_similarity
from tests.messages import says

pytestmark = pytest.mark.slow


def decode(packed: dict[str, Any]) -> NDArray[Any]:
    array = np.frombuffer(base64.b64decode(packed["data"]), np.dtype(packed["dtype"]))
    return array.reshape(packed["shape"])


@pytest.fixture(scope="module")
def read(keys: Run) -> dict[str, Any]:
    """What a browser reads."""
    found: dict[str, Any] = json.loads(gzip.decompress(encode(explorer_data(keys))))
    return found


def test_it_holds_the_map(read: dict[str, Any], keys: Run) -> None:
    vectors = decode(read["vectors"])
    np.testing.assert_allclose(
        vectors, keys.embedder.transform(keys.outcomes.task_inputs), rtol=1e-6, atol=1e-7
    )
    failing = keys.model.difficulty(keys.outcomes.task_inputs)
    np.testing.assert_allclose(decode(read["difficulty"]), failing, atol=1e-6)
    assert keys.profiles is not None
    np.testing.assert_allclose(decode(read["profiles"]) / 65_535, keys.profiles, atol=1e-5)
    assert read["informative"]
    np.testing.assert_allclose(decode(read["success"]), keys.outcomes.rates.mean(0), rtol=1e-6)
    np.testing.assert_array_equal(decode(read["rates"]), (200 * keys.outcomes.rates).round())
    clusters = MultiKeyNav().clusters(keys.outcomes.task_inputs)
    np.testing.assert_array_equal(decode(read["clusters"]), clusters)
    assert read["cluster_names"] == list(MultiKeyNav.cluster_names)
    assert (read["environment"], read["title"]) == ("MultiKeyNav", "MultiKeyNav")
    assert re.search(says("160 3 25"), read["description"])
    assert (read["tasks"], read["agents"]) == (
        keys.outcomes.tasks.tolist(),
        [*keys.outcomes.agents],
    )
    np.testing.assert_allclose(
        decode(read["columns"]["location"]), keys.outcomes.task_inputs[:, 0], rtol=1e-6
    )
    assert read["columns"]["keyA"]["dtype"] == "uint8"
    assert (read["form_kind"], read["drawing"]["kind"]) == ("values", "keys")
    assert read["drawing"]["doors"] == [["A", "B"], ["A", "C"], ["B", "D"], ["C", "D"]]
    assert read["form"][1] == {"name": "keyA", "low": 0, "high": 1, "whole": True}
    assert [read["subpopulations"][n] for n in decode(read["agent_subpopulations"])[:3]] == [
        "complete",
        "no A",
        "no B",
    ]
    assert set(read["projections"]) == {"t-SNE", "PCA"}


def test_the_page_knows_the_map_of_profiles(read: dict[str, Any], keys: Run) -> None:
    network, tasks = read["network"], MultiKeyNav().sample_tasks(20, seed=5)
    landmarks = decode(network["landmarks"]) / 65_535
    bits = profile_similarity(keys.model.predict_proba(tasks), landmarks)
    vectors = bits @ decode(network["weights"])
    np.testing.assert_allclose(vectors, keys.embedder.transform(tasks), atol=1e-4)
    assert set(network["success"]) >= {"mean", "edges", "first", "blocks", "norm", "last"}


def test_the_page_knows_the_perceptron_of_an_ordinal_map(ordinal: Run) -> None:
    data, tasks = explorer_data(ordinal), MultiKeyNav().sample_tasks(20, seed=5)
    assert (data["informative"], data["profiles"]) == (False, None)
    network = data["network"]
    values = (tasks - network["mean"]) / network["scale"]
    for number, layer in enumerate(network["layers"]):
        values = values @ layer["weight"].T + layer["bias"]
        values = np.maximum(values, 0) if number < len(network["layers"]) - 1 else values
    np.testing.assert_allclose(values, ordinal.embedder.transform(tasks), atol=1e-4)
    np.testing.assert_allclose(data["difficulty"], np.linalg.norm(data["vectors"], axis=1), 1e-5)


def test_the_page_can_project_new_tasks(keys: Run, ordinal: Run) -> None:
    for run in (keys, ordinal):
        data = explorer_data(run)
        axes, flat = data["axes"], data["projections"]["PCA"]
        found = (run.points - axes["mean"]) @ np.transpose(axes["directions"])
        np.testing.assert_allclose(found, flat, atol=1e-5)
        assert flat[:, 0].var() > flat[:, 1].var()


@pytest.mark.parametrize("part", ["kind", "encoder"])
def test_no_new_tasks_without_the_servers_help(keys: Run, part: str) -> None:
    """The page computes neither other models nor structured tasks."""
    embedder = copy.deepcopy(keys.embedder)
    assert isinstance(embedder, TaskEmbedder)
    if part == "kind":
        embedder.model_.kind_ = "linear"
    else:
        embedder.model_.network_[0] = torch.nn.Identity()
    assert page_network(embedder) is None
    assert page_network(keys.embedder) is not None


def test_a_large_run_shows_its_first_tasks(keys: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskspace.explore.data.SHOWN", 100)
    data = explorer_data(keys)
    assert (data["total"], data["tasks"]) == (160, keys.outcomes.tasks[:100].tolist())
    for name in ("vectors", "difficulty", "success", "clusters"):
        assert len(data[name]) == 100
    assert data["rates"].shape == data["profiles"].shape == (25, 100)
    assert len(data["posterior"]["profiles"]) == len(data["projections"]["PCA"]) == 100
    assert len(data["columns"]["location"]) == 100


def test_its_quiz_is_nearly_that_of_the_library(read: dict[str, Any], keys: Run) -> None:
    held, full = read["posterior"], keys.predictor.posterior_
    profiles, prior = decode(held["profiles"]), decode(held["prior"])
    assert profiles.shape == (160, len(prior))
    assert len(prior) <= CANDIDATES
    assert prior.sum() == pytest.approx(1, abs=1e-6)
    assert decode(held["known"]).tolist() == list(range(held["agents"])) == list(range(25))
    probabilities = (profiles / 255).astype(np.float32)
    few = Posterior(probabilities, prior.astype(float), held["temper"], 1.0)
    rng, every, gaps = np.random.default_rng(0), TaskMixture.known(np.arange(160)), []
    for rates in keys.outcomes.rates:
        quiz = rng.permutation(160)[:10]
        answers = (rng.random(10) < rates[quiz]).astype(float)
        asked = TaskMixture.known(quiz)
        gaps.append(
            few.predict_proba(asked, answers, every) - full.predict_proba(asked, answers, every)
        )
    assert np.abs(gaps).mean() < 0.02


def test_tasks_of_karel_are_programs(karel: Run) -> None:
    data = explorer_data(karel)
    assert (data["form_kind"], data["drawing"]) == ("program", {"kind": "programs"})
    assert data["form"] is data["network"] is None
    assert data["rows"].shape == (40, 1800)


def test_a_table_without_features(course: Run) -> None:
    data = explorer_data(course)
    assert data["environment"] is data["form"] is data["network"] is data["subpopulations"] is None
    assert data["drawing"] is None
    assert data["columns"] == {}
    assert list(data["projections"]) == ["the only axis"]
    np.testing.assert_allclose(  # all directions are equal
        data["projections"]["the only axis"],
        np.column_stack([data["vectors"][:, 0], data["difficulty"]]),
    )
    assert (data["informative"], data["profiles"]) == (True, None)
    assert set(np.unique(data["rates"])) == {0, 200, 255}
    assert (data["rates"] == 255).sum() == (course.outcomes.rollouts == 0).sum()


PARTS = ("clusters", "predictor", "layouts", "redundancy", "short_test", "abilities", "diagnosis")


@pytest.mark.parametrize(("similarity", "stability"), [(0.44, 0.44), (float("nan"), None)])
def test_how_stable_a_map_is(course: Run, similarity: float, stability: float | None) -> None:
    parts = {part: getattr(course, part) for part in PARTS}
    measured = course.variant(results={"stability": {"similarity": similarity}}, **parts)
    assert explorer_data(measured)["stability"] == stability
    assert explorer_data(course)["stability"] is None  # the run has not got so far


@pytest.mark.parametrize(("accuracy", "weak"), [(0.51, True), (0.8, False)])
def test_the_verdict_is_that_of_the_run(course: Run, accuracy: float, weak: bool) -> None:
    parts = {part: getattr(course, part) for part in PARTS}
    results = {"agents": 40, "tasks": 30, "dimensions": 1, "triplet_accuracy": accuracy}
    measured = course.variant(results={**results, "stability": {"similarity": 1.0}}, **parts)
    assert explorer_data(measured)["verdict"] == {"text": str(measured.verdict), "weak": weak}
    assert explorer_data(course)["verdict"] is None  # the run has not got so far


def test_every_kind_of_candidates_keeps_its_share() -> None:
    sizes, shares = (600, 800, 200, 900), (0.4, 0.3, 0.1, 0.2)
    prior = np.repeat(np.divide(shares, sizes), sizes)
    chosen, kept = thinned(prior, 600)
    assert KNOWN < len(chosen) <= CANDIDATES
    assert (np.diff(chosen) > 0).all()
    kinds = np.searchsorted(np.cumsum(sizes), chosen, side="right")
    np.testing.assert_allclose(np.bincount(kinds, kept), shares)


def test_labels_of_tasks_and_agents(labelled: Run) -> None:
    data = explorer_data(labelled)
    topic, prompt = data["labels"]["topic"], data["labels"]["prompt"]
    assert topic["texts"] == ["sums", "areas", ""]  # the most frequent one first
    assert topic["codes"].tolist() == [2, *[0, 0, 1] * 9, 0, 0]
    assert (topic["coloured"], prompt["coloured"]) == (True, False)
    assert all(len(text) <= LONGEST for text in prompt["texts"])
    np.testing.assert_array_equal(data["columns"]["page"], labelled.outcomes.task_labels["page"])
    assert data["agent_labels"]["country"]["names"] == ["CH", "DE"]
    assert data["agent_labels"]["country"]["of_agents"].tolist() == [2, *[0, 0, 1] * 13]
    assert list(data["agent_labels"]) == ["country", "school"]  # not what is different for all
    assert len(data["agent_labels"]["school"]["names"]) == MOST_GROUPS
    assert explorer_data(labelled)["form"] is None  # a label is no feature


def test_a_label_with_very_many_texts_has_no_colours(
    labelled: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taskspace.explore.data.MOST_COLOURED", 1)
    assert not explorer_data(labelled)["labels"]["topic"]["coloured"]
