"""Runs with `measure="correlation"`, from a table to answers, figures and report."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.selection import select
from taskspace.runs import measures
from taskspace.runs.run import Run
from taskspace.similarity.estimates import estimates
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says
from tests.models.embedding.test_task_embedder import opposite_groups
from tests.run_folders import write_run

TASKS = 30


def silent(line: str) -> None:
    """A log that nobody reads."""


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two opposite groups of 15 tasks, whose first task in five requires another skill."""
    folder = tmp_path_factory.mktemp("runs") / "signed"
    return ts.fit(opposite_groups(missing=0.1), folder, measure="correlation", log=silent)


def test_the_measure_is_a_setting_of_the_run(signed: Run) -> None:
    again = ts.open_run(signed.folder)
    assert again.settings["measure"] == again.measure == again.results["measure"] == "correlation"
    with pytest.raises(ValueError, match=says("other settings measure correlation")):
        ts.fit(again.outcomes, signed.folder, log=silent)
    ts.fit(again.outcomes, signed.folder, measure="correlation", log=silent)


def test_similar_tasks_are_those_of_the_same_agents_and_opposite_ones_of_the_others(
    signed: Run,
) -> None:
    expected = estimates(SuccessStatistics.from_outcomes(signed.outcomes), [1], None, CORRELATION)[
        0
    ]
    found, values = signed.similar(1, 12)
    np.testing.assert_allclose(values, expected[found])
    assert (found[:10] < 15).all()
    assert (np.diff(values) <= 0).all()
    far, negative = signed.similar(1, 10, opposite=True)
    assert (far >= 15).all()
    assert (negative < -0.4).all()
    assert (np.diff(negative) >= 0).all()
    everything, values = signed.similar(1, TASKS, opposite=True)
    assert (values < 0).all()
    assert len(everything) == (np.delete(expected, 1) < 0).sum()


def test_opposite_tasks_need_a_map_by_correlation(tmp_path: Path) -> None:
    outcomes = opposite_groups()
    embedder = ts.TaskEmbedder(2, random_state=0).fit(outcomes)
    made = write_run(tmp_path / "bits", {"name": "bits"}, outcomes, embedder)
    assert made.measure == "information"
    with pytest.raises(ValueError, match=says("opposite correlation information")):
        made.similar(1, opposite=True)


def test_clusters_are_the_groups(signed: Run) -> None:
    labels = signed.clusters.labels
    pure = np.arange(TASKS) % 5 != 0
    one, other = labels[:15][pure[:15]], labels[15:][pure[15:]]
    assert len(set(one)) == len(set(other)) == 1
    assert one[0] != other[0]


def test_the_report_speaks_of_correlations(signed: Run) -> None:
    text = re.sub(r"</?a\b[^>]*>", "", signed.report().read_text())  # terms lead to definitions
    assert "Opposite tasks" in text
    assert "correlation kept" in text
    assert "in opposite directions" in text
    assert "in bits" not in text
    caption = (signed.figures / "captions.json").read_text()
    assert "Correlation of the outcomes" in caption


def world() -> tuple[Any, ts.Outcomes]:
    """Tasks with a feature, whose sign says which half of the agents solves them."""
    rng = np.random.default_rng(0)
    place = rng.uniform(-1, 1, (320, 1))
    side = np.where(np.arange(30) % 2, 1, -1)[:, None]
    rates = 1 / (1 + np.exp(-3 * side * np.sign(place.T) - rng.normal(size=(30, 1))))
    return rates, ts.Outcomes(rng.binomial(5, rates), np.array(5), features=place)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A map of these tasks from a success model."""
    _, outcomes = world()
    model = ts.SuccessModel(width=16, epochs=5, random_state=0, progress=False).fit(outcomes)
    embedder = ts.TaskEmbedder(2, measure="correlation").fit(model)
    folder = tmp_path_factory.mktemp("runs") / "described"
    return write_run(folder, {"name": "described"}, outcomes, embedder)


def test_new_tasks_are_compared_by_correlation_too(described: Run) -> None:
    far, values = described.similar([0.5], 5, opposite=True)
    assert (values < 0).all()
    assert (described.outcomes.task_inputs[far] < 0).all()
    options = np.array([[-0.5], [0.4], [-0.2], [0.9]])
    best = select(described.comparison, [0.5], options)
    assert set(best[:2].tolist()) == {1, 3}
    found = described.comparison.similarity([[0.5]], options)
    expected = described.model.similarity([[0.5]], options, "correlation")
    np.testing.assert_array_equal(found, expected)
    assert found.min() < 0
    assert described.comparison.difficulty([[0.5]]).shape == (1,)


def test_a_map_is_measured_by_correlations_of_new_results(described: Run) -> None:
    rates, outcomes = world()
    truth, again = (
        SuccessStatistics.from_outcomes(
            ts.Outcomes(np.random.default_rng(seed).binomial(20, rates), np.array(20))  # type: ignore[arg-type]
        )
        for seed in (1, 2)
    )
    embedder: Any = described.embedder
    rng = np.random.default_rng(0)
    found = measures.map_scores(embedder, outcomes.task_inputs, truth, again, rng)
    assert found["similarity_error_of_evaluation_correlation"] < 0.1
    assert found["similarity_error_correlation"] < 0.3
    assert found["clear_triplet_accuracy"] > 0.95
    assert found["tested_pairs"] == math.comb(320, 2)
    assert "similarity_error_bits" not in found
