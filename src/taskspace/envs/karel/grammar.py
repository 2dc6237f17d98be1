"""Which tokens may come next in a partial program, for many programs at once.

A program grows through phases ("a condition is next", "a statement or the end of the block is
next") with a stack of the blocks that are open. Every token has a price: by how much it lengthens
the shortest program that can still come of it. The shortest one, of five tokens, is free from
start to end; an action more costs one token, a REPEAT five. What a program can spend is the limit
less five, and a token it cannot pay is not allowed, so no program is ever cut off unclosed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.compiling import build
from taskspace.envs.karel.language import ACTIONS, CONDITIONS, PAD, ROUNDS, TOKEN_ID, TOKENS

SHORTEST, LONGEST = 5, 1000  # tokens of a program, and of what we care to handle

# -- the rules -------------------------------------------------------------------------------------

# A block's brackets, and how many tokens it takes to close one that has a statement. The
# then-block of an IFELSE cannot do without "i) ELSE e( action e)".
_BLOCKS = {
    "main": ("m(", "m)", 1), "repeat": ("r(", "r)", 1), "while": ("w(", "w)", 1),
    "if": ("i(", "i)", 1), "then": ("i(", "i)", 5), "else": ("e(", "e)", 1),
}  # fmt: skip
_BLOCK = {name: number for number, name in enumerate(_BLOCKS)}
# What comes next, and how many tokens it takes until the innermost block can be closed.
_PHASES = {
    "DEF": 4, "run": 3, "open block": 2, "statement": 1, "statement or close": 0, "rounds": 3,
    "open condition": 5, "condition": 4, "close condition": 3, "open not": 6,
    "condition of not": 5, "close not": 4, "ELSE": 3, "nothing": 0,
}  # fmt: skip
_PHASE = {name: number for number, name in enumerate(_PHASES)}
_STATEMENTS = {
    "REPEAT": ("rounds", "repeat"), "WHILE": ("open condition", "while"),
    "IF": ("open condition", "if"), "IFELSE": ("open condition", "then"),
}  # fmt: skip
# What a token does to the stack of open blocks; from _PUSH on: opens block number (it - _PUSH).
_KEEP, _POP, _TO_ELSE, _PUSH = range(4)
_FORBIDDEN = 30_000

_Rule = tuple[str, str, int]  # token, next phase, what happens to the stack


def _rules(phase: str, block: str) -> Iterator[_Rule]:
    """The tokens that may come in this phase of this innermost block."""
    opener, closer, _ = _BLOCKS[block]
    fixed = {
        "DEF": ("DEF", "run"), "run": ("run", "open block"), "open block": (opener, "statement"),
        "open condition": ("c(", "condition"), "close condition": ("c)", "open block"),
        "open not": ("c(", "condition of not"), "close not": ("c)", "close condition"),
        "ELSE": ("ELSE", "open block"), "nothing": (TOKENS[PAD], "nothing"),
    }  # fmt: skip
    if phase in fixed:
        yield (*fixed[phase], _KEEP)
    elif phase == "rounds":
        yield from ((token, "open block", _KEEP) for token in ROUNDS)
    elif phase == "condition of not":
        yield from ((token, "close not", _KEEP) for token in CONDITIONS)
    elif phase == "condition":
        yield "not", "open not", _KEEP
        yield from ((token, "close condition", _KEEP) for token in CONDITIONS)
    else:
        yield from ((token, "statement or close", _KEEP) for token in ACTIONS)
        for token, (after, opened) in _STATEMENTS.items():
            yield token, after, _PUSH + _BLOCK[opened]
        if phase == "statement or close":
            yield closer, *_after_block(block)


def _after_block(block: str) -> tuple[str, int]:
    if block == "main":
        return "nothing", _KEEP  # the stack is never empty
    return ("ELSE", _TO_ELSE) if block == "then" else ("statement or close", _POP)


def _price(phase: str, block: str, after: str, change: int) -> int:
    """By how much a token lengthens the shortest program that can come of it."""
    closing = [tokens for _, _, tokens in _BLOCKS.values()]
    if change >= _PUSH:
        difference = closing[change - _PUSH]
    elif change == _TO_ELSE:
        difference = closing[_BLOCK["else"]] - closing[_BLOCK["then"]]
    else:
        difference = -closing[_BLOCK[block]] if change == _POP or after == "nothing" else 0
    return 1 + _PHASES[after] - _PHASES[phase] + difference


def _make_tables() -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
    """Price, next phase and change of the stack, by phase, innermost block and token."""
    shape = (len(_PHASES), len(_BLOCKS), len(TOKENS))
    prices, phases, changes = (np.full(shape, fill, np.int16) for fill in (_FORBIDDEN, 0, 0))
    for phase in _PHASES:
        for block in _BLOCKS:
            for token, after, change in _rules(phase, block):
                place = _PHASE[phase], _BLOCK[block], TOKEN_ID[token]
                price = 0 if phase == "nothing" else _price(phase, block, after, change)
                prices[place], phases[place], changes[place] = price, _PHASE[after], change
    return prices, phases, changes


_TABLES = _make_tables()
_NOTHING = _PHASE["nothing"]

# -- the compiled part -----------------------------------------------------------------------------

# A cursor is where a partial program stands: phase, tokens to spend, index of the innermost block
# in the row, then the blocks that are open.
_STACK = 3


def _cursors(count: int, limit: int) -> NDArray[np.int16]:
    """Programs before their first token; a block more costs at least four tokens."""
    cursors = np.zeros((count, _STACK + 1 + (limit - SHORTEST) // 4), np.int16)
    cursors[:, 1:3] = limit - SHORTEST, _STACK
    return cursors


@njit
def _step(cursors, row, token, prices, phases, changes):
    """Move a cursor on by one token; False, and nothing moved, if the token is not allowed."""
    top = cursors[row, 2]
    phase, block = cursors[row, 0], cursors[row, top]
    price = prices[phase, block, token]
    if price > cursors[row, 1]:
        return False
    cursors[row, 0] = phases[phase, block, token]
    cursors[row, 1] -= price
    change = changes[phase, block, token]
    if change == _POP:
        cursors[row, 2] = top - 1
    elif change == _TO_ELSE:
        cursors[row, top] += 1  # "else" comes after "then" in _BLOCKS
    elif change >= _PUSH:
        cursors[row, 2] = top + 1
        cursors[row, top + 1] = change - _PUSH
    return True


def _allowed_factory() -> Any:
    def allowed(cursors, prices, mask):
        for row in range(len(cursors)):
            phase, block = cursors[row, 0], cursors[row, cursors[row, 2]]
            for token in range(prices.shape[2]):
                mask[row, token] = prices[phase, block, token] <= cursors[row, 1]

    return allowed


def _advance_factory(step: Any) -> Any:
    def advance(cursors, tokens, prices, phases, changes):
        """The first program whose token is not allowed, or -1."""
        for row in range(len(cursors)):
            if not step(cursors, row, tokens[row], prices, phases, changes):
                return row
        return -1

    return advance


def _first_fault_factory() -> Any:
    def first_fault(programs, nothing, prices, phases, changes):
        """The first row that is no program with padding after it, or -1."""
        blocks = np.zeros(programs.shape[1] + 1, np.int16)
        for row in range(len(programs)):
            phase, top, block = 0, 0, 0
            for place in range(programs.shape[1]):
                token = programs[row, place]
                if prices[phase, block, token] == _FORBIDDEN:
                    return row
                change = changes[phase, block, token]
                phase = np.int64(phases[phase, block, token])
                if change != _KEEP:
                    if change == _POP:
                        top -= 1
                    elif change == _TO_ELSE:
                        blocks[top] += 1
                    else:
                        top += 1
                        blocks[top] = change - _PUSH
                    block = np.int64(blocks[top])
            if phase != nothing:
                return row
        return -1

    return first_fault


# -- for users -------------------------------------------------------------------------------------


class PartialPrograms:
    """Programs that grow by a token at a time and end within `limit` tokens, DEF and m) included.

    >>> programs = PartialPrograms(2, limit=14)
    >>> programs.advance([TOKEN_ID["DEF"], TOKEN_ID["DEF"]])
    >>> [TOKENS[token] for token in np.flatnonzero(programs.allowed()[0])]
    ['run']
    """

    def __init__(self, count: int, limit: int) -> None:
        limit = _checked_limit(limit)
        self._cursors = _cursors(checks.whole(count, "the number of programs"), limit)

    def __len__(self) -> int:
        return len(self._cursors)

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Which programs are whole; they take padding and nothing else."""
        return np.equal(self._cursors[:, 0], _NOTHING)

    def allowed(self) -> NDArray[np.bool_]:
        """Which of the 52 tokens may come next: (programs, 52)."""
        mask = np.empty((len(self), len(TOKENS)), np.bool_)
        build(_allowed_factory)(self._cursors, _TABLES[0], mask)
        return mask

    def advance(self, tokens: ArrayLike) -> None:
        """Add a token to each program; if one is not allowed, none is added."""
        numbers = _token_numbers(tokens)
        if numbers.shape != (len(self),):
            raise ValueError(f"one token for each of the {len(self)} programs is expected")
        moved = self._cursors.copy()
        fault = build(_advance_factory, _step)(moved, numbers, *_TABLES)
        if fault >= 0:
            may = ", ".join(TOKENS[token] for token in np.flatnonzero(self.allowed()[fault]))
            raise ValueError(
                f"program {fault}: {TOKENS[numbers[fault]]!r} is not allowed here, only {may}"
            )
        self._cursors = moved

    def take(self, programs: ArrayLike) -> PartialPrograms:
        """These programs, by number and in this order, each perhaps several times (a beam)."""
        chosen = PartialPrograms.__new__(PartialPrograms)
        chosen._cursors = self._cursors[np.asarray(programs)]
        return chosen


