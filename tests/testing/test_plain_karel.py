"""The plain interpreter does what the compiled one does."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import decode
from taskspace.envs.karel.worlds import random_worlds
from taskspace.testing import plain_karel

pytestmark = pytest.mark.slow

ENDS = ("done", "into a wall", "no marker here", "too many markers", "out of ticks")


@pytest.mark.parametrize("by_hand", [False, True])
def test_both_interpreters_agree(by_hand: bool) -> None:
    rows = random_programs(200, seed=4, longest=25)
    worlds = random_worlds(10, seed=5, sides=(2, 6), markers=0.4)
    plain = [plain_karel.as_plain(worlds[number]) for number in range(10)]
    runs = run(rows[:, None], worlds)
    for number, row in enumerate(rows):
        tree = plain_karel.Parser(decode(row)).program()
        for k, start in enumerate(plain):
            world, end = plain_karel.run(tree, start, by_hand)
            row_col = tuple(runs.heroes[number, k, :2].tolist())
            assert (ENDS.index(end), world.ticks) == (runs.status[number, k], runs.ticks[number, k])
            assert world.hero == row_col
            assert plain_karel.COMPASS.index(world.facing) == runs.heroes[number, k, 2]
            markers = np.zeros((16, 16), int)
            for cell, count in world.markers.items():
                markers[cell] = count
            assert np.array_equal(markers, runs.markers[number, k])
    assert plain == [plain_karel.as_plain(worlds[number]) for number in range(10)]
