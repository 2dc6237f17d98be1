"""The mask lets through exactly the programs of the grammar that fit within the limit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from taskspace.envs.karel.grammar import PartialPrograms, first_fault, random_programs
from taskspace.envs.karel.language import (
    ACTIONS,
    CONDITIONS,
    PAD,
    ROUNDS,
    TOKEN_ID,
    TOKENS,
    decode,
    encode,
    parse,
)
from tests.messages import says

Text = tuple[str, ...]
# One of each kind stands for all, or there would be too many programs.
SMALL = [
    token
    for token in TOKENS
    if token not in (*ACTIONS[1:], *ROUNDS[1:], *CONDITIONS[1:], "<s>", "<pad>")
]


def bodies(length: int) -> list[Text]:
    """All non-empty sequences of statements with this many tokens, by recursion."""
    if length < 1:
        return []
    found = [
        first + rest
        for cut in range(1, length)
        for first in statements(cut)
        for rest in bodies(length - cut)
    ]
    return found + statements(length)


def statements(length: int) -> list[Text]:
    if length < 1:
        return []
    if length == 1:
        return [("move",)]
    found: list[Text] = [("REPEAT", "R=0", "r(", *body, "r)") for body in bodies(length - 4)]
    for seen in (("frontIsClear",), ("not", "c(", "frontIsClear", "c)")):
        head = ("c(", *seen, "c)")
        room = length - len(head) - 3
        for word, letter in (("WHILE", "w"), ("IF", "i")):
            found += [(word, *head, f"{letter}(", *b, f"{letter})") for b in bodies(room)]
        found += [
            ("IFELSE", *head, "i(", *then, "i)", "ELSE", "e(", *other, "e)")
            for cut in range(1, room - 3)
            for then in bodies(cut)
            for other in bodies(room - 3 - cut)
        ]
    return found


def walk(limit: int, alphabet: list[str]) -> set[Text]:
    """All programs that the mask lets grow from nothing."""
    numbers = np.array([TOKEN_ID[token] for token in alphabet])
    programs = PartialPrograms(1, limit)
    texts: list[Text] = [()]
    found: set[Text] = set()
    for _ in range(limit):
        which, column = programs.allowed()[:, numbers].nonzero()
        programs = programs.take(which)
        programs.advance(numbers[column])
        texts = [(*texts[row], alphabet[c]) for row, c in zip(which, column, strict=True)]
        done = programs.finished
        found |= {text for text, end in zip(texts, done, strict=True) if end}
        programs = programs.take(np.flatnonzero(~done))
        texts = [text for text, end in zip(texts, done, strict=True) if not end]
    assert not texts  # nothing is left unclosed at the limit
    return found


@pytest.mark.parametrize("limit", [5, 8, 9, 12, 14, 15, 18, 20])
def test_walks_reach_exactly_the_programs_of_the_grammar(limit: int) -> None:
    expected = {
        ("DEF", "run", "m(", *body, "m)")
        for length in range(1, limit - 3)
        for body in bodies(length)
    }
    assert walk(limit, SMALL) == expected


def test_walks_with_all_tokens() -> None:
    found = walk(9, list(TOKENS))
    plain = {text for n in range(1, 6) for text in itertools.product(ACTIONS, repeat=n)}
    repeats = {("REPEAT", times, "r(", a, "r)") for times in ROUNDS for a in ACTIONS}
    assert found == {("DEF", "run", "m(", *body, "m)") for body in plain | repeats}


def test_tokens_of_a_kind_are_allowed_together() -> None:
    programs = PartialPrograms(200, 30)
    rng = np.random.default_rng(0)
    groups = [[TOKEN_ID[token] for token in kind] for kind in (ACTIONS, ROUNDS, CONDITIONS)]
    for _ in range(30):
        mask = programs.allowed()
        assert mask.any(1).all()
        assert not mask[:, TOKEN_ID["<s>"]].any()
        assert np.array_equal(mask[:, PAD], programs.finished)
        for group in groups:
            assert (mask[:, group] == mask[:, group[:1]]).all()
        programs.advance((rng.random(mask.shape) * mask).argmax(1))
    assert programs.finished.all()


@pytest.mark.parametrize("limit", [5, 6, 7, 13, 24, 60, 200])
def test_random_walks_end_as_programs_within_the_limit(limit: int) -> None:
    rows = random_programs(300, seed=limit, longest=limit)
    assert rows.shape == (300, limit)
    for row in rows:
        parse(decode(row))
    assert first_fault(rows) is None


def test_random_programs_have_their_lengths_and_seeds() -> None:
    rows = random_programs(300, seed=0, longest=14, shortest=10)
    lengths = (rows != PAD).sum(1)
    assert set(lengths.tolist()) == {10, 11, 12, 13, 14}
    assert np.array_equal(rows, random_programs(300, seed=0, longest=14, shortest=10))
    assert not np.array_equal(rows, random_programs(300, seed=1, longest=14, shortest=10))
    assert random_programs(0, seed=0, longest=14).shape == (0, 14)
    with pytest.raises(ValueError, match=says("shortest 5 14 15")):
        random_programs(1, seed=0, longest=14, shortest=15)


def test_faults_are_those_of_the_parser() -> None:
    rng = np.random.default_rng(0)
    rows = random_programs(2000, seed=5, longest=20)
    spoilt = rows.copy()
    spoilt[np.arange(2000), rng.integers(0, 20, 2000)] = rng.integers(0, 52, 2000)
    faults = 0
    for row in spoilt:
        try:
            parse(decode(row))
            wrong = None
        except ValueError:
            wrong = 0
            faults += 1
        assert first_fault(row[None]) == wrong
    assert 500 < faults < 2000
    assert first_fault(np.concatenate([rows, spoilt])) == 2000 + next(
        number for number, row in enumerate(spoilt) if first_fault(row[None]) is not None
    )
    assert first_fault(encode(["DEF run m( move"])) == 0  # ends unclosed
    assert first_fault(np.zeros((0, 9), np.uint8)) is None


def test_a_token_that_is_not_allowed_changes_nothing() -> None:
    programs = PartialPrograms(2, 14)
    with pytest.raises(ValueError, match=says("program 1 'move' DEF")):
        programs.advance([TOKEN_ID["DEF"], TOKEN_ID["move"]])
    programs.advance([TOKEN_ID["DEF"]] * 2)
    with pytest.raises(ValueError, match=says("token 2 programs")):
        programs.advance([1])
    with pytest.raises(ValueError, match=says("0 51")):
        programs.advance([1, 52])
    with pytest.raises(ValueError, match=says("tokens")):
        programs.advance([1.0, 1.0])


def test_limits_that_make_no_sense() -> None:
    for limit in (4, 1001):
        with pytest.raises(ValueError, match=says(f"program 5 1000 {limit}")):
            PartialPrograms(1, limit)


def test_taking_copies() -> None:
    programs = PartialPrograms(1, 14)
    twice = programs.take([0, 0])
    twice.advance([0, 0])
    assert np.flatnonzero(programs.allowed()[0]).tolist() == [0]
    assert len(twice) == 2
