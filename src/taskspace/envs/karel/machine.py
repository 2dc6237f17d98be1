"""The machine of the interpreter: bytecode, and the loop that runs it.

All constants of the kernels are in this file, so that changing one compiles the kernels again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from taskspace.envs.karel.language import ACTIONS, CONDITIONS, ROUNDS, TOKENS

DONE, HIT_WALL, NO_MARKER, TOO_MANY_MARKERS, OUT_OF_TICKS = range(5)
STATUS_NAMES = (
    "done", "ran into a wall or off the grid", "picked where there is no marker",
    "put an eleventh marker", "out of ticks",
)  # fmt: skip

# -- bytecode --------------------------------------------------------------------------------------

# An instruction is one number: operation, argument, branch and target, 16 bits each. Branches are
# the bodies of a program, in the order in which they begin.
MOVE, TURN_LEFT, TURN_RIGHT, PICK, PUT = range(5)  # as in ACTIONS
# A condition is number argument // 2, negated if the argument is odd.
IF = 5  # if the condition holds, begin the branch, else go to the target
WHILE = 6  # if the condition holds, begin the branch at the target, else continue
BEGIN = 7  # set counter number `branch` to `argument`, and go to the target, the end of the loop
AGAIN = 8  # if counter number `argument` is positive, reduce it and begin the branch at the target
JUMP = 9  # go to the target
ENTER = 10  # begin the branch
HALT = 11
# The other roles of tokens for the compiler.
CONDITION, NOT, TIMES, OPEN, CLOSE_IF, ELSE, OPEN_ELSE, CLOSE_ELSE, SILENT = range(12, 21)


def token_roles() -> NDArray[np.int64]:
    """The role and the value of every token: (52, 2)."""
    named = {
        "not": NOT, "i(": OPEN, "i)": CLOSE_IF, "ELSE": ELSE, "e(": OPEN_ELSE, "e)": CLOSE_ELSE,
        "w(": OPEN, "w)": WHILE, "r(": OPEN, "r)": AGAIN, "m)": HALT,
    }  # fmt: skip
    roles = {token: (named.get(token, SILENT), 0) for token in TOKENS}
    roles |= {token: (number, 0) for number, token in enumerate(ACTIONS)}
    roles |= {token: (TIMES, number) for number, token in enumerate(ROUNDS)}
    roles |= {token: (CONDITION, number) for number, token in enumerate(CONDITIONS)}
    return np.array([roles[token] for token in TOKENS], np.int64)


@njit
def instruction(operation, argument, branch, target):
    """Combine the four fields in one number."""
    return operation | (argument << 16) | (branch << 32) | (target << 48)


def assemble_factory(instruction: Any) -> Any:
    """The compiler, for programs that the grammar has checked."""

    def assemble(programs, roles, code, branches):
        # For each open block: its condition or rounds, its branch, and the position of its first
        # instruction, which is written when the block closes and the position after it is known.
        argument, entry, opened = np.zeros((3, programs.shape[1]), np.int64)
        for row in range(len(programs)):
            place, top, branch, negated = 0, -1, 0, 0
            for column in range(programs.shape[1]):
                role, value = roles[programs[row, column], 0], roles[programs[row, column], 1]
                if role <= PUT:
                    code[row, place] = role
                    place += 1
                elif role == NOT:
                    negated = 1
                elif role in (CONDITION, TIMES):
                    top += 1
                    argument[top] = value if role == TIMES else 2 * value + negated
                    negated = 0
                elif role == OPEN:
                    opened[top], entry[top] = place, branch
                    branch += 1
                    place += 1
                elif role == CLOSE_IF:
                    code[row, opened[top]] = instruction(IF, argument[top], entry[top], place)
                    top -= 1
                elif role == ELSE:  # a jump, which the test of the block just closed skips
                    top += 1
                    code[row, opened[top]] += instruction(0, 0, 0, 1)
                    opened[top] = place
                    place += 1
                elif role == OPEN_ELSE:
                    code[row, place] = instruction(ENTER, 0, branch, 0)
                    branch += 1
                    place += 1
                elif role == CLOSE_ELSE:
                    code[row, opened[top]] = instruction(JUMP, 0, 0, place)
                    top -= 1
                elif role in (WHILE, AGAIN):
                    first = instruction(JUMP, 0, 0, place)
                    last = instruction(WHILE, argument[top], entry[top], opened[top] + 1)
                    if role == AGAIN:
                        first = instruction(BEGIN, argument[top], top, place)
                        last = instruction(AGAIN, top, entry[top], opened[top] + 1)
                    code[row, opened[top]], code[row, place] = first, last
                    top -= 1
                    place += 1
                elif role == HALT:
                    code[row, place] = HALT
                    break
            branches[row] = branch

    return assemble


# -- running ---------------------------------------------------------------------------------------

SIDE, CELLS, FULL = 16, 256, 10
FIRST_MARK = 4  # ticks after which a WHILE is checked for returning to an earlier state


@njit
def on_grid(sizes, heroes, world):
    """Whether the hero is on the grid, as `clear` requires."""
    rows, columns = sizes[world, 0], sizes[world, 1]
    fits = rows <= SIDE and columns <= SIDE
    return fits and heroes[world, 0] < rows and heroes[world, 1] < columns and heroes[world, 2] < 4


@njit
def clear(rows, columns, walls, world, row, column):
    """Whether a cell is inside the grid and not a wall."""
    inside = 0 <= row < rows and 0 <= column < columns
    return inside and not walls[world, np.uint64(SIDE * row + column)]


@njit
def sees(argument, rows, columns, walls, world, row, column, up, right, markers):
    """Whether a condition, or its negation, holds."""
    condition, negated = argument >> 1, (argument & 1) == 1
    if condition >= 3:
        return ((markers > 0) == (condition == 3)) != negated
    if condition == 1:
        up, right = right, -up
    elif condition == 2:
        up, right = -right, up
    return clear(rows, columns, walls, world, row + up, column + right) != negated


def execute_factory(clear: Any, sees: Any) -> Any:
    """The loop that runs programs on worlds."""

    def execute(
        code, places, program_of, world_of,  # all instructions in one row, `places` per program
        sizes, heroes, walls, markers,  # of the worlds, each grid in one row
        limit, action_tokens,
        status, ticks, final_heroes, out,  # an entry per run
        entered, actions,  # an entry per run, or empty if they are not wanted
    ):  # fmt: skip
        """Run all programs; returns the first world whose hero is not on its grid, or -1."""
        counters = np.zeros(places, np.int64)
        trace, cover = actions.shape[1] > 0, entered.shape[1] > 0
        for run in range(len(program_of)):
            world = world_of[run]
            if not on_grid(sizes, heroes, world):
                return world
            for cell in range(CELLS):
                out[run, cell] = markers[world, cell]
            rows, columns = np.int64(sizes[world, 0]), np.int64(sizes[world, 1])
            row, column = np.int64(heroes[world, 0]), np.int64(heroes[world, 1])
            facing = np.int64(heroes[world, 2])
            # One step forward; turning left changes (up, right) to (right, -up).
            up, right = (1 - facing) * (1 - (facing & 1)), (2 - facing) * (facing & 1)
            start = places * program_of[run]
            here, place, used, acted, result = SIDE * row + column, start, 0, 0, DONE
            changes, marked, mark, mark_used = 0, -1, 0, 0
            while True:
                word = code[np.uint64(place)]
                operation = word & 0xFFFF
                place += 1
                if operation <= WHILE:
                    if used == limit:
                        result = OUT_OF_TICKS
                        break
                    used += 1
                    if trace and operation <= PUT:
                        actions[run, acted] = action_tokens[operation]
                        acted += 1
                if operation == MOVE:
                    row, column = row + up, column + right
                    if not clear(rows, columns, walls, world, row, column):
                        row, column = row - up, column - right
                        result = HIT_WALL
                        break
                    here += SIDE * up + right
                elif operation == TURN_LEFT:
                    up, right = right, -up
                elif operation == TURN_RIGHT:
                    up, right = -right, up
                elif operation == PICK:
                    if out[run, np.uint64(here)] == 0:
                        result = NO_MARKER
                        break
                    out[run, np.uint64(here)] -= 1
                    changes += 1
                elif operation == PUT:
                    if out[run, np.uint64(here)] >= FULL:
                        result = TOO_MANY_MARKERS
                        break
                    out[run, np.uint64(here)] += 1
                    changes += 1
                elif operation <= WHILE:
                    holds = sees(
                        (word >> 16) & 0xFFFF, rows, columns, walls, world, row, column, up, right,
                        out[run, np.uint64(here)],
                    )  # fmt: skip
                    if cover and holds:
                        entered[run, (word >> 32) & 0xFFFF] = True
                    if holds == (operation == WHILE):
                        # A loop that returns to an earlier state, without a change of markers,
                        # repeats until the ticks are used up: skip the complete rounds.
                        if holds and used >= FIRST_MARK and not trace:
                            state = 8 * ((changes << 8) + here) + 3 * up + right
                            if marked == place and state == mark:
                                used += (limit - used) // (used - mark_used) * (used - mark_used)
                            elif used >= 2 * mark_used:
                                marked, mark, mark_used = place, state, used
                        place = start + (word >> 48)
                    elif operation == WHILE:
                        marked = -1
                elif operation == AGAIN:
                    if counters[(word >> 16) & 0xFFFF] > 0:
                        if used == limit:
                            result = OUT_OF_TICKS
                            break
                        used += 1
                        counters[(word >> 16) & 0xFFFF] -= 1
                        place = start + (word >> 48)
                        if cover:
                            entered[run, (word >> 32) & 0xFFFF] = True
                elif operation == BEGIN:
                    counters[(word >> 32) & 0xFFFF] = (word >> 16) & 0xFFFF
                    place = start + (word >> 48)
                elif operation == JUMP:
                    place = start + (word >> 48)
                elif operation == ENTER:
                    if cover:
                        entered[run, (word >> 32) & 0xFFFF] = True
                else:
                    break
            status[run], ticks[run] = result, used
            final_heroes[run, 0], final_heroes[run, 1] = row, column
            final_heroes[run, 2] = (1 - up) * (up & 1) + (2 - right) * (right & 1)
        return -1

    return execute
