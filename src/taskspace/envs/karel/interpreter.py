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

# An instruction is one number: operation, argument, branch and target, 16 bits each. The first five
# operations are the actions.
_MOVE, _TURN_LEFT, _TURN_RIGHT, _PICK, _PUT = range(5)
_UNLESS = 5  # condition argument // 2 (negated: argument odd) holds: branch begins; not: go to target
_WHILE = 6  # the condition holds: branch begins at the target; not: go on
_SET = 7  # counter number `branch` := argument, then go to the target
_AGAIN = 8  # counter number `argument` > 0: a round less, branch begins at the target; 0: go on
_JUMP = 9  # go to the target
_ENTER = 10  # branch begins
_HALT = 11
# What else a token can be for the compiler.
_CONDITION, _NOT, _ROUNDS, _ELSE, _OPEN, _OPEN_ELSE = range(12, 18)
_CLOSE_IF, _CLOSE_ELSE, _CLOSE_WHILE, _CLOSE_REPEAT, _SILENT = range(18, 23)


def _make_roles() -> NDArray[np.int64]:
    """Role and value of every token: (52, 2)."""
    named = {
        "not": _NOT, "i(": _OPEN, "i)": _CLOSE_IF, "ELSE": _ELSE, "e(": _OPEN_ELSE,
        "e)": _CLOSE_ELSE, "w(": _OPEN, "w)": _CLOSE_WHILE, "r(": _OPEN, "r)": _CLOSE_REPEAT,
        "m)": _HALT,
    }  # fmt: skip
    roles = {token: (named.get(token, _SILENT), 0) for token in TOKENS}
    roles |= {token: (number, 0) for number, token in enumerate(ACTIONS)}
    roles |= {token: (_ROUNDS, number) for number, token in enumerate(ROUNDS)}
    roles |= {token: (_CONDITION, number) for number, token in enumerate(CONDITIONS)}
    return np.array([roles[token] for token in TOKENS], np.int64)


_ROLES = _make_roles()
_ACTION_TOKENS = np.array([TOKEN_ID[action] for action in ACTIONS], np.uint8)


@njit
def _instruction(operation, argument, branch, target):
    return operation | (argument << 16) | (branch << 32) | (target << 48)


def _assemble_factory(instruction: Any) -> Any:
    def assemble(programs, roles, code, branches):
        """Bytecode of programs that the grammar has checked; no token makes two instructions."""
        opened = np.zeros(programs.shape[1], np.int64)  # by open block: where its code begins,
        argument = np.zeros(programs.shape[1], np.int64)  # its condition or number of rounds,
        entry = np.zeros(programs.shape[1], np.int64)  # and the number of its branch
        for row in range(len(programs)):
            place, top, branch, negated = 0, -1, 0, 0
            for column in range(programs.shape[1]):
                token = programs[row, column]
                role = roles[token, 0]
                if role <= _PUT:
                    code[row, place] = role
                elif role == _NOT:
                    negated = 1
                    continue
                elif role == _CONDITION or role == _ROUNDS:
                    top += 1
                    argument[top] = roles[token, 1]
                    if role == _CONDITION:
                        argument[top] = 2 * roles[token, 1] + negated
                    negated = 0
                    continue
                elif role == _OPEN:  # its first instruction is known when it closes
                    opened[top], entry[top] = place, branch
                    branch += 1
                elif role == _CLOSE_IF:
                    code[row, opened[top]] = instruction(_UNLESS, argument[top], entry[top], place)
                    top -= 1
                    continue
                elif role == _ELSE:  # a jump; the test of the block just closed goes past it
                    top += 1
                    code[row, opened[top]] += instruction(0, 0, 0, 1)
                    opened[top] = place
                elif role == _OPEN_ELSE:
                    code[row, place] = instruction(_ENTER, 0, branch, 0)
                    branch += 1
                elif role == _CLOSE_ELSE:
                    code[row, opened[top]] = instruction(_JUMP, 0, 0, place)
                    top -= 1
                    continue
                elif role == _CLOSE_WHILE:
                    code[row, opened[top]] = instruction(_JUMP, 0, 0, place)
                    code[row, place] = instruction(
                        _WHILE, argument[top], entry[top], opened[top] + 1
                    )
                    top -= 1
                elif role == _CLOSE_REPEAT:
                    code[row, opened[top]] = instruction(_SET, argument[top], top, place)
                    code[row, place] = instruction(_AGAIN, top, entry[top], opened[top] + 1)
                    top -= 1
                elif role == _HALT:
                    code[row, place] = _HALT
                    break
                else:
                    continue
                place += 1
            branches[row] = branch

    return assemble


# -- running ---------------------------------------------------------------------------------------

_FULL, _SIDE = 10, 16
_FIRST_MARK = 8


@njit
def _on_grid(sizes, heroes, world):
    """Whether this is a world that `_clear` can be asked about."""
    rows, columns = sizes[world, 0], sizes[world, 1]
    fits = rows <= _SIDE and columns <= _SIDE
    return fits and heroes[world, 0] < rows and heroes[world, 1] < columns and heroes[world, 2] < 4


@njit
def _clear(sizes, walls, world, row, column):
    """Whether a cell is inside and no wall."""
    inside = 0 <= row < sizes[world, 0] and 0 <= column < sizes[world, 1]
    return inside and not walls[world, _SIDE * row + column]


