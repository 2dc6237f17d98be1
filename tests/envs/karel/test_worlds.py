"""Worlds: arrays, tensors, text, random ones."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.envs.karel.worlds import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    Worlds,
    check,
    from_text,
    random_worlds,
    stack,
    to_tensor,
    to_text,
)
from tests.envs.karel.tensors import from_tensor
from tests.messages import says

SMALL = """
# .  3
. v2 .
"""


def equal(one: Worlds, other: Worlds) -> bool:
    """Equal in everything, walls and sizes included."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("sizes", "heroes", "walls", "markers")
    )


def test_text_has_the_bottom_row_last() -> None:
    world = from_text(SMALL)
    assert world.sizes.tolist() == [2, 3]
    assert world.heroes.tolist() == [0, 1, SOUTH]
    assert np.argwhere(world.walls).tolist() == [[1, 0]]
    assert np.argwhere(world.markers).tolist() == [[0, 1], [1, 2]]
    assert (world.markers[0, 1], world.markers[1, 2]) == (2, 3)
    assert to_text(world) == "#  .  3\n.  v2 ."


def test_heroes_look_four_ways() -> None:
    letters = "^>v<"
    looks = [int(from_text(letter).heroes[2]) for letter in letters]
    assert looks == [NORTH, EAST, SOUTH, WEST]
    assert [to_text(from_text(letter)) for letter in letters] == list(letters)


def test_tensor_channels() -> None:
    tensor = to_tensor(from_text(SMALL))
    assert tensor.shape == (16, 18, 18)
    assert tensor.dtype == np.float32
    channels = {c: np.argwhere(tensor[c]).tolist() for c in range(16) if tensor[c].any()}
    border = channels.pop(5)
    assert channels == {2: [[1, 2]], 4: [[2, 1]], 7: [[1, 2]], 8: [[2, 3]]}
    assert border == [[r, c] for r in range(4) for c in range(5) if r in (0, 3) or c in (0, 4)]


def test_round_trips() -> None:
    worlds = random_worlds(200, seed=1, sides=(1, 16), walls=0.2, markers=0.5)
    assert equal(check(worlds), worlds)
    assert equal(from_tensor(to_tensor(worlds)), worlds)
    grid = worlds.reshape(20, 10)
    assert to_tensor(grid).shape == (20, 10, 16, 18, 18)
    assert equal(from_tensor(to_tensor(grid)), grid)
    drawn = [from_text(to_text(worlds[number])) for number in range(50)]
    assert equal(stack(drawn), worlds[:50])


def test_equality_is_hero_and_markers() -> None:
    world = from_text("> 2 .")
    assert world.same_as(from_text("> 2 #"))  # neither walls
    assert world.same_as(from_text(". . .\n> 2 ."))  # nor sizes count
    assert not world.same_as(from_text("> 3 ."))
    assert not world.same_as(from_text("> . 2"))
    assert not world.same_as(from_text("< 2 ."))
    assert not world.same_as(from_text(". >2 ."))
    both = stack([world, from_text("> . .")])
    assert both.same_as(world).tolist() == [True, False]


def test_indexing_is_that_of_arrays() -> None:
    worlds = random_worlds(12, seed=0).reshape(4, 3)
    assert (worlds.shape, len(worlds), worlds[1].shape, worlds[1, 2].shape) == ((4, 3), 4, (3,), ())
    assert equal(worlds[1:3, 0], stack([worlds[1, 0], worlds[2, 0]]))
    assert worlds[:, None].shape == (4, 1, 3)
    assert equal(worlds[..., 1], worlds[:, 1])
    assert equal(worlds[1, 2][None], worlds[1, 2:3])
    assert equal(worlds.reshape(-1)[5], worlds[1, 2])
    assert worlds[np.array([True, False, True, False])].shape == (2, 3)
    with pytest.raises(IndexError):
        worlds[0, 0, 0]
    with pytest.raises(ValueError, match="reshape"):
        worlds.reshape(5, 3)


def test_random_worlds_are_possible_and_as_asked() -> None:
    worlds = random_worlds(3000, seed=0, sides=(3, 7), walls=0.2, markers=0.3)
    check(worlds)
    assert set(np.unique(worlds.sizes).tolist()) == {3, 4, 5, 6, 7}
    cells = worlds.sizes.astype(int).prod(1).sum()
    assert worlds.walls.sum() / cells == pytest.approx(0.2 * 24 / 25, abs=0.015)
    assert (worlds.markers > 0).sum() / cells == pytest.approx(0.3 * 0.81, abs=0.01)
    assert set(np.unique(worlds.markers).tolist()) == set(range(11))
    assert set(np.unique(worlds.heroes[:, 2]).tolist()) == {0, 1, 2, 3}
    assert equal(worlds, random_worlds(3000, seed=0, sides=(3, 7), walls=0.2, markers=0.3))
    assert not equal(random_worlds(5, seed=0), random_worlds(5, seed=1))
    assert random_worlds(0, seed=0).shape == (0,)
    assert not random_worlds(9, seed=0, walls=0, markers=0).walls.any()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", "lines 1 16"),
        ("> .\n.", "cells 1 16"),
        ("> " + ". " * 16, "cells 1 16"),
        (". .", "hero 0"),
        ("> <", "hero 2"),
        ("> 11", "'11' '#' 1 10"),
        ("> 0", "'0' '#' 1 10"),
        ("> x", "'x' '#'"),
        (">#", "'>#' '#'"),
    ],
)
def test_drawings_that_show_no_world(text: str, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        from_text(text)


def test_impossible_worlds_are_refused() -> None:
    good = stack([from_text("> ."), from_text("> .\n. .")])

    def spoil(name: str, place: tuple[int, ...], value: int) -> Worlds:
        parts = {n: getattr(good, n).copy() for n in ("sizes", "heroes", "walls", "markers")}
        parts[name][place] = value
        return Worlds(**parts)

    for bad, tokens in (
        (spoil("sizes", (1, 0), 17), "world 1 rows 16"),
        (spoil("sizes", (0, 1), 0), "world 0 rows 16"),
        (spoil("heroes", (0, 0), 1), "world 0 hero 3"),
        (spoil("heroes", (1, 2), 4), "world 1 hero direction 3"),
        (spoil("walls", (0, 1, 0), 1), "world 0 walls markers"),
        (spoil("markers", (1, 0, 2), 1), "world 1 walls markers"),
        (spoil("markers", (1, 0, 1), 11), "world 1 markers 10"),
        (spoil("walls", (1, 1, 0), 1), "world 1 hero wall"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            check(bad)
    with pytest.raises(ValueError, match=says("walls bool (2, 16, 16)")):
        Worlds(good.sizes, good.heroes, good.markers, good.markers)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("walls (2, 16, 16)")):
        Worlds(good.sizes, good.heroes, good.walls[:1], good.markers)


def test_one_world_at_a_time_is_drawn() -> None:
    with pytest.raises(ValueError, match=says("world (3,)")):
        to_text(random_worlds(3, seed=0))
    with pytest.raises(ValueError, match=says("sides 1 16 (5, 17)")):
        random_worlds(3, seed=0, sides=(5, 17))
    with pytest.raises(ValueError, match=says("walls 0 1 2")):
        random_worlds(3, seed=0, walls=2)
    with pytest.raises(ValueError, match=says("world")):
        stack([])
