"""Worlds drawn with letters: aligned, and readable again."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.cli.karel.letters import WIDTH, drawn, side_by_side
from taskspace.envs.karel.worlds import from_text, random_worlds

BEFORE = from_text(".  #  .\n>  10 .\n.  .  .")
AFTER = from_text(".  #  .\n.  9  .\n.  v1 .")


def test_two_worlds_have_an_arrow_between_their_middle_rows() -> None:
    lines = side_by_side(BEFORE, AFTER).splitlines()
    assert ["->" in line for line in lines] == [False, True, False]
    assert all(line == line.rstrip() for line in lines)
    halves = [line.replace("->", "").split() for line in lines]
    for half, world in ((slice(0, 3), BEFORE), (slice(3, 6), AFTER)):
        text = "\n".join(" ".join(cells[half]) for cells in halves)
        assert from_text(text).same_as(world)


def test_cells_stand_in_columns() -> None:
    for lines in drawn(BEFORE, AFTER):
        assert len({len(line) for line in lines}) == 1
        assert all(line[column] != " " for line in lines for column in (0, 3, 6))


@pytest.mark.parametrize("side", [1, 5, 16])
def test_drawings_show_the_worlds(side: int) -> None:
    worlds = random_worlds(2, seed=0, sides=(side, side), walls=0.0, markers=0.5)
    for number, lines in enumerate(drawn(worlds[0], worlds[1])):
        assert from_text("\n".join(lines)).same_as(worlds[number])


def test_the_widest_pair_fits() -> None:
    worlds = random_worlds(2, seed=0, sides=(16, 16), walls=0.0, markers=1.0)
    worlds.markers[:] = 10
    lines = side_by_side(worlds[0], worlds[1]).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert np.mean([len(line) for line in lines]) > WIDTH / 2
