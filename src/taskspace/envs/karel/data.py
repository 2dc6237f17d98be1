"""Karel tasks on disk: the public data set's JSON lines, one task a line.

A grid stands there twice: as text (`inpgrid_json`) and as the places of the ones in a tensor
(`inpgrid_tensor`). Both are written; a record in which they disagree is refused. What we write ends
in one more field, `crc32`: the checksum of the line as it would be without it.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.language import ACTIONS, parse
from taskspace.envs.karel.worlds import (
    MOST_MARKERS,
    SIDE,
    TENSOR_SHAPE,
    Worlds,
    check,
    stack,
    to_tensor,
)
from taskspace.files import atomic_path

EXAMPLES, SPECIFICATION = 6, 5  # the last example is held out
DIRECTIONS = ("north", "east", "south", "west")
_CELLS = int(np.prod(TENSOR_SHAPE))
_ONES = [f"{place}:1.0" for place in range(_CELLS)]
_GRIDS = ("inpgrid", "outgrid")
_CHECKSUM = re.compile(rb', "crc32": ([0-9]+)}\s*$')


@dataclass(frozen=True, eq=False)
class KarelTask:
    """A program and six examples of what it does."""

    guid: str
    tokens: tuple[str, ...]
    inputs: Worlds  # (6,)
    outputs: Worlds  # (6,)
    actions: tuple[tuple[str, ...], ...]  # what the hero does in each example
    crashed: tuple[bool, ...] = (False,) * EXAMPLES
    program_json: Any = None  # the data set's own tree: copied as it is, None in generated tasks


# -- files -----------------------------------------------------------------------------------------


def read_tasks(
    path: str | os.PathLike[str], wanted: Callable[[tuple[str, ...]], bool] | None = None
) -> Iterator[KarelTask]:
    """The tasks of a file of JSON lines (`.gz` too), one at a time.

    A bad record is refused with the file, its line and what was expected. Where `wanted` is given
    it is asked about each program; the grids of others are not looked at, which is much faster.
    """
    source = Path(path)
    if not source.is_file():
        raise FileNotFoundError(f"there is no file {source}")
    if not source.stat().st_size:
        raise ValueError(f"{source} is empty; expected a task a line")
    return _read(source, wanted)


def _read(path: Path, wanted: Callable[[tuple[str, ...]], bool] | None) -> Iterator[KarelTask]:
    line = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        lines = iter(file)
        while True:
            line += 1
            try:
                task = _next_task(lines, wanted)
            except StopIteration:
                return
            except (ValueError, OSError, EOFError, RecursionError, zlib.error) as error:
                raise ValueError(f"{path}:{line}: {error}") from error
            if task is not None:
                yield task


def _next_task(
    lines: Iterator[bytes], wanted: Callable[[tuple[str, ...]], bool] | None
) -> KarelTask | None:
    line = next(lines)
    _check_line(line)
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"this is not a line of JSON: {error}") from error
    tokens = _program(record)
    return None if wanted is not None and not wanted(tokens) else _task(record, tokens)


def _check_line(line: bytes) -> None:
    """Refuse a damaged line; those of the public data set have no checksum."""
    found = _CHECKSUM.search(line, max(len(line) - 40, 0))
    if found and zlib.crc32(line[: found.start()] + b"}") != int(found[1]):
        raise ValueError("this line is damaged: its checksum is wrong; make the file anew")


@contextlib.contextmanager
def task_writer(path: str | os.PathLike[str]) -> Iterator[Callable[[KarelTask], None]]:
    """A function that adds a task to a new file, which appears when the block ends well."""
    with (
        atomic_path(path) as temporary,
        temporary.open("wb") as file,
        _text_file(file, compressed=Path(path).suffix == ".gz") as text,
    ):

        def write(task: KarelTask) -> None:
            line = to_json(task)
            text.write(f'{line[:-1]}, "crc32": {zlib.crc32(line.encode())}}}\n')

        yield write


@contextlib.contextmanager
def _text_file(file: IO[bytes], compressed: bool) -> Iterator[IO[str]]:
    with contextlib.ExitStack() as closing:
        # No name and no time in the file: the same tasks are the same bytes.
        inner: Any = gzip.GzipFile("", "wb", 6, file, mtime=0) if compressed else file
        if compressed:
            closing.enter_context(inner)
        text = io.TextIOWrapper(inner, "utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # writes what is left; the file is closed by those who opened it


def write_tasks(tasks: Iterable[KarelTask], path: str | os.PathLike[str]) -> int:
    """Write tasks as JSON lines, compressed if the name ends in `.gz`; returns how many."""
    count = 0
    with task_writer(path) as write:
        for task in tasks:
            write(task)
            count += 1
    return count


# -- writing ---------------------------------------------------------------------------------------


def to_json(task: KarelTask) -> str:
    """The task as a line of the data set."""
    worlds = (check(task.inputs), check(task.outputs))
    texts = [_tensor_texts(batch) for batch in worlds]
    examples = []
    for number in range(EXAMPLES):
        example: dict[str, Any] = {"example_index": number, "actions": task.actions[number]}
        for grid, batch, lines in zip(_GRIDS, worlds, texts, strict=True):
            crashed = grid == "outgrid" and task.crashed[number]
            example[f"{grid}_json"] = {**grid_json(batch[number]), "crashed": crashed}
            example[f"{grid}_tensor"] = lines[number]
        examples.append(example)
    record = {
        "guid": task.guid, "program_tokens": task.tokens, "program_json": task.program_json,
        "examples": examples,
    }  # fmt: skip
    return json.dumps(record)


def grid_json(world: Worlds) -> dict[str, Any]:
    """One world as the data set's text fields, all but `crashed`.

    >>> from taskspace.envs.karel.worlds import from_text
    >>> grid_json(from_text("# > 2"))
    {'rows': 1, 'cols': 3, 'hero': '0:1:east', 'blocked': '0:0', 'markers': '0:2:2'}
    """
    rows, columns = world.sizes.tolist()
    row, column, facing = world.heroes.tolist()
    walls, marked = np.argwhere(world.walls), np.argwhere(world.markers)
    counts = world.markers[marked[:, 0], marked[:, 1]]
    return {
        "rows": rows,
        "cols": columns,
        "hero": f"{row}:{column}:{DIRECTIONS[facing]}",
        "blocked": " ".join(f"{r}:{c}" for r, c in walls.tolist()),
        "markers": " ".join(
            f"{r}:{c}:{n}" for (r, c), n in zip(marked.tolist(), counts, strict=True)
        ),
    }


def _tensor_texts(worlds: Worlds) -> list[str]:
    tensors = to_tensor(worlds).reshape(len(worlds), -1)
    return [" ".join(map(_ONES.__getitem__, np.flatnonzero(tensor).tolist())) for tensor in tensors]


# -- reading ---------------------------------------------------------------------------------------


def _field(record: Any, name: str, kind: type, expected: str) -> Any:
    """A field of a JSON object, of the right type."""
    if not isinstance(record, dict):
        raise ValueError(f"expected a JSON object with a field {name!r}, found {_short(record)}")
    if name not in record:
        raise ValueError(f"the field {name!r} is missing; expected {expected}")
    value = record[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{name} is {_short(value)}; expected {expected}")
    return value


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _program(record: Any) -> tuple[str, ...]:
    tokens = _field(record, "program_tokens", list, "a list of tokens")
    if not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"program_tokens is {_short(tokens)}; expected a list of tokens")
    try:
        parse(tokens)
    except ValueError as error:
        raise ValueError(f"program_tokens, {error}") from error
    return tuple(tokens)


def _task(record: dict[str, Any], tokens: tuple[str, ...]) -> KarelTask:
    guid = _field(record, "guid", str, "a text")
    if "program_json" not in record:
        raise ValueError("the field 'program_json' is missing; expected a tree or null")
    examples = _field(record, "examples", list, f"a list of {EXAMPLES} examples")
    if len(examples) != EXAMPLES:
        raise ValueError(f"there are {len(examples)} examples; expected {EXAMPLES}")
    worlds, tensors, actions, crashed = [], [], [], []
    for number, example in enumerate(examples):
        with _naming(f"example {number}"):
            actions.append(_actions(example, number))
            for grid in _GRIDS:
                world, has_crashed = _grid(example, f"{grid}_json")
                worlds.append(world)
                tensors.append(_places(example, f"{grid}_tensor"))
            crashed.append(has_crashed)
    both = stack(worlds)
    _check_all(both)
    _compare(both, tensors)
    inputs, outputs = both[0::2], both[1::2]
    same = np.equal(inputs.sizes, outputs.sizes).all(1)
    same &= np.equal(inputs.walls, outputs.walls).all((1, 2))
    if not same.all():
        raise ValueError(
            f"example {int(np.argmin(same))}: outgrid_json has another size or other walls than"
            " inpgrid_json; expected the same"
        )
    return KarelTask(
        guid, tokens, inputs, outputs, tuple(actions), tuple(crashed), record["program_json"]
    )


@contextlib.contextmanager
def _naming(what: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error


def _actions(example: Any, number: int) -> tuple[str, ...]:
    index = _field(example, "example_index", int, f"{number}")
    if index != number:
        raise ValueError(f"example_index is {index}; expected {number}")
    actions = _field(example, "actions", list, f"a list of {', '.join(ACTIONS)}")
    for action in actions:
        if action not in ACTIONS:
            raise ValueError(f"actions has {_short(action)}; expected {', '.join(ACTIONS)}")
    return tuple(actions)


def _grid(example: Any, name: str) -> tuple[Worlds, bool]:
    """The world of the text fields, not yet checked, and whether the hero has crashed in it."""
    grid = _field(example, name, dict, "an object with rows, cols, hero, blocked, markers, crashed")
    with _naming(name):
        world = _world(grid)
        crashed: bool = _field(grid, "crashed", bool, "true or false")
        if crashed and name == "inpgrid_json":
            raise ValueError("crashed is true; expected false before the program starts")
        return world, crashed


def world_from_json(grid: Any) -> Worlds:
    """The world of such text fields as `grid_json` makes.

    >>> grid = {"rows": 1, "cols": 2, "hero": "0:1:west", "blocked": "", "markers": "0:0:3"}
    >>> world_from_json(grid).heroes
    array([0, 1, 3], dtype=uint8)
    """
    return check(_world(grid))


def _world(grid: Any) -> Worlds:
    rows, columns = (_field(grid, side, int, f"1 to {SIDE}") for side in ("rows", "cols"))
    if not (1 <= rows <= SIDE and 1 <= columns <= SIDE):
        raise ValueError(f"the grid has {rows} x {columns} cells; expected sides of 1 to {SIDE}")
    hero = _hero(_field(grid, "hero", str, "'row:column:direction'"))
    blocked = _numbers(_field(grid, "blocked", str, "'row:column ...'"), 2, "blocked")
    marked = _numbers(_field(grid, "markers", str, "'row:column:number ...'"), 3, "markers")
    for cells in (np.array([hero[:2]]), blocked, marked[:, :2]):
        outside = (cells >= (rows, columns)).any(1)
        if outside.any():
            r, c = cells[outside][0].tolist()
            raise ValueError(
                f"there is no cell {r}:{c}; expected cells of a {rows} x {columns} grid"
            )
    counts = marked[:, 2]
    wrong = (counts < 1) | (counts > MOST_MARKERS)
    if wrong.any():
        r, c, count = marked[wrong][0].tolist()
        raise ValueError(f"{count} markers at {r}:{c}; expected 1 to {MOST_MARKERS}")
    walls, markers = np.zeros((SIDE, SIDE), np.bool_), np.zeros((SIDE, SIDE), np.uint8)
    walls[blocked[:, 0], blocked[:, 1]] = True
    markers[marked[:, 0], marked[:, 1]] = counts
    for name, cells, board in (("blocked", blocked, walls), ("markers", marked, markers)):
        if np.count_nonzero(board) != len(cells):
            raise ValueError(f"{name} has a cell twice; expected each once")
    return Worlds(np.array([rows, columns], np.uint8), np.array(hero, np.uint8), walls, markers)


def _hero(text: str) -> tuple[int, int, int]:
    parts = text.split(":")
    if len(parts) != 3 or not all(re.fullmatch("[0-9]{1,2}", part) for part in parts[:2]):
        raise ValueError(f"hero is {_short(text)}; expected 'row:column:direction'")
    if parts[2] not in DIRECTIONS:
        raise ValueError(f"the hero looks {parts[2]!r}; expected {', '.join(DIRECTIONS)}")
    return int(parts[0]), int(parts[1]), DIRECTIONS.index(parts[2])


_LISTS = {
    2: re.compile(r"\s*(?:[0-9]{1,2}:[0-9]{1,2}(?:\s+|$))*"),
    3: re.compile(r"\s*(?:[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\s+|$))*"),
}
_INDEX = re.compile("([0-9]+):")
_TENSOR = re.compile(r"\s*(?:[0-9]{1,4}:1(?:\.0)?(?:\s+|$))*")


def _numbers(text: str, width: int, name: str) -> NDArray[np.int64]:
    """The numbers of "1:2 3:4", in rows."""
    if not _LISTS[width].fullmatch(text):
        form = "row:column" if width == 2 else "row:column:number"
        raise ValueError(f"{name} is {_short(text)}; expected '{form} {form} ...'")
    numbers = list(map(int, text.replace(":", " ").split()))
    return np.array(numbers, np.int64).reshape(-1, width)


def _places(example: dict[str, Any], name: str) -> NDArray[np.int64]:
    """Where a tensor has its ones."""
    text = _field(example, name, str, "'index:1.0 index:1.0 ...'")
    if not _TENSOR.fullmatch(text):
        raise ValueError(f"{name} is {_short(text)}; expected 'index:1.0 index:1.0 ...'")
    places = np.array(list(map(int, _INDEX.findall(text))), np.int64)
    if places.max(initial=0) >= _CELLS:
        raise ValueError(f"{name} has index {places.max()}; expected 0 to {_CELLS - 1}")
    if np.bincount(places).max(initial=0) > 1:
        raise ValueError(f"{name} has an index twice; expected each once")
    return places


def _check_all(worlds: Worlds) -> None:
    """Refuse impossible worlds by name; they alternate input and output."""
    try:
        check(worlds)
    except ValueError:
        for number in range(len(worlds)):
            with _naming(f"example {number // 2}: {_GRIDS[number % 2]}_json"):
                check(worlds[number])


def _compare(worlds: Worlds, tensors: list[NDArray[np.int64]]) -> None:
    """Refuse worlds that are not what their tensors show; they alternate input and output."""
    shown = np.zeros((len(tensors), _CELLS), np.bool_)
    for number, places in enumerate(tensors):
        shown[number, places] = True
    differ = shown != (to_tensor(worlds).reshape(shown.shape) != 0)
    if differ.any():
        number, place = np.argwhere(differ)[0].tolist()
        grid, where = _GRIDS[number % 2], np.unravel_index(place, TENSOR_SHAPE)
        channel, row, column = (int(part) for part in where)
        found = "has a one" if shown[number, place] else "has no one"
        raise ValueError(
            f"example {number // 2}: {grid}_json and {grid}_tensor disagree; expected one grid, but"
            f" the tensor {found} at index {place} (channel {channel}, row {row}, column {column})"
        )
