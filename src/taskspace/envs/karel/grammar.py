"""Which tokens may come next in a partial program, for many programs at once.

A partial program is in a phase ("a condition is next", "a statement or the end of the block is
next") and has a stack of open blocks. Every token has a price: by how much it lengthens the
shortest completion of the program. The tokens of the shortest program, which has five, cost
nothing; another action costs one token, a REPEAT five. A program can spend the limit minus five
tokens, and a token that costs more is not allowed, so every program can be completed within the
limit.
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

SHORTEST, LONGEST = 5, 1000  # the smallest and largest number of tokens of a program

# -- the rules -------------------------------------------------------------------------------------

# A block's brackets, and the number of tokens that close a block with a statement. The then-block
# of an IFELSE needs "i) ELSE e( action e)".
_BLOCKS = {
    "main": ("m(", "m)", 1), "repeat": ("r(", "r)", 1), "while": ("w(", "w)", 1),
    "if": ("i(", "i)", 1), "then": ("i(", "i)", 5), "else": ("e(", "e)", 1),
}  # fmt: skip
_BLOCK = {name: number for number, name in enumerate(_BLOCKS)}
# What comes next, and the number of tokens until the innermost block can be closed.
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
# What a token does to the stack of open blocks; _PUSH + n opens block number n.
_KEEP, _POP, _TO_ELSE, _PUSH = range(4)
MOST_PROGRAMS = 1_000_000  # at a time
_FORBIDDEN = 30_000

_Rule = tuple[str, str, int]  # token, next phase, change of the stack


def _rules(phase: str, block: str) -> Iterator[_Rule]:
    """The rules for the tokens that are allowed in this phase of this innermost block."""
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
    """By how much a token lengthens the shortest completion of a program."""
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

# A cursor is the state of a partial program: phase, tokens to spend, index of the innermost block
# in the row, then the open blocks.
_STACK = 3


def _cursors(count: int, limit: int) -> NDArray[np.int16]:
    """Cursors of empty programs; every further block costs at least four tokens."""
    cursors = np.zeros((count, _STACK + 1 + (limit - SHORTEST) // 4), np.int16)
    cursors[:, 1:3] = limit - SHORTEST, _STACK
    return cursors


@njit
def _step(cursors, row, token, prices, phases, changes):
    """Advance a cursor by one token; returns False, without a change, if it is not allowed."""
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
        """Advance all cursors; returns the first program whose token is not allowed, or -1."""
        for row in range(len(cursors)):
            if not step(cursors, row, tokens[row], prices, phases, changes):
                return row
        return -1

    return advance


def _first_fault_factory() -> Any:
    def first_fault(programs, nothing, prices, phases, changes):
        """The first row that is not a program followed by padding, or -1."""
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
    """Programs that grow by one token at a time, to at most `limit` tokens with DEF and m).

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
        """Which programs are complete; only padding may follow."""
        return np.equal(self._cursors[:, 0], _NOTHING)

    def allowed(self) -> NDArray[np.bool_]:
        """Which of the 52 tokens are allowed next: (programs, 52)."""
        mask = np.empty((len(self), len(TOKENS)), np.bool_)
        build(_allowed_factory)(self._cursors, _TABLES[0], mask)
        return mask

    def advance(self, tokens: ArrayLike) -> None:
        """Add a token to each program; if one is not allowed, none is added."""
        numbers = _token_numbers(tokens)
        if numbers.shape != (len(self),):
            raise ValueError(
                f"there must be one token for each of {len(self)} programs, got shape"
                f" {numbers.shape}"
            )
        moved = self._cursors.copy()
        fault = build(_advance_factory, _step)(moved, numbers, *_TABLES)
        if fault >= 0:
            may = ", ".join(TOKENS[token] for token in np.flatnonzero(self.allowed()[fault]))
            raise ValueError(
                f"the next token of program {fault} must be one of {may},"
                f" got {TOKENS[numbers[fault]]!r}"
            )
        self._cursors = moved

    def take(self, programs: ArrayLike) -> PartialPrograms:
        """Select programs by number, in this order; repeats are allowed, e.g. for a beam."""
        chosen = PartialPrograms.__new__(PartialPrograms)
        chosen._cursors = self._cursors[np.asarray(programs)]
        return chosen


def first_fault(programs: ArrayLike) -> int | None:
    """The first row of token numbers that is not a program followed by padding.

    >>> first_fault([[0, 1, 2, 4, 3, 51], [0, 1, 2, 4, 4, 51]])
    1
    """
    rows = _token_numbers(programs)
    if rows.ndim != 2:
        raise ValueError(f"programs must be rows of token numbers, got shape {rows.shape}")
    fault = int(build(_first_fault_factory)(rows, _NOTHING, *_TABLES))
    return None if fault < 0 else fault


def random_programs(
    count: int, seed: int, longest: int, shortest: int = SHORTEST
) -> NDArray[np.uint8]:
    """Random programs of `shortest` to `longest` tokens; all allowed tokens are equally likely.

    >>> random_programs(3, seed=0, longest=14, shortest=10).shape
    (3, 14)
    """
    count = checks.whole(count, "the number of programs", most=MOST_PROGRAMS)
    longest = _checked_limit(longest)
    if not SHORTEST <= shortest <= longest:
        raise ValueError(f"shortest must be {SHORTEST} to {longest} tokens, got {shortest}")
    rng = np.random.default_rng(checks.seed(seed))
    found = np.empty((0, longest), np.uint8)
    while len(found) < count:
        walks = _random_walks(max(2 * (count - len(found)), 100), longest, rng)
        found = np.concatenate([found, walks[(walks != PAD).sum(1) >= shortest]])
    return found[:count]


def _random_walks(count: int, limit: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    programs, walks = PartialPrograms(count, limit), np.full((count, limit), PAD, np.uint8)
    for position in range(limit):
        scores = 1 - rng.random((count, len(TOKENS)), np.float32)  # never 0
        walks[:, position] = (scores * programs.allowed()).argmax(1)
        programs.advance(walks[:, position])
    return walks


def _checked_limit(limit: int) -> int:
    if not SHORTEST <= checks.whole(limit, "the limit") <= LONGEST:
        raise ValueError(
            f"the limit of a program must be {SHORTEST} to {LONGEST} tokens, got {limit}"
        )
    return int(limit)


def _token_numbers(tokens: ArrayLike) -> NDArray[np.uint8]:
    """Checked token numbers for the kernels, which do not check ranges."""
    numbers = checks.array(tokens, "tokens")
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise ValueError(f"tokens must be integers, got {numbers.dtype}")
    if ((numbers < 0) | (numbers >= len(TOKENS))).any():
        raise ValueError(
            f"token numbers must be in 0 to {len(TOKENS) - 1}, got"
            f" {numbers.min()} to {numbers.max()}"
        )
    return np.ascontiguousarray(numbers, np.uint8)
