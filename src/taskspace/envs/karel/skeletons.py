"""Skeletons of programs, with positions for actions, rounds and conditions.

Filling a skeleton gives a program. A skeleton also has the simpler programs that result from
leaving something out, as positions to copy tokens from, so that one indexing operation makes the
simpler programs of thousands of programs.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.language import ACTIONS, CONDITIONS, PAD, ROUNDS, TOKEN_ID

# The tokens before and after a body. (A program with IFELSE has at least 15 tokens, more than the
# 14 of the quotas.)
_ACTION, _ROUNDS, _SEEN, _SEEN_CLEAR = "action", "rounds", "seen", "seen clear"
_NOT = ("c(", "not", "c(", _SEEN_CLEAR, "c)", "c)")
_CONSTRUCTS = {
    "loops": (
        (("REPEAT", _ROUNDS, "r("), "r)"), (("WHILE", "c(", _SEEN, "c)", "w("), "w)"),
        (("WHILE", *_NOT, "w("), "w)"),
    ),
    "conditionals": ((("IF", "c(", _SEEN, "c)", "i("), "i)"), (("IF", *_NOT, "i("), "i)")),
    "plain": (),
}  # fmt: skip
DEPTH = 2
LEAST_ROUNDS, MOST_ROUNDS = 2, 10  # the most as in the public data set
_START, _END = ("DEF", "run", "m("), "m)"
# `not markersPresent` is the same as noMarkersPresent, so `not` is used with "clear" only.
_FILLS = {
    _ACTION: [TOKEN_ID[name] for name in ACTIONS],
    _ROUNDS: [TOKEN_ID[name] for name in ROUNDS[LEAST_ROUNDS : MOST_ROUNDS + 1]],
    _SEEN: [TOKEN_ID[name] for name in CONDITIONS],
    _SEEN_CLEAR: [TOKEN_ID[name] for name in CONDITIONS if name.endswith("Clear")],
}
# Tokens that simpler programs need in addition to those of the program.
_EXTRA = np.array([PAD, TOKEN_ID["IF"], TOKEN_ID["i("], TOKEN_ID["i)"]], np.uint8)
_OPPOSITE = np.full(len(TOKEN_ID), PAD, np.uint8)
for _one, _other in (("turnLeft", "turnRight"), ("pickMarker", "putMarker")):
    _OPPOSITE[TOKEN_ID[_one]], _OPPOSITE[TOKEN_ID[_other]] = TOKEN_ID[_other], TOKEN_ID[_one]
# Reductions of rounds: the hero's heading repeats after 1, 2 or 4 rounds of a body.
_FEWER = (-2, -4)


class Construct(NamedTuple):
    """The positions of the tokens before the body, of the body, and of the token after it."""

    head: tuple[int, ...]
    body: tuple[Tree, ...]
    tail: int


Tree: TypeAlias = "int | Construct"  # an int is the position of an action


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A program with positions to fill."""

    words: tuple[str, ...]  # tokens, or names of fills
    body: tuple[Tree, ...]

    @property
    def fills(self) -> int:
        """The number of programs with this skeleton."""
        return math.prod(len(_FILLS[word]) for word in self.words if word in _FILLS)

    def fill(self, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Random programs with this skeleton: (count, length)."""
        rows = np.empty((count, len(self.words)), np.uint8)
        for position, word in enumerate(self.words):
            if word in _FILLS:
                rows[:, position] = rng.choice(np.array(_FILLS[word], np.uint8), count)
            else:
                rows[:, position] = TOKEN_ID[word]
        return rows

    def redundant(self, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which fills have a shorter or simpler equivalent, as their text shows.

        They repeat several statements without a move (turns and markers could be separate), or a
        repetition, or do something if a condition holds and always undo it.
        """
        found = np.zeros(len(rows), np.bool_)
        for construct in _constructs(self.body):
            if self.words[construct.head[0]] == "REPEAT" and len(construct.body) > 1:
                found |= (rows[:, list(_positions(construct.body))] != TOKEN_ID["move"]).all(1)
                found |= _repetition(rows, construct.body)
        for one, two in (*itertools.pairwise(self.body), *itertools.pairwise(self.body[::-1])):
            if isinstance(one, int) and isinstance(two, Construct) and len(two.body) == 1:
                inner = two.body[0]
                if self.words[two.head[0]] == "IF" and isinstance(inner, int):
                    found |= _OPPOSITE[rows[:, inner]] == rows[:, one]
        return found

    @functools.cached_property
    def _recipes(self) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
        """For each simpler program: the positions of its tokens, and by how much they change."""
        length = len(self.words)
        found: dict[tuple[tuple[int, ...], tuple[int, ...]], None] = {}
        for source, rounds in self._smaller():
            padded = source + (length,) * (length - len(source))
            counts = [position for position, of in enumerate(source) if self._is_rounds(of)]
            for change in rounds:
                for position in counts if change else [0]:
                    changes = [0] * length
                    changes[position] = change
                    found[padded, tuple(changes)] = None
        sources, changes_of = zip(*found, strict=True)
        return np.array(sources, np.int64), np.array(changes_of, np.int16)

    def _is_rounds(self, position: int) -> bool:
        return position < len(self.words) and self.words[position] == _ROUNDS

    def _smaller(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The positions of the tokens of simpler programs, with the changes of rounds to try."""
        actions = [position for position, word in enumerate(self.words) if word == _ACTION]
        pairs = (_without(self.body, {*pair}) for pair in itertools.product(actions, actions))
        bodies: list[tuple[tuple[Tree, ...], tuple[int, ...]]] = [
            (body, (0, 1, -1)) for body in (*pairs, *self._without_round())
        ]
        for construct in _constructs(self.body):
            bodies.append((_replaced(self.body, construct, ()), (0,)))
            bodies.append((_replaced(self.body, construct, construct.body), (0,)))
            if self.words[construct.head[0]] == "WHILE":
                bodies.append((_replaced(self.body, construct, (self._as_if(construct),)), (0,)))
        for body, rounds in bodies:
            if body:
                yield self._whole(body), rounds
        yield self._whole(self.body), _FEWER

    def _whole(self, body: tuple[Tree, ...]) -> tuple[int, ...]:
        return (*range(len(_START)), *_positions(body), len(self.words) - 1)

    def _without_round(self) -> Iterator[tuple[Tree, ...]]:
        """The program without one round's number of actions before or after a loop."""
        for number, construct in enumerate(self.body):
            if isinstance(construct, Construct):
                size = len(construct.body)
                for first in (number - size, number + 1):
                    beside = self.body[max(first, 0) : first + size]
                    actions = {tree for tree in beside if isinstance(tree, int)}
                    if len(actions) == size:
                        yield _without(self.body, actions)

    def _as_if(self, loop: Construct) -> Construct:
        """An IF with the condition and the body of a WHILE."""
        first = len(self.words) + 1
        head = (first, *loop.head[1:-1], first + 1)
        return Construct(head, loop.body, first + 2)

    def simpler(self, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Simpler programs than these fills of this skeleton: (n, simpler, length)."""
        sources, changes = self._recipes
        pool = np.concatenate([rows, np.broadcast_to(_EXTRA, (len(rows), len(_EXTRA)))], 1)
        changed = np.clip(pool[:, sources] + changes, TOKEN_ID[ROUNDS[0]], TOKEN_ID[ROUNDS[-1]])
        return np.where(changes, changed, pool[:, sources]).astype(np.uint8)


@functools.cache
def skeletons(kind: str, length: int) -> tuple[Skeleton, ...]:
    """All useful skeletons of this kind and number of tokens.

    >>> [" ".join(skeleton.words[3:-1]) for skeleton in skeletons("loops", 10)]
    ['action REPEAT rounds r( action r)', 'REPEAT rounds r( action r) action',
     'REPEAT rounds r( action action r)']
    """
    found = []
    for body in _bodies(length - len(_START) - 1, DEPTH, kind):
        words = (*_START, *_words(body), _END)
        if kind == "plain" or _sensible(body, kind):
            tree, _ = _numbered(body, len(_START))
            found.append(Skeleton(words, tree))
    return tuple(found)


# -- shapes: an action is its name, a construct (head, body, tail) ---------------------------------

_Shape: TypeAlias = "str | tuple[tuple[str, ...], tuple[_Shape, ...], str]"


def _bodies(size: int, depth: int, kind: str) -> Iterator[tuple[_Shape, ...]]:
    """All bodies of this number of tokens."""
    if size == 0:
        yield ()
        return
    yield from ((_ACTION, *rest) for rest in _bodies(size - 1, depth, kind))
    for head, tail in _CONSTRUCTS[kind] if depth else ():
        room = size - len(head) - 1
        for inner in range(1, room + 1):
            for body in _bodies(inner, depth - 1, kind):
                for rest in _bodies(room - inner, depth, kind):
                    yield ((head, body, tail), *rest)


def _words(body: tuple[_Shape, ...]) -> Iterator[str]:
    for shape in body:
        if isinstance(shape, str):
            yield shape
        else:
            yield from shape[0]
            yield from _words(shape[1])
            yield shape[2]


def _sensible(body: tuple[_Shape, ...], kind: str) -> bool:
    """Whether a body has more than a conditional, and a loop more than another loop."""
    constructs = [shape for shape in body if not isinstance(shape, str)]
    if kind == "conditionals":
        return 0 < len(constructs) < len(body)
    alone = [shape[1] for shape in constructs if len(shape[1]) == 1]
    return bool(constructs) and all(isinstance(inner[0], str) for inner in alone)


def _numbered(body: tuple[_Shape, ...], position: int) -> tuple[tuple[Tree, ...], int]:
    """The body with positions of tokens, and the position after it."""
    trees: list[Tree] = []
    for shape in body:
        if isinstance(shape, str):
            trees.append(position)
        else:
            head = tuple(range(position, position + len(shape[0])))
            inner, position = _numbered(shape[1], position + len(head))
            trees.append(Construct(head, inner, position))
        position += 1
    return tuple(trees), position


# -- trees -----------------------------------------------------------------------------------------


def _positions(body: tuple[Tree, ...]) -> Iterator[int]:
    for tree in body:
        if isinstance(tree, int):
            yield tree
        else:
            yield from tree.head
            yield from _positions(tree.body)
            yield tree.tail


def _constructs(body: tuple[Tree, ...]) -> Iterator[Construct]:
    for tree in body:
        if isinstance(tree, Construct):
            yield tree
            yield from _constructs(tree.body)


def _repetition(rows: NDArray[np.uint8], body: tuple[Tree, ...]) -> NDArray[np.bool_]:
    """Which rows have a body that repeats a shorter sequence of actions."""
    found, size = np.zeros(len(rows), np.bool_), len(body)
    actions = [tree for tree in body if isinstance(tree, int)]
    for period in range(1, size if len(actions) == size else 1):
        if size % period == 0:
            found |= (rows[:, actions[period:]] == rows[:, actions[:-period]]).all(1)
    return found


def _without(body: tuple[Tree, ...], actions: set[int]) -> tuple[Tree, ...]:
    """The body without these actions, and without constructs that become empty."""
    kept: list[Tree] = []
    for tree in body:
        if isinstance(tree, int):
            if tree not in actions:
                kept.append(tree)
        elif inner := _without(tree.body, actions):
            kept.append(tree._replace(body=inner))
    return tuple(kept)


def _replaced(body: tuple[Tree, ...], old: Construct, new: tuple[Tree, ...]) -> tuple[Tree, ...]:
    """The body with other statements instead of a construct, and without empty constructs."""
    found: list[Tree] = []
    for tree in body:
        if tree == old:
            found.extend(new)
        elif isinstance(tree, int):
            found.append(tree)
        elif inner := _replaced(tree.body, old, new):
            found.append(tree._replace(body=inner))
    return tuple(found)
