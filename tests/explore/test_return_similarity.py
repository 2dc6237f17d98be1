"""The page of a map of returns lists the neighbours that `taskspace similar` lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import Run
from tests.explore.test_page import SIMILARITIES, looked_at
from tests.run_folders import write_run

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]

TASK = 7


def returns_of(features: Any, missing: float) -> Outcomes:
    """Mean returns of five attempts; each task needs one of two skills. Some are missing."""
    rng = np.random.default_rng(0)
    needed = np.arange(30) % 2
    skills, spreads = rng.normal(size=(40, 2)), rng.uniform(3, 6, (40, 30))
    returns = 10 * skills[:, needed] + rng.normal(size=(40, 30)) * spreads / np.sqrt(5)
    rollouts = 5 * (rng.random((40, 30)) >= missing)
    returns, spreads = (np.where(rollouts > 0, each, np.nan) for each in (returns, spreads))
    return Outcomes.from_returns(returns, rollouts, spreads=spreads, features=features)


def of_table(folder: Any, measure: str) -> Run:
    outcomes = returns_of(None, missing=0.2)
    embedder = TaskEmbedder(2, measure=measure, random_state=0).fit(outcomes)
    return write_run(folder, {"name": "returns"}, outcomes, embedder)


def of_model(folder: Any) -> Run:
    outcomes = returns_of(np.eye(2)[np.arange(30) % 2], missing=0.0)
    model = SuccessModel(width=16, bins=4, batch_size=32, random_state=0, progress=False)
    embedder = TaskEmbedder(2, model=model, random_state=0).fit(outcomes)
    return write_run(folder, {"name": "returns"}, outcomes, embedder)


@pytest.mark.parametrize("make", [
    lambda folder: of_table(folder, "information"),
    lambda folder: of_table(folder, "correlation"),
    of_model,
], ids=["table", "correlations", "model"])  # fmt: skip
def test_neighbours_are_those_of_the_library(browser: Any, tmp_path: Any, make: Any) -> None:
    run = make(tmp_path / "run")
    with looked_at(browser, run) as seen:
        found, wanted = seen.numbers(SIMILARITIES.format(TASK)), run.similarities(TASK)
        np.testing.assert_allclose(found, wanted, atol=2e-4)
        assert np.ptp(wanted) > 0.05
        seen.go(f"#task=task-{TASK}")
        cards = seen.page.locator("#panel-task [data-list=nearest] .card").all()
        best, _ = run.similar(TASK, 4)
        listed = [int(card.get_attribute("data-task")) for card in cards]
        np.testing.assert_allclose(wanted[listed], wanted[best][: len(listed)], atol=2e-4)
        assert seen.page.locator("#tab-compare").count() == 1
