"""The paper's numbers of tasks by kind and length, and this subset of a data set."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from taskspace import checks
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import KarelTask, read_tasks, task_writer
from taskspace.envs.karel.language import TOKEN_ID, depth, kind, parse
from taskspace.files import explain_errors, take_lock
from taskspace.progress import progress_bar

Cell: TypeAlias = tuple[str, int]  # kind of program, number of tokens
Quotas: TypeAlias = dict[str, dict[Cell, int]]  # by part of the data set

PARTS = ("training", "validation")
DEPTH = 2
MOST_TASKS = 1_000_000  # more would take days
_LENGTHS = range(10, 15)
# The paper has 59,007 training tasks; the known counts add up to 58,737. The kind of the other 270
# is unknown.
_PAPER = {
    "training": {
        "plain": (12692, 2940, 1492, 781, 460), "loops": (4000,) * 5,
        "conditionals": (0, 0, 0, 7736, 12636),
    },
    "validation": {
        "plain": (3172, 735, 373, 195, 115), "loops": (1000,) * 5,
        "conditionals": (0, 0, 0, 1933, 3158),
    },
}  # fmt: skip
PAPER_QUOTAS: Quotas = {
    part: {
        (name, length): count
        for name, counts in table.items()
        for length, count in zip(_LENGTHS, counts, strict=True)
        if count
    }
    for part, table in _PAPER.items()
}
PAPER_TASKS = sum(sum(table.values()) for table in PAPER_QUOTAS.values())
_VALIDATION_SHARE = 5  # one program in five, as in the paper, for each kind and length


def quotas(tasks: int | None = None) -> Quotas:
    """The paper's quotas, or this number of tasks in the same proportions, rounded to integers.

    >>> sum(quotas()["training"].values()), sum(quotas()["validation"].values())
    (58737, 14681)
    >>> quotas(1000)["training"]["plain", 10]
    173
    """
    if tasks is None:
        return {part: dict(table) for part, table in PAPER_QUOTAS.items()}
    wanted = checks.whole(tasks, "the number of tasks", 1, MOST_TASKS)
    cells = [(part, cell) for part in PARTS for cell in PAPER_QUOTAS[part]]
    scaled = {(part, cell): wanted * PAPER_QUOTAS[part][cell] for part, cell in cells}
    left = wanted - sum(count // PAPER_TASKS for count in scaled.values())
    # The largest remainders are rounded up.
    up = set(sorted(cells, key=lambda cell: -(scaled[cell] % PAPER_TASKS))[:left])
    return {
        part: {
            cell: scaled[part, cell] // PAPER_TASKS + ((part, cell) in up)
            for cell in PAPER_QUOTAS[part]
        }
        for part in PARTS
    }


def part_of(tokens: Sequence[str]) -> str:
    """The part of a program, which is the same in every data set: no program is in two parts.

    >>> part_of("DEF run m( move m)".split())
    'training'
    """
    numbers = bytes(TOKEN_ID[token] for token in tokens)
    digest = hashlib.blake2b(numbers, digest_size=8).digest()
    return PARTS[int.from_bytes(digest, "little") % _VALIDATION_SHARE == 0]


@dataclass
class Selection:
    """The number of tasks found so far, compared with the quotas."""

    wanted: Quotas
    found: Quotas = field(init=False)
    seen: int = 0  # tasks or candidate programs so far
    dropped: Counter[str] = field(default_factory=Counter)  # by reason
    _digests: set[bytes] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        self.found = {part: dict.fromkeys(table, 0) for part, table in self.wanted.items()}

    def room(self, part: str, cell: Cell) -> int:
        """The number of tasks that are still wanted."""
        return self.wanted[part].get(cell, 0) - self.found[part].get(cell, 0)

    def take(self, part: str, cell: Cell, digest: bytes) -> bool:
        """Count a task, unless it is a duplicate; returns whether it is counted."""
        if digest in self._digests:
            self.dropped["repeated"] += 1
            return False
        self._digests.add(digest)
        self.found[part][cell] += 1
        return True

    @property
    def full(self) -> bool:
        """Whether all quotas are met."""
        return self.found == self.wanted

    def shortage(self) -> str:
        """One line per quota that is not met."""
        return "\n".join(
            f"{part}, {name} of {length} tokens: {self.found[part][name, length]} of {count}"
            for part, table in self.wanted.items()
            for (name, length), count in table.items()
            if self.found[part][name, length] < count
        )


def filter_dataset(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    tasks: int | None = None,
    progress: bool | None = None,
) -> Selection:
    """Make the paper's subset of a data set (JSON lines, also `.gz`), in one pass.

    It takes the first tasks that fit the quotas: a nesting depth of at most 2, 10 to 14 tokens, and
    not both loops and conditionals. `part_of` assigns each program to training or validation, and
    there are no duplicate examples. The folder `target` gets `training.jsonl.gz` and
    `validation.jsonl.gz` with the unchanged records, and the same tasks as `.npz` for `KarelTasks`.
    `shortage()` of the returned selection lists the quotas that are not met.
    """
    selection = Selection(quotas(tasks))
    found = read_tasks(source, lambda tokens: _wanted(tokens, selection))
    accepted: dict[str, list[KarelTasks]] = {part: [] for part in PARTS}
    with new_folder(target) as folder, contextlib.ExitStack() as stack:
        names = {part: folder / f"{part}.jsonl.gz" for part in PARTS}
        writers = {part: stack.enter_context(task_writer(names[part])) for part in PARTS}
        total = sum(sum(table.values()) for table in selection.wanted.values())
        advance = stack.enter_context(progress_bar("filtering Karel tasks", total, progress))
        for task in found:
            part, cell = part_of(task.tokens), cell_of(task.tokens)
            if any(task.crashed):
                selection.dropped["crashed"] += 1
            elif selection.take(part, cell, (packed := _packed(task)).examples_digest(0)):
                writers[part](task)
                accepted[part].append(packed)
                advance(1)
            if selection.full:
                break
        for part, batches in accepted.items():
            if batches:
                KarelTasks.join(batches).save(folder / f"{part}.npz")
    return selection


def _packed(task: KarelTask) -> KarelTasks:
    return KarelTasks.from_records([task])


def _wanted(tokens: Sequence[str], selection: Selection) -> bool:
    """Whether a program is in the subset and its quota is not yet met."""
    selection.seen += 1
    cell = cell_of(tokens)
    if cell not in PAPER_QUOTAS["training"] or depth(parse(tokens)) > DEPTH:
        selection.dropped["not in the subset"] += 1
        return False
    if not selection.room(part_of(tokens), cell):
        selection.dropped["quota full"] += 1
        return False
    return True


def cell_of(tokens: Sequence[str]) -> Cell:
    """The kind and the length of a program.

    >>> cell_of("DEF run m( move m)".split())
    ('plain', 5)
    """
    return kind(parse(tokens)), len(tokens)


@contextlib.contextmanager
def new_folder(target: str | os.PathLike[str]) -> Iterator[Path]:
    """The folder for a data set, which is made if necessary; it must not have such files yet.

    It is locked for other processes during the block.
    """
    if not os.fspath(target):  # as a path, it would be the working folder
        raise ValueError("the folder of a data set must have a name, got ''")
    folder = Path(target)
    is_new = not folder.exists()
    with explain_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with take_lock(folder) as lock, contextlib.ExitStack() as undo:
        if is_new:
            undo.callback(_remove_if_empty, folder)  # after an error
        undo.callback(Path(lock.name).unlink)  # not needed later: a full folder is refused
        taken = [name for part in PARTS for name in sorted(folder.glob(f"{part}.*"))]
        if taken:
            raise FileExistsError(
                f"the folder must have no data set yet, got {taken[0]}; use another folder"
            )
        yield folder


def _remove_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
