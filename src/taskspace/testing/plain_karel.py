"""A Karel interpreter in plain Python: a tree of objects that is executed on one world at a time.

It shares only the tokens with the compiled interpreter. `as_plain` converts worlds.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from taskspace.envs.karel.worlds import Worlds

MAX_TICKS, MAX_MARKERS = 200, 10
AHEAD = {"north": (1, 0), "east": (0, 1), "south": (-1, 0), "west": (0, -1)}
COMPASS = list(AHEAD)


class Crash(Exception):
    """The hero attempted an impossible action."""


class OutOfTicks(Exception):
    """The program exceeds the limit of ticks."""


@dataclass
class World:
    rows: int
    cols: int
    hero: tuple[int, int]
    facing: str
    walls: set[tuple[int, int]]
    markers: dict[tuple[int, int], int]
    ticks: int = field(default=0)

    def copy(self) -> World:
        """A copy that shares the walls, which never change; several times faster than deepcopy."""
        return World(self.rows, self.cols, self.hero, self.facing, self.walls, dict(self.markers))

    def tick(self) -> None:
        if self.ticks >= MAX_TICKS:
            raise OutOfTicks
        self.ticks += 1

    def turned(self, quarters: int) -> str:
        return COMPASS[(COMPASS.index(self.facing) + quarters) % 4]

    def neighbour(self, facing: str) -> tuple[int, int]:
        row_step, col_step = AHEAD[facing]
        return self.hero[0] + row_step, self.hero[1] + col_step

    def is_clear(self, cell: tuple[int, int]) -> bool:
        inside = 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols
        return inside and cell not in self.walls

    def act(self, action: str) -> None:
        if action == "move":
            cell = self.neighbour(self.facing)
            if not self.is_clear(cell):
                raise Crash("into a wall")
            self.hero = cell
        elif action == "turnLeft":
            self.facing = self.turned(-1)
        elif action == "turnRight":
            self.facing = self.turned(1)
        elif action == "pickMarker":
            self.change_markers(-1)
        elif action == "putMarker":
            self.change_markers(1)

    def change_markers(self, change: int) -> None:
        count = self.markers.get(self.hero, 0) + change
        if not 0 <= count <= MAX_MARKERS:
            raise Crash("no marker here" if change < 0 else "too many markers")
        self.markers[self.hero] = count

    def sees(self, condition: str) -> bool:
        if condition == "frontIsClear":
            return self.is_clear(self.neighbour(self.facing))
        if condition == "leftIsClear":
            return self.is_clear(self.neighbour(self.turned(-1)))
        if condition == "rightIsClear":
            return self.is_clear(self.neighbour(self.turned(1)))
        present = self.markers.get(self.hero, 0) > 0
        return present if condition == "markersPresent" else not present


class Node:
    def execute(self, world: World) -> None:
        raise NotImplementedError


class ActionNode(Node):
    def __init__(self, name: str) -> None:
        self.name = name

    def execute(self, world: World) -> None:
        world.tick()
        world.act(self.name)


class BlockNode(Node):
    def __init__(self, children: list[Node]) -> None:
        self.children = children

    def execute(self, world: World) -> None:
        for child in self.children:
            child.execute(world)


class ConditionNode:
    def __init__(self, name: str, negated: bool) -> None:
        self.name, self.negated = name, negated

    def evaluate(self, world: World) -> bool:
        world.tick()
        return world.sees(self.name) != self.negated


class RepeatNode(Node):
    def __init__(self, times: int, body: BlockNode) -> None:
        self.times, self.body = times, body

    def execute(self, world: World) -> None:
        for _ in range(self.times):
            world.tick()
            self.body.execute(world)


class WhileNode(Node):
    def __init__(self, condition: ConditionNode, body: BlockNode) -> None:
        self.condition, self.body = condition, body

    def execute(self, world: World) -> None:
        while self.condition.evaluate(world):
            self.body.execute(world)


class IfNode(Node):
    def __init__(self, condition: ConditionNode, body: BlockNode, other: BlockNode | None) -> None:
        self.condition, self.body, self.other = condition, body, other

    def execute(self, world: World) -> None:
        if self.condition.evaluate(world):
            self.body.execute(world)
        elif self.other is not None:
            self.other.execute(world)


class Parser:
    """Builds the tree of a well-formed program."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.position = tokens, 0

    def next(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1]

    def program(self) -> BlockNode:
        self.position += 3  # DEF run m(
        return self.block()

    def block(self) -> BlockNode:
        children = []
        while not (token := self.next()).endswith(")"):
            children.append(self.statement(token))
        return BlockNode(children)

    def statement(self, token: str) -> Node:
        if token == "REPEAT":
            times = int(self.next().removeprefix("R="))
            self.next()
            return RepeatNode(times, self.block())
        if token not in ("WHILE", "IF", "IFELSE"):
            return ActionNode(token)
        condition = self.condition()
        self.next()
        body = self.block()
        if token == "WHILE":
            return WhileNode(condition, body)
        other = None
        if token == "IFELSE":
            self.position += 2  # ELSE e(
            other = self.block()
        return IfNode(condition, body, other)

    def condition(self) -> ConditionNode:
        self.next()
        name = self.next()
        negated = name == "not"
        if negated:
            self.next()
            name = self.next()
            self.next()
        self.next()
        return ConditionNode(name, negated)


def run(program: BlockNode, start: World, by_hand: bool = False) -> tuple[World, str]:
    """Run a program; returns the final world and the status."""
    world = start.copy() if by_hand else copy.deepcopy(start)
    try:
        program.execute(world)
    except Crash as crash:
        return world, str(crash)
    except OutOfTicks:
        return world, "out of ticks"
    return world, "done"


def as_plain(world: Worlds) -> World:
    """Convert a world for the plain interpreter."""
    rows, cols = world.sizes.tolist()
    row, col, facing = world.heroes.tolist()
    walls = {(int(r), int(c)) for r, c in np.argwhere(world.walls)}
    markers = {(int(r), int(c)): int(world.markers[r, c]) for r, c in np.argwhere(world.markers)}
    return World(rows, cols, (row, col), COMPASS[facing], walls, markers)
