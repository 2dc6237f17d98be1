"""Generated Karel tasks, checked one by one with the tests' plain interpreter."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.checkpoints import Checkpoints
from taskspace.envs.karel import generate
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import KarelTask, read_tasks
from taskspace.envs.karel.generate import generate_dataset, generate_tasks, wasteful
from taskspace.envs.karel.language import (
    Action,
    Body,
    If,
    Program,
    Repeat,
    Statement,
    While,
    decode,
    depth,
    encode,
    kind,
    parse,
    tokens,
)
from taskspace.envs.karel.quotas import part_of, quotas
from taskspace.envs.karel.worlds import Worlds
from tests.envs.karel.plain import Plain
from tests.messages import says


@pytest.fixture(scope="module")
def dataset() -> dict[str, KarelTasks]:
    return generate_tasks(300, seed=5, progress=False)[0]


@pytest.fixture(scope="module")
def tasks(dataset: dict[str, KarelTasks]) -> list[KarelTask]:
    return [task for part in dataset.values() for task in part.records()]


# -- the slow check --------------------------------------------------------------------------------


def start(world: Worlds) -> Plain:
    (rows, cols), (row, col, facing) = world.sizes.tolist(), world.heroes.tolist()
    return Plain(rows, cols, row, col, facing, world.walls.tolist(), world.markers.tolist())


def ended(plain: Plain) -> tuple[object, ...]:
    return plain.row, plain.col, plain.facing, plain.markers


def explains(program: list[str], task: KarelTask, examples: int = 5) -> bool:
    """Whether a program maps the specification's inputs to its outputs."""
    for number in range(examples):
        plain = start(task.inputs[number])
        if plain.run(program) != "done" or ended(plain) != ended(start(task.outputs[number])):
            return False
    return True


def edits(body: Body) -> set[Body]:
    """Bodies with one statement dropped, unwrapped, or asked or repeated less; at any depth."""
    found: set[Body] = set()
    for number, statement in enumerate(body):
        before, after = body[:number], body[number + 1 :]
        found.add(before + after)
        if isinstance(statement, Action):
            continue
        found.add(before + statement.body + after)
        inner: list[Statement] = []
        for smaller in edits(statement.body):
            if smaller and isinstance(statement, Repeat):
                inner.append(Repeat(statement.times, smaller))
            elif smaller and isinstance(statement, (While, If)):
                inner.append(type(statement)(statement.condition, smaller))
        if isinstance(statement, Repeat):
            inner += [Repeat(times, statement.body) for times in range(statement.times)]
        if isinstance(statement, While):
            inner.append(If(statement.condition, statement.body))
        found |= {(*before, other, *after) for other in inner}
    return found


def test_programs_do_what_the_examples_show(tasks: list[KarelTask]) -> None:
    assert all(explains(list(task.tokens), task, examples=6) for task in tasks)


def test_examples_differ(tasks: list[KarelTask]) -> None:
    for task in tasks:
        starts = [start(task.inputs[number]) for number in range(6)]
        for one, other in itertools.combinations(starts, 2):
            assert one != other
        for number, plain in enumerate(starts):
            assert ended(plain) != ended(start(task.outputs[number]))


def test_branches_are_shown(tasks: list[KarelTask]) -> None:
    for task in tasks:
        entered = []
        for number in range(5):
            plain = start(task.inputs[number])
            plain.run(task.tokens)
            entered.append(plain.entered)
        bodies = {place for place, token in enumerate(task.tokens) if token in ("r(", "w(", "i(")}
        assert bodies <= set().union(*entered)
        for place in bodies:
            if task.tokens[place] == "i(":
                assert any(place not in one for one in entered)


def test_no_simpler_program_explains(tasks: list[KarelTask]) -> None:
    for task in tasks:
        for body in edits(parse(task.tokens).body):
            assert not body or not explains(tokens(Program(body)), task), task.tokens


def test_two_actions_less_do_not_explain(tasks: list[KarelTask]) -> None:
    for task in tasks[::3]:
        if "REPEAT" in task.tokens or "WHILE" in task.tokens:
            continue
        actions = range(3, len(task.tokens) - 1)
        for pair in itertools.combinations(actions, 2):
            smaller = [token for n, token in enumerate(task.tokens) if n not in pair]
            try:
                parse(smaller)
            except ValueError:
                continue
            assert not explains(smaller, task)


def test_actions_in_a_row_do_not_explain(tasks: list[KarelTask]) -> None:
    for task in tasks:
        for actions in task.actions[:5]:
            straight = ["DEF", "run", "m(", *actions, "m)"]
            if "c(" in task.tokens:
                assert not explains(straight, task)
            elif "REPEAT" in task.tokens:
                assert len(straight) > len(task.tokens)


def test_programs_are_not_redundant(tasks: list[KarelTask]) -> None:
    undo = [("turnLeft", "turnRight"), ("pickMarker", "putMarker")]
    for task in tasks:
        text = " ".join(task.tokens)
        for one, other in undo:
            assert f"{one} {other}" not in text
            assert f"{other} {one}" not in text
        assert "turnLeft turnLeft turnLeft" not in text
        assert "not c( markersPresent" not in text
        assert "R=0" not in text.split()
        assert "R=1" not in text.split()
        for one, other in [*undo, *(pair[::-1] for pair in undo)]:
            assert not re.search(rf"i\( {one} i\) {other}", text)
            assert not re.search(rf"{one} IF .* i\( {other} i\)", text)


def test_rounds_and_markers_are_those_of_the_public_data_set(
    dataset: dict[str, KarelTasks], tasks: list[KarelTask]
) -> None:
    rounds = {token for task in tasks for token in task.tokens if token.startswith("R=")}
    assert rounds <= {f"R={times}" for times in range(2, 11)}
    for part in dataset.values():
        assert part.inputs.markers.max() <= 9
        assert part.outputs.markers.max() <= 9


