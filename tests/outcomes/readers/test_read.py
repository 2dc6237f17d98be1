"""Folders of logs: what is read as what, and what is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.outcomes.readers.collector import LogWarning
from taskspace.outcomes.readers.read import is_log, read_as_before
from taskspace.outcomes.readers.sheets import LONGEST_TEXT
from tests.messages import says
from tests.outcomes.readers.logs import (
    REAL,
    inspect_json,
    inspect_sample,
    lines,
    lm_log,
    lm_results,
    lm_sample,
    needs_real_logs,
    write,
)

RESPONSES = {"subject_id": "ken", "responses": {"q1": 0, "q2": 1}}
TABLE = "agent,task,score,topic\na,q1,1,sums\na,q2,0,areas\n"


def reading(found: ts.Outcomes) -> str:
    return "\n".join(found.info["reading"])


# -- returns ---------------------------------------------------------------------------------------


def judged(folder: Path) -> None:
    """Marks of a judge from 1 to 10, two by one model, and a metric of which less is better."""
    for model, marks in {"a": [7.5, 2.0], "b": [3.0, 10.0], "c": [1.0, 4.0]}.items():
        samples = [inspect_sample(item, mark) for item, mark in enumerate(marks)]
        again = [inspect_sample(0, 5.5, epoch=2)] if model == "a" else []
        inspect_json(folder / f"{model}.json", f"org/{model}", *samples, *again)


def test_marks_of_any_scale_are_read_as_returns(tmp_path: Path) -> None:
    judged(tmp_path)
    with pytest.raises(ValueError, match=says("choice 7.5 max_score=k returns=True")):
        ts.read_results(tmp_path)
    found = ts.read_results(tmp_path, returns=True, success=5)
    assert found.scale is not None
    assert found.scale.rule == "success"
    assert found.returns is not None
    assert found.return_spreads is not None
    assert found.returns.tolist() == [[6.5, 2.0], [3.0, 10.0], [1.0, 4.0]]
    assert found.return_spreads[0, 0] == pytest.approx(2**0.5)
    assert found.rollouts.tolist() == [[2, 1], [1, 1], [1, 1]]
    assert "returns of arc: metric 'choice'" in reading(found)
    with pytest.raises(ValueError, match=says("best returns=True")):
        ts.read_results(tmp_path, best=7)
    with pytest.raises(ValueError, match=says("best 7 7.5")):
        ts.read_results(tmp_path, returns=True, best=7)  # the mean of a pair hides it
    with pytest.raises(ValueError, match=says("max_score 10 returns")):
        ts.read_results(tmp_path, returns=True, max_score=10)


def test_returns_of_which_less_is_better_are_negated(tmp_path: Path) -> None:
    for model, loss in (("a", 2.5), ("b", 1.5)):
        folder = tmp_path / model
        lm_log(folder, lm_sample(0, perplexity=loss, mine=10 * loss, acc=1.0))
        lm_results(folder, model, higher_is_better={"arc": {"mine": False}})
    for metric, expected in (("perplexity", -2.5), ("mine", -25.0), ("acc", 1.0)):
        found = ts.read_results(tmp_path, metric=metric, returns=True)
        assert found.returns is not None
        assert found.returns[0, 0] == expected
        assert ("negated" in reading(found)) == (expected < 0)
    found = ts.read_results(tmp_path, returns=True)  # they are no choice unless they are named
    assert "metric 'acc'" in reading(found)
    with pytest.raises(ValueError, match=says("perplexity returns=True")):
        ts.read_results(tmp_path, metric="perplexity")


def test_refusals_are_read_if_they_are_named(tmp_path: Path) -> None:
    for number in range(2):
        lm_log(tmp_path / str(number), lm_sample(0, refusal=1.0 - number, acc=1.0))
    assert ts.read_results(tmp_path).rates[:, 0].tolist() == [1.0, 1.0]
    with pytest.warns(UserWarning, match="refusal is read as better if higher"):
        found = ts.read_results(tmp_path, metric="refusal")
    assert found.rates[:, 0].tolist() == [1.0, 0.0]
    returns = ts.read_results(tmp_path, metric="refusal", returns=True)
    assert returns.returns is not None
    assert returns.returns[:, 0].tolist() == [-1.0, 0.0]


def test_tables_in_a_folder_are_read_as_returns(tmp_path: Path) -> None:
    write(tmp_path / "one.csv", "agent,task,reward\na,q1,-3\na,q2,8\nb,q1,4\nb,q2,2\n")
    found = ts.read_results(tmp_path, returns=True)
    assert found.returns is not None
    assert found.returns.tolist() == [[-3, 8], [4, 2]]


# -- files and folders -----------------------------------------------------------------------------


def test_a_mixed_folder_says_what_was_read_and_what_was_ignored(tmp_path: Path) -> None:
    lm_log(tmp_path / "org__a", lm_sample(0, acc=1.0))
    inspect_json(tmp_path / "logs" / "b.json", "org/b", inspect_sample(1, "C"))
    write(tmp_path / "notes.txt", "mine")
    write(tmp_path / "summary.csv", "model,arc,gsm\na,0.3,0.4\n")
    write(tmp_path / ".hidden" / "r.jsonl", lines(RESPONSES))
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "lost.jsonl").symlink_to("nowhere")
    (tmp_path / "self.jsonl").symlink_to("self.jsonl")
    found = ts.read_results(tmp_path)
    assert sorted(found.agents) == ["org/b", "org__a"]
    said = reading(found)
    assert "1 file as logs of lm-evaluation-harness" in said
    assert "1 file as logs of Inspect" in said
    assert all(name in said for name in ("4 files", "lost.jsonl", "notes.txt", "summary.csv"))
    assert "pairs without a result: 2 of 4" in said


def test_several_paths_are_read_together(tmp_path: Path) -> None:
    paths = [lm_log(tmp_path / name, lm_sample(0, acc=1.0)) for name in "ab"]
    assert ts.read_results(paths).agents.tolist() == ["a", "b"]
    assert ts.read_results([str(tmp_path / "b"), paths[0]]).n_agents == 2


def test_links_in_a_circle_end_and_files_are_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "r.jsonl", lines(RESPONSES))
    (tmp_path / "in" / "circle").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "in")
    (tmp_path / "other.jsonl").symlink_to(path)
    found = ts.read_results(tmp_path)
    assert found.rollouts.max() == 1
    assert ts.read_results([tmp_path, path, tmp_path / "in"]).rollouts.max() == 1


def test_copies_are_read_once_and_told(tmp_path: Path) -> None:
    paths = [lm_log(tmp_path / name / "org__a", lm_sample(0, acc=1.0)) for name in "xy"]
    lm_log(tmp_path / "org__b", lm_sample(0, acc=1.0))  # another model may answer the same
    with pytest.warns(LogWarning, match=says(f"{paths[0]} {paths[1]} copy")):
        assert ts.read_results(tmp_path).rollouts.tolist() == [[1], [1]]
    copies = [write(tmp_path / f"{name}.jsonl", lines(RESPONSES)) for name in "xy"]
    with pytest.warns(LogWarning, match=says("copy")):
        assert ts.read_results(copies).rollouts.tolist() == [[1, 1]]


def test_copies_of_tables_are_read_once_and_told(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.csv", TABLE) for name in "xyz"]
    with pytest.warns(LogWarning, match=says(f"{paths[0]} {paths[1]} copy")):
        found = ts.read_results(tmp_path)
    assert found.rollouts.tolist() == [[1, 1]]
    assert "1 file as" in reading(found)
    write(paths[1], TABLE.replace("a,q2,0", "a,q2,1"))  # another attempt, and a copy
    with pytest.warns(LogWarning, match=says(f"{paths[0]} {paths[2]} copy")):
        assert ts.read_results(tmp_path).rollouts.tolist() == [[2, 2]]


@pytest.mark.parametrize(
    ("content", "tokens"),
    [({}, "0 files lm-evaluation-harness Inspect .csv"), ({"a.txt": "x"}, "1 HELM Ever py-irt")],
)
def test_a_folder_without_logs_is_refused(tmp_path: Path, content: Any, tokens: str) -> None:
    for name, text in content.items():
        write(tmp_path / name, text)
    with pytest.raises(ValueError, match=says(tokens)):
        ts.read_results(tmp_path)


@pytest.mark.parametrize(
    ("given", "error", "tokens"),
    [
        ("nothing", FileNotFoundError, "nothing"),
        ([], ValueError, "paths empty"),
        ("", ValueError, "''"),
        (5, TypeError, "5"),
        (["a.txt"], ValueError, "a.txt Inspect"),
        (["r.jsonl", "t.csv"], ValueError, "r.jsonl t.csv both"),
        (["t.csv", "."], ValueError, "r.jsonl t.csv both"),
    ],
)
def test_bad_paths_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Any, error: type, tokens: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("a.txt"), "x")
    write(Path("r.jsonl"), lines(RESPONSES))
    write(Path("t.csv"), TABLE)
    with pytest.raises(error, match=says(tokens)):
        ts.read_results(given)


def test_a_name_without_the_ending_of_a_table_is_one_of_logs(tmp_path: Path) -> None:
    assert is_log(tmp_path / "missing")  # so that it is said that there is no such folder
    assert not is_log(tmp_path / "missing.csv")
    assert not is_log("")


@pytest.mark.parametrize(
    "option", [{"metric": 5}, {"filter": ""}, {"metric": []}, {"max_score": 0}]
)
def test_bad_options_are_refused(tmp_path: Path, option: Any) -> None:
    with pytest.raises(ValueError, match=says(next(iter(option)))):
        ts.read_results(tmp_path, **option)


def test_long_texts_are_shortened(tmp_path: Path) -> None:
    sample = {**inspect_sample(1, "C"), "input": "word \n" * 10_000}
    inspect_json(tmp_path / "a.json", "org/a", sample)
    text = ts.read_results(tmp_path).task_labels["text"][0]
    assert text.startswith("word word word")
    assert len(text) <= LONGEST_TEXT


@pytest.mark.parametrize("marks", [[0, 100], [0, 1, 100]])
def test_scores_of_one_benchmark_are_on_one_scale(tmp_path: Path, marks: list[int]) -> None:
    models = {"percent": marks, "fractions": [0, 1]}
    for model, scores in models.items():
        samples = [inspect_sample(item, scores[item % len(scores)]) for item in range(24)]
        inspect_json(tmp_path / f"{model}.json", model, *samples)
    if 1 in marks:  # it may be a point
        with pytest.warns(UserWarning, match=says("'fractions' 1 others 100")):
            ts.read_results(tmp_path, max_score=100)
    else:
        with pytest.raises(ValueError, match=says("one scale 'fractions' 1 100 separately")):
            ts.read_results(tmp_path, max_score=100)


def test_scores_from_0_to_1_are_never_divided(tmp_path: Path) -> None:
    inspect_json(tmp_path / "a.json", "a", inspect_sample(1, "C"), inspect_sample(2, True))
    inspect_json(tmp_path / "b.json", "a", inspect_sample(1, 80), task="bleu", run="2")
    assert ts.read_results(tmp_path, max_score=100).rates.tolist() == [[1, 1, pytest.approx(0.8)]]
    inspect_json(tmp_path / "c.json", "a", inspect_sample(1, 0.5), task="f1", run="3")
    with pytest.raises(ValueError, match=says("max_score 100 f1 0.5 separately")):
        ts.read_results(tmp_path, max_score=100)


# -- tables ----------------------------------------------------------------------------------------


def test_one_table_is_what_from_table_reads(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", TABLE)
    expected = ts.Outcomes.from_table(path)
    for given in (path, tmp_path):
        found = ts.read_results(given)
        np.testing.assert_array_equal(found.rates, expected.rates)
        assert found.task_labels["topic"].tolist() == ["sums", "areas"]


def test_tables_have_no_metrics(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", TABLE)
    with pytest.raises(ValueError, match=says("metric logs")):
        ts.read_results(tmp_path, metric="score")


def test_tables_with_the_same_columns_are_read_as_one(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", TABLE)
    write(tmp_path / "b.csv", TABLE.replace("a,q", "b,q").replace("1,sums", "0.5,sums"))
    found = ts.read_results(tmp_path)
    assert found.rates.tolist() == [[1, 0], [0.5, 0]]
    assert found.task_labels["topic"].tolist() == ["sums", "areas"]
    write(tmp_path / "c.csv", TABLE.replace("topic", "page"))
    with pytest.raises(ValueError, match=says("columns topic page")):
        ts.read_results(tmp_path)


# -- agents under two names ------------------------------------------------------------------------


def test_names_that_are_alike_are_told(tmp_path: Path) -> None:
    write(tmp_path / "r.jsonl", lines(RESPONSES, {**RESPONSES, "subject_id": "KEN"}))
    with pytest.warns(LogWarning, match=says("'ken' 'KEN' names")):
        ts.read_results(tmp_path)


def test_names_that_differ_in_signs_are_different_agents(tmp_path: Path) -> None:
    names = ["gpt:4", "gpt/4", "gpt?4", "gpt__4"]
    write(tmp_path / "r.jsonl", lines(*({**RESPONSES, "subject_id": name} for name in names)))
    with pytest.warns(LogWarning, match=says("'gpt:4' 'gpt/4' names")):
        assert ts.read_results(tmp_path).agents.tolist() == names


def test_agents_with_the_same_results_are_told(tmp_path: Path) -> None:
    answers = np.random.default_rng(0).integers(0, 2, 30).tolist()
    responses = {f"q{number}": answer for number, answer in enumerate(answers)}
    rows = [{"subject_id": name, "responses": responses} for name in ("one", "two")]
    write(tmp_path / "r.jsonl", lines(*rows))
    with pytest.warns(LogWarning, match=says("'one' 'two' 30 same")):
        assert ts.read_results(tmp_path).n_agents == 2


# -- readers of other packages ---------------------------------------------------------------------

READER = """
from taskspace.outcomes.readers.base import Reader

