"""Which columns of a table are agents, tasks and results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from taskspace import Outcomes
from taskspace.outcomes.columns import UnclearColumns
from tests.messages import says


def table(agent: str, task: str, score: str, /, **more: Any) -> dict[str, Any]:
    return {agent: ["a", "a", "b"], task: ["t", "u", "t"], score: [1, 0, 1], **more}


def assert_read(outcomes: Outcomes) -> None:
    assert outcomes.agents.tolist() == ["a", "b"]
    assert outcomes.tasks.tolist() == ["t", "u"]
    assert outcomes.successes.tolist() == [[1, 0], [1, 0]]
    assert outcomes.rollouts.tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    "names",
    [
        ("agent", "task", "success"),
        ("student", "question", "correct"),
        ("model", "item_id", "score"),
        ("subject_id", "item_id", "response"),
        ("Student ID", "Problem-Id", "isCorrect"),
        ("USER", "EXERCISE", "RESULT"),
    ],
)
def test_columns_are_recognised_by_name(names: tuple[str, str, str]) -> None:
    outcomes = Outcomes.from_table(table(*names))
    assert_read(outcomes)
    read = outcomes.info["columns"]
    assert (read["agent"], read["task"], read["score"]) == (*names[:2], [names[2]])


def test_the_guess_prefers_scores_for_results() -> None:
    with pytest.raises(UnclearColumns) as caught:
        Outcomes.from_table(table("who", "what", "points", page=[3, 4, 3]))
    assert caught.value.guess == {"agent": "who", "task": "what", "score": "points"}


def test_columns_may_be_named(tmp_path: Path) -> None:
    named = {"agent": "who", "task": "what", "score": "points"}
    columns = table("who", "what", "points")
    assert_read(Outcomes.from_table(columns, **named))  # type: ignore[arg-type]
    frame = pd.DataFrame({**columns, "who": ["007", "007", "7"]})
    frame.to_csv(tmp_path / "table.csv", index=False)
    outcomes = Outcomes.from_table(tmp_path / "table.csv", **named)  # type: ignore[arg-type]
    assert outcomes.agents.tolist() == ["007", "7"]


def test_our_own_names_win_over_others() -> None:
    given = table("agent", "task", "score", item=["i", "j", "i"])
    outcomes = Outcomes.from_table(given)
    assert_read(outcomes)
    assert outcomes.task_labels["item"].tolist() == ["i", "j"]


def test_an_answer_in_words_is_not_its_grade() -> None:
    assert_read(Outcomes.from_table(table("model", "item", "score", response=["A", "B", "C"])))


UNCLEAR: list[tuple[dict[str, Any], str]] = [
    (table("who", "question", "correct"), "agents who question correct agent='who'"),
    (table("student", "what", "correct"), "tasks student what correct task='what'"),
    (table("student", "question", "points"), "results student points score='points'"),
    (table("student", "question", "correct", score=[1, 1, 1]), "'correct' 'score'"),
    (table("student", "question", "correct", item=list("xyz")), "'question' 'item' task"),
    (table("agent", "task", "score", item=["i", "j", "k"]), "'item' 'task'"),
    (table("student", "user", "correct"), "tasks"),
    ({"student": ["a", "a"], "skill": ["x", "y"], "q": [0, 1]}, "'skill' agent"),
    ({"student": ["a", "b"], "q": [0, 1], "score": [0, 1]}, "tasks q score"),
]


@pytest.mark.parametrize(("given", "tokens"), UNCLEAR, ids=range(len(UNCLEAR)))
def test_unclear_columns_are_refused_with_a_guess(given: Any, tokens: str) -> None:
    with pytest.raises(UnclearColumns, match=says(tokens)) as caught:
        Outcomes.from_table(given)
    assert set(caught.value.guess) <= {"agent", "task", "score"}
    assert set(caught.value.guess.values()) <= set(given)


@pytest.mark.parametrize(
    ("named", "tokens"),
    [
        ({"agent": "nobody"}, "column 'nobody' agent task score"),
        ({"agent": "task", "task": "task"}, "different task"),
        ({"max_score": 0}, "max_score positive 0"),
        ({"max_score": float("nan")}, "max_score nan"),
    ],
)
def test_wrong_names_are_refused(named: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Outcomes.from_table(table("agent", "task", "score"), **named)


def test_an_index_of_pandas_names_agents(tmp_path: Path) -> None:
    wide = pd.DataFrame({"q1": [1, 0], "q2": [0, 1]}, index=["ann", "bob"])
    wide.to_csv(tmp_path / "table.csv")
    wide.to_parquet(tmp_path / "table.parquet")
    for given in (wide, wide.rename_axis("student"), *tmp_path.iterdir()):
        outcomes = Outcomes.from_table(given)
        assert outcomes.agents.tolist() == ["ann", "bob"]
        assert outcomes.tasks.tolist() == ["q1", "q2"]


def test_an_index_of_pandas_may_name_agents_and_tasks() -> None:
    long = pd.DataFrame(table("student", "question", "correct"))
    assert_read(Outcomes.from_table(long.set_index(["student", "question"])))
    assert_read(Outcomes.from_table(long[long.correct >= 0]))
    assert_read(Outcomes.from_table(long.set_index(pd.Index([3, 7, 9]))))


def test_scores_are_rescaled() -> None:
    long = {"agent": ["a", "b"], "task": ["t", "t"], "score": [5, 2]}
    wide = {"agent": ["a", "b"], "t": [5, 2]}
    for given in (long, wide, np.array([[5], [2]])):
        rates = Outcomes.from_table(given, max_score=5).rates.ravel()
        np.testing.assert_allclose(rates, [1, 0.4], rtol=1e-6)
        with pytest.raises(ValueError, match=says("0 4 5.0")):
            Outcomes.from_table(given, max_score=4)


@pytest.mark.parametrize("name", ["attempts", "Trials", "n"])
def test_attempts_beside_successes_are_rollouts(name: str) -> None:
    table = {"agent": ["a", "b"], "task": ["t", "t"], "successes": [1, 3], name: [4, 4]}
    assert Outcomes.from_table(table).rollouts.tolist() == [[4], [4]]


@pytest.mark.parametrize("columns", [{}, {"attempts": [4, 4], "n": [4, 4]}])
def test_successes_need_one_column_of_rollouts(columns: dict[str, list[int]]) -> None:
    table = {"agent": ["a", "b"], "task": ["t", "t"], "successes": [1, 3], **columns}
    with pytest.raises(UnclearColumns, match=says("successes 'rollouts' got")) as caught:
        Outcomes.from_table(table)
    assert not caught.value.guess


@pytest.mark.parametrize(
    "name", ["failed", "wrong", "Error", "time (s)", "latency", "Refusal", "bias score"]
)
def test_a_column_of_which_less_is_better_is_no_guess(name: str) -> None:
    table = {"agent": ["a", "b"], "task": ["t", "t"], name: [1, 0]}
    with pytest.raises(UnclearColumns, match=says(f"{name!r} score must higher")) as caught:
        Outcomes.from_table(table)
    assert not caught.value.guess
    with pytest.raises(UnclearColumns) as caught:
        Outcomes.from_table({**table, "points": [0.5, 1]})
    assert caught.value.guess["score"] == "points"


def test_results_of_which_less_is_better_are_refused_unless_negated() -> None:
    table = {"agent": ["a", "b"], "task": ["t", "t"], "refusal": [1, 0]}
    for returns in (False, True):
        with pytest.raises(ValueError, match=says("higher 'refusal' negate --returns")):
            Outcomes.from_table(table, score="refusal", returns=returns)
    negated = {**table, "refusal": [-1, 0]}
    assert Outcomes.from_table(negated, score="refusal", returns=True).rates.tolist() == [[0], [1]]


@pytest.mark.parametrize("kind", ["float16", "category"])
def test_columns_of_unusual_types_are_guessed(kind: str) -> None:
    table = pd.DataFrame({"who": ["a", "b"], "what": ["t", "t"], "points": [1, 0]})
    with pytest.raises(UnclearColumns) as caught:
        Outcomes.from_table(table.astype({"points": kind}))
    assert caught.value.guess["score"] == "points"


def test_scores_that_never_exceed_1_are_not_rescaled() -> None:
    long = {"agent": ["a", "b"], "task": ["t", "t"], "score": [1, 0.5]}
    wide = {"agent": ["a", "b"], "t": [1, 0.5]}
    for given in (long, wide, np.array([[1], [0.5]])):
        with pytest.raises(ValueError, match=says("max_score 100 1 omit")):
            Outcomes.from_table(given, max_score=100)
    one = {"agent": ["a", "a"], "task": ["t", "t"], "score": [0, 2]}
    assert Outcomes.from_table(one, max_score=5).info["max_score"] == 5
    true = {"agent": ["a", "b"], "task": ["t", "t"], "score": [True, False]}  # the highest score
    assert Outcomes.from_table(true, max_score=5).rates.tolist() == [[1], [0]]


def test_counts_have_their_names_in_any_case() -> None:
    table = {"Agent": ["a", "b"], "Task": ["t", "t"], "Successes": [1, 3], "Rollouts": [4, 4]}
    outcomes = Outcomes.from_table(table)
    assert outcomes.successes.tolist() == [[1], [3]]
    assert outcomes.rollouts.tolist() == [[4], [4]]
    with pytest.raises(ValueError, match=says("score 'Successes' 'Rollouts'")):
        Outcomes.from_table(table, score="Successes")
    with pytest.raises(ValueError, match=says("max_score rollouts 5")):
        Outcomes.from_table(table, max_score=5)


def test_scores_of_tasks_are_not_guessed_to_be_names() -> None:
    scores = {task: [0, 1] for task in "tuvw"}
    with pytest.raises(UnclearColumns) as told:
        Outcomes.from_table({"name": ["a", "b"], **scores})
    assert told.value.guess == {"agent": "name"}
    with pytest.raises(UnclearColumns) as told:
        Outcomes.from_table(scores)
    assert told.value.guess == {}
