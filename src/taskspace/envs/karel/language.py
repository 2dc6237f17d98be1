"""The Karel language: tokens, syntax trees, parser, printer, and programs as integers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks

ACTIONS = ("move", "turnLeft", "turnRight", "pickMarker", "putMarker")
ROUNDS = tuple(f"R={times}" for times in range(20))
CONDITIONS = ("frontIsClear", "leftIsClear", "rightIsClear", "markersPresent", "noMarkersPresent")
# The order is part of every saved network and data set: never change it.
TOKENS = (
    "DEF", "run", "m(", "m)", *ACTIONS, "REPEAT", *ROUNDS, "r(", "r)", "IF", "IFELSE", "ELSE",
    "i(", "i)", "e(", "e)", "WHILE", "w(", "w)", "c(", "c)", "not", *CONDITIONS, "<s>", "<pad>",
)  # fmt: skip
TOKEN_ID = {token: number for number, token in enumerate(TOKENS)}
START, PAD = TOKEN_ID["<s>"], TOKEN_ID["<pad>"]
KINDS = ("plain", "loops", "conditionals", "both")

# -- syntax trees ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Action:
    """Move, turn, or pick or put a marker."""

    name: str


@dataclass(frozen=True)
class Condition:
    """A condition on what the hero sees, or its negation."""

    name: str
    negated: bool = False


@dataclass(frozen=True)
class Repeat:
    """Runs the body a number of times."""

    times: int
    body: Body


@dataclass(frozen=True)
class While:
    """Runs the body while the condition holds."""

    condition: Condition
    body: Body


@dataclass(frozen=True)
class If:
    """Runs the body if the condition holds."""

    condition: Condition
    body: Body


@dataclass(frozen=True)
class IfElse:
    """Runs one of two bodies."""

    condition: Condition
    body: Body
    otherwise: Body


Statement: TypeAlias = Action | Repeat | While | If | IfElse
Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Program:
    """A program of at least one statement."""

    body: Body


# -- parser ----------------------------------------------------------------------------------------


class KarelSyntaxError(ValueError):
    """A syntax error. Line, column and token count from 1; lists of tokens have no lines."""

    def __init__(
        self, token: int, found: str | None, expected: str, line: int | None, column: int | None
    ) -> None:
        self.token, self.found, self.expected = token, found, expected
        self.line, self.column = line, column
        where = f"token {token}" if line is None else f"line {line}, column {column}, token {token}"
        got = "the end of the program" if found is None else repr(found)
        if found is not None and found not in TOKEN_ID:
            got += ", which is not a token of Karel"
        super().__init__(f"{where}: expected {expected}, got {got}")


def parse(source: str | Iterable[str]) -> Program:
    """Parse a text, or a list of tokens, to a syntax tree.

    >>> parse("DEF run m( REPEAT R=3 r( move r) m)").body
    (Repeat(times=3, body=(Action(name='move'),)),)
    >>> parse("DEF run m( REPEAT R=3 move m)")
    Traceback (most recent call last):
    taskspace.envs.karel.language.KarelSyntaxError: line 1, column 23, token 6:
    expected 'r(', got 'move'
    """
    if not isinstance(source, Iterable):
        raise TypeError(f"a program must be text or a list of tokens, got {checks.brief(source)}")
    return _Parser(source).program()


class _Parser:
    """A recursive-descent parser of a list of tokens."""

    def __init__(self, source: str | Iterable[str]) -> None:
        self.places: list[tuple[int, int]] | None = None
        if isinstance(source, str):
            found = [
                (match.group(), (line, match.start() + 1))
                for line, text in enumerate(source.splitlines(), 1)
                for match in re.finditer(r"\S+", text)
            ]
            self.tokens = [token for token, _ in found]
            self.places = [place for _, place in found]
        else:
            self.tokens = list(source)
        self.next = 0

    def program(self) -> Program:
        """The whole program."""
        self.take("DEF")
        self.take("run")
        body = self.block("m")
        if self.peek() is not None:
            raise self.error("nothing after the program's 'm)'")
        return Program(body)

    def block(self, letter: str) -> Body:
        """One or more statements in brackets."""
        self.take(f"{letter}(")
        statements = [self.statement("an action, REPEAT, WHILE, IF or IFELSE")]
        while self.peek() != f"{letter})":
            expected = f"an action, REPEAT, WHILE, IF, IFELSE or '{letter})'"
            statements.append(self.statement(expected))
        self.next += 1
        return tuple(statements)

    def statement(self, expected: str) -> Statement:
        """One statement."""
        token = self.peek()
        if token in ACTIONS:
            return Action(self.take(token))
        if token not in ("REPEAT", "WHILE", "IF", "IFELSE"):
            raise self.error(expected)
        self.next += 1
        if token == "REPEAT":
            return Repeat(self.rounds(), self.block("r"))
        condition = self.condition()
        if token == "WHILE":
            return While(condition, self.block("w"))
        body = self.block("i")
        if token == "IF":
            return If(condition, body)
        self.take("ELSE")
        return IfElse(condition, body, self.block("e"))

    def rounds(self) -> int:
        """The number of rounds of a REPEAT."""
        token = self.peek()
        if token not in ROUNDS:
            raise self.error("a number of rounds from R=0 to R=19")
        self.next += 1
        return ROUNDS.index(token)

    def condition(self) -> Condition:
        """A condition in brackets, with at most one `not`, which has its own brackets."""
        self.take("c(")
        negated = self.peek() == "not"
        if negated:
            self.next += 1
            self.take("c(")
        name = self.peek()
        if name not in CONDITIONS:
            names = f"{', '.join(CONDITIONS[:-1])} or {CONDITIONS[-1]}"
            raise self.error(names if negated else f"not, {names}")
        self.next += 1
        if negated:
            self.take("c)")
        self.take("c)")
        return Condition(name, negated)

    def peek(self) -> str | None:
        """The next token, or None at the end."""
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def take(self, wanted: str) -> str:
        """Skip the one token that is allowed here."""
        if self.peek() != wanted:
            raise self.error(repr(wanted))
        self.next += 1
        return wanted

    def error(self, expected: str) -> KarelSyntaxError:
        """The error for the next token, or for the end of the text."""
        line = column = None
        if self.places is not None:
            at_end = self.next == len(self.tokens)
            line, column = self.places[-1 if at_end else self.next] if self.places else (1, 1)
            column += len(self.tokens[-1]) if at_end and self.places else 0
        return KarelSyntaxError(self.next + 1, self.peek(), expected, line, column)


# -- printer ---------------------------------------------------------------------------------------


def tokens(program: Program) -> list[str]:
    """The program as tokens.

    >>> " ".join(tokens(Program((Action("move"),))))
    'DEF run m( move m)'
    """
    return pretty(program).split()


def pretty(program: Program) -> str:
    """The program as indented text, which `parse` reads.

    >>> print(pretty(parse("DEF run m( IF c( not c( leftIsClear c) c) i( move i) move m)")))
    DEF run m(
        IF c( not c( leftIsClear c) c) i(
            move
        i)
        move
    m)
    """
    return "\n".join(["DEF run m(", *_lines(program.body, "    "), "m)"])


def _lines(body: Body, indent: str) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Action):
            yield indent + statement.name
            continue
        letter, head = _head(statement)
        yield f"{indent}{head} {letter}("
        yield from _lines(statement.body, indent + "    ")
        if isinstance(statement, IfElse):
            yield f"{indent}{letter}) ELSE e("
            yield from _lines(statement.otherwise, indent + "    ")
            letter = "e"
        yield f"{indent}{letter})"


def _head(statement: Repeat | While | If | IfElse) -> tuple[str, str]:
    """The letter of a statement's brackets, and the text before them."""
    if isinstance(statement, Repeat):
        return "r", f"REPEAT R={statement.times}"
    name = statement.condition.name
    seen = f"not c( {name} c)" if statement.condition.negated else name
    word = {While: "WHILE", If: "IF", IfElse: "IFELSE"}[type(statement)]
    return "w" if isinstance(statement, While) else "i", f"{word} c( {seen} c)"


