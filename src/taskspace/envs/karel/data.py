"""Karel tasks on disk: the public data set's JSON lines, one task per line.

A line contains each grid twice: as text (`inpgrid_json`) and as the indices of the ones in a tensor
(`inpgrid_tensor`). Both are written; a record in which they differ is refused. Lines that this
module writes end in one more field, `crc32`: the checksum of the line without this field.
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
    actions: tuple[tuple[str, ...], ...]  # of the hero, per example
    crashed: tuple[bool, ...] = (False,) * EXAMPLES
    program_json: Any = None  # the data set's syntax tree, unchanged; None in generated tasks


# -- files -----------------------------------------------------------------------------------------


def read_tasks(
    path: str | os.PathLike[str], wanted: Callable[[tuple[str, ...]], bool] | None = None
) -> Iterator[KarelTask]:
    """Read the tasks of a file of JSON lines (also `.gz`), one at a time.

    The error for an invalid record names the file and the line. With `wanted`, a function of the
    tokens of a program, other tasks are skipped without reading their grids, which is much faster.
    """
    source = Path(path)
    if not source.is_file():
        raise FileNotFoundError(f"there is no file {source}")
    if not source.stat().st_size:
        raise ValueError(f"{source} must have one task per line, got an empty file")
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
        raise ValueError(f"the line must be JSON, got an error: {error}") from error
    tokens = _program(record)
    return None if wanted is not None and not wanted(tokens) else _task(record, tokens)


def _check_line(line: bytes) -> None:
    """Refuse a damaged line; lines of the public data set have no checksum."""
    found = _CHECKSUM.search(line, max(len(line) - 40, 0))
    if found and zlib.crc32(line[: found.start()] + b"}") != int(found[1]):
        raise ValueError("the checksum must match the line, got a damaged line; make a new file")


@contextlib.contextmanager
def task_writer(path: str | os.PathLike[str]) -> Iterator[Callable[[KarelTask], None]]:
    """A function that adds a task to a new file, which appears when the block succeeds."""
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
        # Without name and time in the file, equal tasks give bit-identical files.
        inner: Any = gzip.GzipFile("", "wb", 6, file, mtime=0) if compressed else file
        if compressed:
            closing.enter_context(inner)
        text = io.TextIOWrapper(inner, "utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # flushes; the caller closes the file


def write_tasks(tasks: Iterable[KarelTask], path: str | os.PathLike[str]) -> int:
    """Write tasks as JSON lines, compressed if the name ends in `.gz`; returns their number."""
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
        raise ValueError(
            f"the record must be a JSON object with a field {name!r}, got {_short(record)}"
        )
    if name not in record:
        raise ValueError(f"the field {name!r} must be {expected}, got no such field")
    value = record[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{name} must be {expected}, got {_short(value)}")
    return value


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _program(record: Any) -> tuple[str, ...]:
    tokens = _field(record, "program_tokens", list, "a list of tokens")
    if not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"program_tokens must be a list of tokens, got {_short(tokens)}")
    try:
        parse(tokens)
    except ValueError as error:
        raise ValueError(f"program_tokens, {error}") from error
    return tuple(tokens)


def _task(record: dict[str, Any], tokens: tuple[str, ...]) -> KarelTask:
    guid = _field(record, "guid", str, "a string")
    if "program_json" not in record:
        raise ValueError("the field 'program_json' must be a tree or null, got no such field")
    examples = _field(record, "examples", list, f"a list of {EXAMPLES} examples")
    if len(examples) != EXAMPLES:
        raise ValueError(f"examples must be {EXAMPLES} examples, got {len(examples)}")
    worlds, tensors, actions, crashed = [], [], [], []
    for number, example in enumerate(examples):
        with _naming(f"example {number}"):
            actions.append(_actions(example, number))
            for grid in _GRIDS:
                world, has_crashed = _grid(example, f"{grid}_json")
                worlds.append(world)
                tensors.append(_indices(example, f"{grid}_tensor"))
            crashed.append(has_crashed)
    both = stack(worlds)
    _check_all(both)
    _compare(both, tensors)
    inputs, outputs = both[0::2], both[1::2]
    same = np.equal(inputs.sizes, outputs.sizes).all(1)
    same &= np.equal(inputs.walls, outputs.walls).all((1, 2))
    if not same.all():
        raise ValueError(
            f"example {int(np.argmin(same))}: outgrid_json must have the size and the walls of"
            " inpgrid_json, got others"
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
        raise ValueError(f"example_index must be {number}, got {index}")
    actions = _field(example, "actions", list, f"a list of {', '.join(ACTIONS)}")
    for action in actions:
        if action not in ACTIONS:
            raise ValueError(f"actions must be {', '.join(ACTIONS)}, got {_short(action)}")
    return tuple(actions)


def _grid(example: Any, name: str) -> tuple[Worlds, bool]:
    """The world of the text fields, not yet checked, and whether the hero crashed in it."""
    grid = _field(example, name, dict, "an object with rows, cols, hero, blocked, markers, crashed")
    with _naming(name):
        world = _world(grid)
        crashed: bool = _field(grid, "crashed", bool, "true or false")
        if crashed and name == "inpgrid_json":
            raise ValueError("crashed must be false before the program starts, got true")
        return world, crashed


def world_from_json(grid: Any) -> Worlds:
    """The world from the text fields that `grid_json` makes.

    >>> grid = {"rows": 1, "cols": 2, "hero": "0:1:west", "blocked": "", "markers": "0:0:3"}
    >>> world_from_json(grid).heroes
    array([0, 1, 3], dtype=uint8)
    """
    return check(_world(grid))


def _world(grid: Any) -> Worlds:
    rows, columns = (_field(grid, side, int, f"1 to {SIDE}") for side in ("rows", "cols"))
    if not (1 <= rows <= SIDE and 1 <= columns <= SIDE):
        raise ValueError(f"rows and cols must be in 1 to {SIDE}, got {rows} and {columns}")
    hero = _hero(_field(grid, "hero", str, "'row:column:direction'"))
    blocked = _numbers(_field(grid, "blocked", str, "'row:column ...'"), 2, "blocked")
    marked = _numbers(_field(grid, "markers", str, "'row:column:number ...'"), 3, "markers")
    for cells in (np.array([hero[:2]]), blocked, marked[:, :2]):
        outside = (cells >= (rows, columns)).any(1)
        if outside.any():
            r, c = cells[outside][0].tolist()
            raise ValueError(f"there is no cell {r}:{c} in the grid of {rows} x {columns} cells")
    counts = marked[:, 2]
    wrong = (counts < 1) | (counts > MOST_MARKERS)
    if wrong.any():
        r, c, count = marked[wrong][0].tolist()
        raise ValueError(f"markers at {r}:{c} must be 1 to {MOST_MARKERS}, got {count}")
    walls, markers = np.zeros((SIDE, SIDE), np.bool_), np.zeros((SIDE, SIDE), np.uint8)
    walls[blocked[:, 0], blocked[:, 1]] = True
    markers[marked[:, 0], marked[:, 1]] = counts
    for name, cells, board in (("blocked", blocked, walls), ("markers", marked, markers)):
        if np.count_nonzero(board) != len(cells):
            raise ValueError(f"{name} must have each cell once, got a cell twice")
    return Worlds(np.array([rows, columns], np.uint8), np.array(hero, np.uint8), walls, markers)


def _hero(text: str) -> tuple[int, int, int]:
    parts = text.split(":")
    if len(parts) != 3 or not all(re.fullmatch("[0-9]{1,2}", part) for part in parts[:2]):
        raise ValueError(f"hero must be 'row:column:direction', got {_short(text)}")
    if parts[2] not in DIRECTIONS:
        raise ValueError(
            f"the direction of the hero must be {', '.join(DIRECTIONS)}, got {parts[2]!r}"
        )
    return int(parts[0]), int(parts[1]), DIRECTIONS.index(parts[2])


_LISTS = {
    2: re.compile(r"\s*(?:[0-9]{1,2}:[0-9]{1,2}(?:\s+|$))*"),
    3: re.compile(r"\s*(?:[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\s+|$))*"),
}
_INDEX = re.compile("([0-9]+):")
_TENSOR = re.compile(r"\s*(?:[0-9]{1,4}:1(?:\.0)?(?:\s+|$))*")


def _numbers(text: str, width: int, name: str) -> NDArray[np.int64]:
    """The numbers of e.g. "1:2 3:4", in rows."""
    if not _LISTS[width].fullmatch(text):
        form = "row:column" if width == 2 else "row:column:number"
        raise ValueError(f"{name} must be '{form} {form} ...', got {_short(text)}")
    numbers = list(map(int, text.replace(":", " ").split()))
    return np.array(numbers, np.int64).reshape(-1, width)


def _indices(example: dict[str, Any], name: str) -> NDArray[np.int64]:
    """The indices of the ones in a tensor."""
    text = _field(example, name, str, "'index:1.0 index:1.0 ...'")
    if not _TENSOR.fullmatch(text):
        raise ValueError(f"{name} must be 'index:1.0 index:1.0 ...', got {_short(text)}")
    indices = np.array(list(map(int, _INDEX.findall(text))), np.int64)
    if indices.max(initial=0) >= _CELLS:
        raise ValueError(f"indices of {name} must be in 0 to {_CELLS - 1}, got {indices.max()}")
    if np.bincount(indices).max(initial=0) > 1:
        raise ValueError(f"{name} must have each index once, got an index twice")
    return indices


def _check_all(worlds: Worlds) -> None:
    """Check worlds, which alternate input and output; errors name the example."""
    try:
        check(worlds)
    except ValueError:
        for number in range(len(worlds)):
            with _naming(f"example {number // 2}: {_GRIDS[number % 2]}_json"):
                check(worlds[number])


def _compare(worlds: Worlds, tensors: list[NDArray[np.int64]]) -> None:
    """Check that worlds, which alternate input and output, agree with their tensors."""
    shown = np.zeros((len(tensors), _CELLS), np.bool_)
    for number, indices in enumerate(tensors):
        shown[number, indices] = True
    differ = shown != (to_tensor(worlds).reshape(shown.shape) != 0)
    if differ.any():
        number, index = np.argwhere(differ)[0].tolist()
        grid, where = _GRIDS[number % 2], np.unravel_index(index, TENSOR_SHAPE)
        channel, row, column = (int(part) for part in where)
        raise ValueError(
            f"example {number // 2}: {grid}_tensor must agree with {grid}_json, got"
            f" {int(shown[number, index])} at index {index} (channel {channel}, row {row},"
            f" column {column})"
        )
