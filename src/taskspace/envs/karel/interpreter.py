"""Karel programs, compiled to bytecode and run on many worlds in one compiled call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.compiling import build
from taskspace.envs.karel.grammar import LONGEST, first_fault
from taskspace.envs.karel.language import ACTIONS, PAD, TOKEN_ID, KarelSyntaxError, decode, parse
from taskspace.envs.karel.machine import (
    CELLS,
    DONE,
    assemble_factory,
    clear,
    execute_factory,
    instruction,
    sees,
    token_roles,
)
from taskspace.envs.karel.worlds import SIDE, Worlds

TICKS = 200  # per run: one for each action, evaluated condition and round of a REPEAT

_ROLES = token_roles()
_ACTION_TOKENS = np.array([TOKEN_ID[action] for action in ACTIONS], np.uint8)


@dataclass(frozen=True)
class Code:
    """Compiled programs."""

    shape: tuple[int, ...]  # of the array of programs
    instructions: NDArray[np.int64]  # (programs, instructions)
    branches: NDArray[np.int16]  # (programs,): the number of bodies of loops and conditionals


@dataclass(frozen=True)
class Runs:
    """The results of programs on worlds; all arrays begin with the shape of the batch.

    If a run crashed or ran out of ticks, its world is the one at that moment.
    """

    status: NDArray[np.uint8]  # DONE, HIT_WALL, NO_MARKER, TOO_MANY_MARKERS, OUT_OF_TICKS
    ticks: NDArray[np.int16]
    heroes: NDArray[np.uint8]  # (..., 3) at the end
    markers: NDArray[np.uint8]  # (..., 16, 16) at the end
    starts: Worlds  # the worlds at the start, in a shape that broadcasts to that of the runs
    # (..., branches): which bodies of loops and conditionals were entered, in the order of the
    # text; False for bodies that a program does not have.
    entered: NDArray[np.bool_] | None
    # (..., 200): the tokens of the actions, the one that crashed included, then padding.
    actions: NDArray[np.uint8] | None

    @property
    def worlds(self) -> Worlds:
        """The worlds at the end."""
        shape = self.status.shape
        sizes = np.broadcast_to(self.starts.sizes, (*shape, 2))
        walls = np.broadcast_to(self.starts.walls, (*shape, SIDE, SIDE))
        return Worlds(sizes, self.heroes, walls, self.markers)

    def reach(self, wanted: Worlds) -> NDArray[np.bool_]:
        """Which runs ended in the wanted worlds, without a crash."""
        return (self.status == DONE) & self.worlds.same_as(wanted)


def compile_programs(programs: ArrayLike) -> Code:
    """Bytecode of programs (..., length) of token numbers, as `encode` makes them.

    >>> from taskspace.envs.karel.language import encode
    >>> compile_programs(encode(["DEF run m( REPEAT R=2 r( move r) m)"])).branches
    array([1], dtype=int16)
    """
    tokens = checks.array(programs, "programs")
    if tokens.ndim < 1:
        raise ValueError("programs must be rows of token numbers, got a single number")
    if tokens.shape[-1] > LONGEST:
        raise ValueError(f"programs must have at most {LONGEST} tokens, got {tokens.shape[-1]}")
    rows = tokens.reshape(math.prod(tokens.shape[:-1]), tokens.shape[-1])
    fault = first_fault(rows)
    if fault is not None:
        raise ValueError(f"program {fault}: {_what_is_wrong(rows[fault])}")
    rows = np.ascontiguousarray(rows, np.uint8)
    instructions = np.zeros(rows.shape, np.int64)
    branches = np.zeros(len(rows), np.int16)
    build(assemble_factory, instruction)(rows, _ROLES, instructions, branches)
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
    """Run programs on worlds; the shapes of the two batches are broadcast as in NumPy.

    Programs (n, 1) and worlds (n, 6) run each program on its own six worlds; programs (n, 1) and
    worlds (m,) run each program on every world. The last axis of an array of programs is that of
    the tokens, so these are arrays (n, 1, length). With `coverage` and `trace`, the results include
    the branches entered and the actions taken.

    >>> from taskspace.envs.karel import language, worlds
    >>> program = language.encode(["DEF run m( WHILE c( frontIsClear c) w( move w) m)"])[0]
    >>> runs = run(program, worlds.from_text("> . . ."))
    >>> int(runs.status) == DONE, int(runs.ticks), worlds.to_text(runs.worlds)
    (True, 7, '. . . >')
    """
    code = programs if isinstance(programs, Code) else compile_programs(programs)
    try:
        shape = np.broadcast_shapes(code.shape, worlds.shape)
    except ValueError:
        raise ValueError(
            f"the shapes of programs and worlds must broadcast, got {code.shape} of programs and"
            f" {worlds.shape} of worlds"
        ) from None
    flat = worlds.reshape(-1)
    program_of, world_of = (_numbers(part, shape) for part in (code.shape, worlds.shape))
    count = len(program_of)
    most = int(code.branches.max(initial=0))
    status, ticks = np.empty(count, np.uint8), np.empty(count, np.int16)
    heroes, markers = np.empty((count, 3), np.uint8), np.empty((count, CELLS), np.uint8)
    entered = np.zeros((count, most if coverage else 0), np.bool_)
    actions = np.full((count, TICKS if trace else 0), PAD, np.uint8)
    fault = build(execute_factory, clear, sees)(
        code.instructions.reshape(-1), code.instructions.shape[1], program_of, world_of,
        *(np.ascontiguousarray(part) for part in (flat.sizes, flat.heroes)),
        *(np.ascontiguousarray(part).reshape(-1, CELLS) for part in (flat.walls, flat.markers)),
        TICKS, _ACTION_TOKENS, status, ticks, heroes, markers, entered, actions,
    )  # fmt: skip
    if fault >= 0:
        raise ValueError(f"the hero of world {fault} must be on its grid of at most 16 x 16 cells")
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
    """The number of the program or world of each run."""
    numbers = np.arange(math.prod(part)).reshape(part)
    return np.ascontiguousarray(np.broadcast_to(numbers, shape)).reshape(-1)
