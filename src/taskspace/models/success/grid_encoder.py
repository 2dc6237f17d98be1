"""`GridEncoder`: reads a task of BasicKarel by letting imagined agents play it.

Whether an agent solves a task depends on its actions in single states. As a function of the task,
success is therefore complicated; as a function of the actions in single states it follows from the
rules. The encoder uses this. Its network gives the probabilities of the actions of some imagined
agents in a state, from what can be seen there, including where the next thing to do is, relative
to the agent. The probability that they solve the task from there is that of the states that come
next, weighted with the probabilities of the actions. Only shortest solutions are considered; the
layers after the encoder do the rest, e.g. for agents that turn back after a wrong turn.
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
HEAD_START = 3.0  # the initial logit of actions that lead closer to the goal
LEAST = 1e-3  # probability of success in a code
FAILS, SOLVES = -1, -2  # instead of the index of the next state
FAR = 1 << 30  # instead of the steps from states that are farther from the goal than the task

# -- states on shortest solutions ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Graph:
    """The states on shortest solutions of some tasks, each task's from the goal to the start."""

    states: NDArray[np.uint8]  # (states, SIZE)
    following: NDArray[np.int64]  # (states, ACTIONS): the next state, FAILS or SOLVES
    starts: NDArray[np.int64]  # (tasks,): the states that are the tasks


def graph_of(tasks: NDArray[np.uint8]) -> Graph:
    """The states on shortest solutions, and where actions lead that are part of one.

    >>> import taskspace as ts
    >>> task = ts.make("BasicKarel").sample_tasks(1, seed=0)
    >>> graph = graph_of(task.astype(np.uint8))
    >>> bool((graph.states[graph.starts] == task).all())
    True
    """
    capacity = 16 * len(tasks) + 16
    while True:
        states = np.empty((capacity, SIZE), np.uint8)
        following = np.full((capacity, ACTIONS), FAILS)
        starts = np.zeros(len(tasks), np.int64)
        count = build(_explore_factory, _explore)(tasks, states, following, starts)
        if count >= 0:
            return Graph(states[:count], following[:count], starts)
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
def _search_back(task, bits, goal, start, queue):
    """The steps left to the goal from each node that is not farther away than the start."""
    left = np.full(len(queue), FAR)
    left[goal], queue[0], head, tail = 0, goal, 0, 1
    while head < tail and queue[head] != start:
        node = queue[head]
        head += 1
        for action in range(FINISH):
            there = _neighbour(task, bits, node, action, -1)
            if there >= 0 and left[there] == FAR:
                left[there] = left[node] + 1
                queue[tail] = there
                tail += 1
    return left


@njit
def _search_ahead(task, bits, start, left, queue):
    """Put the nodes on shortest solutions into the queue, the start first; returns their number."""
    listed = np.zeros(len(queue), np.bool_)
    listed[start], queue[0], head, tail = True, start, 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for action in range(FINISH):
            there = _neighbour(task, bits, node, action, 1)
            if there >= 0 and left[there] == left[node] - 1 and not listed[there]:
                listed[there], queue[tail] = True, there
                tail += 1
    return tail


@njit
def _fill_state(task, bits, node, state):
    """The state that a node of the task stands for."""
    state[:] = task
    state[CELL : CELL + CELLS] = state[HEADING : HEADING + 4] = 0
    state[CELL + ((node >> 2) & 15)] = state[HEADING + (node & 3)] = 1
    for cell in range(CELLS):
        if bits[cell] >= 0 and not (node >> 6 >> bits[cell]) & 1:
            state[MARKERS + cell] = task[POST_MARKERS + cell]


@njit
def _explore(task, first, states, following):
    """Fill in the states of one task from row `first`; returns the next free row, or -1."""
    bits = np.full(CELLS, -1)
    changes = 0
    for cell in range(CELLS):
        if task[MARKERS + cell] != task[POST_MARKERS + cell]:
            bits[cell] = changes
            changes += 1
    nodes = 64 << changes
    start = nodes - 64 + 4 * task[CELL : CELL + CELLS].argmax() + task[HEADING:][:4].argmax()
    goal = 4 * task[POST_CELL : POST_CELL + CELLS].argmax() + task[POST_HEADING:][:4].argmax()
    queue, rows = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    left = _search_back(task, bits, goal, start, queue)
    count = _search_ahead(task, bits, start, left, queue)
    if first + count > len(states):
        return -1
    for number in range(count):
        node, here = queue[count - 1 - number], first + number
        rows[node] = here
        _fill_state(task, bits, node, states[here])
        for action in range(FINISH):
            there = _neighbour(task, bits, node, action, 1)
            if there >= 0 and left[there] == left[node] - 1:
                following[here, action] = rows[there]
    if left[start] < FAR:
        following[first, FINISH] = SOLVES  # the goal, which the search ahead finds last
    return first + count


