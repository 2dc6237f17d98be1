"""Skeletons of programs, how they are filled, and what is simpler."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.envs.karel.language import (
    ACTIONS,
    decode,
    depth,
    encode,
    kind,
    parse,
)
from taskspace.envs.karel.quotas import PAPER_QUOTAS
from taskspace.envs.karel.skeletons import skeletons

CELLS = list(PAPER_QUOTAS["training"])


@pytest.mark.parametrize("cell", CELLS)
def test_skeletons_fill_to_programs_of_the_cell(cell: tuple[str, int]) -> None:
    rng = np.random.default_rng(0)
    for skeleton in skeletons(*cell):
        rows = skeleton.fill(5, rng)
        simpler = skeleton.simpler(rows)
        for row, others in zip(rows, simpler, strict=True):
            program = parse(decode(row))
            assert (kind(program), len(decode(row))) == cell
            assert depth(program) <= 2
            texts = {tuple(decode(other)) for other in others}
            assert tuple(decode(row)) not in texts
            assert all(len(text) <= cell[1] for text in texts)
            for text in texts:
                parse(text)


def test_all_skeletons_of_conditionals() -> None:
    # One IF around 1 or 2 of three actions, the others before or after it: 3 + 2 ways.
    assert len(skeletons("conditionals", 13)) == 5
    assert len(skeletons("plain", 10)) == 1


@pytest.mark.parametrize(
    ("body", "redundant"),
    [
        ("REPEAT R=3 r( turnLeft putMarker r)", True),
        ("REPEAT R=3 r( turnLeft move r)", False),
        ("REPEAT R=3 r( putMarker r) move", False),
        ("REPEAT R=3 r( move move r)", True),
        ("REPEAT R=3 r( move putMarker move putMarker r)", True),
        ("REPEAT R=3 r( move putMarker move move r)", False),
        ("REPEAT R=2 r( REPEAT R=5 r( putMarker r) turnLeft r)", True),
        ("REPEAT R=2 r( REPEAT R=5 r( move r) turnLeft r)", False),
        ("IF c( frontIsClear c) i( turnLeft i) turnRight move", True),
        ("move pickMarker IF c( frontIsClear c) i( putMarker i)", True),
        ("IF c( frontIsClear c) i( move turnLeft i) turnRight", False),
        ("turnRight WHILE c( leftIsClear c) w( turnLeft w)", False),
    ],
)
def test_redundant(body: str, redundant: bool) -> None:
    (row,) = encode([f"DEF run m( {body} m)"])
    shape = [token for token in decode(row) if token not in ACTIONS and "=" not in token]
    (skeleton,) = (
        skeleton
        for skeleton in skeletons(kind(parse(decode(row))), len(row))
        if [place for place, word in enumerate(skeleton.words) if word == "action"]
        == [place for place, token in enumerate(decode(row)) if token in ACTIONS]
        and shape[3] == next(word for word in skeleton.words[3:] if word != "action")
    )
    assert skeleton.redundant(row[None]).tolist() == [redundant]
