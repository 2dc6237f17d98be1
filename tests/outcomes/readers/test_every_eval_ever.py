"""Logs in the schema of Every Eval Ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.outcomes.readers.choices import UnclearResults
from tests.messages import says
from tests.outcomes.readers.logs import REAL, eee_sample, lines, needs_real_logs, write


def test_several_models_may_share_a_file(tmp_path: Path) -> None:
    rows = [eee_sample("org/a", 0, 1.0), eee_sample("org/b", 0, 0.0), eee_sample("org/b", 1, 1)]
    write(tmp_path / "x_samples.jsonl", lines(*rows))
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["org/a", "org/b"]
    assert found.tasks.tolist() == ["bench/0000000000000000", "bench/0001000100010001"]
    assert found.rollouts.tolist() == [[1, 0], [1, 1]]
    assert found.task_labels["text"].tolist() == ["What is 0?", "What is 1?"]


def test_without_a_hash_the_identifier_names_a_task(tmp_path: Path) -> None:
    rows = [eee_sample("org/a", 0, 1.0, sample_hash=None)]
    write(tmp_path / "x_samples.jsonl", lines(*rows))
    assert ts.read_results(tmp_path).tasks.tolist() == ["bench/s0"]
    write(tmp_path / "y_samples.jsonl", lines({**rows[0], "input": {"raw": "Something else"}}))
    with pytest.raises(ValueError, match=says("bench/s0 text")):
        ts.read_results(tmp_path)


def test_the_file_beside_names_the_metrics(tmp_path: Path) -> None:
    results: list[dict[str, Any]] = [
        {"evaluation_result_id": name, "metric_config": {"metric_id": name}}
        for name in ("em", "f1")
    ]
    write(tmp_path / "x.json", {"evaluation_results": results})
    rows = [
        eee_sample("org/a", 0, score, evaluation_result_id=name)
        for name, score in (("em", 0.0), ("f1", 0.5))
    ]
    write(tmp_path / "x_samples.jsonl", lines(*rows))
    with pytest.raises(UnclearResults, match=says("em f1 metric")):
        ts.read_results(tmp_path)
    found = ts.read_results(tmp_path, metric="f1")
    assert found.rates.tolist() == [[0.5]]
    assert not any("ignored" in line for line in found.info["reading"])
    results[0]["metric_config"] = {"metric_id": "loss", "lower_is_better": True}
    write(tmp_path / "x.json", {"evaluation_results": results})
    with pytest.raises(ValueError, match=says("loss higher")):
        ts.read_results(tmp_path)


def about(name: str = "bench", **more: Any) -> dict[str, Any]:
    metric = {"metric_id": name, **more.pop("metric", {})}
    return {"evaluation_result_id": name, "metric_config": metric, **more}


def test_scores_are_rescaled_by_the_bounds_of_their_metric(tmp_path: Path) -> None:
    rows = [eee_sample("a", item, score) for item, score in enumerate((1, 0, -1))]
    write(tmp_path / "x_samples.jsonl", lines(*rows))
    bounds = {"min_score": -1, "max_score": 4}
    write(tmp_path / "x.json", {"evaluation_results": [about(metric=bounds)]})
    for most in (1, 10):
        found = ts.read_results(tmp_path, max_score=most)
        np.testing.assert_allclose(found.rates, [[0.4, 0.2, 0]])


def test_a_sample_must_say_which_of_several_metrics_it_is_about(tmp_path: Path) -> None:
    rows = [eee_sample("a", 0, 1.0, evaluation_result_id=None)]
    write(tmp_path / "x_samples.jsonl", lines(*rows))
    write(tmp_path / "x.json", {"evaluation_results": [about("em"), about("f1")]})
    with pytest.raises(ValueError, match=says("evaluation_result_id em f1 s0")):
        ts.read_results(tmp_path)
    write(tmp_path / "x.json", {"evaluation_results": [about("em")]})
    assert "metric 'em'" in "".join(ts.read_results(tmp_path).info["reading"])


def test_other_ways_to_generate_are_other_agents(tmp_path: Path) -> None:
    for effort in ("high", "low"):
        write(tmp_path / f"{effort}_samples.jsonl", lines(eee_sample("a", 0, 1.0)))
        config = {"generation_args": {"reasoning_effort": effort}}
        write(
            tmp_path / f"{effort}.json", {"evaluation_results": [about(generation_config=config)]}
        )
    names = [f"a (reasoning_effort={effort})" for effort in ("high", "low")]
    assert ts.read_results(tmp_path).agents.tolist() == names


def test_correctness_can_be_read_instead_of_a_score(tmp_path: Path) -> None:
    rows = [eee_sample("a", 0, 70, evaluation={"score": 70, "is_correct": True})]
    write(tmp_path / "x_samples.jsonl", lines(*rows))
    with pytest.raises(ValueError, match=says("score 70 max_score=k")):
        ts.read_results(tmp_path)
    assert ts.read_results(tmp_path, metric="is_correct").rates.tolist() == [[1]]
    assert ts.read_results(tmp_path, max_score=100).rates.tolist() == [[pytest.approx(0.7)]]


def test_other_orders_of_the_fields_are_read_too(tmp_path: Path) -> None:
    row = dict(reversed(eee_sample("a", 0, 1.0).items()))
    write(tmp_path / "x_samples.jsonl", lines(row))
    assert ts.read_results(tmp_path).rates.tolist() == [[1]]


@needs_real_logs
def test_a_real_log() -> None:
    found = ts.read_results(REAL / "every_eval_ever")
    assert found.agents.tolist() == ["demo-org/demo-model"]
    assert found.rates.tolist() == [[1]]
    assert found.task_labels["text"].tolist() == ["What is 2 + 2?"]
