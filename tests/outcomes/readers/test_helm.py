"""Runs of HELM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import taskspace as ts
from taskspace.outcomes.readers.choices import UnclearResults
from tests.messages import says
from tests.outcomes.readers.logs import (
    REAL,
    helm_instance,
    helm_run,
    helm_stat,
    needs_real_logs,
    write,
)


def right(item: int, mean: float | None = 1.0, **more: Any) -> dict[str, Any]:
    stats = [helm_stat("exact_match", mean), helm_stat("num_references", 4)]
    return helm_instance(item, *stats, **more)


def test_a_run_is_read_without_its_bookkeeping(tmp_path: Path) -> None:
    helm_run(tmp_path / "x", "org/a", right(0), right(1, 0.0), right(2, None))
    helm_run(tmp_path / "y", "org/b", right(1), name="mmlu:subject=maths,stop=none")
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["org/a", "org/b"]
    assert found.tasks.tolist() == ["mmlu:subject=maths/id0", "mmlu:subject=maths/id1"]
    assert found.rates[0].tolist() == [1, 0]
    assert found.rollouts.tolist() == [[1, 1], [0, 1]]
    assert found.task_labels["text"].tolist() == ["What is 0?", "What is 1?"]


def test_metrics_are_listed_and_any_can_be_named(tmp_path: Path) -> None:
    stats = [helm_stat("exact_match", 0.0), helm_stat("f1_score", 0.5), helm_stat("num_bytes", 9)]
    helm_run(tmp_path, "org/a", helm_instance(0, *stats))
    with pytest.raises(UnclearResults, match=says("exact_match f1_score")) as error:
        ts.read_results(tmp_path)
    assert "num_bytes" not in str(error.value)
    assert ts.read_results(tmp_path, metric="f1_score").rates.tolist() == [[0.5]]
    assert ts.read_results(tmp_path, metric="num_bytes", max_score=9).rates.tolist() == [[1]]
    with pytest.raises(ValueError, match=says("num_bytes 9 max_score=k")):
        ts.read_results(tmp_path, metric="num_bytes")


def test_a_metric_of_which_less_is_better_is_refused(tmp_path: Path) -> None:
    helm_run(tmp_path, "org/a", helm_instance(0, helm_stat("max_toxicity", 0.9)))
    with pytest.raises(ValueError, match=says("max_toxicity higher")):
        ts.read_results(tmp_path)


def test_perturbations_are_never_mixed_with_originals(tmp_path: Path) -> None:
    typos = {"name": "typos", "robustness": True}
    perturbed = helm_instance(
        0, helm_stat("exact_match", 0.0, perturbation=typos), perturbation=typos
    )
    helm_run(tmp_path / "x", "org/a", right(0), perturbed)
    with pytest.raises(UnclearResults, match=says("original typos filter")):
        ts.read_results(tmp_path)
    assert ts.read_results(tmp_path, filter="original").rates.tolist() == [[1]]
    assert ts.read_results(tmp_path, filter="typos").rates.tolist() == [[0]]
    helm_run(tmp_path / "y", "org/b", right(0))
    with pytest.raises(UnclearResults, match=says("typos original")):
        ts.read_results(tmp_path, filter="typos")


def test_trials_are_attempts_and_told(tmp_path: Path) -> None:
    helm_run(tmp_path, "org/a", right(0), right(0, 0.0, trial=1), right(0, 1.0, trial=2))
    found = ts.read_results(tmp_path)
    assert (found.successes.tolist(), found.rollouts.tolist()) == ([[2]], [[3]])
    assert any("attempts per pair: up to 3" in line for line in found.info["reading"])


def test_an_instance_with_different_texts_is_refused(tmp_path: Path) -> None:
    for number, model in enumerate(("org/a", "org/b")):
        helm_run(tmp_path / f"{number}", model, right(0), right(1))
        texts = [{"id": f"id{n}", "input": {"text": f"What is {n ^ number}?"}} for n in (0, 1)]
        write(tmp_path / f"{number}" / "instances.json", texts)
    with pytest.raises(ValueError, match=says("mmlu:subject=maths/id0 text")):
        ts.read_results(tmp_path)


def test_one_model_with_other_settings_is_another_agent(tmp_path: Path) -> None:
    for shots in (0, 5):
        name = f"mmlu:subject=maths,max_train_instances={shots}"
        helm_run(tmp_path / f"{shots}", "org/a", right(0), name=name)
    names = [f"org/a (max_train_instances={shots})" for shots in (0, 5)]
    assert ts.read_results(tmp_path).agents.tolist() == names


def test_what_the_adapter_says_is_a_setting(tmp_path: Path) -> None:
    for number, told in enumerate(("Answer.", "Think, then answer.")):
        helm_run(tmp_path / f"{number}", "org/a", right(0))
        path = tmp_path / f"{number}" / "run_spec.json"
        spec = json.loads(path.read_text())
        spec["adapter_spec"] |= {"instructions": told, "max_eval_instances": number}
        write(path, spec)
    names = [f"org/a (instructions={told})" for told in ("Answer.", "Think, then answer.")]
    assert ts.read_results(tmp_path).agents.tolist() == names


def test_a_run_without_its_specification_is_refused(tmp_path: Path) -> None:
    path = helm_run(tmp_path, "org/a", right(0))
    (tmp_path / "run_spec.json").unlink()
    with pytest.raises(FileNotFoundError, match=says(f"run_spec.json {path}")):
        ts.read_results(tmp_path)


def test_damage_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = helm_run(tmp_path, "org/a", right(0), right(1))
    path.write_text(path.read_text()[:-50])
    with pytest.raises(ValueError, match=says(f"{path} HELM end")):
        ts.read_results(tmp_path)
    write(path, [{"stats": []}])
    with pytest.raises(ValueError, match=says(f"{path} HELM instance_id")):
        ts.read_results(tmp_path)


@needs_real_logs
def test_a_real_run() -> None:
    found = ts.read_results(REAL / "helm", metric="quasi_exact_match")
    assert (found.agents.tolist(), found.n_tasks) == (["openai/gpt2"], 10)
    assert found.tasks[0] == "mmlu:subject=philosophy/id147"
    assert found.rates.mean() == pytest.approx(0.1)
    assert "meaning in life" in found.task_labels["text"][0]
