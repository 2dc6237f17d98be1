"""Logs of lm-evaluation-harness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.outcomes.readers.choices import UnclearResults
from taskspace.outcomes.readers.collector import LogWarning
from tests.messages import says
from tests.outcomes.readers.logs import (
    REAL,
    lines,
    lm_log,
    lm_results,
    lm_sample,
    needs_real_logs,
    write,
)


def test_the_model_is_the_folder_and_items_are_known_by_their_hash(tmp_path: Path) -> None:
    lm_log(tmp_path / "org__a", lm_sample(0, acc=1.0), lm_sample(1, acc=0.0))
    lm_log(tmp_path / "org__b", lm_sample(1, acc=1.0))
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["org__a", "org__b"]
    assert found.tasks.tolist() == ["arc/0000000000000000", "arc/0001000100010001"]
    np.testing.assert_array_equal(found.rates, [[1, 0], [np.nan, 1]])
    assert found.task_labels["text"].tolist() == ["What is 0?", "What is 1?"]
    assert found.task_labels["benchmark"].tolist() == ["arc", "arc"]


def test_the_results_beside_name_the_model(tmp_path: Path) -> None:
    lm_log(tmp_path, lm_sample(0, acc=1.0))
    lm_results(tmp_path, "org/a")
    lm_log(tmp_path, lm_sample(0, acc=0.0), date="2026-02-02T00-00-00")
    lm_results(tmp_path, "org/b", date="2026-02-02T00-00-00")
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["org/a", "org/b"]
    assert not any("ignored" in line for line in found.info["reading"])
    lm_log(tmp_path, lm_sample(0, acc=0.0), task="late", date="2026-03-03T00-00-00")
    with pytest.raises(ValueError, match=says("model late org/a org/b".replace("late ", ""))):
        ts.read_results(tmp_path)


def test_a_model_named_by_its_folder_and_by_its_results_is_one(tmp_path: Path) -> None:
    lm_log(tmp_path / "x" / "org__a", lm_sample(0, acc=1.0))
    lm_log(tmp_path / "y" / "org__a", lm_sample(0, acc=0.0), task="gsm")
    lm_results(tmp_path / "y" / "org__a", "org/a")
    assert ts.read_results(tmp_path).agents.tolist() == ["org/a"]


def test_repeated_runs_are_attempts(tmp_path: Path) -> None:
    rows = [lm_sample(0, acc=1.0), lm_sample(1, acc=0.0)]
    lm_log(tmp_path / "a", *rows, *rows, lm_sample(0, acc=0.0))
    again = lm_log(tmp_path / "a", *rows, date="2026-02-02T00-00-00")
    with pytest.warns(LogWarning, match=says(f"{again} repeated run results_*.json")):
        found = ts.read_results(tmp_path)
    assert (found.successes.tolist(), found.rollouts.tolist()) == ([[3, 0]], [[4, 3]])
    assert any("attempts" in line and "4" in line for line in found.info["reading"])


def test_runs_with_other_settings_are_other_agents(tmp_path: Path) -> None:
    for step in (1000, 2000):
        folder = tmp_path / f"{step}" / "org__a"
        lm_log(folder, lm_sample(0, acc=1.0))
        arguments = f"pretrained=org/a,revision=step{step},dtype=float"
        lm_results(folder, "org/a", config={"model_args": arguments})
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["org/a (revision=step1000)", "org/a (revision=step2000)"]


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ({"config": {"gen_kwargs": {"temperature": 1}}}, "gen_kwargs={'temperature': 1}"),
        ({"system_instruction": "Be brief."}, "system_instruction=Be brief."),
        ({"chat_template": "long " * 20}, "chat_template="),
    ],
)
def test_other_prompts_and_ways_to_generate_are_settings(
    tmp_path: Path, setting: dict[str, Any], shown: str
) -> None:
    for number, more in enumerate(({}, setting)):
        lm_log(tmp_path / f"{number}", lm_sample(0, acc=1.0))
        lm_results(tmp_path / f"{number}", "org/a", **more)
    found = ts.read_results(tmp_path)
    assert found.n_agents == 2
    assert shown in found.agents[1]
    assert len(found.agents[1]) < 60


def test_settings_that_differ_between_benchmarks_do_not_split_an_agent(tmp_path: Path) -> None:
    for task, shots, date in (
        ("arc", 25, "2026-01-01T00-00-00"),
        ("gsm", 5, "2026-02-02T00-00-00"),
    ):
        lm_log(tmp_path / "a", lm_sample(0, acc=1.0), task=task, date=date)
        lm_results(tmp_path / "a", "org/a", date=date, **{"n-shot": {task: shots}})
    assert ts.read_results(tmp_path).agents.tolist() == ["org/a"]


def test_filters_are_listed_and_chosen(tmp_path: Path) -> None:
    strict = [lm_sample(item, "strict-match", exact_match=0.0) for item in range(2)]
    loose = [lm_sample(item, "flexible-extract", exact_match=1.0) for item in range(2)]
    lm_log(tmp_path / "a", *strict, *loose, task="gsm8k")
    lm_log(tmp_path / "a", lm_sample(5, acc=1.0))
    with pytest.raises(UnclearResults, match=says("gsm8k: strict-match flexible-extract")) as error:
        ts.read_results(tmp_path)
    assert error.value.guess == {"filter": "strict-match"}
    assert ts.read_results(tmp_path, filter="strict-match").rates.tolist() == [[1, 0, 0]]
    assert ts.read_results(tmp_path, filter=["flexible-extract"]).rates.tolist() == [[1, 1, 1]]
    with pytest.raises(UnclearResults, match=says("loose strict-match")):
        ts.read_results(tmp_path, filter="loose")


def test_a_filter_that_no_log_has_is_refused(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, acc=1.0))
    with pytest.raises(ValueError, match=says("filter 'typo' none")):
        ts.read_results(tmp_path, filter="typo")


def test_metrics_are_listed_and_chosen_in_order_of_preference(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, acc=1.0, acc_norm=0.0))
    lm_log(tmp_path / "a", lm_sample(1, exact_match=1.0), task="gsm8k")
    with pytest.raises(UnclearResults, match=says("arc: acc acc_norm")) as error:
        ts.read_results(tmp_path)
    assert error.value.guess == {"metric": "acc,exact_match"}
    with pytest.raises(UnclearResults, match=says("acc_norm gsm8k: exact_match")):
        ts.read_results(tmp_path, metric="acc_norm")
    found = ts.read_results(tmp_path, metric="acc_norm, exact_match")
    assert dict(zip(found.task_labels["benchmark"], found.rates[0], strict=True)) == {
        "arc": 0,
        "gsm8k": 1,
    }


def test_agents_are_not_compared_by_different_metrics(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, acc=1.0))
    lm_log(tmp_path / "b", lm_sample(0, exact_match=1.0))
    with pytest.raises(ValueError, match=says("arc acc exact_match one metric")):
        ts.read_results(tmp_path)


def test_logs_of_old_versions_do_not_list_filters_and_metrics(tmp_path: Path) -> None:
    row = {k: v for k, v in lm_sample(0, acc=1.0).items() if k not in ("filter", "metrics")}
    lm_log(tmp_path / "a", row)
    assert ts.read_results(tmp_path).rates.tolist() == [[1]]


def test_lines_without_spaces_and_in_another_order_are_the_same(tmp_path: Path) -> None:
    import json

    row = dict(sorted(lm_sample(0, acc=1.0).items()))
    write(tmp_path / "a" / "samples_arc.jsonl", json.dumps(row, separators=(",", ":")) + "\n")
    lm_log(tmp_path / "b", row)
    assert ts.read_results(tmp_path).rates.tolist() == [[1], [1]]


def test_a_truncated_line_is_skipped_and_told(tmp_path: Path) -> None:
    good = lines(*(lm_sample(item, acc=1.0) for item in range(3)))
    write(tmp_path / "a" / "samples_arc.jsonl", good + good[:150])
    with pytest.warns(LogWarning, match=says("1 damaged line samples_arc.jsonl".replace(
            "samples_arc.jsonl", str(tmp_path / "a" / "samples_arc.jsonl")))):  # fmt: skip
        found = ts.read_results(tmp_path)
    assert found.n_tasks == 3
    write(tmp_path / "a" / "samples_arc.jsonl", good + good[:150] + "\n" + "no JSON\n")
    with pytest.raises(ValueError, match=says("2 of 5 damaged")):
        ts.read_results(tmp_path)


def test_a_broken_line_and_the_next_one_are_damaged(tmp_path: Path) -> None:
    first, again = (lines(lm_sample(item, acc=1.0)) for item in (0, 1))
    write(tmp_path / "a" / "samples_arc.jsonl", lines(lm_sample(2, acc=1.0)) + first[:150] + again)
    with pytest.warns(LogWarning, match=says("1 damaged line")):
        assert ts.read_results(tmp_path).tasks.tolist() == ["arc/0002000200020002"]


@pytest.mark.parametrize("name", [7, None])
def test_items_without_a_hash_are_refused(tmp_path: Path, name: Any) -> None:
    path = lm_log(tmp_path / "a", {**lm_sample(0, acc=1.0), "doc_hash": name})
    with pytest.raises(ValueError, match=says(f"{path} doc_hash")):
        ts.read_results(tmp_path)


def test_a_metric_that_is_listed_but_missing_is_told(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, acc=1.0), {**lm_sample(1, f1=0.0), "metrics": ["acc"]})
    found = ts.read_results(tmp_path)
    assert (found.rates.tolist(), found.n_tasks) == ([[1]], 1)
    assert any("1 attempt without" in line for line in found.info["reading"])


def test_lines_without_the_metric_are_told(tmp_path: Path) -> None:
    rows = [lm_sample(0, acc=1.0), lm_sample(1, f1=0.0), lm_sample(2, "other", f1=0.0)]
    lm_log(tmp_path / "a", *rows)
    found = ts.read_results(tmp_path, metric="acc", filter="none")
    assert any("1 attempt without" in line for line in found.info["reading"])


@pytest.mark.parametrize(
    ("value", "tokens"),
    [(7.0, "acc 7 0 1 max_score=k"), (-1.0, "acc -1"), ("B", "'B' C P"), (1e400, "acc inf")],
)
def test_bad_scores_are_refused(tmp_path: Path, value: Any, tokens: str) -> None:
    lm_log(tmp_path / "a", lm_sample(0, acc=value))
    with pytest.raises(ValueError, match=says(tokens)):
        ts.read_results(tmp_path)


def test_scores_are_rescaled(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, acc=5.0), lm_sample(1, acc=10))
    assert ts.read_results(tmp_path, max_score=10).rates.tolist() == [[0.5, 1]]


def test_metrics_that_are_no_scores_are_left_out(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, word_perplexity=[-3.0, 5], bpb=2.0))
    lm_results(tmp_path / "a", "a", higher_is_better={"arc": {"bpb": False}})
    with pytest.raises(ValueError, match=says("bpb word_perplexity more")):
        ts.read_results(tmp_path)
    lm_log(tmp_path / "a", lm_sample(0, word_perplexity=[-3.0, 5], acc=1.0))
    assert ts.read_results(tmp_path).rates.tolist() == [[1]]


def test_metrics_of_which_less_is_better_are_known_by_name(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, brier_score=0.9))
    with pytest.raises(ValueError, match=says("arc higher brier_score")):
        ts.read_results(tmp_path)
    lm_log(tmp_path / "a", lm_sample(0, brier_score=0.9, acc=1.0))
    assert ts.read_results(tmp_path).rates.tolist() == [[1]]


def test_results_of_other_dates_say_which_metrics_are_no_scores(tmp_path: Path) -> None:
    lm_log(tmp_path / "a", lm_sample(0, mine=0.9))
    for day, task in ((3, "arc"), (4, "gsm")):
        said = {task: {"mine": False}}
        lm_results(tmp_path / "a", "a", date=f"2026-03-0{day}T00-00-00", higher_is_better=said)
    with pytest.raises(ValueError, match=says("mine more better")):
        ts.read_results(tmp_path)


def test_a_document_without_a_usual_field_is_described_by_its_longest_text(tmp_path: Path) -> None:
    row = lm_sample(0, acc=1.0)
    row["doc"] = {"id": "x", "premise": "It rains.", "n": 3}
    lm_log(tmp_path / "a", row)
    assert ts.read_results(tmp_path).task_labels["text"].tolist() == ["It rains."]


@needs_real_logs
def test_a_real_log() -> None:
    found = ts.read_results(REAL / "lm_eval")
    assert (found.n_agents, found.n_tasks) == (1, 10)
    assert found.agents[0].startswith("RylanSchaeffer/mem_Qwen3-93M")
    assert found.rates.sum() == 0  # the results beside say an accuracy of 0
    assert "vertical asymptotes" in found.task_labels["text"][0]


def test_several_renamed_files_in_a_folder_are_refused(tmp_path: Path) -> None:
    """Their names may say the model, so that all would be one agent with several benchmarks."""
    for name in ("gpt-arc", "llama-arc"):
        write(tmp_path / "a" / f"{name}.jsonl", lines(lm_sample(0, acc=1.0), lm_sample(1, acc=0.0)))
    with pytest.raises(ValueError, match=says("llama-arc.jsonl samples_<task>_<date>.jsonl")):
        ts.read_results(tmp_path)
