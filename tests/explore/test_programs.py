"""Karel programs as people write them: what is read, what is refused, and what tasks they make."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.language import TOKENS, decode, parse, pretty
from taskspace.explore.api import create_app
from taskspace.explore.programs import read, shown
from taskspace.runs.run import Run
from tests.explore.browser import served
from tests.messages import says
from tests.tolerances import COORDINATE

pytestmark = pytest.mark.slow

# -- reading and writing ---------------------------------------------------------------------------


def test_every_program_is_read_as_it_is_shown_and_in_tokens() -> None:
    for row in random_programs(300, seed=1, longest=40):
        program = parse(decode(row))
        assert read(shown(program)) == program
        assert read(pretty(program)) == program
        assert read(shown(program).replace(" ", "\n ").lower()) == program


@pytest.mark.parametrize(
    "text",
    [
        "IFELSE (not frontIsClear) { move } ELSE { REPEAT R=3 { turnLeft } }",
        "IF not frontIsClear{move}else{repeat 3(turnLeft)}",
        "ifelse {not {frontIsClear}} (move) else (repeat r=3 r( turnleft r))",
        "DEF run { IF c( not (frontIsClear) c) { move } ELSE { REPEAT 3 { turnLeft } } }",
    ],
)
def test_there_are_many_ways_to_write_it(text: str) -> None:
    tokens = (
        "DEF run m( IFELSE c( not c( frontIsClear c) c) i( move i)"
        " ELSE e( REPEAT R=3 r( turnLeft r) e) m)"
    )
    assert read(text) == parse(tokens)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.lists(st.sampled_from([*TOKENS, "{", "}", "(", ")", "3", "jump", "é\x00"])))
def test_any_text_is_a_program_or_gets_a_sentence(words: list[str]) -> None:
    try:
        program = read(" ".join(words))
    except ValueError as error:
        told = str(error)
    else:
        told = "" if read(shown(program)) == program else "it is read otherwise"
    assert re.search(r"^$|\bprogram\b|\bbracket\b|\bword \d+", told)


# -- the question ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client(karel: Run) -> Iterator[httpx.Client]:
    with (
        served(create_app(karel)) as url,
        httpx.Client(base_url=url, timeout=30) as found,
    ):
        yield found


def test_a_new_task_is_what_the_program_does_in_the_worlds(
    client: httpx.Client, karel: Run
) -> None:
    asked = {"program": "repeat 3 {turnLeft}", "like": "task-9"}
    found = client.post("/api/karel", json=asked).json()
    assert found["program"] == "REPEAT R=3 { turnLeft }"
    old, new = (
        KarelTasks.from_rows(np.array([row]))
        for row in (karel.outcomes.task_inputs[9], found["task"])
    )
    assert new.inputs.same_as(old.inputs).all()
    heroes, before = new.outputs.heroes, old.inputs.heroes
    np.testing.assert_array_equal(heroes[..., :2], before[..., :2])
    # North, east, south, west: three turns to the left are one to the right.
    np.testing.assert_array_equal(heroes[..., 2], (before[..., 2] + 1) % 4)
    np.testing.assert_array_equal(new.outputs.markers, old.inputs.markers)
    expected = karel.embedder.transform([found["task"]])[0]
    np.testing.assert_allclose(found["vector"], expected, atol=COORDINATE)
    assert found["difficulty"] == pytest.approx(np.linalg.norm(found["vector"]))
    again = client.post("/api/embed", json={"tasks": [found["task"]]}).json()["tasks"][0]
    assert again == {name: found[name] for name in again}


def test_a_known_program_makes_the_known_task(client: httpx.Client, karel: Run) -> None:
    text = " ".join(decode(KarelTasks.from_rows(karel.outcomes.task_inputs).tokens[7]))
    found = client.post("/api/karel", json={"program": text, "like": "task-7"}).json()
    assert found["task"] == karel.outcomes.task_inputs[7].tolist()
    for name, view in karel.layouts.items():
        np.testing.assert_allclose(found["positions"][name], view[7], atol=1e-3)


@pytest.mark.parametrize(
    ("program", "tokens"),
    [
        (" ", "program empty move"),
        ("move jump", "2 'jump' Karel action"),
        ("x" * 99, "1 'xxxxxxxxxxxxxxxxxxxxxxxx…'"),
        ("REPEAT 2 { move", "bracket '}'"),
        ("IF (frontIsClear { move }", "4 '{' ')'"),
        ("move }", "2 '}' bracket"),
        ("REPEAT 2 { }", "4 '}' action"),
        ("REPEAT 20 { move }", "2 '20' R=0 R=19"),
        ("IF markers { move }", "2 'markers' Karel condition"),
        ("REPEAT 9 { move }", "wall world 1 action"),
        ("turnLeft pickMarker", "marker world 1 action 2"),
        ("REPEAT 11 { putMarker }", "marker world 1 action 11"),
        ("WHILE noMarkersPresent { turnLeft }", "200 world 1"),
        ("putMarker " * 21, "tokens 25 24"),
        ("move " * 201, "program 1000"),
        ("REPEAT 1{" * 111, "bracket '}'"),
    ],
)
def test_bad_programs_get_one_sentence(client: httpx.Client, program: str, tokens: str) -> None:
    answer = client.post("/api/karel", json={"program": program, "like": "task-9"})
    assert answer.status_code == 422
    assert list(answer.json()) == ["error"]
    assert re.search(says(tokens), answer.json()["error"]), answer.json()


def test_unknown_tasks_are_reported_and_the_manual_has_it(client: httpx.Client) -> None:
    answer = client.post("/api/karel", json={"program": "move", "like": "nobody"})
    assert answer.status_code == 422
    assert list(answer.json()) == ["error"]
    assert re.search(says("'nobody'"), answer.json()["error"])
    assert "/api/karel" in client.get("/docs").text
