"""Logs of Inspect."""

from __future__ import annotations

import json
import zipfile
import zlib
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
    inspect_eval,
    inspect_header,
    inspect_json,
    inspect_sample,
    needs_real_logs,
    write,
)

SAMPLES = [inspect_sample(1, "C"), inspect_sample(2, "I"), inspect_sample(3, "P")]
EXPECTED = [[1, 0, 0.5]]


def members(model: str, samples: list[Any], **more: Any) -> dict[str, Any]:
    return {"header.json": inspect_header(model, **more), "summaries.json": samples}


def zstd(path: Path, contents: dict[str, Any]) -> Path:
    """A zip file whose members are compressed by zstd; Python before 3.14 cannot write one."""
    import pyarrow

    with zipfile.ZipFile(path, "w") as archive:
        for name, value in contents.items():
            data = json.dumps(value).encode()
            packed = pyarrow.compress(data, codec="zstd", asbytes=True)
            info = zipfile.ZipInfo(name)
            archive.writestr(info, packed)
            info.compress_type, info.file_size = 93, len(data)
            info.CRC = zlib.crc32(data)
    return path


def test_letters_are_scores(tmp_path: Path) -> None:
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES, inspect_sample(4, "N"))
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["org/a"]
    assert found.tasks.tolist() == [f"arc/{item}" for item in (1, 2, 3, 4)]
    assert found.rates.tolist() == [[1, 0, 0.5, 0]]
    assert found.task_labels["text"][0] == "What is 1?"


@pytest.mark.parametrize("layout", ["summaries", "journal", "samples", "zstd"])
def test_eval_files_are_read_like_json(tmp_path: Path, layout: str) -> None:
    contents = members("org/a", SAMPLES)
    if layout == "journal":  # a run that did not end
        contents = {
            "_journal/start.json": inspect_header("org/a"),
            "_journal/summaries/10.json": SAMPLES[2:],
            "_journal/summaries/2.json": SAMPLES[:2],
        }
    if layout == "samples":
        contents = {"header.json": inspect_header("org/a")} | {
            f"samples/{sample['id']}_epoch_1.json": sample for sample in SAMPLES[:2]
        }
        contents["samples/3_epoch_1/sample.json"] = SAMPLES[2]
        contents["samples/3_epoch_1/messages/0.json"] = []
    path = tmp_path / "a.eval"
    zstd(path, contents) if layout == "zstd" else inspect_eval(path, contents)
    found = ts.read_results(path)
    assert found.tasks.tolist() == ["arc/1", "arc/2", "arc/3"]
    assert found.rates.tolist() == EXPECTED


@pytest.mark.parametrize("kind", ["deflate", "zstd"])
def test_a_changed_score_in_a_zip_file_is_noticed(tmp_path: Path, kind: str) -> None:
    contents = members("org/a", SAMPLES)
    path = tmp_path / "a.eval"
    zstd(path, contents) if kind == "zstd" else inspect_eval(path, contents)
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("summaries.json")
    data = bytearray(path.read_bytes())
    crc = member.CRC.to_bytes(4, "little")
    at = data.rfind(crc)  # in the directory at the end
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=says(f"{path} Inspect")):
        ts.read_results(path)


def test_long_members_are_read_in_pieces(tmp_path: Path) -> None:
    samples = [inspect_sample(item, "C", metadata={"x": "é" * 3000}) for item in range(500)]
    zstd(tmp_path / "a.eval", members("org/a", samples))
    inspect_json(tmp_path / "b.json", "org/b", *samples)
    assert ts.read_results(tmp_path).successes.sum() == 1000


def test_epochs_are_attempts_and_a_sample_that_ran_again_replaces_itself(tmp_path: Path) -> None:
    samples = [inspect_sample(1, value, epoch) for epoch, value in enumerate("CIC", 1)]
    inspect_eval(tmp_path / "a.eval", members("a", [*samples, inspect_sample(1, "C", 2)]))
    found = ts.read_results(tmp_path)
    assert (found.successes.tolist(), found.rollouts.tolist()) == ([[3]], [[3]])


def test_the_same_run_in_two_formats_is_read_once(tmp_path: Path) -> None:
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES)
    inspect_eval(tmp_path / "a.eval", members("org/a", SAMPLES))
    with pytest.warns(LogWarning, match=says("same run a.json".replace(
            "a.json", str(tmp_path / "a.json")))):  # fmt: skip
        assert ts.read_results(tmp_path).rollouts.max() == 1


