"""Karel programs, compiled to bytecode and run on many worlds in one compiled call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.compiling import build
from taskspace.envs.karel.grammar import first_fault
from taskspace.envs.karel.language import (
    ACTIONS,
    CONDITIONS,
    PAD,
    ROUNDS,
    TOKEN_ID,
    TOKENS,
    KarelSyntaxError,
    decode,
    parse,
)
from taskspace.envs.karel.worlds import SIDE, Worlds

TICKS = 200  # each action, condition evaluated and round of a REPEAT is one
DONE, HIT_WALL, NO_MARKER, TOO_MANY_MARKERS, OUT_OF_TICKS = range(5)
STATUS_NAMES = (
    "done", "ran into a wall or off the grid", "picked where there is no marker",
    "put an eleventh marker", "out of ticks",
)  # fmt: skip

# -- bytecode --------------------------------------------------------------------------------------

# An instruction is (operation, argument, target). The first five operations are the actions.
_MOVE, _TURN_LEFT, _TURN_RIGHT, _PICK, _PUT = range(5)
_TEST = 5  # go to the target unless condition argument // 2 holds (or is negated: argument odd)
_SET = 6  # counter number target := argument
_LOOP = 7  # a round less on counter number argument; go to the target when there is none left
_JUMP = 8  # go to the target
_ENTER = 9  # branch number argument begins
_HALT = 10
# What else a token can be for the compiler; an action or condition has its number as value.
_CONDITION, _NOT, _ROUNDS, _ELSE, _IF, _WHILE = 11, 12, 13, 14, 15, 16
_OPEN_REPEAT, _OPEN, _CLOSE_LOOP, _CLOSE_IF, _CLOSE_ELSE, _SILENT = 17, 18, 19, 20, 21, 22


def _make_roles() -> NDArray[np.int16]:
    """Role and value of every token: (52, 2)."""
    named = {
        "not": _NOT, "ELSE": _ELSE, "r(": _OPEN_REPEAT, "w(": _OPEN, "i(": _OPEN, "e(": _OPEN,
        "r)": _CLOSE_LOOP, "w)": _CLOSE_LOOP, "i)": _CLOSE_IF, "e)": _CLOSE_ELSE, "m)": _HALT,
    }  # fmt: skip
    roles = {token: (named.get(token, _SILENT), 0) for token in TOKENS}
    roles |= {token: (number, 0) for number, token in enumerate(ACTIONS)}
    roles |= {token: (_ROUNDS, number) for number, token in enumerate(ROUNDS)}
    roles |= {token: (_CONDITION, number) for number, token in enumerate(CONDITIONS)}
    return np.array([roles[token] for token in TOKENS], np.int16)


_ROLES = _make_roles()
_ACTION_TOKENS = np.array([TOKEN_ID[action] for action in ACTIONS], np.uint8)


@njit
def _emit(code, row, place, operation, argument, target):
    code[row, place, 0] = operation
    code[row, place, 1] = argument
    code[row, place, 2] = target
    return place + 1


def _assemble_factory(emit: Any) -> Any:
    def assemble(programs, roles, code, branches):
        """Bytecode of programs that the grammar has checked; no token makes two instructions,
        but `r(`, which makes up for REPEAT.
        """
        waiting = np.zeros(programs.shape[1], np.int64)  # instructions whose target is still open
        for row in range(len(programs)):
            place, top, branch, negated = 0, -1, 0, 0
            for column in range(programs.shape[1]):
                role, value = roles[programs[row, column], 0], roles[programs[row, column], 1]
                if role <= _PUT:
                    place = emit(code, row, place, role, 0, 0)
                elif role == _NOT:
                    negated = 1
                elif role == _CONDITION:
                    top += 1
                    waiting[top] = place
                    place = emit(code, row, place, _TEST, 2 * value + negated, 0)
                    negated = 0
                elif role == _ROUNDS:
                    top += 1
                    place = emit(code, row, place, _SET, value, top)
                elif role == _OPEN_REPEAT or role == _OPEN:
                    if role == _OPEN_REPEAT:
                        waiting[top] = place
                        place = emit(code, row, place, _LOOP, top, 0)
                    place = emit(code, row, place, _ENTER, branch, 0)
                    branch += 1
                elif role == _CLOSE_LOOP:
                    place = emit(code, row, place, _JUMP, 0, waiting[top])
                    code[row, waiting[top], 2] = place
                    top -= 1
                elif role == _CLOSE_IF or role == _CLOSE_ELSE:
                    code[row, waiting[top], 2] = place
                    top -= 1
                elif role == _ELSE:  # the test just closed goes on after the jump over the else
                    top += 1
                    code[row, waiting[top], 2] = place + 1
                    waiting[top] = place
                    place = emit(code, row, place, _JUMP, 0, 0)
                elif role == _HALT:
                    emit(code, row, place, _HALT, 0, 0)
                    break
            branches[row] = branch

    return assemble


# -- running ---------------------------------------------------------------------------------------

_ROW_STEP, _COLUMN_STEP, _LOOK = (1, 0, -1, 0), (0, 1, 0, -1), (0, 3, 1)
_FULL, _SIDE = 10, 16


@njit
def _clear(sizes, walls, world, row, column):
    """Whether a cell is inside and no wall."""
    if row < 0 or column < 0 or row >= sizes[world, 0] or column >= sizes[world, 1]:
        return False
    return not walls[world, _SIDE * row + column]


def _execute_factory(clear: Any) -> Any:
    def execute(
        code, program_of, world_of,
        sizes, heroes, walls, markers,  # of the worlds, grids in one piece
        ticks_allowed, action_tokens,
        status, ticks, final_heroes, final_markers,  # an entry per run
        entered, actions,  # an entry per run, or empty where they are not wanted
    ):  # fmt: skip
        counters = np.zeros(code.shape[1], np.int64)
        trace, cover = actions.shape[1] > 0, entered.shape[1] > 0
        for run in range(len(program_of)):
            program, world = program_of[run], world_of[run]
            for cell in range(_SIDE * _SIDE):
                final_markers[run, cell] = markers[world, cell]
            row, column = np.int64(heroes[world, 0]), np.int64(heroes[world, 1])
            facing = np.int64(heroes[world, 2])
            place, used, acted, result = 0, 0, 0, DONE
            while True:
                operation = code[program, place, 0]
                argument = code[program, place, 1]
                if operation <= _TEST:
                    if used == ticks_allowed:
                        result = OUT_OF_TICKS
                        break
                    used += 1
                place += 1
                if trace and operation <= _PUT:
                    actions[run, acted] = action_tokens[operation]
                    acted += 1
                if operation == _MOVE:
                    ahead, beside = row + _ROW_STEP[facing], column + _COLUMN_STEP[facing]
                    if not clear(sizes, walls, world, ahead, beside):
                        result = HIT_WALL
                        break
                    row, column = ahead, beside
                elif operation == _TURN_LEFT:
                    facing = (facing + 3) & 3
                elif operation == _TURN_RIGHT:
                    facing = (facing + 1) & 3
                elif operation == _PICK:
                    if final_markers[run, _SIDE * row + column] == 0:
                        result = NO_MARKER
                        break
                    final_markers[run, _SIDE * row + column] -= 1
                elif operation == _PUT:
                    if final_markers[run, _SIDE * row + column] >= _FULL:
                        result = TOO_MANY_MARKERS
                        break
                    final_markers[run, _SIDE * row + column] += 1
                elif operation == _TEST:
                    condition = argument >> 1
                    if condition < 3:
                        look = (facing + _LOOK[condition]) & 3
                        ahead, beside = row + _ROW_STEP[look], column + _COLUMN_STEP[look]
                        holds = clear(sizes, walls, world, ahead, beside)
                    else:
                        holds = (final_markers[run, _SIDE * row + column] > 0) == (condition == 3)
                    if holds == (argument & 1 == 1):
                        place = np.int64(code[program, place - 1, 2])
                elif operation == _LOOP:
                    if counters[argument] == 0:
                        place = np.int64(code[program, place - 1, 2])
                    elif used == ticks_allowed:
                        result = OUT_OF_TICKS
                        break
                    else:
                        counters[argument] -= 1
                        used += 1
                elif operation == _JUMP:
                    place = np.int64(code[program, place - 1, 2])
                elif operation == _SET:
                    counters[code[program, place - 1, 2]] = argument
                elif operation == _ENTER:
                    if cover:
                        entered[run, argument] = True
                else:
                    break
            status[run], ticks[run] = result, used
            final_heroes[run, 0], final_heroes[run, 1] = row, column
            final_heroes[run, 2] = facing

    return execute


# -- for users -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Code:
    """Compiled programs."""

    shape: tuple[int, ...]  # how the programs are arranged
    instructions: NDArray[np.int16]  # (programs, places, 3)
    branches: NDArray[np.int16]  # (programs,): how many loop bodies and branches a program has


@dataclass(frozen=True)
class Runs:
    """What came of programs on worlds; all arrays begin with the shape of the batch.

    A run that crashed or ran out of ticks leaves the world as it was then.
    """

    status: NDArray[np.uint8]  # DONE, HIT_WALL, NO_MARKER, TOO_MANY_MARKERS, OUT_OF_TICKS
    ticks: NDArray[np.int16]
    heroes: NDArray[np.uint8]  # (..., 3) in the end
    markers: NDArray[np.uint8]  # (..., 16, 16) in the end
    starts: Worlds  # where the runs began, in a shape that broadcasts to theirs
    # (..., branches): which bodies of loops and conditionals were entered, in the order in which
    # they begin in the text; those that a program does not have were not.
    entered: NDArray[np.bool_] | None
    # (..., 200): the tokens of the actions, the one that crashed included, then padding.
    actions: NDArray[np.uint8] | None

    @property
    def worlds(self) -> Worlds:
        """The worlds in the end."""
        shape = self.status.shape
        sizes = np.broadcast_to(self.starts.sizes, (*shape, 2))
        walls = np.broadcast_to(self.starts.walls, (*shape, SIDE, SIDE))
        return Worlds(sizes, self.heroes, walls, self.markers)

    def reach(self, wanted: Worlds) -> NDArray[np.bool_]:
        """Which runs ended well, in the wanted worlds."""
        return (self.status == DONE) & self.worlds.same_as(wanted)


def compile_programs(programs: ArrayLike) -> Code:
    """Bytecode of programs (..., length) of token numbers, as `encode` makes them.

    >>> from taskspace.envs.karel.language import encode
    >>> compile_programs(encode(["DEF run m( REPEAT R=2 r( move r) m)"])).branches
    array([1], dtype=int16)
    """
    tokens = checks.array(programs, "programs")
    if tokens.ndim < 1:
        raise ValueError("programs are rows of token numbers, not a single number")
    rows = tokens.reshape(-1, tokens.shape[-1])
    fault = first_fault(rows)
    if fault is not None:
        raise ValueError(f"program {fault} is malformed: {_what_is_wrong(rows[fault])}")
    rows = np.ascontiguousarray(rows, np.uint8)
    instructions = np.zeros((*rows.shape, 3), np.int16)
    branches = np.zeros(len(rows), np.int16)
    build(_assemble_factory, _emit)(rows, _ROLES, instructions, branches)
    return Code(tokens.shape[:-1], instructions, branches)


def _what_is_wrong(row: NDArray[Any]) -> str:
    tokens = decode(row)
    try:
        parse(tokens)
    except KarelSyntaxError as error:
        return str(error)
    raise AssertionError("the parser and the grammar disagree")


def run(
    programs: Code | ArrayLike, worlds: Worlds, *, coverage: bool = False, trace: bool = False
) -> Runs:
    """Run programs on worlds; the shapes of the two batches are broadcast as NumPy does it.

    Programs (n, 1) and worlds (n, 6) run each program on six worlds of its own, programs (n, 1)
    and worlds (m,) each program on every world. The last axis of an array of programs holds the
    tokens, so these are arrays (n, 1, length). `coverage` and `trace` ask for the branches entered
    and the actions done.

    >>> from taskspace.envs.karel import language, worlds
    >>> program = language.encode(["DEF run m( WHILE c( frontIsClear c) w( move w) m)"])[0]
    >>> runs = run(program, worlds.from_text("> . . ."))
    >>> STATUS_NAMES[runs.status], int(runs.ticks), worlds.to_text(runs.worlds)
    ('done', 7, '. . . >')
    """
    code = programs if isinstance(programs, Code) else compile_programs(programs)
    try:
        shape = np.broadcast_shapes(code.shape, worlds.shape)
    except ValueError:
        raise ValueError(
            f"programs of shape {code.shape} and worlds of shape {worlds.shape} do not match"
        ) from None
    flat = worlds.reshape(-1)
    _check_places(flat)
    program_of, world_of = (_numbers(part, shape) for part in (code.shape, worlds.shape))
    count = len(program_of)
    most = int(code.branches.max(initial=0))
    status, ticks = np.empty(count, np.uint8), np.empty(count, np.int16)
    heroes, markers = np.empty((count, 3), np.uint8), np.empty((count, SIDE * SIDE), np.uint8)
    entered = np.zeros((count, most if coverage else 0), np.bool_)
    actions = np.full((count, TICKS if trace else 0), PAD, np.uint8)
    build(_execute_factory, _clear)(
        code.instructions, program_of, world_of,
        *(np.ascontiguousarray(part) for part in (flat.sizes, flat.heroes)),
        *(np.ascontiguousarray(part).reshape(-1, SIDE * SIDE) for part in (flat.walls, flat.markers)),
        TICKS, _ACTION_TOKENS, status, ticks, heroes, markers, entered, actions,
    )  # fmt: skip
    return Runs(
        status.reshape(shape),
        ticks.reshape(shape),
        heroes.reshape(*shape, 3),
        markers.reshape(*shape, SIDE, SIDE),
        worlds,
        entered.reshape(*shape, most) if coverage else None,
        actions.reshape(*shape, TICKS) if trace else None,
    )


def _numbers(part: tuple[int, ...], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which of a batch's programs or worlds each run takes."""
    numbers = np.arange(np.prod(part, dtype=np.int64)).reshape(part)
    return np.ascontiguousarray(np.broadcast_to(numbers, shape)).reshape(-1)


def _check_places(worlds: Worlds) -> None:
    """The compiled code does not look whether a hero is on the grid."""
    sizes, heroes = worlds.sizes, worlds.heroes
    bad = (sizes > SIDE).any(1) | (heroes[:, :2] >= sizes).any(1) | (heroes[:, 2] > 3)
    if bad.any():
        raise ValueError(f"world {int(bad.argmax())} has no hero on its grid of 16 x 16 or less")
