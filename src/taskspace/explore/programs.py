"""Karel programs as people write them, and the tasks that they make in given worlds."""

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
_KNOWN = {token.lower(): token for token in TOKENS[:-2]}  # capitals do not matter
_CLOSING = {"{": "}", "(": ")", **{f"{letter}(": f"{letter})" for letter in "rimewc"}}
_LONGEST_WORD = 24  # of a word that is quoted
_STATEMENT = f"an action ({', '.join(ACTIONS)}), REPEAT, WHILE, IF or IFELSE"
_CRASHES = {
    HIT_WALL: "the program runs into a wall or off the grid",
    NO_MARKER: "the program picks where there is no marker",
    TOO_MANY_MARKERS: "the program puts an eleventh marker on a cell",
}


# -- reading ---------------------------------------------------------------------------------------


def read(text: str) -> Program:
    """The program that a text means: as `shown` writes it, or in the tokens of the language.

    Brackets may be of any kind, `DEF run` and those around a condition may be left out, and so may
    `R=`. An `IF` may have an `ELSE`.

    >>> read("repeat 2 {move} turnLeft") == read("DEF run m( REPEAT R=2 r( move r) turnLeft m)")
    True
    >>> read("REPEAT 2 { jump }")
    Traceback (most recent call last):
    ValueError: word 4, 'jump', is no word of Karel; expected an action (move, turnLeft, turnRight,
    pickMarker, putMarker), REPEAT, WHILE, IF or IFELSE
    """
    return _Reader(text).program()


class _Reader:
    """Recursive descent over words; texts are short enough for it."""

    def __init__(self, text: str) -> None:
        self.words = [_KNOWN.get(word.lower(), word) for word in _WORDS.findall(text)]
        self.next = 0

    def program(self) -> Program:
        """All of it, and nothing after."""
        if not self.words:
            raise ValueError("the program is empty; write an action at least, such as move")
        whole = self.takes("DEF")
        if whole and not self.takes("run"):
            raise self.fault("run")
        body = self.block() if whole else self.statements(None)
        if self.peek() is not None:
            raise self.fault("nothing after the program")
        return Program(body)

    def block(self) -> Body:
        """One or more statements in brackets."""
        closing = self.open()
        if closing is None:
            raise self.fault("'{'")
        return self.statements(closing)

    def statements(self, closing: str | None) -> Body:
        """Statements up to a closing bracket, which is taken too, or up to the end."""
        found = [self.statement(closing, first=True)]
        while self.peek() is not None if closing is None else not self.takes(closing):
            found.append(self.statement(closing))
        return tuple(found)

    def statement(self, closing: str | None, first: bool = False) -> Statement:
        """One statement, whole; `closing` is the bracket that may come instead, but not `first`."""
        word = self.peek()
        if word is None and closing is not None:
            raise ValueError(f"a bracket is never closed; expected {closing!r} in the end")
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
        """How often a REPEAT repeats."""
        word = self.peek() or ""
        token = word if word in ROUNDS else f"R={word}"
        if token not in ROUNDS:
            raise self.fault(f"a number of rounds from R=0 to {ROUNDS[-1]}")
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
        """Go past an opening bracket; what closes it, or None where there is none."""
        closing = _CLOSING.get(self.peek() or "")
        self.next += closing is not None
        return closing

    def takes(self, wanted: str) -> bool:
        """Whether this is the next word; it is passed then."""
        found = self.peek() == wanted
        self.next += found
        return found

    def peek(self) -> str | None:
        """The next word; None at the end."""
        return self.words[self.next] if self.next < len(self.words) else None

    def fault(self, expected: str) -> ValueError:
        """What is wrong at the next word."""
        word = self.peek()
        if word is None:
            return ValueError(f"the program ends too early; expected {expected}")
        short = word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…"
        known = word.lower() in _KNOWN or word in "{}()" or word.isdecimal()
        what = f" is {short!r}" if known else f", {short!r}, is no word of Karel"
        return ValueError(f"word {self.next + 1}{what}{',' if known else ';'} expected {expected}")


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
    """The row of a new task: the inputs of another one, and what the program makes of them."""
    tokens = encode([program])
    if tokens.shape[1] > Karel.horizon:
        raise ValueError(
            f"the program has {tokens.shape[1]} tokens, and a task of Karel at most"
            f" {Karel.horizon}; each bracket is one, and DEF run m( m) are four"
        )
    inputs = KarelTasks.from_rows(like[None]).inputs
    runs = run(tokens[:, None], inputs, trace=True)
    _check_end(runs)
    row: NDArray[np.uint8] = KarelTasks.pack(tokens, inputs, runs.worlds).rows()[0]
    return row


def _check_end(runs: Runs) -> None:
    """A sentence about the first world in which a program does not end well."""
    bad = np.flatnonzero(runs.status != DONE)
    if not len(bad):
        return
    assert runs.actions is not None
    world = int(bad[0])
    status, done = int(runs.status.flat[world]), int((runs.actions[0, world] != PAD).sum())
    if status == OUT_OF_TICKS:
        raise ValueError(f"the program is not done after {TICKS} steps in world {world + 1}")
    raise ValueError(f"{_CRASHES[status]} in world {world + 1}, at action {done}")
