"""MultiKeyNav: walk along a line and pick up the keys that the door at its end requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from taskspace.envs.base import Column, Environment
from taskspace.envs.drawing import (
    BAD,
    BLUE,
    DARK_LETTER,
    GOOD,
    INK,
    MUTED,
    MUTED_LETTER,
    ORANGE,
    PALE,
    SMALL,
    TITLE,
    WHITE,
    fit,
)
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.envs.streams import uniform, uniform_if

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOVE_LEFT, MOVE_RIGHT, PICK_A, FINISH = 0, 1, 2, 6
LOCATION, KEY_A, DOOR_BIT_1, DOOR_BIT_2 = 0, 1, 5, 6
KEYS = "ABCD"
KEY_START, KEY_END, DOOR_START = (0.0, 0.2, 0.4, 0.6), (0.1, 0.3, 0.5, 0.7), 0.9

# The keys that each type of door requires, as bits (A = 1, B = 2, C = 4, D = 8).
DOORS = (0b0011, 0b0101, 0b1010, 0b1100)
DOORS_AB = (0b0011,) * 4
DOORS_A = (0b0001,) * 4

# -- tasks -----------------------------------------------------------------------------------------


@njit
def sample(task, stream, distribution):
    """A uniform location and six random bits; distributions 1 to 4 fix the type of the door."""
    task[LOCATION] = uniform(stream)
    for column in range(KEY_A, DOOR_BIT_2 + 1):
        task[column] = 1.0 if uniform(stream) < 0.5 else 0.0
    if distribution > 0:
        task[DOOR_BIT_1] = (distribution - 1) // 2
        task[DOOR_BIT_2] = (distribution - 1) % 2


# -- dynamics --------------------------------------------------------------------------------------


@njit
def missing_keys(state, doors):
    """The keys that the door requires and the agent does not hold, as bits."""
    first = doors[2] if state[DOOR_BIT_1] > 0.5 else doors[0]
    second = doors[3] if state[DOOR_BIT_1] > 0.5 else doors[1]
    missing = second if state[DOOR_BIT_2] > 0.5 else first
    for key in range(4):
        missing &= ~(1 << key) if state[KEY_A + key] > 0.5 else -1
    return missing


@njit
def move(state, action, stream, doors):
    """One step, given the keys that each type of door requires.

    There are no branches, so that a loop over many episodes is vectorized.
    """
    location = state[LOCATION]
    moves, finishes = action <= MOVE_RIGHT, action == FINISH
    length = 0.075 + (-0.01 + 0.02 * uniform_if(moves, stream))
    moved = location + length if action == MOVE_RIGHT else location - length
    state[LOCATION] = moved if moves & (moved >= 0.0) & (moved <= 1.0) else location
    opens = (location >= DOOR_START) & (missing_keys(state, doors) == 0)
    failed = finishes & (not opens)
    for key in range(4):
        picks, held = action == PICK_A + key, state[KEY_A + key]
        there = (location >= KEY_START[key]) & (location <= KEY_END[key])
        failed |= picks & ((held > 0.5) | (not there))
        state[KEY_A + key] = 1.0 if picks & there else held
    return FAILED if failed else SOLVED if finishes else RUNNING


@njit
def step(state, action, stream):
    """Each type of door requires its own keys."""
    return move(state, action, stream, DOORS)


@njit
def step_ab(state, action, stream):
    """Every door requires A and B."""
    return move(state, action, stream, DOORS_AB)


@njit
def step_a(state, action, stream):
    """Every door requires A."""
    return move(state, action, stream, DOORS_A)


# -- expert ----------------------------------------------------------------------------------------


@njit
def solve(state, doors):
    """Fetch the missing keys from left to right, then go to the door and finish."""
    location, missing = state[LOCATION], missing_keys(state, doors)
    for key in range(4):
        if missing & (1 << key):
            if location < KEY_START[key]:
                return MOVE_RIGHT
            return MOVE_LEFT if location > KEY_END[key] else PICK_A + key
    return FINISH if location >= DOOR_START else MOVE_RIGHT


@njit
def expert(state):
    """`solve` for each type of door."""
    return solve(state, DOORS)


@njit
def expert_ab(state):
    """`solve` for doors that require A and B."""
    return solve(state, DOORS_AB)


@njit
def expert_a(state):
    """`solve` for doors that require A."""
    return solve(state, DOORS_A)


# -- drawing ---------------------------------------------------------------------------------------

NEEDED, HELD = ORANGE, BLUE
# Colours of a key: its tile, its letter, the edge of the tile, and its section of the line.
NEEDED_LOOK, HELD_LOOK = (NEEDED, DARK_LETTER, NEEDED, NEEDED), (HELD, WHITE, HELD, "#a9cbe2")
IDLE_LOOK = ("#d5dae1", MUTED_LETTER, "#d5dae1", "#bcc3cd")
ABSENT_LOOK = (WHITE, INK, NEEDED, WHITE)


def _draw_tile(ax: Axes, x: float, y: float, letter: str, look: tuple[str, ...]) -> None:
    """A key: its letter on a tile."""
    face, ink, edge, _ = look
    box = {"boxstyle": "round,pad=0.25", "fc": face, "ec": edge, "lw": 1.5}
    font: dict[str, Any] = {"size": 11, "weight": "bold", "family": "monospace"}
    ax.text(x, y, letter, color=ink, ha="center", va="center", bbox=box, zorder=5, **font)


# -- the environments ------------------------------------------------------------------------------


def _keys_named(bits: int) -> str:
    return "+".join(name for key, name in enumerate(KEYS) if bits & (1 << key)) or "none"


def _key_sets(doors: tuple[int, ...]) -> tuple[int, ...]:
    """Every set of keys that may have to be picked, smallest first."""
    sets = {need & held for need in doors for held in range(16)}
    return tuple(sorted(sets, key=lambda bits: (bits.bit_count(), bits)))


class MultiKeyNav(Environment):
    """Each type of door requires its own pair of keys."""

    name = "MultiKeyNav"
    varies_by = "reward function"
    columns = (
        Column("location", 0.0, 1.0),
        *(Column(f"key{key}", 0, 1, integer=True) for key in KEYS),
        Column("doorBit1", 0, 1, integer=True),
        Column("doorBit2", 0, 1, integer=True),
    )
    context = ("doorBit1", "doorBit2")
    action_names = ("moveLeft", "moveRight", *(f"pickKey{key}" for key in KEYS), "finish")
    horizon = 40
    gamma = 0.999
    distributions = ("all", "door-1", "door-2", "door-3", "door-4")
    doors = DOORS
    cluster_names = tuple(_keys_named(bits) for bits in _key_sets(DOORS))
    goal = (
        "An agent moves along a line, picks up the keys that a door requires, and opens the door."
    )
    cluster_description = (
        "which keys must still be picked up before the door opens; this was not used in learning"
    )
    sample, step, expert = sample, step, expert

    def missing(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The keys that still have to be picked, as bits."""
        rows = self.rows(tasks)
        held = (rows[:, KEY_A : KEY_A + 4] > 0.5).astype(np.int64) @ (1 << np.arange(4))
        door = (2 * rows[:, DOOR_BIT_1] + rows[:, DOOR_BIT_2]).astype(np.int64)
        return np.bitwise_and(np.array(self.doors)[door], ~held)

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The set of keys that still have to be picked."""
        lookup = np.zeros(16, np.int64)
        for index, bits in enumerate(_key_sets(self.doors)):
            lookup[bits] = index
        return lookup[self.missing(tasks)]

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """The line with its keys, the door and the agent."""
        ax.axis("off")
        ax.set(xlim=(-0.06, 1.06), ylim=(0.14, 0.92))
        left = _keys_named(int(self.missing(state)[0])).replace("+", " and ")
        first = "All keys held: " if left == "none" else f"Pick {left}, then "
        ax.text(0.5, 0.86, f"{first}open the door", color=INK, **TITLE)
        self._draw_line(state, ax, 0.4)
        ax.plot(state[LOCATION], 0.4, "o", ms=16, mfc=HELD, mec=WHITE, mew=2, zorder=6)
        ax.text(state[LOCATION], 0.27, "agent", color=HELD, size=9, ha="center", va="center")
        fit(ax)

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """The location over time (downwards), with marks where keys are picked."""
        ax.axis("off")
        ax.set(xlim=(-0.09, 1.06), ylim=(0, 1))
        ax.text(-0.06, 0.28, "time →", color=MUTED, size=8, rotation=270, ha="center", va="center")
        self._draw_line(states[0], ax, 0.58)
        for start, end in (*zip(KEY_START, KEY_END, strict=True), (DOOR_START, 1.0)):
            ax.fill_between([start, end], 0.02, 0.55, color=PALE, alpha=0.45, lw=0)
        heights = 0.52 - 0.47 * np.arange(len(states)) / max(len(states) - 1, 12)
        ax.plot(states[:, LOCATION], heights, "-", color=HELD, lw=1.5, zorder=3)
        ax.plot(states[:, LOCATION], heights, ".", color=HELD, ms=5, zorder=3)
        ax.plot(states[0, LOCATION], heights[0], "o", ms=9, mfc=HELD, mec=WHITE, zorder=4)
        for moment, action in enumerate(np.asarray(actions, np.int64)):
            key = action - PICK_A
            if 0 <= key < 4 and states[moment + 1, KEY_A + key] > states[moment, KEY_A + key]:
                _draw_tile(ax, states[moment, LOCATION], heights[moment], KEYS[key], HELD_LOOK)
        title, colour = self._outcome(states, actions)
        if colour != INK:
            mark = "*" if colour == GOOD else "X"
            ax.plot(states[-1, LOCATION], heights[-1], mark, ms=15, mfc=colour, mec=WHITE, zorder=7)
        ax.text(0.5, 0.96, title, color=colour, **TITLE)
        fit(ax)

    @property
    def page_drawing(self) -> dict[str, Any]:
        """The keys that each type of door requires."""
        return {"kind": "keys", "doors": [_keys_named(bits).split("+") for bits in self.doors]}

    def text(self, state: NDArray[np.float64]) -> str:
        """The line, the agent below it, and the required, held and missing keys."""
        line = "".join(f"{key * 4}····" for key in KEYS) + "····" + "█" * 4
        held = sum(1 << key for key in range(4) if state[KEY_A + key] > 0.5)
        agent = " " * min(int(state[LOCATION] * 40), 39) + "▲"
        door, left = self._door(state), int(self.missing(state)[0])
        needs = f"door needs {_keys_named(door)}, held {_keys_named(held)}"
        return f"{line}\n{agent}\n{needs}, to pick {_keys_named(left)}"

    def _door(self, state: NDArray[np.float64]) -> int:
        """The keys that the door of this state requires, as bits."""
        return self.doors[int(2 * state[DOOR_BIT_1] + state[DOOR_BIT_2])]

    def _draw_line(self, state: NDArray[np.float64], ax: Axes, y: float) -> None:
        """The line at height `y`; above it the keys, and the door with the keys it requires."""
        from matplotlib.patches import Rectangle

        left, door = int(self.missing(state)[0]), self._door(state)
        ax.add_patch(Rectangle((0, y - 0.015), 1, 0.03, color=PALE, lw=0))
        for key, (start, end) in enumerate(zip(KEY_START, KEY_END, strict=True)):
            held, needed = state[KEY_A + key] > 0.5, left & (1 << key)
            look = HELD_LOOK if held else NEEDED_LOOK if needed else IDLE_LOOK
            ax.add_patch(Rectangle((start, y - 0.025), end - start, 0.05, color=look[3], lw=0))
            _draw_tile(ax, (start + end) / 2, y + 0.14, KEYS[key], look)
            word = "held" if held else "pick" if needed else "unused"
            ax.text((start + end) / 2, y + 0.26, word, color=INK if needed else MUTED, **SMALL)
        ax.add_patch(Rectangle((DOOR_START, y - 0.025), 0.1, 0.05, color=INK, lw=0))
        ax.add_patch(Rectangle((DOOR_START, y), 0.1, 0.21, fc="#c9ced6", ec=INK, lw=1.5))
        ax.text(0.95, y + 0.26, "door", color=INK, **SMALL)
        needed_keys = [key for key in range(4) if door & (1 << key)]
        for index, key in enumerate(needed_keys):
            height = y + 0.11 + 0.1 * (len(needed_keys) / 2 - 0.5 - index)
            look = HELD_LOOK if state[KEY_A + key] > 0.5 else ABSENT_LOOK
            _draw_tile(ax, 0.95, height, KEYS[key], look)

    def _outcome(self, states: NDArray[np.float64], actions: Any) -> tuple[str, str]:
        """How the episode ended, in words, and the colour of the words."""
        steps, last = len(actions), int(actions[-1]) if len(actions) else MOVE_RIGHT
        took, crashed = f"{steps} step{'' if steps == 1 else 's'}", f"Crashed at step {steps}"
        if last == FINISH:
            left = _keys_named(int(self.missing(states[-1])[0])).replace("+", " and ")
            if states[-1, LOCATION] < DOOR_START:
                return f"{crashed}: finish, but no door", BAD
            if left != "none":
                return f"{crashed}: finish without {left}", BAD
            return f"Solved in {took}", GOOD
        key = last - PICK_A
        if key >= 0 and states[-1, KEY_A + key] == states[-2, KEY_A + key]:
            return f"{crashed}: no key {KEYS[key]} here", BAD
        return f"Out of time after {took}" if steps >= self.horizon else f"The first {took}", INK


class MultiKeyNavAB(MultiKeyNav):
    """Ablation: every door requires keys A and B."""

    name = "MultiKeyNavAB"
    doors = DOORS_AB
    cluster_names = tuple(_keys_named(bits) for bits in _key_sets(DOORS_AB))
    step, expert = step_ab, expert_ab


class MultiKeyNavA(MultiKeyNav):
    """Ablation: every door requires key A only."""

    name = "MultiKeyNavA"
    doors = DOORS_A
    cluster_names = tuple(_keys_named(bits) for bits in _key_sets(DOORS_A))
    step, expert = step_a, expert_a