def test_one_more_round_is_not_written_out(tasks: list[KarelTask]) -> None:
    for task in tasks:
        body = parse(task.tokens).body
        for before, after in itertools.pairwise(body):
            if isinstance(before, Repeat):
                assert before.body != (after,)
            if isinstance(after, Repeat):
                assert after.body != (before,)


# -- the set as a whole ----------------------------------------------------------------------------


def test_quotas_are_met_exactly(dataset: dict[str, KarelTasks]) -> None:
    for part, wanted in quotas(300).items():
        found = Counter(zip(dataset[part].kinds, dataset[part].lengths.tolist(), strict=True))
        assert found == Counter({cell: count for cell, count in wanted.items() if count})


def test_kinds_and_depths(tasks: list[KarelTask]) -> None:
    for task in tasks:
        program = parse(task.tokens)
        assert kind(program) != "both"
        assert depth(program) <= 2


def test_parts_are_disjoint(dataset: dict[str, KarelTasks]) -> None:
    programs, examples = [], []
    for part, found in dataset.items():
        own = {tuple(decode(row)) for row in found.tokens}
        assert {part_of(program) for program in own} == {part}
        programs.append(own)
        examples += [found.examples_digest(number) for number in range(len(found))]
    assert not programs[0] & programs[1]
    assert len(set(examples)) == len(examples) == 300


def same(one: KarelTasks, other: KarelTasks) -> bool:
    return all(np.array_equal(part, vars(other)[name]) for name, part in vars(one).items())


@pytest.mark.slow
def test_same_seed_same_tasks(dataset: dict[str, KarelTasks]) -> None:
    again = generate_tasks(300, seed=5, progress=False)[0]
    other = generate_tasks(300, seed=6, progress=False)[0]
    for part, found in dataset.items():
        assert same(found, again[part])
        assert not same(found, other[part])


@pytest.mark.slow
def test_more_tasks_leave_the_others_as_they_are(dataset: dict[str, KarelTasks]) -> None:
    larger = generate_tasks(600, seed=5, progress=False)[0]
    for part, found in dataset.items():
        digests = {larger[part].examples_digest(n) for n in range(len(larger[part]))}
        assert all(found.examples_digest(n) in digests for n in range(len(found)))


@pytest.mark.slow
@pytest.mark.parametrize("side", [4, 8])
def test_side_of_worlds(side: int) -> None:
    found, selection = generate_tasks(60, seed=1, side=side, progress=False)
    assert selection.full
    for part in found.values():
        assert part.sizes.max() == side
        assert part.sizes.min() >= 2


def test_candidates_are_accounted_for() -> None:
    found, selection = generate_tasks(100, seed=2, progress=False)
    kept = sum(len(part) for part in found.values())
    assert selection.seen == kept + sum(selection.dropped.values())
    assert selection.shortage() == ""


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match=says("side 4 16 3")):
        generate_tasks(10, side=3)
    with pytest.raises(ValueError, match=says("tasks 0")):
        generate_tasks(0)
    with pytest.raises(ValueError, match=says("seed -1")):
        generate_tasks(10, seed=-1)


@pytest.mark.slow
def test_dataset_on_disk(tmp_path: Path) -> None:
    selection = generate_dataset(tmp_path / "set", 40, seed=3, json_lines=True, progress=False)
    assert selection.full
    for part in ("training", "validation"):
        packed = KarelTasks.load(tmp_path / "set" / f"{part}.npz")
        records = KarelTasks.from_records(read_tasks(tmp_path / "set" / f"{part}.jsonl.gz"))
        assert same(packed, records)
    with pytest.raises(FileExistsError, match=says("training.jsonl.gz")):
        generate_dataset(tmp_path / "set", 40, progress=False)
    with pytest.raises(ValueError, match=says("side 4 16 3")):
        generate_dataset(tmp_path / "other", 40, side=3)
    assert not (tmp_path / "other").exists()


# -- parts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "redundant"),
    [
        ("turnLeft turnRight", True),
        ("turnRight putMarker turnLeft", True),
        ("turnLeft turnLeft turnLeft", True),
        ("turnLeft turnLeft", False),
        ("turnRight turnRight putMarker putMarker", False),
        ("putMarker turnLeft pickMarker", True),
        ("putMarker move pickMarker", False),
        ("turnLeft REPEAT R=3 r( turnRight r)", False),
        ("REPEAT R=3 r( move turnRight putMarker turnLeft r)", True),
    ],
)
def test_wasteful(body: str, redundant: bool) -> None:
    assert wasteful(encode([f"DEF run m( {body} m)"], length=16)).tolist() == [redundant]


def test_stored_blocks_are_not_generated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, selection = generate_tasks(100, seed=3, side=6, progress=False)
    store = Checkpoints(tmp_path)
    generate_tasks(100, seed=3, side=6, progress=False, checkpoints=store)
    files = sorted(tmp_path.iterdir())
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1])
    made: list[object] = []
    block = generate._block

    def spy(*which: Any) -> Any:
        made.append(which)
        return block(*which)

    monkeypatch.setattr(generate, "_block", spy)
    again, counted = generate_tasks(100, seed=3, side=6, progress=False, checkpoints=store)
    assert len(made) == 2
    assert (counted.seen, counted.dropped) == (selection.seen, selection.dropped)
    for part, tasks in whole.items():
        for name in ("tokens", "sizes", "heroes", "walls", "markers"):
            np.testing.assert_array_equal(getattr(again[part], name), getattr(tasks, name))
