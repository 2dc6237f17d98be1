"""`select` against brute force, and at its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.selection import fits, select
from tests.messages import says


class Plain:
    """A map that leaves tasks as they are; difficulty is the length."""

    def similarity(self, first: Any, second: Any) -> Any:
        return np.asarray(first) @ np.asarray(second).T

    def difficulty(self, tasks: Any) -> Any:
        return np.linalg.norm(tasks, axis=1)


PLAIN: Any = Plain()
POINTS = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 9.0], [2.0, 0.0], [2.0, 0.0]])
TASKS = np.random.default_rng(0).uniform(size=(120, 2))
SOURCES = ("OrdinalEmbedder", "SuccessModel", "TaskEmbedder")


@pytest.fixture(scope="module")
def sources() -> dict[str, Any]:
    """Everything that compares tasks, fitted to the same outcomes."""
    skills = np.random.default_rng(1).uniform(size=(20, 2))
    solved = np.all(skills[:, None] > TASKS, axis=2)
    outcomes = ts.Outcomes(4 * solved, np.array(4), features=TASKS)
    model = ts.SuccessModel(width=16, epochs=1, random_state=0, progress=False).fit(outcomes)
    paper = ts.OrdinalEmbedder(2, steps=100, random_state=0, progress=False).fit(outcomes)
    return dict(zip(SOURCES, (paper, model, ts.TaskEmbedder().fit(model)), strict=True))


def brute_force(similarity: Any, difficulty: Any, own: float, sign: int) -> list[int]:
    """Every option that fits, sorted by similarity in plain Python."""
    found = []
    for index, (bits, hard) in enumerate(zip(similarity, difficulty, strict=True)):
        if sign * (hard - own) > 0 or sign == 0:
            found.append((-bits, index))
    return [index for _, index in sorted(found)]


@pytest.mark.parametrize("sign", [0, 1, -1])
@pytest.mark.parametrize("k", [None, 1, 4, 1000])
@pytest.mark.parametrize("name", SOURCES)
def test_it_equals_brute_force(sources: Any, name: str, sign: int, k: int | None) -> None:
    source = sources[name]
    for reference in range(5):
        task, options = TASKS[reference], TASKS[20:]
        found = select(source, task, options, k=k, harder=sign > 0, easier=sign < 0)
        own, *hard = source.difficulty(np.vstack([task, options])).tolist()
        bits = source.similarity(task[None], options)[0].tolist()
        assert found.tolist() == brute_force(bits, hard, own, sign)[:k]
        assert found.dtype == np.int64


@pytest.mark.parametrize(
    ("wish", "indices"),
    [({}, [0, 3, 4, 1, 2]), ({"harder": True}, [0, 2]), ({"easier": True}, [1])],
)
def test_equals_keep_their_order_and_are_neither_harder_nor_easier(
    wish: Any, indices: list[int]
) -> None:
    assert select(PLAIN, [2.0, 0.0], POINTS, **wish).tolist() == indices


def test_none_may_qualify() -> None:
    for found in (
        select(PLAIN, [10.0, 0.0], POINTS, harder=True),
        select(PLAIN, [0.1, 0.0], POINTS, k=2, easier=True),
    ):
        assert found.shape == (0,)
        assert found.dtype == np.int64


@pytest.mark.parametrize("name", SOURCES)
def test_the_reference_itself_is_neither_harder_nor_easier(sources: Any, name: str) -> None:
    """Whatever the network's rounding in another row."""
    for task in TASKS[:20]:
        for wish in ({"harder": True}, {"easier": True}):
            assert not len(select(sources[name], task, np.tile(task, (37, 1)), **wish))  # type: ignore[arg-type]


def test_a_table_of_one_task_is_a_reference_too() -> None:
    assert select(PLAIN, [[2.0, 0.0]], POINTS, k=1).tolist() == [0]


@pytest.mark.parametrize(
    ("arguments", "wish", "tokens"),
    [
        ((PLAIN, [1, 0], POINTS), {"harder": True, "easier": True}, "harder easier"),
        ((PLAIN, [1, 0], POINTS), {"k": 0}, "k 0"),
        ((PLAIN, POINTS, POINTS), {}, "reference (5, 2)"),
        ((PLAIN, 1.0, POINTS), {}, "reference ()"),
        ((PLAIN, [1, 0], [1, 0]), {}, "options (2,)"),
        ((PLAIN, [1, 0], np.zeros((0, 2))), {}, "options (0, 2)"),
        ((PLAIN, [1, 0, 0], POINTS), {}, "reference 3 options 2"),
        ((PLAIN, [1, np.nan], POINTS), {}, "reference finite"),
        ((PLAIN, [1, 0], [["a", "b"]]), {}, "options numbers"),
        (("a map", [1, 0], POINTS), {}, "source SuccessModel 'a map'"),
    ],
)
def test_bad_input_gets_a_sentence(arguments: Any, wish: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        select(*arguments, **wish)


@pytest.mark.parametrize("name", SOURCES)
def test_tasks_of_another_environment_are_refused(sources: Any, name: str) -> None:
    with pytest.raises(ValueError, match="features"):
        select(sources[name], np.zeros(3), np.zeros((2, 3)))


@pytest.mark.parametrize("harder_than", [None, 0.5])
@pytest.mark.parametrize("easier_than", [None, 0.8])
def test_difficulties_that_differ_by_rounding_are_equal(
    harder_than: float | None, easier_than: float | None
) -> None:
    given = np.array([0.2, 0.5, 0.5 * (1 + 1e-12), 0.6, 0.8 * (1 - 1e-12), 0.8, 1.0])
    low, high = -np.inf if harder_than is None else 0.51, np.inf if easier_than is None else 0.79
    expected = (given > low) & (given < high)
    np.testing.assert_array_equal(fits(given, harder_than, easier_than), expected)


@pytest.mark.parametrize("name", SOURCES)
def test_tasks_known_by_their_names(name: str) -> None:
    rng = np.random.default_rng(0)
    table = ts.Outcomes.from_table(rng.normal(size=(40, 1)) > np.linspace(-1, 1, 12))
    options: Any = {"n_components": 2, "steps": 50} if name == "OrdinalEmbedder" else {}
    source: Any = getattr(ts, name)(random_state=0, **options).fit(table)
    names = [f"task-{i}" for i in range(1, 12)]
    best = ts.select(source, "task-0", names, k=3)
    expected = np.argsort(-source.similarity(["task-0"], names)[0], kind="stable")[:3]
    assert best.tolist() == expected.tolist()
    with pytest.raises(ValueError, match=says("'nobody' 12")):
        ts.select(source, "nobody", names)
    with pytest.raises(ValueError, match=says("reference 2")):
        ts.select(source, ["task-0", "task-1"], names)
    with pytest.raises(ValueError, match=says("options names")):
        ts.select(source, "task-0", [[1.0]])
