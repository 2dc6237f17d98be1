"""BasicKarel: turn one 4 x 4 grid into another by moving, turning and handling markers."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.base import Column, Environment, Tasks
from taskspace.envs.compiling import build
from taskspace.envs.drawing import BAD, BLUE, GOOD, INK, MUTED, ORANGE, fit
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.envs.streams import integer, uniform

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDE, CELLS = 4, 16
MOVE, TURN_LEFT, TURN_RIGHT, PICK, PUT, FINISH = range(6)
WALLS, MARKERS, POST_MARKERS, CELL, POST_CELL, HEADING, POST_HEADING, SIZE = (
    0, 16, 32, 48, 64, 80, 84, 88,
)  # fmt: skip
NORTH, SOUTH, EAST, WEST = range(4)  # the headings; north is up, towards row 0
ROW_STEP, COLUMN_STEP = (-1, 1, 0, 0), (0, 0, 1, -1)
LEFT_OF, RIGHT_OF = (3, 2, 0, 1), (2, 3, 1, 0)
HORIZON = 20

# Estimated from 500 tasks of the original data set: cumulative percentages of the length of the
# shortest solution without `finish`, and how often to accept a task that starts on the goal's cell,
# so that these are 5 % of all tasks.
LENGTH_SHARES = (0, 6, 12, 32, 62, 90, 101)
KEEP_SAME_CELL = 0.016
TRAINING_TASKS, VALIDATION_TASKS, DATA_SEED = 24_000, 2_400, 2024

# Sums of zeros and ones are exact, so the compiler may choose their order.
_EXACT_SUMS = {"contract", "reassoc", "nsz"}

# -- tasks -----------------------------------------------------------------------------------------


@njit
def sample(task, stream, distribution):
    """A random task, distributed as in the original data set."""
    kind = integer(stream, 3)  # navigation, pick, put
    share = integer(stream, LENGTH_SHARES[6])
    length = 1
    while LENGTH_SHARES[length] <= share:
        length += 1
    walls = 2 + integer(stream, 9)
    while True:
        _propose(task, stream, kind, walls, length)
        same_cell = _first(task, CELL) == _first(task, POST_CELL)
        if same_cell and uniform(stream) >= KEEP_SAME_CELL:
            continue
        if shortest(task)[0] == length:
            return


@njit
def _propose(task, stream, kind, walls, length):
    """A task that a random walk of this length solves; a shorter solution may exist."""
    task[:] = 0.0
    for _ in range(walls):
        task[WALLS + _free_cell(task, stream)] = 1.0
    cell, heading, changed = _free_cell(task, stream), integer(stream, 4), -1
    task[CELL + cell] = task[HEADING + heading] = 1.0
    change_at = integer(stream, length) if kind > 0 else -1
    for moment in range(length):
        turn = integer(stream, 3)
        if moment == change_at:
            changed = cell
        elif turn == MOVE and ahead(task, cell, heading) >= 0:
            cell = ahead(task, cell, heading)
        else:
            heading = LEFT_OF[heading] if turn == TURN_LEFT else RIGHT_OF[heading]
    task[POST_CELL + cell] = task[POST_HEADING + heading] = 1.0
    if kind > 0:
        task[(MARKERS if kind == 1 else POST_MARKERS) + changed] = 1.0
    for _ in range(integer(stream, 3 if kind == 0 else 2)):  # at most two markers in all
        bystander = _free_cell(task, stream)
        if bystander != changed:
            task[MARKERS + bystander] = task[POST_MARKERS + bystander] = 1.0


@njit
def _free_cell(task, stream):
    """A random cell without a wall."""
    while True:
        cell = integer(stream, CELLS)
        if task[WALLS + cell] == 0.0:
            return cell


@njit
def _first(state, start):
    """The index of the set bit in the one-hot columns that begin at `start`."""
    index = 0
    while state[start + index] < 0.5:
        index += 1
    return index


# -- dynamics --------------------------------------------------------------------------------------


@njit
def ahead(state, cell, heading):
    """The cell in front of the agent, or -1 if that is a wall or outside the grid."""
    row = cell // SIDE + ROW_STEP[heading]
    column = cell % SIDE + COLUMN_STEP[heading]
    if row < 0 or row >= SIDE or column < 0 or column >= SIDE:
        return -1
    there = row * SIDE + column
    return -1 if state[WALLS + there] > 0.5 else there


@njit(error_model="numpy", fastmath=_EXACT_SUMS)
def step(state, action, stream):
    """Move, turn, pick or put a marker, or finish.

    There are no branches, because the processor cannot predict which action comes next; a loop over
    many episodes is vectorized instead. What an action does not change is written back unchanged.
    """
    there, outside = _ahead_of(state)
    walled, marked, same_cell, same_heading, wrong = 0.0, 0.0, 0.0, 0.0, 0.0
    for cell in range(CELLS):
        here, marker = state[CELL + cell], state[MARKERS + cell]
        walled += state[WALLS + cell] if there == cell else 0.0
        marked += here * marker
        same_cell += here * state[POST_CELL + cell]
        wrong += (marker - state[POST_MARKERS + cell]) ** 2
    for heading in range(4):
        same_heading += state[HEADING + heading] * state[POST_HEADING + heading]
    puts, picks = action == PUT, action == PICK
    crashes = (action == MOVE) & (outside | (walled > 0.5))
    crashes |= (puts & (marked > 0.5)) | (picks & (marked < 0.5))
    moves, handles = (action == MOVE) & (not crashes), (puts | picks) & (not crashes)
    for cell in range(CELLS):
        here, marker = state[CELL + cell], state[MARKERS + cell]
        changed = 1.0 if puts else 0.0
        state[MARKERS + cell] = changed if handles & (here > 0.5) else marker
        entered = 1.0 if there == cell else 0.0
        state[CELL + cell] = entered if moves else here
    _turn(state, action == TURN_LEFT, action == TURN_RIGHT)
    solved = (wrong < 0.5) & (same_cell > 0.5) & (same_heading > 0.5)
    finished = SOLVED if solved else FAILED
    return finished if action == FINISH else FAILED if crashes else RUNNING


@njit(error_model="numpy", fastmath=_EXACT_SUMS)
def _ahead_of(state):
    """The cell in front of the agent, which may be a wall, and whether it is outside the grid."""
    cell = 0.0
    for number in range(1, CELLS):
        cell += number * state[CELL + number]
    row = np.floor(cell / SIDE)
    column = cell - SIDE * row
    row += state[HEADING + SOUTH] - state[HEADING + NORTH]
    column += state[HEADING + EAST] - state[HEADING + WEST]
    outside = (row < 0.0) | (row >= SIDE) | (column < 0.0) | (column >= SIDE)
    return row * SIDE + column, outside


@njit
def _turn(state, left, right):
    """Turn to the left, to the right, or not."""
    north, south = state[HEADING + NORTH], state[HEADING + SOUTH]
    east, west = state[HEADING + EAST], state[HEADING + WEST]
    state[HEADING + NORTH] = east if left else west if right else north
    state[HEADING + SOUTH] = west if left else east if right else south
    state[HEADING + EAST] = south if left else north if right else east
    state[HEADING + WEST] = north if left else south if right else west


# -- expert ----------------------------------------------------------------------------------------


@njit
def shortest(state):
    """(length, first action) of a shortest solution without `finish`; length -1 if there is none.

    A breadth-first search over (remaining wrong markers, cell, heading). Markers that are right
    stay as they are, because markers block no cell.
    """
    wrong = np.empty(CELLS, np.int64)  # the bit of `left` for a cell with a wrong marker, or -1
    count = 0
    for cell in range(CELLS):
        wrong[cell] = -1
        if state[MARKERS + cell] != state[POST_MARKERS + cell]:
            wrong[cell] = count
            count += 1
    nodes = 64 << count
    first = np.full(nodes, -1, np.int8)  # the first action of the path to a node
    depth = np.zeros(nodes, np.int8)
    queue = np.empty(nodes, np.int64)
    start = (nodes - 64) + 4 * _first(state, CELL) + _first(state, HEADING)
    goal = 4 * _first(state, POST_CELL) + _first(state, POST_HEADING)
    queue[0], head, tail = start, 0, 1
    first[start] = FINISH
    while head < tail:
        node = queue[head]
        head += 1
        if node == goal:
            return int(depth[node]), int(first[node])
        left, cell, heading = node >> 6, (node >> 2) & 15, node & 3
        for action in range(PUT):
            there = -1
            if action == MOVE:
                cell_there = ahead(state, cell, heading)
                there = -1 if cell_there < 0 else (left << 6) + 4 * cell_there + heading
            elif action == TURN_LEFT:
                there = node - heading + LEFT_OF[heading]
            elif action == TURN_RIGHT:
                there = node - heading + RIGHT_OF[heading]
            elif wrong[cell] >= 0 and left & (1 << wrong[cell]):
                there = node - (64 << wrong[cell])
            if there >= 0 and first[there] < 0:
                change = PICK if state[MARKERS + cell] > 0.5 else PUT
                first[there] = (
                    first[node] if node != start else (action if action < PICK else change)
                )
                depth[there] = depth[node] + 1
                queue[tail] = there
                tail += 1
    return -1, FINISH


@njit
def expert(state):
    """The first action of a shortest solution; `finish` if the grid is the wanted one."""
    return shortest(state)[1]


# -- drawing ---------------------------------------------------------------------------------------

DARK = "#5b626d"
# The corners of an agent that faces north, and of a marker, relative to the centre of a cell.
AGENT = ((0, 0.38), (-0.3, -0.28), (0.3, -0.28))
MARKER = ((0, 0.47), (0.47, 0), (0, -0.47), (-0.47, 0))
ON_FLOOR, ON_MARKER = "▲▼▶◀", "△▽▷◁"


def _view(state: NDArray[np.float64], wanted: bool) -> tuple[NDArray[np.bool_], int, int]:
    """Markers, the agent's cell and its heading, in the current or the wanted grid."""
    markers, cell, heading = (
        (POST_MARKERS, POST_CELL, POST_HEADING) if wanted else (MARKERS, CELL, HEADING)
    )
    agent, facing = state[cell : cell + CELLS].argmax(), state[heading : heading + 4].argmax()
    return state[markers : markers + CELLS] > 0.5, int(agent), int(facing)


