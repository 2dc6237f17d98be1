"""Karel tasks in memory, as arrays of less than 2 kB per task, and on disk."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.data import EXAMPLES, KarelTask
from taskspace.envs.karel.grammar import first_fault
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import PAD, decode, encode, kind, parse
from taskspace.envs.karel.worlds import SIDE, Worlds, check, stack
from taskspace.files import (
    atomic_path,
    check_format,
    check_seal,
    check_unfolded_size,
    read_arrays,
    seal,
)

FORMAT, FORMAT_VERSION = "taskspace karel tasks", 1
_BATCH = 1024  # tasks unpacked at a time
_INNER = {  # the arrays after the tokens, with their shapes per task
    "sizes": (EXAMPLES, 2), "heroes": (EXAMPLES, 2, 3), "walls": (EXAMPLES, SIDE * SIDE // 8),
    "markers": (EXAMPLES, 2, SIDE * SIDE // 2),
}  # fmt: skip
_ROW_TOKENS = 24  # the paper's horizon
# What NumPy raises for files that are not .npz files, or that are truncated.
_UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, MemoryError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class KarelTasks:
    """Programs with six examples each, which can be indexed like an array.

    All arrays are of uint8. The output of an example has the size and the walls of the input, which
    are therefore stored once; walls take one bit per cell, markers four.
    """

    tokens: NDArray[np.uint8]  # (n, length), padded
    sizes: NDArray[np.uint8]  # (n, 6, 2)
    heroes: NDArray[np.uint8]  # (n, 6, 2, 3): input, output
    walls: NDArray[np.uint8]  # (n, 6, 32)
    markers: NDArray[np.uint8]  # (n, 6, 2, 128): input, output

    def __post_init__(self) -> None:
        count = self.tokens.shape[:1]
        shapes = {"tokens": self.tokens.shape[:2]}
        shapes |= {name: (*count, *inner) for name, inner in _INNER.items()}
        for name, shape in shapes.items():
            found: Any = getattr(self, name)
            if found.dtype != np.uint8 or found.shape != shape or len(shape) < 2:
                raise ValueError(
                    f"{name} of Karel tasks must be an array of uint8 and of shape {shape},"
                    f" got {found.dtype} and {found.shape}"
                )

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, chosen: slice | NDArray[Any]) -> KarelTasks:
        return KarelTasks(*(part[chosen] for part in self._parts().values()))

    def __repr__(self) -> str:
        return f"KarelTasks({len(self)} tasks)"

    def _parts(self) -> dict[str, NDArray[np.uint8]]:
        return {name: getattr(self, name) for name in ("tokens", *_INNER)}

    @property
    def inputs(self) -> Worlds:
        """The worlds before the program runs: (n, 6)."""
        return self._worlds(0)

    @property
    def outputs(self) -> Worlds:
        """The worlds after the program has run: (n, 6)."""
        return self._worlds(1)

    def _worlds(self, end: int) -> Worlds:
        shape = (len(self), EXAMPLES, SIDE, SIDE)
        walls = np.unpackbits(self.walls, axis=-1).view(np.bool_).reshape(shape)
        packed = self.markers[:, :, end]
        markers = np.stack([packed & 15, packed >> 4], -1).reshape(shape)
        return Worlds(self.sizes, np.ascontiguousarray(self.heroes[:, :, end]), walls, markers)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of tokens of each program."""
        return np.asarray((self.tokens != PAD).sum(1))

    @property
    def kinds(self) -> NDArray[np.str_]:
        """The kind of each program: plain, loops, conditionals or both."""
        return np.array([kind(parse(decode(row))) for row in self.tokens], np.str_)

    # -- from and to rows ------------------------------------------------------------------------

    def rows(self) -> NDArray[np.uint8]:
        """The tasks as an array with one row of 1800 numbers per task.

        >>> from taskspace.envs.karel.generate import generate_tasks
        >>> generate_tasks(100)[0]["validation"].rows().shape
        (18, 1800)
        """
        spare = _ROW_TOKENS - self.tokens.shape[1]
        if spare < 0:
            raise ValueError(
                f"programs in rows must have at most {_ROW_TOKENS} tokens,"
                f" got {self.tokens.shape[1]}"
            )
        tokens = np.pad(self.tokens, ((0, 0), (0, spare)), constant_values=PAD)
        inner = (getattr(self, name).reshape(len(self), -1) for name in _INNER)
        return np.concatenate([tokens, *inner], axis=1)

    @classmethod
    def from_rows(cls, rows: NDArray[Any]) -> KarelTasks:
        """The tasks from the results of `rows`."""
        sizes = [_ROW_TOKENS, *(math.prod(shape) for shape in _INNER.values())]
        if rows.ndim != 2 or rows.shape[1] != sum(sizes):
            raise ValueError(
                f"tasks of Karel must be an array with {sum(sizes)} columns, got shape {rows.shape}"
            )
        if not ((rows >= 0) & (rows <= 255) & (rows == np.floor(rows))).all():  # also refuses NaN
            raise ValueError("tasks of Karel must be integers in 0 to 255, got other numbers")
        tokens, *inner = np.split(rows.astype(np.uint8), np.cumsum(sizes)[:-1], axis=1)
        shapes = _INNER.values()
        parts = (part.reshape(-1, *shape) for part, shape in zip(inner, shapes, strict=True))
        return cls(tokens, *parts)

    @staticmethod
    def row_names() -> tuple[str, ...]:
        """The names of the columns of `rows`."""
        sizes = {"tokens": _ROW_TOKENS, **{name: math.prod(s) for name, s in _INNER.items()}}
        return tuple(f"{name}-{index}" for name, size in sizes.items() for index in range(size))

    # -- from and to records ---------------------------------------------------------------------

    @classmethod
    def pack(cls, tokens: NDArray[np.uint8], inputs: Worlds, outputs: Worlds) -> KarelTasks:
        """Tasks from programs (n, length) and their worlds (n, 6)."""
        both = np.stack([inputs.markers, outputs.markers], 2).reshape(len(tokens), EXAMPLES, 2, -1)
        walls = np.packbits(inputs.walls.reshape(len(tokens), EXAMPLES, -1), axis=-1)
        heroes = np.stack([inputs.heroes, outputs.heroes], 2)
        markers = np.asarray(both[..., 0::2] | both[..., 1::2] << 4, np.uint8)
        return cls(tokens, inputs.sizes, heroes, walls, markers)

    @classmethod
    def join(cls, parts: Iterable[KarelTasks]) -> KarelTasks:
        """All tasks of several batches, one after the other."""
        batches = list(parts)
        if not batches:
            raise ValueError("there must be at least one batch of tasks to join, got none")
        width = max(batch.tokens.shape[1] for batch in batches)
        padded = [
            np.pad(batch.tokens, ((0, 0), (0, width - batch.tokens.shape[1])), constant_values=PAD)
            for batch in batches
        ]
        rest = ([getattr(batch, name) for batch in batches] for name in _INNER)
        return cls(np.concatenate(padded), *(np.concatenate(arrays) for arrays in rest))

    @classmethod
    def from_records(cls, tasks: Iterable[KarelTask]) -> KarelTasks:
        """Tasks from records, which need not fit in memory together."""
        source, batches = iter(tasks), []
        while records := list(itertools.islice(source, _BATCH)):
            for record in records:
                if any(record.crashed):
                    raise ValueError(f"task {record.guid} must not crash, got a crashed example")
            worlds = (stack([getattr(r, end) for r in records]) for end in ("inputs", "outputs"))
            batches.append(cls.pack(encode(record.tokens for record in records), *worlds))
        return cls.join(batches)

    def records(self) -> Iterator[KarelTask]:
        """The tasks one by one, with the actions of their programs.

        The guid is a digest of the examples.
        """
        for first in range(0, len(self), _BATCH):
            batch = self[first : first + _BATCH]
            inputs, outputs = batch.inputs, batch.outputs
            actions = run(batch.tokens[:, None], inputs, trace=True).actions
            assert actions is not None
            for number, row in enumerate(batch.tokens):
                done = tuple(tuple(decode(trace)) for trace in actions[number])
                guid = batch.examples_digest(number).hex()
                yield KarelTask(guid, tuple(decode(row)), inputs[number], outputs[number], done)

    def examples_digest(self, number: int) -> bytes:
        """A digest of a task's examples, in 16 bytes."""
        content = b"".join(getattr(self, name)[number].tobytes() for name in _INNER)
        return hashlib.blake2b(content, digest_size=16).digest()

    # -- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the arrays as .npz."""
        arrays: dict[str, Any] = {"format": FORMAT, "version": FORMAT_VERSION, **self._parts()}
        with atomic_path(path) as temporary:
            with temporary.open("wb") as file:
                np.savez_compressed(file, **arrays)
            seal(temporary)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> KarelTasks:
        """Load tasks that `save` wrote, and check every program and world."""
        source = Path(path)
        if not source.is_file():
            raise FileNotFoundError(f"there is no file {source}")
        check_unfolded_size(source)
        try:
            check_seal(source)
            names = ("format", "version", "tokens", *_INNER)
            arrays = read_arrays(source, names)
            found = {name: arrays[name] for name in names}
        except _UNREADABLE as error:
            raise ValueError(
                f"{source} must be a file of Karel tasks, got an error: {error}"
            ) from error
        given = found.pop("format").tolist(), found.pop("version").tolist()
        check_format(source, given, (FORMAT, FORMAT_VERSION))
        try:
            return cls(**found).check()
        except ValueError as error:
            raise ValueError(
                f"{source} must be a file of valid Karel tasks, got a damaged one: {error}"
            ) from error

    def check(self) -> KarelTasks:
        """Check that programs and worlds are valid; returns the tasks."""
        fault = first_fault(self.tokens)
        if fault is not None:
            raise ValueError(
                f"the program of task {fault} must follow Karel's grammar, got a malformed one"
            )
        for first in range(0, len(self), _BATCH):
            batch = self[first : first + _BATCH]
            for name in ("inputs", "outputs"):
                try:
                    check(getattr(batch, name))
                except ValueError as error:
                    raise ValueError(
                        f"{name} of tasks {first} to {first + len(batch) - 1}: {error}"
                    ) from error
        return self
