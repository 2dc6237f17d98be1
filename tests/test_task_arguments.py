"""Every public function that takes tasks of a table follows one rule for names and integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.explore.service import Service
from taskspace.models.embedding.agreement import agreement
from taskspace.runs.clusters import Clusters
from taskspace.runs.run import Run
from tests.messages import says

TASKS = 6
SOLVED = np.random.default_rng(0).integers(0, 2, (40, TASKS))


@dataclass(frozen=True)
class Table:
    """What is fitted to one table of results without features."""

    outcomes: ts.Outcomes
    embedder: ts.TaskEmbedder
    ordinal: ts.OrdinalEmbedder
    model: ts.SuccessModel
    predictor: ts.PerformancePredictor
    run: Run


def _table(names: list[str], folder: Path) -> Table:
    outcomes = ts.Outcomes(SOLVED, np.array(1), tasks=np.array(names))
    embedder = ts.TaskEmbedder(2, random_state=0).fit(outcomes)
    ordinal = ts.OrdinalEmbedder(2, steps=0, random_state=0).fit(outcomes)
    model = ts.SuccessModel(random_state=0).fit(outcomes)
    predictor = ts.PerformancePredictor(embedder=embedder).fit(outcomes)
    run = Run(
        folder, settings={"name": "a table", "seed": 0}, outcomes=outcomes, embedder=embedder,
        vectors={
            "vectors": embedder.transform(names), "difficulty": embedder.difficulty(names)
        },
        predictor=predictor, clusters=Clusters.found(embedder.points(names)),
        layouts={"PCA": np.zeros((TASKS, 2), np.float32)},
    )  # fmt: skip
    return Table(outcomes, embedder, ordinal, model, predictor, run)


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    """Tables whose names are text, their own positions, and the positions of other tasks."""
    names = {
        "text": [f"task-{i}" for i in range(TASKS)],
        "own": [str(i) for i in range(TASKS)],
        "shifted": [str(i + 1) for i in range(TASKS)],
    }
    return {kind: _table(list(each), tmp_path_factory.mktemp(kind)) for kind, each in names.items()}


def _answered(table: Table, task: Any) -> Any:
    quiz = ts.Quiz(table.predictor)
    quiz.answer(1, task)
    return quiz.predict_proba()


# Each takes two tasks, or the first of them where it takes one.
FUNCTIONS: dict[str, Callable[[Table, list[Any]], Any]] = {
    "TaskEmbedder.transform": lambda t, two: t.embedder.transform(two),
    "TaskEmbedder.similarity": lambda t, two: t.embedder.similarity(two[0], two),
    "TaskEmbedder.direction": lambda t, two: t.embedder.direction(two),
    "TaskEmbedder.points": lambda t, two: t.embedder.points(two),
    "TaskEmbedder.information": lambda t, two: t.embedder.information(two[0]),
    "TaskEmbedder.difficulty": lambda t, two: t.embedder.difficulty(two[0]),
    "OrdinalEmbedder.transform": lambda t, two: t.ordinal.transform(two),
    "OrdinalEmbedder.difficulty": lambda t, two: t.ordinal.difficulty(two),
    "agreement": lambda t, two: [*agreement(t.embedder, t.ordinal, [*two, two[0]]).values()],
    "SuccessModel.predict_proba": lambda t, two: t.model.predict_proba(two),
    "SuccessModel.difficulty": lambda t, two: t.model.difficulty(two[0]),
    "SuccessModel.similarity": lambda t, two: t.model.similarity(two),
    "predictor, quiz": lambda t, two: t.predictor.predict_proba(two, [1, 0], t.outcomes.tasks),
    "predictor, tasks": lambda t, two: t.predictor.predict_proba([], [], two),
    "predictor, interval": lambda t, two: t.predictor.interval(two, [1, 0], two),
    "predictor, weights": lambda t, two: t.predictor.weights(two, [1, 0]),
    "predictor, numbers": lambda t, two: t.predictor.numbers(two),
    "predictor, number": lambda t, two: t.predictor.number(two[0]),
    "predict": lambda t, two: ts.predict(t.predictor, two, [1, 0], two),
    "Quiz, targets": lambda t, two: ts.Quiz(t.predictor, two).predict_proba(),
    "Quiz, pool": lambda t, two: ts.Quiz(t.predictor, pool=two).next_number(),
    "Quiz, answer": lambda t, two: _answered(t, two[0]),
    "Quiz, predict_proba": lambda t, two: ts.Quiz(t.predictor).predict_proba(two),
    "Quiz, interval": lambda t, two: ts.Quiz(t.predictor).interval(0.9, two),
    "select, reference": lambda t, two: ts.select(t.embedder, two[0], two),
    "select, model": lambda t, two: ts.select(t.model, two[0], two),
    "TaskIndex.of": lambda t, two: ts.TaskIndex.of(t.embedder, two).vectors,
    "Run.task_index": lambda t, two: t.run.task_index(two[0]),
    "Run.similarities": lambda t, two: t.run.similarities(two[0]),
    "Run.similar": lambda t, two: t.run.similar(two[0], 3)[0],
}  # fmt: skip

each_function = pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
Call = Callable[[Table, list[Any]], Any]


@each_function
@pytest.mark.parametrize("kind", ["text", "own"])
def test_a_name_and_its_position_are_the_same_task(
    call: Call, kind: str, named: dict[str, Table]
) -> None:
    table = named[kind]
    names = [str(name) for name in table.outcomes.tasks[[4, 1]]]
    np.testing.assert_array_equal(call(table, [4, 1]), call(table, names))


@each_function
def test_an_integer_that_is_also_the_name_of_another_task_is_refused(
    call: Call, named: dict[str, Table]
) -> None:
    with pytest.raises(ValueError, match=says("4 name text")):
        call(named["shifted"], [4, 1])
    by_name = call(named["shifted"], ["5", "2"])
    np.testing.assert_array_equal(by_name, call(named["text"], ["task-4", "task-1"]))


@each_function
@pytest.mark.parametrize("wrong", [1.0, True, -1, TASKS, "nobody", None])
def test_what_is_neither_a_name_nor_a_position_is_refused(
    call: Call, wrong: Any, named: dict[str, Table]
) -> None:
    if call is FUNCTIONS["predictor, number"] and wrong == "nobody":
        pytest.skip("it returns None for an unknown name")
    with pytest.raises(ValueError, match=says("must") + "|" + says("no task")):
        call(named["text"], [wrong, wrong])


def test_the_library_itself_passes_names(named: dict[str, Table]) -> None:
    """A quiz about tasks that are named like other positions works as any other."""
    for choose in ("information", "uncertain", "random"):
        found = []
        for kind in ("text", "shifted"):
            quiz = ts.Quiz(named[kind].predictor, choose=choose)
            for _ in quiz.ask(at_most=4):
                quiz.answer(1)
            found.append([int(named[kind].predictor.numbers([n])[0]) for n, _ in quiz.answers])
        assert found[0] == found[1]


def test_the_service_knows_tasks_by_name(named: dict[str, Table]) -> None:
    found = []
    for kind, names in (("text", ["task-4", "task-1"]), ("shifted", ["5", "2"])):
        service, numbers = Service(named[kind].run), named[kind].predictor.numbers
        similar = [int(numbers([row["task"]])[0]) for row in service.similar(names[0], 3)]
        task, *rest = service.next_question(names, [1.0, 0.0])
        best = [row["option"] for row in service.select(names[0], names, 2, False, False)]
        found.append([similar, int(numbers([task])[0]), rest, best])
    assert found[0] == found[1]