def _arrange(count: int) -> tuple[int, int]:
    """The numbers of grids across and down that make them largest in a picture of 4 by 3."""
    ways = [(across, -(-count // across)) for across in range(1, count + 1)]
    return max(ways, key=lambda way: min(4 / (5 * way[0]), 3 / (5.6 * way[1])))


def _draw_grid(ax: Axes, x: float, y: float, state: NDArray[np.float64], wanted: bool) -> None:
    """The current or the wanted grid, four units wide, with its lower left corner at (x, y)."""
    from matplotlib.patches import Polygon, Rectangle

    markers, agent, facing = _view(state, wanted)
    right, up = COLUMN_STEP[facing], -ROW_STEP[facing]
    for cell in range(CELLS):
        left, low = x + cell % SIDE, y + SIDE - 1 - cell // SIDE
        face = DARK if state[WALLS + cell] > 0.5 else "white"
        ax.add_patch(Rectangle((left, low), 1, 1, fc=face, ec="#cfd4db", lw=0.8))
        middle = np.array([left + 0.5, low + 0.5])
        if markers[cell]:
            ax.add_patch(Polygon(MARKER + middle, fc=ORANGE, lw=0))
        if cell == agent:
            turned = np.dot(AGENT, ((up, -right), (right, up)))
            ax.add_patch(Polygon(turned + middle, fc=BLUE, ec="white", lw=0.8))
    ax.add_patch(Rectangle((x, y), SIDE, SIDE, fill=False, ec=INK, lw=1.5))


# -- the environment -------------------------------------------------------------------------------


def _solution_lengths_factory(shortest: Any) -> Any:
    def solution_lengths(tasks, lengths):
        for row in range(len(tasks)):
            lengths[row] = shortest(tasks[row])[0]

    return solution_lengths


@functools.cache
def data_set() -> tuple[Tasks, Tasks]:
    """24,000 training and 2,400 validation tasks, all distinct; the same on every machine."""
    wanted = TRAINING_TASKS + VALIDATION_TASKS
    tasks = np.zeros((wanted + wanted // 5, SIZE))  # more than needed: some are duplicates
    BasicKarel().lanes.sample(tasks, DATA_SEED, 0)
    _, first = np.unique(_packed(tasks), axis=0, return_index=True)
    different = tasks[np.sort(first)[:wanted]]
    different.setflags(write=False)
    return different[:TRAINING_TASKS], different[TRAINING_TASKS:]


def _packed(tasks: Tasks) -> NDArray[np.uint8]:
    """The tasks as bits, in 11 bytes each."""
    return np.packbits(tasks.astype(np.bool_), axis=1)


@functools.cache
def _validation_keys() -> frozenset[bytes]:
    return frozenset(row.tobytes() for row in _packed(data_set()[1]))


class BasicKarel(Environment):
    """Reach the wanted grid within 20 steps; the last step must be `finish`.

    The distributions "all" and "validation" are fixed sets of tasks. Their generator makes as many
    tasks as one wants: those of "generated", among which `sample_tasks` returns no validation task.
    """

    name = "BasicKarel"
    varies_by = "reward function and dynamics"
    page_form = "grids"
    columns = tuple(
        Column(f"{group}{index}", 0, 1, integer=True)
        for group, size in (
            ("wall", CELLS),
            ("marker", CELLS),
            ("postMarker", CELLS),
            ("position", CELLS),
            ("postPosition", CELLS),
            ("heading", 4),
            ("postHeading", 4),
        )
        for index in range(size)
    )
    context = tuple(column.name for column in columns if column.name.startswith(("wall", "post")))
    action_names = ("move", "turnLeft", "turnRight", "pickMarker", "putMarker", "finish")
    horizon = HORIZON
    gamma = 0.999
    cluster_names = ("navigation", "pick", "put")
    goal = (
        "Karel moves through a grid, and picks up or puts down a marker, until the grid"
        " looks as wanted."
    )
    cluster_description = "what Karel must do beyond moving; this was not used in learning"
    distributions = ("all", "validation", "generated")
    sample, step, expert = sample, step, expert

    def table(self, distribution: str) -> Tasks | None:
        """The training tasks or the validation tasks; None for generated tasks."""
        if distribution == "generated":
            return None
        training, validation = data_set()
        return validation if distribution == "validation" else training

    def sample_tasks(self, n: int, *, seed: int | None = None, distribution: str = "all") -> Tasks:
        """Sample tasks; see `Environment.sample_tasks`. Generated ones are no validation tasks."""
        if distribution != "generated":
            return super().sample_tasks(n, seed=seed, distribution=distribution)
        wanted, key = checks.tasks_in_memory(n, self.state_size), checks.seed(seed)
        held_out = _validation_keys()
        drawn = wanted + wanted // 1000 + 10  # about 15 in a million are validation tasks
        while True:
            tasks = super().sample_tasks(drawn, seed=key, distribution=distribution)
            new = tasks[[row.tobytes() not in held_out for row in _packed(tasks)]]
            if len(new) >= wanted:
                return new[:wanted]
            drawn *= 2  # with the seed of the data set, they are many

    def faults(self, tasks: Tasks) -> Iterator[tuple[NDArray[np.bool_], str]]:
        """Check positions and headings, walls, and that a solution fits in the horizon."""
        for start, size, what in (
            (CELL, CELLS, "position"),
            (POST_CELL, CELLS, "wanted position"),
            (HEADING, 4, "heading"),
            (POST_HEADING, 4, "wanted heading"),
        ):
            set_bits = tasks[:, start : start + size].sum(1)
            yield set_bits != 1, f"there must be exactly one {what}"
        walls = tasks[:, WALLS : WALLS + CELLS]
        for start in (MARKERS, POST_MARKERS, CELL, POST_CELL):
            blocked: NDArray[np.float64] = (walls * tasks[:, start : start + CELLS]).sum(1)
            yield blocked > 0, "markers and the agent must not be on a wall"
        lengths = self.solution_lengths(tasks)
        yield lengths < 0, "there must be a solution"
        yield lengths >= HORIZON, f"the shortest solution must have at most {HORIZON} steps"

    def solution_lengths(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The length of each task's shortest solution without `finish`; -1 if there is none."""
        rows = self.rows(tasks)
        lengths = np.zeros(len(rows), np.int64)
        build(_solution_lengths_factory, shortest)(rows, lengths)
        return lengths

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """Whether a marker must be picked, put, or neither."""
        rows = self.rows(tasks)
        more = rows[:, POST_MARKERS : POST_MARKERS + CELLS].sum(1)
        less = rows[:, MARKERS : MARKERS + CELLS].sum(1)
        return np.where(more < less, 1, np.where(more > less, 2, 0))

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """The current grid and the wanted one."""
        ax.axis("off")
        ax.set(xlim=(-0.2, 10.2), ylim=(-1.6, 6.2), aspect="equal")
        _draw_grid(ax, 0, 0, state, wanted=False)
        _draw_grid(ax, 6, 0, state, wanted=True)
        arrow = {"arrowstyle": "simple,head_width=1.4,head_length=1,tail_width=0.5", "color": MUTED}
        ax.annotate("", (5.6, 2), (4.4, 2), arrowprops=arrow)
        titles = ("Go to the wanted position", "Pick up a marker", "Put down a marker")
        style: dict[str, Any] = {"ha": "center", "va": "center", "color": INK}
        ax.text(5, 5.7, titles[self.clusters(state)[0]], size=11, weight="bold", **style)
        ax.text(2, 4.5, "now", size=9, **style)
        ax.text(8, 4.5, "wanted", size=9, **style)
        for x, mark, colour, name in (
            (0.6, "^", BLUE, "agent"), (4.2, "D", ORANGE, "marker"), (8.1, "s", DARK, "wall"),
        ):  # fmt: skip
            ax.plot(x, -0.95, mark, ms=8, color=colour)
            ax.text(x + 0.45, -0.95, name, size=9, color=INK, va="center")
        fit(ax)

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """One grid per state, titled with the action that led to it, and then the wanted grid."""
        names = [self.action_names[int(action)] for action in actions]
        labels, colours = ["start", *names, "wanted"], [INK] * len(states) + [GOOD]
        if names and (names[-1] == "finish" or (states[-1] == states[-2]).all()):
            finished = names[-1] == "finish"
            solved = finished and step.py_func(states[-1].copy(), FINISH, None) == SOLVED
            labels[-2] += " ✓" if solved else " ✗"
            colours[-2] = GOOD if solved else BAD
        across, down = _arrange(len(labels))
        ax.axis("off")
        ax.set(xlim=(-0.8, 5 * across - 0.2), ylim=(-5.6 * down + 0.3, 0.2), aspect="equal")
        for index, (label, colour) in enumerate(zip(labels, colours, strict=True)):
            x, y = 5 * (index % across), -5.6 * (index // across) - 5
            _draw_grid(ax, x, y, states[min(index, len(states) - 1)], index == len(states))
            font: dict[str, Any] = {"size": max(6, 11 - across), "family": "DejaVu Sans"}
            ax.text(x + 2, y + 4.5, label, color=colour, ha="center", va="center", **font)
        fit(ax)

    @property
    def page_drawing(self) -> dict[str, Any]:
        """The current grid and the wanted one."""
        return {"kind": "grids"}

    def text(self, state: NDArray[np.float64]) -> str:
        """The current grid and the wanted one; a hollow agent is on a marker."""
        grids = []
        for wanted in (False, True):
            markers, agent, facing = _view(state, wanted)
            walls = state[WALLS : WALLS + CELLS] > 0.5
            letters = np.where(walls, "█", np.where(markers, "◆", "·"))
            letters[agent] = (ON_MARKER if markers[agent] else ON_FLOOR)[facing]
            grids.append([" ".join(row) for row in letters.reshape(SIDE, SIDE)])
        rows = zip(grids[0], "  → ", grids[1], strict=True)
        return "\n".join((f"{'now':14}wanted", *("   ".join(row) for row in rows)))