# -- properties ------------------------------------------------------------------------------------


def depth(program: Program) -> int:
    """The nesting depth of loops and conditionals; 0 if there are none.

    >>> depth(parse("DEF run m( REPEAT R=2 r( WHILE c( frontIsClear c) w( move w) r) m)"))
    2
    """
    return max(level for _, level in _walk(program.body, 0))


def kind(program: Program) -> str:
    """The kind of a program: "plain", "loops", "conditionals" or "both".

    >>> kind(parse("DEF run m( IF c( frontIsClear c) i( move i) m)"))
    'conditionals'
    """
    found = [type(statement) for statement, _ in _walk(program.body, 0)]
    loops = Repeat in found or While in found
    conditionals = If in found or IfElse in found
    return KINDS[loops + 2 * conditionals]


def _walk(body: Body, level: int) -> Iterator[tuple[Statement, int]]:
    """Every statement, with its nesting depth; loops and conditionals count themselves."""
    for statement in body:
        if isinstance(statement, Action):
            yield statement, level
            continue
        yield statement, level + 1
        yield from _walk(statement.body, level + 1)
        if isinstance(statement, IfElse):
            yield from _walk(statement.otherwise, level + 1)


# -- integers --------------------------------------------------------------------------------------


def encode(
    programs: Iterable[Program | str | Sequence[str]], length: int | None = None
) -> NDArray[np.uint8]:
    """Programs as rows of token numbers, padded to the longest or to `length`.

    Texts and lists must consist of tokens; `parse` checks whether they are programs.

    >>> encode(["DEF run m( move m)"], length=7)
    array([[ 0,  1,  2,  4,  3, 51, 51]], dtype=uint8)
    """
    rows = [_token_list(program) for program in programs]
    longest = max(map(len, rows), default=0)
    width = longest if length is None else checks.whole(length, "the length", 1)
    encoded = np.full((len(rows), width), PAD, np.uint8)
    for number, row in enumerate(rows):
        if len(row) > width:
            raise ValueError(f"program {number} must have at most {width} tokens, got {len(row)}")
        for token in row:
            if token not in TOKEN_ID:
                raise ValueError(f"program {number} must consist of tokens of Karel, got {token!r}")
        encoded[number, : len(row)] = [TOKEN_ID[token] for token in row]
    return encoded


def _token_list(program: Program | str | Sequence[str]) -> Sequence[str]:
    if isinstance(program, Program):
        return tokens(program)
    return program.split() if isinstance(program, str) else program


def decode(row: ArrayLike) -> list[str]:
    """The tokens of one row, without the padding at its end.

    >>> decode([0, 1, 2, 4, 3, 51, 51])
    ['DEF', 'run', 'm(', 'move', 'm)']
    """
    numbers = checks.array(row, "a program")
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise ValueError(
            "a program must be one row of token numbers, got"
            f" {numbers.dtype} of shape {numbers.shape}"
        )
    if ((numbers < 0) | (numbers >= len(TOKENS))).any():
        raise ValueError(
            f"token numbers must be in 0 to {len(TOKENS) - 1}, got"
            f" {numbers.min()} to {numbers.max()}"
        )
    used = np.flatnonzero(numbers != PAD)
    return [TOKENS[number] for number in numbers[: used[-1] + 1 if len(used) else 0]]
