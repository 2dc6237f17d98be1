"""`select` against brute force, and at its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.selection import select


class Plain:
    """A map that leaves tasks as they are."""

    def transform(self, tasks: Any) -> Any:
        return np.asarray(tasks)


PLAIN: Any = Plain()
POINTS = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 9.0], [2.0, 0.0], [2.0, 0.0]])


def brute_force(vectors: Any, reference: Any, sign: int) -> list[int]:
    """Every option that fits, sorted by similarity in plain Python."""
    size = sum(x * x for x in reference)
    found = []
    for index, vector in enumerate(vectors):
        more = sum(x * x for x in vector) - size
        if sign * more > 0 or sign == 0:
            found.append((-sum(x * y for x, y in zip(vector, reference, strict=True)), index))
    return [index for _, index in sorted(found)]


@pytest.mark.parametrize("sign", [0, 1, -1])
@pytest.mark.parametrize("k", [None, 1, 4, 1000])
def test_it_equals_brute_force(sign: int, k: int | None) -> None:
    env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    tasks = env.sample_tasks(200, seed=3)
    vectors = embedder.transform(tasks)
    for reference in range(10):
        found = select(
            embedder, tasks[reference], tasks[20:], k=k, harder=sign > 0, easier=sign < 0
        )
        assert found.tolist() == brute_force(vectors[20:], vectors[reference], sign)[:k]
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


def test_the_reference_itself_is_neither_harder_nor_easier() -> None:
    """Whatever the network's rounding in another row."""
    env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    for task in env.sample_tasks(20, seed=5):
        for wish in ({"harder": True}, {"easier": True}):
            assert not len(select(embedder, task, np.tile(task, (37, 1)), **wish))  # type: ignore[arg-type]


def test_a_table_of_one_task_is_a_reference_too() -> None:
    assert select(PLAIN, [[2.0, 0.0]], POINTS, k=1).tolist() == [0]


@pytest.mark.parametrize(
    ("arguments", "wish", "token"),
    [
        ((PLAIN, [1, 0], POINTS), {"harder": True, "easier": True}, "both harder and easier"),
        ((PLAIN, [1, 0], POINTS), {"k": 0}, "^k .*0"),
        ((PLAIN, POINTS, POINTS), {}, r"one task.*\(5, 2\)"),
        ((PLAIN, 1.0, POINTS), {}, "one task"),
        ((PLAIN, [1, 0], [1, 0]), {}, "options.*row"),
        ((PLAIN, [1, 0], np.zeros((0, 2))), {}, "at least one"),
        ((PLAIN, [1, 0, 0], POINTS), {}, "reference.*3.*2"),
        ((PLAIN, [1, np.nan], POINTS), {}, "reference.*finite"),
        ((PLAIN, [1, 0], [["a", "b"]]), {}, "options.*numbers"),
        (("a map", [1, 0], POINTS), {}, "TaskEmbedder.*'a map'"),
    ],
)
def test_bad_input_gets_a_sentence(arguments: Any, wish: Any, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        select(*arguments, **wish)


def test_tasks_of_another_environment_are_refused() -> None:
    with pytest.raises(ValueError, match="features"):
        select(ts.load_pretrained("MultiKeyNav"), POINTS[0], POINTS)


def test_tasks_known_by_their_names() -> None:
    rng = np.random.default_rng(0)
    solved = rng.normal(size=(40, 1)) > np.linspace(-1, 1, 12)
    embedder = ts.TaskEmbedder(2, steps=200, random_state=0).fit(ts.Outcomes.from_table(solved))
    names = [f"task-{i}" for i in range(1, 12)]
    best = ts.select(embedder, "task-0", names, k=3)
    expected = embedder.similarity(["task-0"], names)[0].argsort()[::-1][:3]
    assert best.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="'nobody'"):
        ts.select(embedder, "nobody", names)
    with pytest.raises(ValueError, match=r"one task.*2"):
        ts.select(embedder, ["task-0", "task-1"], names)
    with pytest.raises(ValueError, match=r"options.*names"):
        ts.select(embedder, "task-0", [[1.0]])