class Lines(Reader):
    name, files = "lines", "*.results"

    def recognises(self, path):
        return path.suffix == ".results"

    def read(self, path, results):
        for line in path.read_text().splitlines():
            agent, task, score = line.split()
            results.add(agent, task, float(score), benchmark="mine", text=f"about {task}")
"""


def install(folder: Path, module: str, entry: str) -> None:
    """A distribution as pip leaves it, in a folder of its own."""
    write(folder / "other_package.py", module)
    about = folder / "other_package-1.0.dist-info"
    write(about / "METADATA", "Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    write(about / "entry_points.txt", entry)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path of modules."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, "other_package", raising=False)
    return tmp_path / "site"


def test_other_packages_add_readers(tmp_path: Path, installed: Path) -> None:
    install(installed, READER, "[taskspace.readers]\nlines = other_package:Lines\n")
    write(tmp_path / "logs" / "x.results", "a q1 1\na q2 0.5\nb q1 0\n")
    found = ts.read_results(tmp_path / "logs")
    assert found.tasks.tolist() == ["mine/q1", "mine/q2"]
    assert found.task_labels["text"].tolist() == ["about q1", "about q2"]
    np.testing.assert_array_equal(found.rates, [[1, 0.5], [0, np.nan]])
    assert "1 file as logs of lines" in reading(found)
    with pytest.raises(ValueError, match=says("lines HELM")):
        ts.read_results(write(tmp_path / "x.txt", ""))


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [("other_package:Nothing", "Nothing"), ("other_package:Path", "subclass Reader")],
)
def test_a_reader_that_cannot_be_loaded_is_told(
    tmp_path: Path, installed: Path, entry: str, tokens: str
) -> None:
    install(installed, "from pathlib import Path\n", f"[taskspace.readers]\nbad = {entry}\n")
    write(tmp_path / "r.jsonl", lines(RESPONSES))
    with pytest.warns(LogWarning, match=says(f"'bad' taskspace.readers {tokens}")):
        assert ts.read_results(tmp_path / "r.jsonl").n_tasks == 2


# -- all formats -----------------------------------------------------------------------------------


@needs_real_logs
def test_real_logs_of_all_formats_are_read_together() -> None:
    found = ts.read_results(REAL, metric="exact_match,choice,accuracy")
    assert (found.n_agents, found.n_tasks) == (5, 26)
    assert len(set(found.task_labels["benchmark"])) == 4
    assert int(found.rollouts.sum()) == 29


def test_logs_of_new_agents_are_read_as_those_of_the_known_ones(tmp_path: Path) -> None:
    """By the same metric, filter and highest score; another metric is refused."""
    rows = [
        lm_sample(item, filter, acc=4.0 * (filter == "strict"), acc_norm=float(item))
        for item in range(5)
        for filter in ("strict", "loose")
    ]
    for model in ("a", "new"):
        lm_log(tmp_path / model, *rows)
    known = ts.read_results(tmp_path / "a", metric="acc_norm", filter="loose", max_score=4)
    found = read_as_before(tmp_path / "new", known)
    assert found.rates.tolist() == known.rates.tolist() == [[0, 0.25, 0.5, 0.75, 1]]
    for how in ({"metric": "acc"}, {"filter": "strict"}):
        named = {"metric": "acc_norm", "filter": "loose", **how}
        with pytest.raises(ValueError, match=says("arc acc_norm (loose) known got")):
            read_as_before(tmp_path / "new", known, **named)  # type: ignore[arg-type]
