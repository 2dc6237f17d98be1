"""What the networks see, against the plain tensors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grids import to_grids
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.worlds import BORDER, NORTH, Worlds, to_tensor
from tests.envs.karel.tensors import from_tensor
from tests.messages import says

SIDE = 7


@pytest.fixture(scope="module")
def tasks() -> KarelTasks:
    return generate_tasks(150, seed=1, side=SIDE, progress=False)[0]["training"]


def worlds_of(grids: NDArray[np.float32]) -> Worlds:
    """The worlds that such views show, each shifted into its corner."""
    moved = np.zeros((*grids.shape[:3], 18, 18), np.float32)
    for place in np.ndindex(grids.shape[:2]):
        rows, columns = (np.flatnonzero(grids[place][BORDER].any(axis)) for axis in (1, 0))
        part = grids[place][:, rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        moved[place][:, : part.shape[1], : part.shape[2]] = part
    return from_tensor(moved)


def test_grids_are_the_tensors_cut(tasks: KarelTasks) -> None:
    grids = to_grids(tasks, SIDE)
    for end, worlds in enumerate((tasks.inputs, tasks.outputs)):
        plain = to_tensor(worlds)[:, :5, :, : SIDE + 2, : SIDE + 2]
        assert np.array_equal(grids[:, :, end], plain)


def test_examples_can_be_chosen(tasks: KarelTasks) -> None:
    chosen = np.tile([5, 0], (len(tasks), 1))
    grids = to_grids(tasks, 16, chosen)
    assert np.array_equal(grids[:, 0, 0], to_tensor(tasks.inputs[:, 5]))
    assert np.array_equal(grids[:, 1, 1], to_tensor(tasks.outputs[:, 0]))


def test_around_the_hero_a_program_still_solves_its_task(tasks: KarelTasks) -> None:
    every = np.tile(np.arange(6), (len(tasks), 1))
    radius = SIDE
    grids = to_grids(tasks, SIDE, every, radius=radius)
    assert (grids[:, :, 0, NORTH, radius, radius] == 1).all()
    assert grids[:, :, :, :4].sum((3, 4, 5)).min() == 1
    # Shifted into the corner, the view is a world again, of the same size or of that turned.
    before, after = (worlds_of(grids[:, :, end]) for end in range(2))
    turned = tasks.heroes[:, :, 0, 2] % 2 == 1
    sizes = np.where(turned[..., None], tasks.sizes[..., ::-1], tasks.sizes)
    assert np.array_equal(before.sizes, sizes)
    assert run(tasks.tokens[:, None], before).reach(after).all()


def test_what_is_further_than_the_radius_is_cut(tasks: KarelTasks) -> None:
    wide, narrow = (to_grids(tasks, SIDE, radius=radius) for radius in (SIDE, 3))
    cut = SIDE - 3
    assert np.array_equal(wide[..., cut:-cut, cut:-cut], narrow)


def test_worlds_that_do_not_fit_are_refused(tasks: KarelTasks) -> None:
    with pytest.raises(ValueError, match=says("side 7 6")):
        to_grids(tasks, 6)
