"""The benchmark's plain interpreter does what the compiled one does; speed is not tested."""

from __future__ import annotations

import json

import numpy as np
import pytest

from taskspace.benchmarks import karel, plain_karel
from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import decode
from taskspace.envs.karel.worlds import random_worlds

pytestmark = pytest.mark.slow

ENDS = ("done", "into a wall", "no marker here", "too many markers", "out of ticks")


@pytest.mark.parametrize("by_hand", [False, True])
def test_both_interpreters_agree(by_hand: bool) -> None:
    rows = random_programs(200, seed=4, longest=25)
    worlds = random_worlds(10, seed=5, sides=(2, 6), markers=0.4)
    plain = [karel.as_plain(worlds[number]) for number in range(10)]
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
    assert plain == [karel.as_plain(worlds[number]) for number in range(10)]


def test_json_has_the_promised_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(karel, "ROUNDS", 1)
    monkeypatch.setattr(karel, "SETTINGS", {karel.SHARED: (20, 10), karel.OWN: (20, 6)})
    for setting in karel.SETTINGS:
        speed = karel.measure(setting)
        numbers = json.loads(json.dumps(karel.as_json({setting: speed})))[setting]
        assert set(numbers) >= {"plain_per_s", "compiled_per_s", "ratio", "ratio_by_hand"}
        assert all(number > 0 for number in numbers.values())
        assert numbers["ratio"] == pytest.approx(numbers["compiled_per_s"] / numbers["plain_per_s"])
