"""The language: tokens, parser, printer and integers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from taskspace.envs.karel import language
from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.language import (
    PAD,
    START,
    TOKENS,
    Action,
    Condition,
    If,
    IfElse,
    KarelSyntaxError,
    Program,
    Repeat,
    While,
    decode,
    depth,
    encode,
    kind,
    parse,
    pretty,
    tokens,
)
from tests.messages import says

ALL = (
    "DEF run m( REPEAT R=19 r( move r) WHILE c( not c( markersPresent c) c) w( turnLeft w)"
    " IF c( frontIsClear c) i( turnRight i)"
    " IFELSE c( leftIsClear c) i( pickMarker i) ELSE e( putMarker e) m)"
)


def test_there_are_52_tokens_in_the_order_of_the_data_set() -> None:
    assert len(TOKENS) == len(set(TOKENS)) == 52
    assert TOKENS[:11] == (
        "DEF", "run", "m(", "m)", "move", "turnLeft", "turnRight", "pickMarker", "putMarker",
        "REPEAT", "R=0",
    )  # fmt: skip
    assert TOKENS[29:33] == ("R=19", "r(", "r)", "IF")
    assert TOKENS[44:50] == (
        "not", "frontIsClear", "leftIsClear", "rightIsClear", "markersPresent", "noMarkersPresent",
    )  # fmt: skip
    assert {START, PAD} == {50, 51}


def test_every_statement_is_parsed() -> None:
    assert parse(ALL) == Program((
        Repeat(19, (Action("move"),)),
        While(Condition("markersPresent", negated=True), (Action("turnLeft"),)),
        If(Condition("frontIsClear"), (Action("turnRight"),)),
        IfElse(Condition("leftIsClear"), (Action("pickMarker"),), (Action("putMarker"),)),
    ))  # fmt: skip


def test_round_trips() -> None:
    rows = random_programs(500, seed=3, longest=40)
    for row in rows:
        program = parse(decode(row))
        assert tokens(program) == decode(row)
        assert parse(pretty(program)) == parse(tokens(program)) == program
        assert parse(" ".join(tokens(program))) == program
    programs = [parse(decode(row)) for row in rows]
    assert np.array_equal(encode(programs, 40), rows)
    assert np.array_equal(encode([decode(row) for row in rows], 40), rows)


def test_pretty_shows_the_nesting() -> None:
    text = "DEF run m( IFELSE c( leftIsClear c) i( REPEAT R=2 r( move r) i) ELSE e( move e) m)"
    assert pretty(parse(text)).splitlines() == [
        "DEF run m(",
        "    IFELSE c( leftIsClear c) i(",
        "        REPEAT R=2 r(",
        "            move",
        "        r)",
        "    i) ELSE e(",
        "        move",
        "    e)",
        "m)",
    ]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", "line 1 column 1 token 1 'DEF'"),
        ("DEF", "line 1 column 4 token 2 'run'"),
        ("DEF run m( m)", "line 1 column 12 token 4 'm)' action REPEAT WHILE IF IFELSE"),
        ("DEF run m(\n  move\n  jump\nm)", "line 3 column 3 token 5 'jump' Karel"
         " action REPEAT WHILE IF IFELSE 'm)'"),
        ("DEF run m( move", "line 1 column 16 token 5 action REPEAT WHILE IF IFELSE 'm)'"),
        ("DEF run m( REPEAT 3 r( move r) m)", "token 5 '3' Karel R=0 R=19"),
        ("DEF run m( REPEAT R=20 r( move r) m)", "'R=20' Karel"),
        ("DEF run m( REPEAT R=2 r( move m)", "token 8 'm)' action REPEAT WHILE IF IFELSE 'r)'"),
        ("DEF run m( IF frontIsClear i( move i) m)", "'frontIsClear' 'c('"),
        ("DEF run m( IF c( move c) i( move i) m)", "token 6 'move' not frontIsClear"
         " leftIsClear rightIsClear markersPresent noMarkersPresent"),
        ("DEF run m( IF c( not frontIsClear c) i( move i) m)", "token 7 'frontIsClear' 'c('"),
        ("DEF run m( IF c( not c( not c( leftIsClear c) c) c) i( move i) m)",
         "token 8 'not' frontIsClear"),
        ("DEF run m( IF c( not c( leftIsClear c) i( move i) m)", "'i(' 'c)'"),
        ("DEF run m( IFELSE c( leftIsClear c) i( move i) m)", "'m)' 'ELSE'"),
        ("DEF run m( WHILE c( leftIsClear c) i( move i) m)", "'i(' 'w('"),
        ("DEF run m( move m)\nmove", "line 2 column 1 token 6 'move' 'm)'"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what_was_expected(text: str, tokens: str) -> None:
    with pytest.raises(KarelSyntaxError) as caught:
        parse(text)
    assert re.search(says(tokens), str(caught.value))
    assert "\n" not in str(caught.value)
    with pytest.raises(KarelSyntaxError) as of_list:
        parse(text.split())
    assert of_list.value.line is None
    assert of_list.value.token == caught.value.token
    assert of_list.value.expected == caught.value.expected


def test_error_has_its_parts() -> None:
    with pytest.raises(KarelSyntaxError) as caught:
        parse("DEF run m(\n    jump m)")
    error = caught.value
    assert (error.line, error.column, error.token, error.found) == (2, 5, 4, "jump")


@pytest.mark.parametrize(
    ("body", "levels", "name"),
    [
        ("move turnLeft", 0, "plain"),
        ("move REPEAT R=2 r( move r)", 1, "loops"),
        ("WHILE c( leftIsClear c) w( move w)", 1, "loops"),
        ("REPEAT R=2 r( REPEAT R=0 r( move r) move r)", 2, "loops"),
        ("IF c( leftIsClear c) i( move i) IF c( leftIsClear c) i( move i)", 1, "conditionals"),
        (
            "IFELSE c( leftIsClear c) i( move i) ELSE e( IF c( leftIsClear c) i( move i) e)",
            2,
            "conditionals",
        ),
        (
            "IFELSE c( leftIsClear c) i( move i) ELSE e( REPEAT R=1 r( IF c( leftIsClear c)"
            " i( move i) r) e)",
            3,
            "both",
        ),
    ],
)
def test_depth_and_kind(body: str, levels: int, name: str) -> None:
    program = parse(f"DEF run m( {body} m)")
    assert (depth(program), kind(program)) == (levels, name)
    assert name in language.KINDS


def test_integers_refuse_what_they_cannot_hold() -> None:
    with pytest.raises(ValueError, match=says("program 1 'jump' Karel")):
        encode(["DEF run m( move m)", "DEF jump"])
    with pytest.raises(ValueError, match=says("program 0 5 4")):
        encode(["DEF run m( move m)"], length=4)
    with pytest.raises(ValueError, match=says("0 51")):
        decode([0, 52])
    with pytest.raises(ValueError, match=says("program row")):
        decode([[0, 1]])
    with pytest.raises(ValueError, match=says("program row")):
        decode([0.5])
    assert encode([]).shape == (0, 0)
    assert decode([PAD, PAD]) == []
    assert decode([PAD, 4]) == ["<pad>", "move"]  # padding inside is the parser's to refuse
