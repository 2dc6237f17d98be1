"""The compiled interpreter against a plain one, written apart from it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.interpreter import Runs, compile_programs, run
from taskspace.envs.karel.language import CONDITIONS, decode, encode
from taskspace.envs.karel.machine import (
    DONE,
    HIT_WALL,
    NO_MARKER,
    OUT_OF_TICKS,
    STATUS_NAMES,
    TOO_MANY_MARKERS,
)
from taskspace.envs.karel.worlds import Worlds, from_text, random_worlds, stack, to_text
from tests.envs.karel.plain import Plain
from tests.messages import says

STATUS = {
    "done": DONE, "wall": HIT_WALL, "none": NO_MARKER, "full": TOO_MANY_MARKERS,
    "ticks": OUT_OF_TICKS,
}  # fmt: skip


def plain_of(world: Worlds) -> Plain:
    rows, cols = world.sizes.tolist()
    row, col, facing = world.heroes.tolist()
    return Plain(rows, cols, row, col, facing, world.walls.tolist(), world.markers.tolist())


def compare(rows: NDArray[np.uint8], worlds: Worlds) -> NDArray[np.int64]:
    """Check all runs of programs (n,) on worlds (n, k); how often each status came up."""
    quick, full = run(rows[:, None], worlds), run(rows[:, None], worlds, coverage=True, trace=True)
    assert full.entered is not None
    assert full.actions is not None
    for name in ("status", "ticks", "heroes", "markers"):
        assert np.array_equal(getattr(quick, name), getattr(full, name))
    for number, row in enumerate(rows):
        tokens = decode(row)
        openers = [p for p, t in enumerate(tokens) if t in ("r(", "w(", "i(", "e(")]
        for k in range(worlds.shape[1]):
            plain = plain_of(worlds[number, k])
            status = plain.run(tokens)
            at = number, k
            assert full.status[at] == STATUS[status], (tokens, to_text(worlds[at]))
            assert full.ticks[at] == plain.ticks, (tokens, to_text(worlds[at]))
            assert full.heroes[at].tolist() == [plain.row, plain.col, plain.facing]
            assert full.markers[at].tolist() == plain.markers
            assert decode(full.actions[at]) == plain.actions
            entered = full.entered[at].tolist()
            assert entered[: len(openers)] == [place in plain.entered for place in openers]
            assert not any(entered[len(openers) :])
    return np.bincount(quick.status.ravel(), minlength=5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("programs", "each", "longest", "shortest", "sides", "walls"),
    [
        (2000, 6, 14, 10, (2, 16), 0.1),
        (2000, 5, 30, 12, (2, 5), 0.1),
        (1000, 5, 60, 20, (1, 4), 0.2),
        (500, 4, 150, 60, (6, 16), 0.02),
    ],
)
def test_random_programs_on_random_worlds(
    programs: int, each: int, longest: int, shortest: int, sides: tuple[int, int], walls: float
) -> None:
    rows = random_programs(programs, seed=longest, longest=longest, shortest=shortest)
    worlds = random_worlds(programs * each, seed=7, sides=sides, walls=walls, markers=0.4)
    counts = compare(rows, worlds.reshape(programs, each))
    assert (counts > programs * each // 250).all()  # all ends there are, and none rarely


def one(body: str, world: str, **wanted: Any) -> Runs:
    return run(encode([f"DEF run m( {body} m)"])[0], from_text(world), **wanted)


@pytest.mark.parametrize(
    ("body", "world", "status", "ticks", "end"),
    [
        ("move", "> .", DONE, 1, ". >"),
        ("move", "> #", HIT_WALL, 1, "> #"),
        ("move move", "> .", HIT_WALL, 2, ". >"),
        ("move", "<", HIT_WALL, 1, "<"),
        ("move", "^", HIT_WALL, 1, "^"),
        ("move", "v", HIT_WALL, 1, "v"),
        ("move", ".\n^", DONE, 1, "^\n."),
        ("turnLeft", ">", DONE, 1, "^"),
        ("turnRight turnRight", ">", DONE, 2, "<"),
        ("pickMarker", ">2", DONE, 1, ">1"),
        ("pickMarker pickMarker", ">1", NO_MARKER, 2, ">"),
        ("putMarker", ">9", DONE, 1, ">10"),
        ("putMarker putMarker turnLeft", ">9", TOO_MANY_MARKERS, 2, ">10"),
        ("REPEAT R=0 r( move r)", ">", DONE, 0, ">"),
        ("REPEAT R=0 r( move r) turnLeft", ">", DONE, 1, "^"),
        ("REPEAT R=19 r( turnLeft r)", ">", DONE, 38, "v"),
        ("REPEAT R=2 r( REPEAT R=3 r( putMarker r) r)", ">", DONE, 2 + 6 + 6, ">6"),
        ("REPEAT R=2 r( REPEAT R=0 r( move r) r)", ">", DONE, 2, ">"),
        ("WHILE c( frontIsClear c) w( move w)", "> . .", DONE, 5, ". . >"),
        ("WHILE c( markersPresent c) w( pickMarker w)", ">10", DONE, 21, ">"),
        ("REPEAT R=2 r( WHILE c( frontIsClear c) w( move w) turnLeft turnLeft r)", "> . .",
         DONE, 2 + 5 + 2 + 5 + 2, "> . ."),
        ("IF c( frontIsClear c) i( move i)", ">", DONE, 1, ">"),
        ("IF c( not c( frontIsClear c) c) i( turnLeft i)", ">", DONE, 2, "^"),
        ("IFELSE c( markersPresent c) i( pickMarker i) ELSE e( putMarker e)", ">", DONE, 2, ">1"),
        ("IFELSE c( markersPresent c) i( pickMarker i) ELSE e( putMarker e)", ">1", DONE, 2, ">"),
    ],
)  # fmt: skip
def test_single_runs(body: str, world: str, status: int, ticks: int, end: str) -> None:
    runs = one(body, world)
    assert (int(runs.status), int(runs.ticks)) == (status, ticks)
    assert to_text(runs.worlds) == to_text(from_text(end))
    assert runs.reach(from_text(end)) == (status == DONE)
    assert len(STATUS_NAMES) == 5


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize(
    ("condition", "yes", "no"),
    [
        ("frontIsClear", ". .\n^ .", "# .\n^ ."),
        ("frontIsClear", "> .", ". >"),
        ("leftIsClear", ". ^", "# ^"),
        ("leftIsClear", ".\n>", ">\n."),
        ("rightIsClear", "^ .", "^ #"),
        ("rightIsClear", ". .\n. <", "# #\n. <"),
        ("markersPresent", ">1", ">"),
        ("noMarkersPresent", ">", ">10"),
    ],
)
def test_conditions(condition: str, yes: str, no: str, negated: bool) -> None:
    assert condition in CONDITIONS
    text = f"not c( {condition} c)" if negated else condition
    for world, holds in ((yes, True), (no, False)):
        plain = plain_of(from_text(world))
        assert plain.holds([condition]) == holds
        runs = one(f"IF c( {text} c) i( turnLeft turnLeft i)", world)
        assert int(runs.ticks) == (3 if holds != negated else 1)


@pytest.mark.parametrize(
    ("body", "status", "ticks"),
    [
        # A round of n turns takes n + 1 ticks, REPEAT R=19 around nine turns 190.
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 10, DONE, 200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 11, OUT_OF_TICKS, 200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 10
         + "IF c( markersPresent c) i( move i)", OUT_OF_TICKS, 200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 9
         + "IF c( markersPresent c) i( move i)", DONE, 200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 10
         + "REPEAT R=0 r( move r)", DONE, 200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 10
         + "REPEAT R=1 r( turnLeft r)", OUT_OF_TICKS, 200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 8
         + "REPEAT R=1 r( turnLeft r)", DONE, 200),
        # At the limit a crash does not come to pass any more.
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 10 + "move", OUT_OF_TICKS,
         200),
        ("REPEAT R=19 r( " + "turnLeft " * 9 + "r) " + "turnLeft " * 9 + "move", HIT_WALL, 200),
        ("REPEAT R=19 r( REPEAT R=19 r( turnLeft r) r)", OUT_OF_TICKS, 200),
        ("WHILE c( noMarkersPresent c) w( turnLeft w)", OUT_OF_TICKS, 200),
    ],
)  # fmt: skip
def test_the_limit_of_ticks(body: str, status: int, ticks: int) -> None:
    runs = one(body, ">")
    assert (int(runs.status), int(runs.ticks)) == (status, ticks)
    rows = encode([f"DEF run m( {body} m)"])
    compare(rows, stack([stack([from_text(">")])]))


@pytest.mark.parametrize(
    "body",
    [
        # Loops without end, of many periods; the interpreter leaves out whole rounds of them.
        "WHILE c( noMarkersPresent c) w( turnLeft turnLeft turnLeft w)",
        "WHILE c( rightIsClear c) w( move turnRight move w)",
        "WHILE c( noMarkersPresent c) w( IFELSE c( frontIsClear c) i( move i) ELSE"
        " e( turnLeft e) w)",
        "WHILE c( noMarkersPresent c) w( WHILE c( frontIsClear c) w( move w) turnLeft w)",
        "WHILE c( noMarkersPresent c) w( REPEAT R=3 r( turnLeft r) w)",
        "WHILE c( noMarkersPresent c) w( putMarker turnLeft pickMarker w)",
        # The same state again at the same loop, but in another round of what is around it.
        "REPEAT R=5 r( WHILE c( frontIsClear c) w( move w) turnLeft turnLeft r)",
        "REPEAT R=19 r( WHILE c( frontIsClear c) w( move w) turnLeft r) move",
        "turnLeft turnLeft turnLeft turnLeft REPEAT R=9 r( WHILE c( frontIsClear c) w( move w)"
        " turnLeft turnLeft WHILE c( frontIsClear c) w( move w) turnLeft turnLeft r) putMarker",
    ],
)
def test_loops_that_come_back_to_where_they_were(body: str) -> None:
    drawings = ("> . .\n. . .\n. . .", "^ . .", ". . > .\n. # . .", ". .\n. v")
    worlds = stack([from_text(drawing) for drawing in drawings])
    compare(encode([f"DEF run m( {body} m)"]), worlds[None])


def test_batches_broadcast_and_do_not_matter() -> None:
    rows, worlds = random_programs(40, seed=1, longest=20), random_worlds(30, seed=2, sides=(2, 5))
    every = run(rows[:, None], worlds)
    assert every.status.shape == (40, 30)
    assert every.worlds.shape == (40, 30)
    other = run(rows, worlds[:, None])
    pairs = run(compile_programs(rows[:30]), worlds)
    assert np.array_equal(every.status, other.status.T)
    assert np.array_equal(every.markers, other.markers.swapaxes(0, 1))
    assert np.array_equal(pairs.ticks, every.ticks[:30].diagonal())
    alone = run(rows[3], worlds[4])
    assert alone.status.shape == ()
    assert alone.status == every.status[3, 4]
    assert run(rows[:0, None], worlds).status.shape == (0, 30)
    assert run(rows[:, None], worlds[:0]).status.shape == (40, 0)


def test_worlds_are_left_alone() -> None:
    worlds = random_worlds(50, seed=2, sides=(2, 5), markers=0.9)
    before = worlds.markers.copy(), worlds.heroes.copy()
    runs = run(random_programs(100, seed=1, longest=20)[:, None], worlds)
    assert np.array_equal(before[0], worlds.markers)
    assert np.array_equal(before[1], worlds.heroes)
    assert np.array_equal(runs.worlds.walls[7], worlds.walls)


def test_views_of_worlds_and_programs_will_do() -> None:
    rows, worlds = random_programs(40, seed=1, longest=20), random_worlds(40, seed=2, sides=(2, 5))
    turned, wide = run(rows[::-2], worlds[::-2]), run(rows.astype(np.int64), worlds)
    assert np.array_equal(turned.markers, wide.markers[::-2])


def test_threads_give_the_same() -> None:
    rows, worlds = random_programs(300, seed=1, longest=30), random_worlds(40, seed=2)
    found: list[Any] = [None] * 3

    def work(number: int) -> None:
        found[number] = run(rows[:, None], worlds)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for runs in found[1:]:
        assert np.array_equal(runs.markers, found[0].markers)
        assert np.array_equal(runs.ticks, found[0].ticks)


def test_branches_are_numbered_as_they_begin() -> None:
    body = (
        "IFELSE c( frontIsClear c) i( REPEAT R=1 r( move r) i) ELSE e( turnLeft e)"
        " REPEAT R=0 r( move r) WHILE c( frontIsClear c) w( move w)"
    )
    code = compile_programs(encode([f"DEF run m( {body} m)", "DEF run m( move m)"]))
    assert code.branches.tolist() == [5, 0]
    clear, blocked = one(body, "> . .", coverage=True), one(body, ">", coverage=True)
    assert clear.entered is not None
    assert blocked.entered is not None
    assert clear.entered.tolist() == [True, True, False, False, True]
    assert blocked.entered.tolist() == [False, False, True, False, False]
    assert clear.actions is None


def test_trace_is_the_actions() -> None:
    runs = one("REPEAT R=2 r( move turnLeft r) pickMarker", ". .\n> .", trace=True)
    assert runs.actions is not None
    assert decode(runs.actions) == ["move", "turnLeft", "move", "turnLeft", "pickMarker"]
    assert runs.status == NO_MARKER


def test_malformed_programs_are_refused() -> None:
    good, bad = "DEF run m( move m)", "DEF run m( REPEAT R=2 move m)"
    with pytest.raises(ValueError, match=says("program 1 token 6 'move' 'r('")):
        run(encode([good, bad]), random_worlds(2, seed=0))
    with pytest.raises(ValueError, match=says("program 0 token 5 'm)'")):
        compile_programs(encode(["DEF run m( move"]))
    with pytest.raises(ValueError, match=says("0 51")):
        compile_programs([[0, 1, 2, 99, 3]])
    with pytest.raises(ValueError, match=says("tokens")):
        compile_programs([[0.0, 1.0]])
    with pytest.raises(ValueError, match=says("tokens 1000 1001")):
        compile_programs(encode([good], length=1001))
    with pytest.raises(ValueError, match=says("program 0 token 1 'DEF'")):
        compile_programs([])
    assert compile_programs(encode([])).shape == (0,)
    with pytest.raises(ValueError, match=says("programs rows")):
        compile_programs(3)


def test_worlds_that_do_not_fit_are_refused() -> None:
    worlds = random_worlds(3, seed=0)
    with pytest.raises(ValueError, match=says("programs (2,) worlds (3,)")):
        run(encode(["DEF run m( move m)"] * 2), worlds)
    heroes = worlds.heroes.copy()
    heroes[1, 0] = 16
    with pytest.raises(ValueError, match=says("world 1 hero")):
        run(
            encode(["DEF run m( move m)"])[0],
            Worlds(worlds.sizes, heroes, worlds.walls, worlds.markers),
        )
