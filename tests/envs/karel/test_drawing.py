"""Pictures of worlds."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from taskspace.envs.basickarel import DARK
from taskspace.envs.drawing import BLUE, ORANGE
from taskspace.envs.karel.drawing import draw_world
from taskspace.envs.karel.worlds import from_text, random_worlds
from tests.messages import says


def test_picture_shows_walls_markers_and_hero() -> None:
    ax = Figure().subplots()
    draw_world(from_text("# 10 .\n1 ^ #"), ax)
    colours = [matplotlib.colors.to_hex(patch.get_facecolor()) for patch in ax.patches]
    assert colours.count(DARK.lower()) == 2
    assert colours.count(ORANGE.lower()) == 2
    assert colours.count(BLUE.lower()) == 1
    assert [text.get_text() for text in ax.texts] == ["10"]  # one marker needs no number
    hero = next(
        p for p in ax.patches if matplotlib.colors.to_hex(p.get_facecolor()) == BLUE.lower()
    )
    corners = np.asarray(hero.get_path().vertices)
    assert corners[:, 1].argmax() == 0  # it looks up
    assert corners[:, 0].min() > 1
    assert corners[:, 0].max() < 2


def test_one_world_a_picture() -> None:
    with pytest.raises(ValueError, match=says("world (2,)")):
        draw_world(random_worlds(2, seed=0), Figure().subplots())
