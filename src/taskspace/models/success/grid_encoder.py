"""`GridEncoder`: reads a task of BasicKarel by letting imagined agents play it.

Whether an agent solves a task depends on its actions in single states, and most mistakes can be
mended: after a wrong turn, it turns back. As a function of the task, success is therefore
complicated; as a function of the actions in single states it follows from the rules. The encoder
uses this. Its network gives the probabilities of the actions of some imagined agents in a state,
from what can be seen there: also where the next thing to do is, relative to the agent.
The probability that they solve the task from there is the mean over the states that come next.
Only states near shortest solutions are considered; the layers after the encoder do the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray

from taskspace.envs.basickarel import (
    CELL,
    CELLS,
    FINISH,
    HEADING,
    LEFT_OF,
    MARKERS,
    MOVE,
    PICK,
    POST_CELL,
    POST_HEADING,
    POST_MARKERS,
    RIGHT_OF,
    SIDE,
    SIZE,
    TURN_LEFT,
    TURN_RIGHT,
    ahead,
)
from taskspace.envs.compiling import build
from taskspace.envs.views import row

ACTIONS = 6
DETOUR = 2  # states on solutions with up to this many steps more than a shortest one
SWEEPS = 3  # each sweep adds the solutions with one more step away from the goal
HEAD_START = 3.0  # the initial logit of actions that lead closer to the goal
LEAST = 1e-3  # probability of success in a code
FAILS, SOLVES = -1, -2  # instead of the index of the next state

# -- states near the shortest solutions ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Graph:
    """The states of some tasks, each task's in the order of their distance to its goal."""

    states: torch.Tensor  # (states, SIZE), bytes
    following: NDArray[np.int64]  # (states, ACTIONS): the next state, FAILS or SOLVES
    closer: torch.Tensor  # (states, ACTIONS), single: 1 for actions on a shortest way, else 0
    starts: torch.Tensor  # (tasks,): the states that are the tasks


def graph_of(tasks: NDArray[np.uint8]) -> Graph:
    """The states near shortest solutions, and where actions lead from them.

    >>> import taskspace as ts
    >>> task = ts.make("BasicKarel").sample_tasks(1, seed=0)
    >>> graph = graph_of(task.astype(np.uint8))
    >>> bool((graph.states[graph.starts] == torch.from_numpy(task)).all())
    True
    """
    capacity = 32 * len(tasks) + 32
    while True:
        states = np.zeros((capacity, SIZE), np.uint8)
        following = np.full((capacity, ACTIONS), FAILS)
        closer = np.zeros((capacity, ACTIONS), np.float32)
        starts = np.zeros(len(tasks), np.int64)
        count = build(_explore_factory, _explore)(tasks, states, following, closer, starts)
        if count >= 0:
            return Graph(
                torch.from_numpy(states[:count]),
                following[:count],
                torch.from_numpy(closer[:count]),
                torch.from_numpy(starts),
            )
        capacity *= 4


@njit
def _neighbour(task, bits, node, action, sign):
    """The node after (sign 1) or before (sign -1) this one; -1 if there is none.

    A node is 64 x the set of wrong markers + 4 x cell + heading.
    """
    wrong, cell, heading = node >> 6, (node >> 2) & 15, node & 3
    if action == MOVE:
        there = ahead(task, cell, heading if sign > 0 else LEFT_OF[LEFT_OF[heading]])
        return -1 if there < 0 else (wrong << 6) + 4 * there + heading
    if action in (TURN_LEFT, TURN_RIGHT):
        left = (action == TURN_LEFT) == (sign > 0)
        return node - heading + (LEFT_OF[heading] if left else RIGHT_OF[heading])
    marked = task[MARKERS + cell] > 0.5  # in the task; a wrong marker is changed once
    if action == FINISH or bits[cell] < 0 or marked != (action == PICK):
        return -1
    unchanged = (wrong >> bits[cell]) & 1 == 1
    return node - sign * (64 << bits[cell]) if unchanged == (sign > 0) else -1


@njit
def _distances(task, bits, root, sign, distance, queue):
    """Breadth-first search forwards or backwards; returns the number of nodes in the queue."""
    distance[:] = -1
    distance[root], queue[0], head, tail = 0, root, 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for action in range(FINISH):
            there = _neighbour(task, bits, node, action, sign)
            if there >= 0 and distance[there] < 0:
                distance[there] = distance[node] + 1
                queue[tail] = there
                tail += 1
    return tail