def test_samples_that_a_retry_took_over_are_read_once(tmp_path: Path) -> None:
    samples = [{**sample, "uuid": f"u{sample['id']}"} for sample in SAMPLES]
    inspect_json(tmp_path / "a.json", "org/a", *samples[:2], run="1")
    path = inspect_json(tmp_path / "b.json", "org/a", *samples, run="2")
    with pytest.warns(LogWarning, match=says(f"2 of 3 {path}")):
        found = ts.read_results(tmp_path)
    assert (found.rates.tolist(), found.rollouts.tolist()) == (EXPECTED, [[1, 1, 1]])


def test_a_file_that_is_no_zip_file_is_told_in_plain_words(tmp_path: Path) -> None:
    path = write(tmp_path / "a.eval", "nothing")
    with pytest.raises(ValueError, match=says(f"{path} Inspect complete zip")) as error:
        ts.read_results(path)
    assert "BadZipFile" not in str(error.value)


def test_words_and_numbers_as_text_are_scores_as_inspect_understands_them(tmp_path: Path) -> None:
    values = ("yes", "No", "TRUE", "false", "0.25")
    samples = [inspect_sample(item, value) for item, value in enumerate(values)]
    inspect_json(tmp_path / "a.json", "org/a", *samples)
    assert ts.read_results(tmp_path).rates.tolist() == [[1, 0, 1, 0, 0.25]]


@pytest.mark.parametrize("value", ["A", [1, 0]])
def test_a_scorer_without_scores_matters_only_if_it_is_chosen(tmp_path: Path, value: Any) -> None:
    scores = {"grade": {"value": value}, "match": {"value": "C"}}
    inspect_json(tmp_path / "a.json", "org/a", {**inspect_sample(1, "C"), "scores": scores})
    with pytest.raises(UnclearResults, match=says("grade match")):
        ts.read_results(tmp_path)
    assert ts.read_results(tmp_path, metric="match").rates.tolist() == [[1]]
    with pytest.raises(ValueError, match=says("grade a.json arc/1 number got")):
        ts.read_results(tmp_path, metric="grade")


def test_a_log_without_samples_is_told(tmp_path: Path) -> None:
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES)
    path = inspect_json(tmp_path / "b.json", "org/b")
    with pytest.warns(LogWarning, match=says(f"{path} no results")):
        assert ts.read_results(tmp_path).agents.tolist() == ["org/a"]


def test_samples_without_scores_are_told(tmp_path: Path) -> None:
    failed = {**inspect_sample(4, None), "scores": {}, "error": "timeout"}
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES, failed, inspect_sample(5, None))
    found = ts.read_results(tmp_path)
    assert found.n_tasks == 3
    assert any("2 attempts" in line for line in found.info["reading"])


def test_samples_without_the_scorer_are_told(tmp_path: Path) -> None:
    other = {**inspect_sample(4, None), "scores": {"judge": {"value": 1}}}
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES, other)
    found = ts.read_results(tmp_path, metric="choice")
    assert any("1 attempt without" in line for line in found.info["reading"])


def test_an_invalidated_log_is_skipped_and_told(tmp_path: Path) -> None:
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES)
    path = inspect_json(tmp_path / "b.json", "org/b", *SAMPLES)
    write(path, {**json.loads(path.read_text()), "invalidated": True})
    with pytest.warns(LogWarning, match=says(f"{path} invalidated")):
        assert ts.read_results(tmp_path).agents.tolist() == ["org/a"]


def test_scorers_and_their_values_are_metrics(tmp_path: Path) -> None:
    scores = {"judge": {"value": {"style": 0.5, "truth": 1}}, "match": {"value": "I"}}
    inspect_json(tmp_path / "a.json", "org/a", {**inspect_sample(1, "C"), "scores": scores})
    with pytest.raises(UnclearResults, match=says("judge/style judge/truth match")):
        ts.read_results(tmp_path)
    assert ts.read_results(tmp_path, metric="judge/truth").rates.tolist() == [[1]]


