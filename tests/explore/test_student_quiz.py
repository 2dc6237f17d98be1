"""The quiz that students take alone: its questions, its grades, and what its server keeps back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import numpy as np
import pytest

from taskspace.applications.quiz import Quiz
from taskspace.explore.student_quiz import StudentQuiz
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import Run, open_run
from tests.explore.browser import served
from tests.messages import says


@pytest.fixture(scope="module")
def keyed(copies: Run) -> Run:
    """The questions with texts, and with right answers that are numbers."""
    labels: Any = {
        "topic": copies.outcomes.task_labels["topic"],
        "text": [f"What is 2 x {number}?" for number in range(24)],
        "key": [2.0 * number for number in range(24)],
    }
    return with_outcomes(copies, replace(copies.outcomes, task_labels=labels))


def with_outcomes(run: Run, outcomes: Outcomes) -> Run:
    """The run with other outcomes, and the predictor that it has."""
    found = open_run(run.folder)
    found.__dict__.update(outcomes=outcomes, predictor=run.predictor)
    return found


def test_questions_and_result_are_those_of_the_library(copies: Run) -> None:
    quiz, own = StudentQuiz(copies, 3), Quiz(copies.predictor)
    tasks: list[str] = []
    answers: list[bool] = []
    for solved in (True, False, True):
        step = quiz.step(tasks, answers)
        assert step["question"]["task"] == own.next()
        assert step["result"] is None
        own.answer(solved)
        tasks.append(step["question"]["task"])
        answers.append(solved)
    end = quiz.step(tasks, answers)
    assert end["question"] is None
    expected = copies.predictor.score(tasks, [1, 0, 1])
    assert end["result"]["score"]["score"] == pytest.approx(expected.scores[0], abs=1e-5)
    assert [group["name"] for group in end["result"]["groups"]] == ["areas", "sums"]
    assert [each["right"] for each in end["result"]["answers"]] == answers


def test_answers_are_graded_by_the_key(keyed: Run) -> None:
    quiz = StudentQuiz(keyed, 1, text="text", key="key")
    question = quiz.step([], [])["question"]
    number = int(question["task"][1:])
    assert question["text"] == f"What is 2 x {number}?"
    for answer, right in ((f" {2 * number}.0", True), (str(2 * number + 1), False), ("", False)):
        result = quiz.step([question["task"]], [answer])["result"]
        assert result["answers"] == [{"task": question["task"], "right": right}]
    with pytest.raises(ValueError, match=says("answer text True")):
        quiz.step([question["task"]], [True])


def test_the_right_answers_are_no_groups_of_the_result(keyed: Run) -> None:
    labels: Any = {"key": ["A", "B"] * 12, "topic": keyed.outcomes.task_labels["topic"]}
    quiz = StudentQuiz(
        with_outcomes(keyed, replace(keyed.outcomes, task_labels=labels)), 1, key="key"
    )
    task = quiz.step([], [])["question"]["task"]
    assert quiz.step([task], ["A"])["result"]["by"] == "topic"


def test_long_numbers_are_keys_and_missing_ones_are_refused(keyed: Run) -> None:
    for first, right in ((1234567.0, "1234567"), (3.14159265, "3.14159265")):
        labels: Any = {"key": [first] * 24}
        run = with_outcomes(keyed, replace(keyed.outcomes, task_labels=labels))
        assert StudentQuiz(run, 1, key="key").step(["q0"], [right])["result"]["answers"][0]["right"]
    for missing in (float("nan"), ""):
        labels = {"key": [missing, *(["x"] * 23 if missing == "" else [1.0] * 23)]}
        run = with_outcomes(keyed, replace(keyed.outcomes, task_labels=labels))
        with pytest.raises(ValueError, match=says("--key every task 'q0'")):
            StudentQuiz(run, 1, key="key")


def test_what_makes_no_quiz_is_refused(keyed: Run) -> None:
    with pytest.raises(ValueError, match=says("--questions 24 25")):
        StudentQuiz(keyed, 25)
    with pytest.raises(ValueError, match=says("--text topic text key 'colour'")):
        StudentQuiz(keyed, 3, text="colour")
    with pytest.raises(ValueError, match=says("3 answers 4")):
        StudentQuiz(keyed, 3).step(["q1", "q2", "q3", "q4"], [True] * 4)
    returns = Outcomes.from_returns(np.zeros((9, 3)))
    with pytest.raises(ValueError, match=says("successes returns")):
        StudentQuiz(with_outcomes(keyed, returns))


def test_the_server_has_nothing_but_the_quiz(keyed: Run) -> None:
    app = pytest.importorskip("taskspace.explore.student_app", reason="fastapi is not installed")
    quiz = StudentQuiz(keyed, 2, text="text", key="key")
    with served(app.create_quiz_app(quiz)) as url, httpx.Client(base_url=url, timeout=30) as client:
        assert client.get("/").status_code == 200
        for path in (
            "data.json.gz",
            "api/info",
            "api/agents",
            "api/tasks/q1",
            "docs",
            "openapi.json",
        ):
            assert client.get(path).status_code == 404, path
        assert client.post("api/predict", json={"quiz": [], "tasks": ["q1"]}).status_code == 404
        first = client.post("step", json={"answers": []}).json()
        assert set(first["question"]) == {"task", "text", "drawing", "values", "row"}
        assert first["result"] is None
        answers = [{"task": first["question"]["task"], "answer": "7"}]
        second = client.post("step", json={"answers": answers}).json()
        assert second["result"] is None  # not before the end
        wrong = client.post("step", json={"answers": [{"task": "nothing", "answer": "7"}]})
        assert (wrong.status_code, list(wrong.json())) == (422, ["error"])
