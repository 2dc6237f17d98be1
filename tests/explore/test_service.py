"""What a run answers, beside what the library says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.explore.service import LONGEST_NAME, Service, UnknownTask
from taskspace.runs.run import Run
from tests.messages import says
from tests.run_folders import write_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def answers(keys: Run) -> Service:
    return Service(keys)


def test_features_that_no_environment_bounds(ordinal: Run, tmp_path: Path) -> None:
    table = write_run(tmp_path, {"name": "table.csv"}, ordinal.outcomes, ordinal.embedder)
    answers = Service(table)
    assert answers.embed([[5.0] * 7])[0]["difficulty"] > 0
    with pytest.raises(ValueError, match=says("features")):
        answers.embed([[1e300] * 7])


def test_names_and_features_may_be_mixed(answers: Service, keys: Run) -> None:
    rows = keys.outcomes.task_inputs
    found = answers.vectors(["task-3", rows[5].tolist(), "task-9"])
    np.testing.assert_allclose(found, keys.embedder.transform(rows[[3, 5, 9]]), atol=1e-6)


def test_a_task_is_not_among_those_like_it(answers: Service) -> None:
    named = answers.similar("task-7", 4)
    assert len(named) == 4
    assert "task-7" not in [row["task"] for row in named]
    order = [row["similarity"] for row in named]
    assert order == sorted(order, reverse=True)


def test_predictions_are_those_of_the_library(answers: Service, keys: Run) -> None:
    quiz, results, tasks = ["task-1", "task-2"], [1.0, 0.0], ["task-3", "task-4"]
    found, low, high = answers.predict(quiz, results, tasks, 0.9)
    expected = ts.predict(keys.predictor, quiz, results, tasks)
    np.testing.assert_allclose(found, expected)
    assert low is not None
    assert high is not None
    assert (low <= found).all()
    assert (found <= high).all()
    assert answers.predict(quiz, results, tasks)[1:] == (None, None)


@pytest.mark.parametrize(
    ("quiz", "results", "tasks", "quick"),
    [
        (["task-1"], [1.0], ["task-2"], True),
        ([], [], ["task-2"], True),
        (["task-1"], [0.5], ["task-2"], False),
        ([[1.0]], [1.0], ["task-2"], False),
        (["task-1"], [1.0], [[1.0]], False),
        (["task-1"], [1.0], ["task-2"] * 1000, False),
        (["task-1"], [1.0], ["nothing"], False),
    ],
)
def test_only_few_named_tasks_with_plain_results_are_quick(
    answers: Service, quiz: list[str | list[float]], results: list[float],
    tasks: list[str | list[float]], quick: bool,
) -> None:  # fmt: skip
    assert answers.is_fast(quiz, results, tasks) is quick


def test_difficulty_is_failure_and_the_length_is_information(
    answers: Service, keys: Run, ordinal: Run
) -> None:
    rows = keys.outcomes.task_inputs
    for found in (answers.embed([rows[3].tolist()])[0], answers.describe(3)):
        assert found["difficulty"] == pytest.approx(keys.model.difficulty(rows[3])[0], abs=1e-6)
        assert found["information"] == pytest.approx(np.square(found["vector"]).sum(), rel=1e-5)
    for found in (Service(ordinal).embed([rows[3].tolist()])[0], Service(ordinal).describe(3)):
        assert found["difficulty"] == pytest.approx(np.linalg.norm(found["vector"]), rel=1e-5)
        assert found["information"] is None


def test_options_may_be_named(answers: Service, ordinal: Run) -> None:
    for service in (answers, Service(ordinal)):
        found = service.select("task-7", ["task-3", "task-7", "task-9"], 3, False, False)
        assert sorted(each["option"] for each in found) == [0, 1, 2]
        assert found[0]["similarity"] >= found[-1]["similarity"]


def test_tasks_that_the_predictor_does_not_know_by_name(keys: Run) -> None:
    """As in a run of 40,000 tasks, of which the predictor knows 5000."""
    some = slice(40)
    predictor = keys.predictor.over(keys.outcomes.task_inputs[some], keys.outcomes.tasks[some])
    few, every = Service(Run(keys.folder, predictor=predictor)), Service(keys)
    quiz, results, tasks = ["task-3", "task-120"], [1.0, 0.0], ["task-5", "task-130"]
    assert not few.is_fast(quiz, results, tasks)
    np.testing.assert_allclose(
        few.predict(quiz, results, tasks)[0], every.predict(quiz, results, tasks)[0], atol=1e-6
    )
    pool, targets = ["task-4", "task-100"], ["task-5", "task-140"]
    told = few.next_question(quiz, results, pool, targets)
    assert told[0] in pool
    wanted = every.next_question(quiz, results, pool, targets)
    assert told == (wanted[0], *(pytest.approx(value, abs=1e-6) for value in wanted[1:]))
    assert few.next_question(quiz, results, ["task-100"])[0] == "task-100"
    with pytest.raises(UnknownTask, match=says("'nothing'")):
        few.next_question([], [], ["nothing"])


def test_unknown_tasks_are_refused_by_name(answers: Service) -> None:
    for ask in (
        lambda name: answers.embed([name]),
        lambda name: answers.similar(name, 1),
        lambda name: answers.predict([name], [1.0], ["task-1"]),
    ):
        with pytest.raises(UnknownTask, match=says("'nothing'")):
            ask("nothing")
    with pytest.raises(UnknownTask) as error:
        answers.vectors(["x" * 10_000])
    assert len(str(error.value)) < 2 * LONGEST_NAME


def test_rows_of_another_length_are_refused(answers: Service) -> None:
    with pytest.raises(ValueError, match=says("7 features 2")):
        answers.embed([[0.1, 0.2]])