def _execute_factory(on_grid: Any, clear: Any) -> Any:
    def execute(
        code, program_of, world_of,
        sizes, heroes, walls, markers,  # of the worlds, grids in one piece
        ticks_allowed, action_tokens,
        status, ticks, final_heroes, final_markers,  # an entry per run
        entered, actions,  # an entry per run, or empty where they are not wanted
    ):  # fmt: skip
        """Run all; returns the first world whose hero is not on its grid, or -1."""
        counters = np.zeros(code.shape[1], np.int64)
        trace, cover = actions.shape[1] > 0, entered.shape[1] > 0
        for run in range(len(program_of)):
            program, world = program_of[run], world_of[run]
            if not on_grid(sizes, heroes, world):
                return world
            for cell in range(_SIDE * _SIDE):
                final_markers[run, cell] = markers[world, cell]
            row, column = np.int64(heroes[world, 0]), np.int64(heroes[world, 1])
            facing = np.int64(heroes[world, 2])
            # One step ahead; turning left makes (up, right) into (right, -up).
            up, right = (1 - facing) * (1 - (facing & 1)), (2 - facing) * (facing & 1)
            place, used, acted, result = 0, 0, 0, DONE
            changes, mark, mark_used, next_mark, mark_state = 0, -1, 0, _FIRST_MARK, -1
            while True:
                word = code[program, place]
                operation, argument = word & 0xFFFF, (word >> 16) & 0xFFFF
                place += 1
                if operation <= _WHILE:
                    if used == ticks_allowed:
                        result = OUT_OF_TICKS
                        break
                    used += 1
                    if trace and operation <= _PUT:
                        actions[run, acted] = action_tokens[operation]
                        acted += 1
                if operation == _MOVE:
                    if not clear(sizes, walls, world, row + up, column + right):
                        result = HIT_WALL
                        break
                    row, column = row + up, column + right
                elif operation == _TURN_LEFT:
                    up, right = right, -up
                elif operation == _TURN_RIGHT:
                    up, right = -right, up
                elif operation == _PICK:
                    if final_markers[run, _SIDE * row + column] == 0:
                        result = NO_MARKER
                        break
                    final_markers[run, _SIDE * row + column] -= 1
                    changes += 1
                elif operation == _PUT:
                    if final_markers[run, _SIDE * row + column] >= _FULL:
                        result = TOO_MANY_MARKERS
                        break
                    final_markers[run, _SIDE * row + column] += 1
                    changes += 1
                elif operation == _UNLESS or operation == _WHILE:
                    condition = argument >> 1
                    if condition == 0:
                        holds = clear(sizes, walls, world, row + up, column + right)
                    elif condition == 1:
                        holds = clear(sizes, walls, world, row + right, column - up)
                    elif condition == 2:
                        holds = clear(sizes, walls, world, row - right, column + up)
                    else:
                        holds = (final_markers[run, _SIDE * row + column] > 0) == (condition == 3)
                    holds = holds != (argument & 1 == 1)
                    if cover and holds:
                        entered[run, (word >> 32) & 0xFFFF] = True
                    if holds == (operation == _WHILE):
                        target = word >> 48
                        if holds:
                            # A loop that comes back to where it was, with no marker touched, goes
                            # round until the ticks are out: leave out the whole rounds.
                            state = ((changes * 32 + row) * 32 + column) * 16 + 4 * up + right + 5
                            if place == mark and state == mark_state and not trace:
                                rounds = (ticks_allowed - used) // (used - mark_used)
                                used += rounds * (used - mark_used)
                                mark = -1
                            elif used >= next_mark:
                                mark, mark_used, mark_state = place, used, state
                                next_mark = 2 * used
                        place = target
                    elif operation == _WHILE:
                        mark = -1
                elif operation == _AGAIN:
                    if counters[argument] > 0:
                        if used == ticks_allowed:
                            result = OUT_OF_TICKS
                            break
                        used += 1
                        counters[argument] -= 1
                        place = word >> 48
                        if cover:
                            entered[run, (word >> 32) & 0xFFFF] = True
                elif operation == _SET:
                    counters[(word >> 32) & 0xFFFF] = argument
                    place = word >> 48
                elif operation == _JUMP:
                    place = word >> 48
                elif operation == _ENTER:
                    if cover:
                        entered[run, (word >> 32) & 0xFFFF] = True
                else:
                    break
            status[run], ticks[run] = result, used
            final_heroes[run, 0], final_heroes[run, 1] = row, column
            final_heroes[run, 2] = (1 - up) * (up & 1) + (2 - right) * (right & 1)
        return -1

    return execute


# -- for users -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Code:
    """Compiled programs."""

    shape: tuple[int, ...]  # how the programs are arranged
    instructions: NDArray[np.int64]  # (programs, places)
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
    instructions = np.zeros(rows.shape, np.int64)
    branches = np.zeros(len(rows), np.int16)
    build(_assemble_factory, _instruction)(rows, _ROLES, instructions, branches)
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
    program_of, world_of = (_numbers(part, shape) for part in (code.shape, worlds.shape))
    count = len(program_of)
    most = int(code.branches.max(initial=0))
    status, ticks = np.empty(count, np.uint8), np.empty(count, np.int16)
    heroes, markers = np.empty((count, 3), np.uint8), np.empty((count, SIDE * SIDE), np.uint8)
    entered = np.zeros((count, most if coverage else 0), np.bool_)
    actions = np.full((count, TICKS if trace else 0), PAD, np.uint8)
    fault = build(_execute_factory, _on_grid, _clear)(
        code.instructions, program_of, world_of,
        *(np.ascontiguousarray(part) for part in (flat.sizes, flat.heroes)),
        *(np.ascontiguousarray(part).reshape(-1, SIDE * SIDE) for part in (flat.walls, flat.markers)),
        TICKS, _ACTION_TOKENS, status, ticks, heroes, markers, entered, actions,
    )  # fmt: skip
    if fault >= 0:
        raise ValueError(f"world {fault} has no hero on its grid of 16 x 16 or less")
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