def test_messages_and_attachments_are_texts(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image", "image": "…"}]
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": parts}]
    kept = {"input": "attachment://12ab", "attachments": {"12ab": "A long question"}}
    samples = [{**inspect_sample(1, "C"), "input": messages}, {**inspect_sample(2, "C"), **kept}]
    inspect_json(tmp_path / "a.json", "org/a", *samples)
    found = ts.read_results(tmp_path)
    assert found.task_labels["text"].tolist() == ["What is it?", "A long question"]


def test_an_id_with_different_texts_is_refused(tmp_path: Path) -> None:
    """Data sets that were shuffled number their samples afterwards."""
    inspect_json(tmp_path / "a.json", "org/a", *SAMPLES)
    shuffled = {**inspect_sample(1, "C"), "input": "Another question?"}
    inspect_json(tmp_path / "b.json", "org/b", shuffled)
    with pytest.raises(ValueError, match=says("arc/1 text 'What 'Another b.json".replace(
            "b.json", str(tmp_path / "b.json")).replace("'What 'Another ", ""))):  # fmt: skip
        ts.read_results(tmp_path)


def test_texts_that_differ_after_a_long_instruction_are_different(tmp_path: Path) -> None:
    for model, questions in (("a", "2 + 2? France?"), ("b", "France? 2 + 2?")):
        texts = ["Think step by step. " * 50 + question for question in questions.split("? ")]
        samples = [{**inspect_sample(n, "C"), "input": text} for n, text in enumerate(texts)]
        inspect_json(tmp_path / f"{model}.json", model, *samples)
    with pytest.raises(ValueError, match=says("arc/0 text differ later")):
        ts.read_results(tmp_path)


def test_runs_with_other_settings_are_other_agents(tmp_path: Path) -> None:
    for effort in ("low", "high"):
        config = {"reasoning_effort": effort, "temperature": 0}
        inspect_json(
            tmp_path / f"{effort}.json", "org/a", *SAMPLES, run=effort, model_generate_config=config
        )
    found = ts.read_results(tmp_path)
    assert sorted(found.agents) == ["org/a (reasoning_effort=high)", "org/a (reasoning_effort=low)"]


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_a_truncated_log_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    if kind == "json":
        inspect_json(path, "org/a", *SAMPLES)
    else:
        inspect_eval(path, members("org/a", SAMPLES))
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=says(str(path))):
        ts.read_results(path)


@pytest.mark.parametrize("contents", [{"x.json": 1}, {"header.json": {}, "summaries.json": []}])
def test_a_zip_file_that_is_no_log_is_refused(tmp_path: Path, contents: dict[str, Any]) -> None:
    path = inspect_eval(tmp_path / "a.eval", contents)
    with pytest.raises(ValueError, match=says(f"{path} Inspect")):
        ts.read_results(path)


def test_other_json_is_no_log(tmp_path: Path) -> None:
    write(tmp_path / "other.json", {"version": 2, "eval": 1})
    with pytest.raises(ValueError, match=says("Inspect lm-evaluation-harness HELM py-irt")):
        ts.read_results(tmp_path)


@needs_real_logs
def test_real_logs() -> None:
    found = ts.read_results(REAL / "inspect")
    assert found.agents.tolist() == ["ollama/qwen2.5:0.5b", "anthropic/claude-sonnet-4-0"]
    np.testing.assert_allclose(np.nanmean(found.rates, axis=1), [1 / 3, 1])
    assert found.rollouts.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


@needs_real_logs
def test_the_data_frames_of_inspect_have_the_same_scores(tmp_path: Path) -> None:
    """Its data frames leave out logs with other names than it gives them; the reader does not."""
    analysis = pytest.importorskip("inspect_ai.analysis", reason="Inspect is not installed")
    for number, path in enumerate(sorted((REAL / "inspect").glob("*.json"))):
        name = f"2026-01-01T00-00-0{number}+00-00_arc_{'a' * 21}{number}.json"
        write(tmp_path / name, path.read_text())
    samples = analysis.samples_df(str(tmp_path), quiet=True)
    models = analysis.evals_df(str(tmp_path), quiet=True).set_index("eval_id")["model"]
    found = ts.read_results(tmp_path)
    rows = {name: row for row, name in enumerate(found.agents.tolist())}
    columns = {name.rsplit("/", 1)[1]: column for column, name in enumerate(found.tasks.tolist())}
    for eval_id, item, letter in samples[["eval_id", "id", "score_choice"]].values.tolist():
        pair = rows[models[eval_id]], columns[str(item)]
        assert found.rates[pair] == {"C": 1, "I": 0}[letter]
    assert (found.rollouts > 0).sum() == len(samples)
