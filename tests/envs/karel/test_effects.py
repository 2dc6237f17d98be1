"""What examples show, on worlds that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.effects import NAMES, effects
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import encode
from taskspace.envs.karel.worlds import from_text, stack


def shown(body: str, world: str) -> dict[str, float]:
    """The effects of a program in this world that are not 0."""
    tokens, worlds = encode([f"DEF run m( {body} m)"]), stack([from_text(world)] * 6).reshape(1, 6)
    tasks = KarelTasks.pack(tokens, worlds, run(tokens[:, None], worlds).worlds)
    numbers = zip(NAMES, effects(tasks)[0, 0].tolist(), strict=True)
    return {name: number for name, number in numbers if number}


@pytest.mark.parametrize(
    "world", [". 2 .\n. ^ #\n. . .", ". . .\n. > 2\n. # .", ". . .\n# v .\n. 2 ."]
)
def test_effects_are_relative_to_the_hero_at_the_start(world: str) -> None:
    assert shown("move pickMarker turnLeft move", world) == {
        "ahead": 1, "aside": -1, "distance": 2, "turn 3": 1,
        "picked": 1, "changed cells": 1, "largest change": 1, "change ahead": -1,
        "front clear at start": 1, "left clear at start": 1, "left clear at end": 1,
    }  # fmt: skip


def test_markers_count_where_they_were_put() -> None:
    assert shown("REPEAT R=3 r( putMarker r) turnRight move putMarker", "^ 4") == {
        "aside": 1, "distance": 1, "turn 1": 1,
        "put": 4, "changed cells": 2, "largest change": 3, "change aside": 1,
        "change at start": 3, "change at end": 1,
        "right clear at start": 1, "marker at end": 1,
    }  # fmt: skip


def test_plain_programs_have_the_same_effect_in_all_examples() -> None:
    tasks = generate_tasks(100, seed=1, side=6, progress=False)[0]["training"]
    views = NAMES.index("front clear at start")
    done = effects(tasks)[..., :views]
    differ = (done.min(1) != done.max(1)).any(1)
    assert not differ[tasks.kinds == "plain"].any()
    assert differ[tasks.kinds == "conditionals"].mean() > 0.8


def test_neither_the_program_nor_the_sixth_example_matters() -> None:
    tasks = generate_tasks(100, seed=1, side=6, progress=False)[0]["validation"]
    inner = [part.copy() for part in (tasks.sizes, tasks.heroes, tasks.walls, tasks.markers)]
    for part in inner:
        part[:, 5] = part[::-1, 5]
    other = KarelTasks(tasks.tokens[::-1], *inner)
    np.testing.assert_array_equal(effects(other), effects(tasks))