@njit
def _explore(task, first, states, following, closer):
    """Fill in the states of one task from row `first`; returns the start and the next free row."""
    bits = np.full(CELLS, -1)
    changes = 0
    for cell in range(CELLS):
        if task[MARKERS + cell] != task[POST_MARKERS + cell]:
            bits[cell] = changes
            changes += 1
    nodes = 64 << changes
    start = nodes - 64 + 4 * task[CELL : CELL + CELLS].argmax() + task[HEADING:][:4].argmax()
    goal = 4 * task[POST_CELL : POST_CELL + CELLS].argmax() + task[POST_HEADING:][:4].argmax()
    gone, left, rows = np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.full(nodes, -1)
    queue = np.empty(nodes, np.int64)
    _distances(task, bits, start, 1, gone, queue)
    reached = _distances(task, bits, goal, -1, left, queue)
    if left[start] < 0:
        queue[0], reached, left[start] = start, 1, 0  # there is no solution
    row = first
    for node in queue[:reached]:
        if gone[node] >= 0 and gone[node] + left[node] <= left[start] + DETOUR:
            if row >= len(states):
                return 0, -1
            rows[node] = row
            states[row] = task
            states[row, CELL : CELL + CELLS] = states[row, HEADING : HEADING + 4] = 0
            states[row, CELL + ((node >> 2) & 15)] = states[row, HEADING + (node & 3)] = 1
            for cell in range(CELLS):
                if bits[cell] >= 0 and not (node >> 6 >> bits[cell]) & 1:
                    states[row, MARKERS + cell] = task[POST_MARKERS + cell]
            row += 1
    for node in queue[:reached]:
        for action in range(FINISH if rows[node] >= 0 else 0):
            there = _neighbour(task, bits, node, action, 1)
            if there >= 0 and rows[there] >= 0:
                following[rows[node], action] = rows[there]
                closer[rows[node], action] = left[there] < left[node]
    if rows[goal] >= 0:
        following[rows[goal], FINISH], closer[rows[goal], FINISH] = SOLVES, 1
    return rows[start], row


def _explore_factory(explore: Any) -> Any:
    def explore_all(tasks, states, following, closer, starts):
        row = 0
        for index in range(len(tasks)):
            starts[index], row = explore(tasks[index], row, states, following, closer)
            if row < 0:
                break
        return row

    return explore_all


# -- what agents see of a state --------------------------------------------------------------------

_APART = 2 * SIDE - 1  # differences of two rows or two columns
SEEN = SIZE + 2 * ACTIONS + _APART**2 + 4 + 4  # values per state
_EFFECTS = SIZE + ACTIONS  # where the parts begin
_WHERE = _EFFECTS + ACTIONS
_NEAR = _WHERE + _APART**2
_FARTHEST = np.float32(SIDE - 1)


def seen_by_agents(graph: Graph) -> torch.Tensor:
    """What the network sees of each state (states, SEEN).

    Besides the state itself, it is what an agent could find out by looking: which actions lead
    closer to the goal and which have an effect, where the next thing to do is, relative to the
    agent, and which neighbouring cells are walls.
    """
    seen = np.zeros((len(graph.states), SEEN), np.float32)
    build(_see_factory, _see)(graph.states.numpy(), graph.closer.numpy(), graph.following, seen)
    return torch.from_numpy(seen)


@njit(error_model="numpy")
def _see(state, closer, following, seen):
    """Fill in what is seen of one state."""
    for i in range(SIZE):
        seen[i] = state[i]
    for action in range(ACTIONS):
        seen[SIZE + action] = closer[action]
        seen[_EFFECTS + action] = following[action] != FAILS
    cell, target = state[CELL : CELL + CELLS].argmax(), state[POST_CELL:][:CELLS].argmax()
    unfinished = False
    for other in range(CELLS - 1, -1, -1):
        if state[MARKERS + other] != state[POST_MARKERS + other]:
            unfinished, target = True, other
    down, right = target // SIDE - cell // SIDE, target % SIDE - cell % SIDE
    seen[_WHERE + (down + SIDE - 1) * _APART + right + SIDE - 1] = 1
    for heading in range(4):
        seen[_NEAR + heading] = ahead(state, cell, heading) < 0
    seen[_NEAR + 4], seen[_NEAR + 5], seen[_NEAR + 6] = unfinished, down == 0, right == 0
    seen[_NEAR + 7] = np.float32(abs(down) + abs(right)) / _FARTHEST


