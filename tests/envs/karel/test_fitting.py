"""Random worlds that fit a program."""

from __future__ import annotations

import numpy as np

from taskspace.envs.karel.fitting import fitting_worlds
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import encode
from taskspace.envs.karel.worlds import check


def test_repairs_help() -> None:
    program = encode(["DEF run m( move move pickMarker pickMarker move pickMarker m)"])
    worlds = fitting_worlds(np.repeat(program, 200, 0), 16, np.random.default_rng(0))
    check(worlds)
    assert worlds.markers.max() == 9
    assert (run(program, worlds).status == 0).mean() > 0.6
