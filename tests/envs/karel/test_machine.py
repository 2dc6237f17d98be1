"""Bytecode and what the machine sees, by the rules."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.envs.karel.interpreter import compile_programs
from taskspace.envs.karel.language import ACTIONS, CONDITIONS, ROUNDS, TOKENS, encode
from taskspace.envs.karel.machine import (
    AGAIN,
    BEGIN,
    CELLS,
    CONDITION,
    ENTER,
    HALT,
    IF,
    JUMP,
    MOVE,
    PUT,
    SIDE,
    STATUS_NAMES,
    TIMES,
    TURN_LEFT,
    WHILE,
    clear,
    instruction,
    on_grid,
    sees,
    token_roles,
)

Fields = tuple[int, int, int, int]  # operation, argument, branch, target


def fields(body: str) -> list[Fields]:
    """The instructions of a program up to its end."""
    code = compile_programs(encode([f"DEF run m( {body} m)"])).instructions.reshape(-1)
    words = [tuple(int(word) >> shift & 0xFFFF for shift in (0, 16, 32, 48)) for word in code]
    end = next(place for place, word in enumerate(words) if word[0] == HALT)
    return words[: end + 1]  # type: ignore[return-value]


def test_every_token_has_a_role() -> None:
    roles = dict(zip(TOKENS, token_roles().tolist(), strict=True))
    assert [roles[action] for action in ACTIONS] == [[number, 0] for number in range(5)]
    assert [roles[rounds] for rounds in ROUNDS] == [[TIMES, n] for n in range(len(ROUNDS))]
    assert [roles[name] for name in CONDITIONS] == [[CONDITION, n] for n in range(5)]
    assert len(STATUS_NAMES) == len(set(STATUS_NAMES)) == 5


@pytest.mark.parametrize("parts", [(0, 0, 0, 0), (11, 3, 2, 1), (1, 65535, 65535, 32767)])
def test_an_instruction_keeps_its_fields_apart(parts: Fields) -> None:
    word = int(instruction(*parts))
    assert tuple(word >> shift & 0xFFFF for shift in (0, 16, 32, 48)) == parts


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("move turnLeft", [(MOVE, 0, 0, 0), (TURN_LEFT, 0, 0, 0)]),
        # The end of a loop, place 2, asks for another round from place 1 on.
        ("REPEAT R=3 r( move r)", [(BEGIN, 3, 0, 2), (MOVE, 0, 0, 0), (AGAIN, 0, 0, 1)]),
        (
            "WHILE c( frontIsClear c) w( move w)",
            [(JUMP, 0, 0, 2), (MOVE, 0, 0, 0), (WHILE, 0, 0, 1)],
        ),
        ("IF c( markersPresent c) i( move i)", [(IF, 6, 0, 2), (MOVE, 0, 0, 0)]),
        ("IF c( not c( leftIsClear c) c) i( move i)", [(IF, 3, 0, 2), (MOVE, 0, 0, 0)]),
        (
            "IFELSE c( frontIsClear c) i( move i) ELSE e( putMarker e)",
            [(IF, 0, 0, 3), (MOVE, 0, 0, 0), (JUMP, 0, 0, 5), (ENTER, 0, 1, 0), (PUT, 0, 0, 0)],
        ),
    ],
)
def test_bytecode(body: str, code: list[Fields]) -> None:
    assert fields(body) == [*code, (HALT, 0, 0, 0)]


def test_a_hero_stands_on_the_grid_and_looks_one_of_four_ways() -> None:
    size = np.array([[3, 4]], np.uint8)
    for hero, good in (
        ((0, 0, 0), True), ((2, 3, 3), True), ((3, 0, 0), False), ((0, 4, 0), False),
        ((0, 0, 4), False),
    ):  # fmt: skip
        assert on_grid(size, np.array([hero], np.uint8), 0) == good
    assert not on_grid(np.array([[17, 4]], np.uint8), np.zeros((1, 3), np.uint8), 0)


def test_walls_and_the_edge_are_not_clear() -> None:
    walls = np.zeros((1, CELLS), np.bool_)
    walls[0, SIDE * 1 + 2] = True
    found = [[clear(3, 4, walls, 0, row, column) for column in range(-1, 5)] for row in range(4)]
    yes, no = [False, *[True] * 4, False], [False] * 6
    assert found == [yes, [False, True, True, False, True, False], yes, no]


@pytest.mark.parametrize("ahead", [(1, 0), (0, 1), (-1, 0), (0, -1)])  # north, east, south, west
@pytest.mark.parametrize("markers", [0, 2])
def test_conditions_and_their_negations(ahead: tuple[int, int], markers: int) -> None:
    up, right = ahead
    walls = np.zeros((1, CELLS), np.bool_)
    walls[0, SIDE * (1 + up) + 1 + right] = True  # in front, and nowhere else
    expected = [False, True, True, markers > 0, markers == 0]
    for number, holds in enumerate(expected):
        for negated in (0, 1):
            argument = 2 * number + negated
            assert sees(argument, 3, 3, walls, 0, 1, 1, up, right, markers) == (holds != negated)


@pytest.mark.parametrize("ahead", [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_left_is_left_of_the_hero(ahead: tuple[int, int]) -> None:
    up, right = ahead
    walls = np.zeros((1, CELLS), np.bool_)
    walls[0, SIDE * (1 + right) + 1 - up] = True  # north has its left in the west
    seen = [bool(sees(2 * number, 3, 3, walls, 0, 1, 1, up, right, 0)) for number in range(3)]
    assert dict(zip(CONDITIONS, seen, strict=False))["leftIsClear"] is False
    assert seen == [True, *(name != "leftIsClear" for name in CONDITIONS[1:3])]
