"""The explorer's data file: what it holds, and that it says what the library says."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.known_tasks import Mix
from taskspace.applications.posterior import Posterior
from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.explore import prepared, views
from taskspace.explore.data import CANDIDATES, KNOWN, encode, explorer_data, thinned
from taskspace.explore.prepared import FILE, Prepared, prepare
from taskspace.explore.views import lay_out
from taskspace.finished import FinishedMap
from tests.messages import says


def decode(packed: dict[str, Any]) -> NDArray[Any]:
    array = np.frombuffer(base64.b64decode(packed["data"]), np.dtype(packed["dtype"]))
    return array.reshape(packed["shape"])


@pytest.fixture(scope="module")
def read(keys: FinishedMap, keys_prepared: Prepared) -> dict[str, Any]:
    """What a browser reads."""
    found: dict[str, Any] = json.loads(gzip.decompress(encode(explorer_data(keys, keys_prepared))))
    return found


def test_it_holds_the_map(read: dict[str, Any], keys: FinishedMap) -> None:
    vectors = decode(read["vectors"])
    np.testing.assert_allclose(vectors, keys.embedder.transform(keys.tasks), rtol=1e-6)
    np.testing.assert_allclose(decode(read["difficulty"]), np.linalg.norm(vectors, axis=1), 1e-5)
    np.testing.assert_allclose(decode(read["success"]), keys.outcomes.rates.mean(0), rtol=1e-6)
    np.testing.assert_array_equal(decode(read["rates"]), (200 * keys.outcomes.rates).round())
    clusters = MultiKeyNav().clusters(keys.tasks)
    np.testing.assert_array_equal(decode(read["clusters"]), clusters)
    assert read["cluster_names"] == list(MultiKeyNav.cluster_names)
    assert (read["environment"], read["title"]) == ("MultiKeyNav", "MultiKeyNav")
    assert re.search(says("160 3 25"), read["told"])
    assert (read["tasks"], read["agents"]) == (
        keys.outcomes.tasks.tolist(),
        [*keys.outcomes.agents],
    )
    np.testing.assert_allclose(decode(read["columns"]["location"]), keys.tasks[:, 0], rtol=1e-6)
    assert read["columns"]["keyA"]["dtype"] == "uint8"
    assert read["form"][1] == {"name": "keyA", "low": 0, "high": 1, "whole": True}
    assert [read["groups"][n] for n in decode(read["agent_groups"])[:3]] == [
        "complete",
        "no A",
        "no B",
    ]
    assert set(read["views"]) == {"t-SNE", "PCA"}


def test_the_page_can_embed_new_tasks(read: dict[str, Any], keys: FinishedMap) -> None:
    network, tasks = read["network"], MultiKeyNav().sample_tasks(20, seed=5)
    values = (tasks - network["mean"]) / network["scale"]
    for number, layer in enumerate(network["layers"]):
        values = values @ np.transpose(layer["weight"]) + layer["bias"]
        values = np.maximum(values, 0) if number < len(network["layers"]) - 1 else values
    np.testing.assert_allclose(values, keys.embedder.transform(tasks), rtol=1e-9)
    axes = network["axes"]
    flat = (decode(read["vectors"]) - axes["mean"]) @ np.transpose(axes["directions"])
    np.testing.assert_allclose(flat, decode(read["views"]["PCA"]), atol=1e-5)
    assert flat[:, 0].var() > flat[:, 1].var()


def test_its_quiz_is_nearly_that_of_the_library(
    read: dict[str, Any], keys: FinishedMap, keys_prepared: Prepared
) -> None:
    held, full = read["posterior"], keys_prepared.posterior
    profiles, prior = decode(held["profiles"]), decode(held["prior"])
    assert profiles.shape == (160, len(prior))
    assert len(prior) <= CANDIDATES
    assert prior.sum() == pytest.approx(1, abs=1e-6)
    assert decode(held["known"]).tolist() == list(range(held["agents"])) == list(range(25))
    chances = (profiles / 255).astype(np.float32)
    few = Posterior(chances, prior.astype(float), held["temper"], 1.0)
    rng, every, gaps = np.random.default_rng(0), Mix.known(np.arange(160)), []
    for rates in keys.outcomes.rates:
        quiz = rng.permutation(160)[:10]
        answers = (rng.random(10) < rates[quiz]).astype(float)
        asked = Mix.known(quiz)
        gaps.append(few.predict(asked, answers, every) - full.predict(asked, answers, every))
    assert np.abs(gaps).mean() < 0.02


def test_a_table_without_features(course: FinishedMap) -> None:
    data = explorer_data(course)
    assert data["environment"] is data["form"] is data["network"] is data["groups"] is None
    assert data["columns"] == {}
    assert list(data["views"]) == ["the only axis"]
    np.testing.assert_allclose(data["views"]["the only axis"][:, 0], data["vectors"][:, 0])
    assert set(np.unique(data["rates"])) == {0, 200, 255}
    assert (data["rates"] == 255).sum() == (course.outcomes.rollouts == 0).sum()


@pytest.mark.parametrize(
    ("text", "agreement"),
    [
        ('{"agreement_of_seeds": {"similarity": 0.44}}', 0.44),
        ('{"agreement_of_seeds": {"similarity": NaN}}', None),
        ('{"agreement_of_seeds": 3}', None),
        ("damaged", None),
    ],
)
def test_how_steady_a_map_is(
    course: FinishedMap, tmp_path: Path, text: str, agreement: float | None
) -> None:
    (tmp_path / "results.json").write_text(text)
    (tmp_path / "settings.json").write_bytes((course.folder / "settings.json").read_bytes())
    moved = FinishedMap(tmp_path, course.embedder, course.outcomes)
    assert explorer_data(moved, prepare(course))["agreement"] == agreement


def test_every_kind_of_candidates_keeps_its_share() -> None:
    sizes, shares = (600, 800, 200, 900), (0.4, 0.3, 0.1, 0.2)
    prior = np.repeat(np.divide(shares, sizes), sizes)
    chosen, kept = thinned(prior, 600)
    assert KNOWN < len(chosen) <= CANDIDATES
    assert (np.diff(chosen) > 0).all()
    kinds = np.searchsorted(np.cumsum(sizes), chosen, side="right")
    np.testing.assert_allclose(np.bincount(kinds, kept), shares)


# -- what is kept for the next time ----------------------------------------------------------------


def test_the_second_start_reads_what_the_first_made(
    keys: FinishedMap, keys_prepared: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "lay_out", lambda vectors: pytest.fail("was made again"))
    again = prepare(FinishedMap.load(keys.folder))
    np.testing.assert_array_equal(again.views["t-SNE"], keys_prepared.views["t-SNE"])
    first, second = keys_prepared.posterior, again.posterior
    np.testing.assert_array_equal(first.profiles, second.profiles)
    np.testing.assert_array_equal(first.prior, second.prior)
    assert (first.temper, first.strength) == (second.temper, second.strength)


def test_what_is_kept_is_for_this_map_alone(course: FinishedMap, keys: FinishedMap) -> None:
    mine = prepare(course)
    path = course.folder / FILE
    kept = path.read_bytes()
    path.write_bytes((keys.folder / FILE).read_bytes())
    np.testing.assert_array_equal(prepare(course).posterior.prior, mine.posterior.prior)
    middle = len(kept) // 2
    path.write_bytes(kept[:middle] + bytes([kept[middle] ^ 1]) + kept[middle + 1 :])
    np.testing.assert_array_equal(prepare(course).posterior.profiles, mine.posterior.profiles)
    assert path.read_bytes() == kept


def test_a_folder_that_cannot_be_written_will_do(course: FinishedMap) -> None:
    path = course.folder / FILE
    path.unlink(missing_ok=True)
    path.mkdir()
    assert prepare(course).posterior.profiles.shape[0] == 30
    path.rmdir()


# -- views -----------------------------------------------------------------------------------------


def test_tasks_beyond_the_laid_out_ones_lie_among_their_like(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views, "LAID_OUT", 60)
    rng = np.random.default_rng(0)
    centres = 10 * np.eye(3)[np.arange(300) % 3]
    found = views.lay_out((centres + rng.normal(size=(300, 3))).astype(np.float32))["t-SNE"]
    near = np.linalg.norm(found[:, None] - found, axis=2) + np.diag(np.full(300, np.inf))
    assert (near.argmin(1) % 3 == np.arange(300) % 3).all()


@pytest.mark.parametrize("count", [3, 5])
def test_views_of_a_few_tasks(count: int) -> None:
    vectors = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    assert all(np.isfinite(view).all() for view in views.lay_out(vectors).values())


def test_tasks_in_one_place_are_drawn_in_one_place() -> None:
    for vectors in (np.ones((12, 3), np.float32), np.full((3, 2), 1e30, np.float32)):
        views = lay_out(vectors)
        assert views["t-SNE"].shape == (len(vectors), 2)
        assert np.ptp(views["t-SNE"], axis=0).tolist() == [0, 0]