def _see_factory(see: Any) -> Any:
    def see_all(states, closer, following, seen):
        for i in range(len(states)):
            see(row(states, i), row(closer, i), row(following, i), row(seen, i))

    return see_all


# -- the value of states ---------------------------------------------------------------------------


class Values(torch.autograd.Function):
    """The probabilities of success in all states, from those of actions.

    A sweep goes through the states from the goal outwards, so that one is enough for agents that
    never step away from the goal.
    """

    @staticmethod
    def forward(ctx: Any, policy: torch.Tensor, following: NDArray[np.int64]) -> torch.Tensor:
        """Values (states, agents) of a policy (states, ACTIONS, agents)."""
        actions = policy.detach().contiguous().numpy()
        values = np.zeros((SWEEPS + 1, len(actions), actions.shape[2]), np.float32)
        build(_values_factory)(actions, following, values)
        ctx.known = actions, following, values
        return torch.from_numpy(values[-1])

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient with respect to the policy."""
        actions, following, values = ctx.known
        found, flowing = np.zeros_like(actions), np.zeros_like(values)
        flowing[-1] = gradients[0].numpy()
        build(_gradients_factory)(actions, following, values, flowing, found)
        return torch.from_numpy(found), None


def _values_factory() -> Any:
    def values_of(policy, following, values):
        for sweep in range(1, len(values)):
            for state in range(len(policy)):
                for action in range(ACTIONS):
                    there = following[state, action]
                    if there == SOLVES:
                        values[sweep, state] += policy[state, action]
                    elif there >= 0:
                        known = sweep if there < state else sweep - 1
                        for agent in range(policy.shape[2]):
                            values[sweep, state, agent] += (
                                policy[state, action, agent] * values[known, there, agent]
                            )

    return values_of


def _gradients_factory() -> Any:
    def gradients_of(policy, following, values, flowing, found):
        for sweep in range(len(values) - 1, 0, -1):
            for state in range(len(policy) - 1, -1, -1):
                for action in range(ACTIONS):
                    there = following[state, action]
                    if there == SOLVES:
                        found[state, action] += flowing[sweep, state]
                    elif there >= 0:
                        known = sweep if there < state else sweep - 1
                        for agent in range(policy.shape[2]):
                            flow = flowing[sweep, state, agent]
                            found[state, action, agent] += flow * values[known, there, agent]
                            flowing[known, there, agent] += flow * policy[state, action, agent]

    return gradients_of


# -- the encoder -----------------------------------------------------------------------------------


class GridEncoder(torch.nn.Module):
    """Encodes tasks of BasicKarel as the log odds that imagined agents solve them.

    Args:
        size: The number of imagined agents, and so of values in a code.
        width: The width of the network from states to actions.

    >>> import taskspace as ts
    >>> tasks = ts.make("BasicKarel").sample_tasks(5, seed=0)
    >>> GridEncoder(size=8)(torch.from_numpy(tasks)).shape
    torch.Size([5, 8])
    """

    one_thread = True  # its matrices are small; another map can be learned on the next core

    def __init__(self, size: int = 16, width: int = 128) -> None:
        super().__init__()
        self.size, self.width = size, width
        self.policy = torch.nn.Sequential(
            torch.nn.Linear(SEEN, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, ACTIONS * size),
        )
        self.skill = torch.nn.Parameter(torch.full((size,), HEAD_START))

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        """Encode tasks (n, SIZE), of any type, as codes (n, size)."""
        graph = graph_of(tasks.to(torch.uint8).numpy())
        logits = self.policy(seen_by_agents(graph)).view(-1, ACTIONS, self.size)
        policy = torch.softmax(logits + graph.closer[:, :, None] * self.skill, dim=1)
        solved: torch.Tensor = Values.apply(policy, graph.following)[graph.starts]  # type: ignore[no-untyped-call]
        return torch.logit(LEAST + (1 - 2 * LEAST) * solved)

    def spec(self) -> dict[str, Any]:
        """The arguments, as JSON values."""
        return {"size": self.size, "width": self.width}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> GridEncoder:
        """An untrained encoder with these arguments."""
        return cls(**spec)
