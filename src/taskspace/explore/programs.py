"""Karel programs as people write them, and the tasks that they define in given worlds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.interpreter import TICKS, Runs, run
from taskspace.envs.karel.language import (
    ACTIONS,
    CONDITIONS,
    PAD,
    ROUNDS,
    TOKENS,
    Action,
    Body,
    Condition,
    If,
    IfElse,
    Program,
    Repeat,
    Statement,
    While,
    encode,
)
from taskspace.envs.karel.machine import DONE, HIT_WALL, NO_MARKER, OUT_OF_TICKS, TOO_MANY_MARKERS

_WORDS = re.compile(r"(?i:[rimewc])[()]|[(){}]|[^\s(){}]+")
_KNOWN = {token.lower(): token for token in TOKENS[:-2]}  # in any case
_CLOSING = {"{": "}", "(": ")", **{f"{letter}(": f"{letter})" for letter in "rimewc"}}
_LONGEST_WORD = 24  # characters that an error message quotes
_STATEMENT = f"an action ({', '.join(ACTIONS)}), REPEAT, WHILE, IF or IFELSE"
_CRASHES = {
    HIT_WALL: "the program runs into a wall or off the grid",
    NO_MARKER: "the program picks up a marker where there is none",
    TOO_MANY_MARKERS: "the program puts an eleventh marker on a cell",
}


# -- reading ---------------------------------------------------------------------------------------


def read(text: str) -> Program:
    """Parse a program, in the notation of `shown` or in the tokens of the language.

    All kinds of brackets are accepted. `DEF run`, the brackets around a condition, and `R=` may be
    omitted. An `IF` may have an `ELSE`.

    >>> read("repeat 2 {move} turnLeft") == read("DEF run m( REPEAT R=2 r( move r) turnLeft m)")
    True
    >>> read("REPEAT 2 { jump }")
    Traceback (most recent call last):
    ValueError: word 4 must be an action (move, turnLeft, turnRight, pickMarker, putMarker),
    REPEAT, WHILE, IF or IFELSE, got 'jump', which is not a word of Karel
    """
    return _Reader(text).program()


class _Reader:
    """A recursive-descent parser; texts are short enough for it."""

    def __init__(self, text: str) -> None:
        self.words = [_KNOWN.get(word.lower(), word) for word in _WORDS.findall(text)]
        self.next = 0

    def program(self) -> Program:
        """The whole program, up to the end of the text."""
        if not self.words:
            raise ValueError("the program is empty; write at least one action, e.g. move")
        whole = self.takes("DEF")
        if whole and not self.takes("run"):
            raise self.fault("run")
        body = self.block() if whole else self.statements(None)
        if self.peek() is not None:
            raise self.fault("the end of the program")
        return Program(body)

    def block(self) -> Body:
        """One or more statements in brackets."""
        closing = self.open()
        if closing is None:
            raise self.fault("'{'")
        return self.statements(closing)

    def statements(self, closing: str | None) -> Body:
        """Statements up to and including a closing bracket, or up to the end."""
        found = [self.statement(closing, first=True)]
        while self.peek() is not None if closing is None else not self.takes(closing):
            found.append(self.statement(closing))
        return tuple(found)

    def statement(self, closing: str | None, first: bool = False) -> Statement:
        """One statement; the bracket `closing` may come instead, unless it is the `first`."""
        word = self.peek()
        if word is None and closing is not None:
            raise ValueError(f"a bracket is not closed; add {closing!r} at the end")
        if word in _CLOSING.values() and closing is None:
            raise ValueError(f"word {self.next + 1} is {word!r}, but no bracket is open")
        if word in ACTIONS:
            self.next += 1
            return Action(word)
        if word not in ("REPEAT", "WHILE", "IF", "IFELSE"):
            may_end = closing is not None and not first
            raise self.fault(f"{_STATEMENT}, or {closing!r}" if may_end else _STATEMENT)
        self.next += 1
        if word == "REPEAT":
            return Repeat(self.rounds(), self.block())
        condition, body = self.condition(), self.block()
        if word == "WHILE":
            return While(condition, body)
        if self.takes("ELSE"):
            return IfElse(condition, body, self.block())
        if word == "IFELSE":
            raise self.fault("ELSE")
        return If(condition, body)

    def rounds(self) -> int:
        """The number of repetitions of a REPEAT."""
        word = self.peek() or ""
        token = word if word in ROUNDS else f"R={word}"
        if token not in ROUNDS:
            raise self.fault(f"a number of repetitions from R=0 to {ROUNDS[-1]}")
        self.next += 1
        return ROUNDS.index(token)

    def condition(self) -> Condition:
        """A condition, perhaps negated, with or without brackets."""
        outer = self.open()
        negated = self.takes("not")
        inner = self.open() if negated else None
        name = self.peek()
        if name not in CONDITIONS:
            raise self.fault(f"a condition ({', '.join(CONDITIONS)})")
        self.next += 1
        for closing in (inner, outer):
            if closing is not None and not self.takes(closing):
                raise self.fault(repr(closing))
        return Condition(name, negated)

    def open(self) -> str | None:
        """Skip an opening bracket, if there is one, and return the bracket that closes it."""
        closing = _CLOSING.get(self.peek() or "")
        self.next += closing is not None
        return closing

    def takes(self, wanted: str) -> bool:
        """Skip the next word if it is this one; return whether it is."""
        found = self.peek() == wanted
        self.next += found
        return found

    def peek(self) -> str | None:
        """The next word, or None at the end."""
        return self.words[self.next] if self.next < len(self.words) else None

    def fault(self, expected: str) -> ValueError:
        """An error about the next word."""
        word = self.peek()
        if word is None:
            return ValueError(f"the program is incomplete; the next word must be {expected}")
        short = word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…"
        known = word.lower() in _KNOWN or word in "{}()" or word.isdecimal()
        unknown = "" if known else ", which is not a word of Karel"
        return ValueError(f"word {self.next + 1} must be {expected}, got {short!r}{unknown}")


# -- writing ---------------------------------------------------------------------------------------


def shown(program: Program) -> str:
    """The program in one line, as the page shows it.

    >>> shown(read("DEF run m( IF c( not c( leftIsClear c) c) i( move i) turnLeft m)"))
    'IF (not leftIsClear) { move } turnLeft'
    """
    return " ".join(_shown(program.body))


def _shown(body: Body) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Action):
            yield statement.name
            continue
        yield type(statement).__name__.upper()
        if isinstance(statement, Repeat):
            yield ROUNDS[statement.times]
        else:
            yield f"({'not ' * statement.condition.negated}{statement.condition.name})"
        yield from ("{", *_shown(statement.body), "}")
        if isinstance(statement, IfElse):
            yield from ("ELSE", "{", *_shown(statement.otherwise), "}")


# -- tasks -----------------------------------------------------------------------------------------


def task_of(program: Program, like: NDArray[Any]) -> NDArray[np.uint8]:
    """The row of a new task: the inputs of another task, and the outputs of the program."""
    tokens = encode([program])
    if tokens.shape[1] > Karel.horizon:
        raise ValueError(
            f"the program must have at most {Karel.horizon} tokens, got {tokens.shape[1]};"
            " each bracket is one token, and DEF run m( m) are four"
        )
    inputs = KarelTasks.from_rows(like[None]).inputs
    runs = run(tokens[:, None], inputs, trace=True)
    _check_end(runs)
    row: NDArray[np.uint8] = KarelTasks.pack(tokens, inputs, runs.worlds).rows()[0]
    return row


def _check_end(runs: Runs) -> None:
    """Raise an error about the first world in which a program crashes or does not end."""
    bad = np.flatnonzero(runs.status != DONE)
    if not len(bad):
        return
    assert runs.actions is not None
    world = int(bad[0])
    status, done = int(runs.status.flat[world]), int((runs.actions[0, world] != PAD).sum())
    if status == OUT_OF_TICKS:
        raise ValueError(f"in world {world + 1}, the program has not ended after {TICKS} steps")
    raise ValueError(f"in world {world + 1}, at action {done}, {_CRASHES[status]}")
