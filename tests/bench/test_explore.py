"""The map and the requests of the benchmark; how fast they are answered is for its report."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import taskspace as ts
from taskspace.bench import explore
from taskspace.explore.models import Predict
from taskspace.report.projections import PCA, TSNE


def test_the_folder_is_a_run_that_is_ready_to_be_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explore.make_folder(tmp_path, tasks=50, candidates=20)
    monkeypatch.setattr(ts.PerformancePredictor, "fit", lambda *_: pytest.fail("made again"))
    made = ts.open_run(tmp_path)
    assert made.outcomes.successes.shape == (explore.AGENTS, 50)
    assert len(made.clusters.labels) == 50
    assert set(made.layouts) == {TSNE, PCA}
    chances = made.predictor.predict_proba(["task-1"], [1], ["task-2", "task-49"])
    assert ((chances >= 0) & (chances <= 1)).all()


def test_requests_are_of_the_size_that_the_report_names() -> None:
    found = explore.bodies()
    assert len(set(found)) == explore.BODIES
    for body in found[:3]:
        asked = Predict.model_validate(json.loads(body))
        names = [*(answer.task for answer in asked.quiz), *asked.tasks]
        assert (len(asked.quiz), len(asked.tasks)) == (explore.QUIZ, explore.ASKED)
        assert len({str(name) for name in names}) == explore.QUIZ + explore.ASKED
    assert found == explore.bodies()


def test_the_rate_is_requests_by_seconds() -> None:
    load = explore.Load(requests=300, seconds=2.0, p50=0.001, p99=0.002, cpu=1.0)
    assert load.rate == 150


@pytest.mark.slow
def test_a_server_is_asked_and_its_answers_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "TASKS", 200)
    explore.make_folder(tmp_path, tasks=200, candidates=20)
    with explore.server(tmp_path) as (_, port):
        times = asyncio.run(explore.ask_all(port, 2, 0.5))
    assert len(times) >= 2
    assert min(times) > 0