def first_fault(programs: ArrayLike) -> int | None:
    """The first row of token numbers that is not a program with padding after it.

    >>> first_fault([[0, 1, 2, 4, 3, 51], [0, 1, 2, 4, 4, 51]])
    1
    """
    rows = _token_numbers(programs)
    if rows.ndim != 2:
        raise ValueError("programs are rows of token numbers")
    fault = int(build(_first_fault_factory)(rows, _NOTHING, *_TABLES))
    return None if fault < 0 else fault


def random_programs(
    count: int, seed: int, longest: int, shortest: int = SHORTEST
) -> NDArray[np.uint8]:
    """Random programs of so many tokens: every allowed token is equally likely.

    >>> random_programs(3, seed=0, longest=14, shortest=10).shape
    (3, 14)
    """
    count, longest = checks.whole(count, "the number of programs"), _checked_limit(longest)
    if not SHORTEST <= shortest <= longest:
        raise ValueError(f"the shortest program has {SHORTEST} to {longest} tokens, not {shortest}")
    rng = np.random.default_rng(checks.seed(seed))
    found = np.empty((0, longest), np.uint8)
    while len(found) < count:
        walks = _random_walks(max(2 * (count - len(found)), 100), longest, rng)
        found = np.concatenate([found, walks[(walks != PAD).sum(1) >= shortest]])
    return found[:count]


def _random_walks(count: int, limit: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    programs, walks = PartialPrograms(count, limit), np.full((count, limit), PAD, np.uint8)
    for place in range(limit):
        scores = 1 - rng.random((count, len(TOKENS)), np.float32)  # never 0
        walks[:, place] = (scores * programs.allowed()).argmax(1)
        programs.advance(walks[:, place])
    return walks


def _checked_limit(limit: int) -> int:
    if not SHORTEST <= checks.whole(limit, "the limit") <= LONGEST:
        raise ValueError(f"the limit of a program is {SHORTEST} to {LONGEST} tokens, not {limit}")
    return int(limit)


def _token_numbers(tokens: ArrayLike) -> NDArray[np.uint8]:
    """Token numbers as the kernels take them, which do not look whether they are in range."""
    numbers = checks.array(tokens, "tokens")
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise ValueError("tokens must be whole numbers")
    if ((numbers < 0) | (numbers >= len(TOKENS))).any():
        raise ValueError(f"token numbers go from 0 to {len(TOKENS) - 1}")
    return np.ascontiguousarray(numbers, np.uint8)