def _explore_factory(explore: Any) -> Any:
    def explore_all(tasks, states, following, starts):
        count = 0
        for index in range(len(tasks)):
            count = explore(tasks[index], count, states, following)
            if count < 0:
                break
            starts[index] = count - 1  # the search ahead begins there, and its order is reversed
        return count

    return explore_all


# -- what agents see of a state --------------------------------------------------------------------

_APART = 2 * SIDE - 1  # differences of two rows or two columns
SEEN = SIZE + ACTIONS + _APART**2 + 4 + 4  # values per state
_WHERE = SIZE + ACTIONS  # where the parts begin
_NEAR = _WHERE + _APART**2
_FARTHEST = np.float32(SIDE - 1)


def seen_by_agents(graph: Graph) -> torch.Tensor:
    """What the network sees of each state (states, SEEN).

    Besides the state itself, it is what an agent could find out by looking: which actions lead
    closer to the goal, where the next thing to do is, relative to the agent, and which neighbouring
    cells are walls.
    """
    seen = np.zeros((len(graph.states), SEEN), np.float32)
    build(_see_factory, _see)(graph.states, graph.following, seen)
    return torch.from_numpy(seen)


@njit(error_model="numpy")
def _see(state, following, seen):
    """Fill in what is seen of one state."""
    for i in range(SIZE):
        seen[i] = state[i]
    for action in range(ACTIONS):
        seen[SIZE + action] = following[action] != FAILS
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
    def see_all(states, following, seen):
        for i in range(len(states)):
            see(row(states, i), row(following, i), row(seen, i))

    return see_all


# -- the value of states ---------------------------------------------------------------------------


class Values(torch.autograd.Function):
    """The probabilities of success in all states, from those of actions.

    A state comes after all that follow it, so one pass through the states is enough.
    """

    @staticmethod
    def forward(ctx: Any, policy: torch.Tensor, following: NDArray[np.int64]) -> torch.Tensor:
        """Values (states, agents) of a policy (states, ACTIONS, agents)."""
        actions = policy.detach().contiguous().numpy()
        values = np.zeros((len(actions), actions.shape[2]), np.float32)
        build(_values_factory)(actions, following, values)
        ctx.known = actions, following, values
        return torch.from_numpy(values)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient with respect to the policy."""
        actions, following, values = ctx.known
        found, flowing = np.zeros_like(actions), gradients[0].numpy().copy()
        build(_gradients_factory)(actions, following, values, flowing, found)
        return torch.from_numpy(found), None


def _values_factory() -> Any:
    def values_of(policy, following, values):
        for state in range(len(policy)):
            for action in range(ACTIONS):
                there = following[state, action]
                if there == SOLVES:
                    values[state] += policy[state, action]
                elif there >= 0:
                    for agent in range(policy.shape[2]):
                        values[state, agent] += policy[state, action, agent] * values[there, agent]

    return values_of


def _gradients_factory() -> Any:
    def gradients_of(policy, following, values, flowing, found):
        for state in range(len(policy) - 1, -1, -1):
            for action in range(ACTIONS):
                there = following[state, action]
                if there == SOLVES:
                    found[state, action] = flowing[state]
                elif there >= 0:
                    for agent in range(policy.shape[2]):
                        flow = flowing[state, agent]
                        found[state, action, agent] = flow * values[there, agent]
                        flowing[there, agent] += flow * policy[state, action, agent]

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
        seen = seen_by_agents(graph)
        skill = (torch.eye(ACTIONS)[:, :, None] * self.skill).flatten(1)
        logits = torch.addmm(self.policy(seen), seen[:, SIZE:_WHERE], skill)
        policy = torch.softmax(logits.view(-1, ACTIONS, self.size), dim=1)
        solved: torch.Tensor = Values.apply(policy, graph.following)[graph.starts]  # type: ignore[no-untyped-call]
        return torch.logit(LEAST + (1 - 2 * LEAST) * solved)

    def spec(self) -> dict[str, Any]:
        """The arguments, as JSON values."""
        return {"size": self.size, "width": self.width}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> GridEncoder:
        """An untrained encoder with these arguments."""
        return cls(**spec)
