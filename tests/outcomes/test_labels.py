"""Labels of tasks and agents: read, kept, selected, and never mistaken for features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace import Outcomes
from taskspace.outcomes.labels import divides, shortened
from tests.messages import says

RESULTS: dict[str, Any] = {
    "agent": ["a", "a", "b", "b"],
    "task": ["t", "u", "t", "u"],
    "score": [1, 0, 1, 1],
}


def read(**columns: Any) -> Outcomes:
    return Outcomes.from_table({**RESULTS, **columns})


def test_columns_are_about_tasks_or_agents_or_not_used() -> None:
    outcomes = read(
        topic=["sums", "areas", "sums", "areas"],
        size=[5, 7, 5, 7],
        country=["CH", "CH", "DE", "DE"],
        seconds=[1.5, 2.5, 3.5, 4.5],
    )
    assert outcomes.features is None
    assert outcomes.task_labels["topic"].tolist() == ["sums", "areas"]
    assert outcomes.task_labels["size"].tolist() == [5, 7]
    assert outcomes.agent_labels["country"].tolist() == ["CH", "DE"]
    assert list(outcomes.info["columns"]["unused"]) == ["seconds"]


def test_missing_labels_stay_missing() -> None:
    outcomes = read(topic=["sums", None, "sums", None], size=[5, np.nan, 5, np.nan])
    assert outcomes.task_labels["topic"].tolist() == ["sums", ""]
    np.testing.assert_array_equal(outcomes.task_labels["size"], [5, np.nan])


def test_booleans_dates_and_categories_are_text() -> None:
    import pandas as pd

    frame = pd.DataFrame({**RESULTS, "new": [True, False, True, False]})
    frame["when"] = pd.to_datetime(["2026-01-01", "2026-01-02"] * 2).date
    frame["topic"] = pd.Categorical(["sums", "areas"] * 2)
    labels = Outcomes.from_table(frame).task_labels
    assert labels["new"].tolist() == ["true", "false"]
    assert labels["when"].tolist() == ["2026-01-01", "2026-01-02"]
    assert labels["topic"].tolist() == ["sums", "areas"]


def test_a_few_tasks_may_have_several_texts() -> None:
    rows = {
        "agent": ["a", "a", "a", "a", "b"],
        "task": ["t", "t", "u", "v", "t"],
        "score": [1, 1, 0, 0, 1],
        "skill": ["add", "divide", "add", "count", "add"],
    }
    labels = Outcomes.from_table(rows).task_labels
    assert labels["skill"].tolist() == ["add + divide", "add", "count"]


def test_tables_about_tasks_and_agents_are_joined_by_name() -> None:
    outcomes = Outcomes.from_table(
        RESULTS,
        tasks={"question": ["u", "t"], "topic": ["areas", "sums"], "size": [7, 5]},
        agents={"student": ["b", "a"], "country": ["DE", "CH"]},
        features=["size"],
    )
    assert list(outcomes.task_labels) == ["topic"]
    assert outcomes.task_labels["topic"].tolist() == ["sums", "areas"]
    assert outcomes.agent_labels["country"].tolist() == ["CH", "DE"]
    assert outcomes.feature_names == ("size",)
    np.testing.assert_array_equal(np.asarray(outcomes.features), [[5], [7]])


def test_text_in_a_wide_table_is_about_agents() -> None:
    wide = {"agent": ["a", "b"], "country": ["CH", "DE"], "q1": [0, 1], "q2": [1, None]}
    outcomes = Outcomes.from_table(wide)
    assert outcomes.tasks.tolist() == ["q1", "q2"]
    assert outcomes.agent_labels["country"].tolist() == ["CH", "DE"]


def test_labels_come_back_from_a_file(tmp_path: Path) -> None:
    outcomes = read(
        topic=["sums", "a\nb", "sums", "a\nb"],
        size=[np.nan, 7, np.nan, 7],
        country=["CH", "CH", "DE", "DE"],
    )
    outcomes.save(tmp_path / "outcomes.npz")
    again = Outcomes.load(tmp_path / "outcomes.npz")
    outcomes.to_table(tmp_path / "outcomes.csv")
    for found in (again, Outcomes.from_table(tmp_path / "outcomes.csv")):
        assert found.task_labels["topic"].tolist() == ["sums", "a\nb"]
        np.testing.assert_array_equal(found.task_labels["size"], [np.nan, 7])
        assert found.agent_labels["country"].tolist() == ["CH", "DE"]


def test_labels_follow_a_selection() -> None:
    outcomes = read(topic=["sums", "areas"] * 2, country=["CH", "CH", "DE", "DE"])
    assert outcomes.of_agents(["b"]).agent_labels["country"].tolist() == ["DE"]
    assert outcomes.first_tasks(1).task_labels["topic"].tolist() == ["sums"]


def test_outcomes_copy_what_they_are_given() -> None:
    successes, rollouts = np.ones((2, 3), np.uint8), np.full((2, 3), 4, np.uint8)
    topics, info = np.array(["x", "y", "z"], object), {"from": ["here"]}
    outcomes = Outcomes(successes, rollouts, task_labels={"topic": topics}, info=info)
    successes[:], rollouts[:], topics[:] = 9, 1, "changed"
    info["from"].append("there")
    assert outcomes.rates.tolist() == [[0.25] * 3] * 2
    assert outcomes.task_labels["topic"].tolist() == ["x", "y", "z"]
    assert outcomes.info == {"from": ["here"]}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"tasks": {"task": ["t"], "topic": ["x"]}}, "tasks row 'u'"),
    ({"tasks": {"task": ["t", "u", "v"], "topic": list("xyz")}}, "tasks results 'v'"),
    ({"tasks": {"task": ["t", "t", "u"], "topic": list("xyz")}}, "tasks row 't'"),
    ({"tasks": {"task": ["t", "u"]}}, "tasks column 'task'"),
    ({"tasks": {"topic": ["t", "u"], "x": [1, 2]}}, "column 'task' topic x"),
    ({"agents": {"agent": ["a"], "country": ["CH"]}}, "agents row 'b'"),
    ({"agents": {"task": ["t", "u"], "topic": ["x", "y"]}}, "column 'agent'"),
    ({"tasks": {"item": ["t", "u"], "question": ["x", "y"]}}, "tasks 'item' 'question'"),
    ({"tasks": {"task": ["t", "u"], "x": ["p", "q"]}, "features": "x"}, "'x' numbers text"),
]


@pytest.mark.parametrize(("more", "tokens"), REFUSED, ids=range(len(REFUSED)))
def test_bad_tables_about_tasks_and_agents_are_refused(more: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Outcomes.from_table(RESULTS, **more)


def test_features_must_tell_tasks_apart() -> None:
    wide = {"agent": ["a", "b"], **{f"q{i}": [0, 1] for i in range(10)}}
    topics = {"task": [f"q{i}" for i in range(10)], "topic": [i % 3 for i in range(10)]}
    with pytest.raises(ValueError, match=says("features apart 3 10")):
        Outcomes.from_table(wide, tasks=topics, features="topic")
    assert Outcomes.from_table(wide, tasks=topics).features is None


@pytest.mark.parametrize(
    ("labels", "tokens"),
    [
        (["x", "y"], "labels tasks mapping list"),
        ({"topic": ["x"]}, "'topic' 2 tasks (1,)"),
        ({3: ["x", "y"]}, "label text 3"),
        ({"topic": "xy"}, "'topic' tasks"),
    ],
)
def test_bad_labels_are_refused(labels: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Outcomes(np.array([[1, 0]]), np.array(1), task_labels=labels)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "b", "a", "b", "a"], True),
        (["a", "b", "a", "b"], False),  # two values of four tasks
        (["a", "b", "a", "b", ""], False),
        (["a"] * 5, False),
        (["", ""], False),
        ([1.0, 2.0, 1.0, 2.0, 1.0], False),
    ],
)
def test_some_labels_divide_tasks_into_groups(values: list[Any], expected: bool) -> None:
    kind = object if isinstance(values[0], str) else np.float64
    assert divides(np.array(values, kind)) is expected


def test_a_long_text_is_shortened_to_one_line() -> None:
    assert shortened("What is\n  1 + 1?", 14) == "What is 1 + 1?"
    cut = shortened("word " * 1000, 20)
    assert len(cut) <= 20
    assert cut.endswith("word…")
