"""Karel tasks like those of the public data set: random programs with six informative examples.

Programs are random fills of random skeletons. Each gets 24 random worlds, which are repaired where
it crashes: a wall is removed, a marker is added, or the hero starts further back. A task is
accepted if its first five examples follow these rules (the sixth is held out):

- In every example the program does not crash and changes the world; the inputs differ.
- A cell has at most nine markers, before and after; a REPEAT has 2 to 10 rounds.
- Every body of a loop or conditional is entered in some example; that of a conditional not in all.
- No simpler program explains the examples: one without an action or two (possibly with a round more
  or less instead), without a loop or conditional, with its body taken exactly once, with fewer
  rounds, or with IF instead of WHILE.
- The sequence of actions of one example does not explain all examples, if the program has a
  condition or is no shorter than this sequence.
- The program is not redundant: e.g. it has no unnecessary turns or markers between two moves, and
  what it repeats is a single action or includes a move.

Programs are generated in blocks. A block depends only on the seed, the side of worlds, the kind,
the length and its number; a larger quota only adds tasks.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import EXAMPLES, SPECIFICATION, KarelTask, write_tasks
from taskspace.envs.karel.fitting import MOST_IN_CELL, TRIES, fitting_worlds
from taskspace.envs.karel.interpreter import compile_programs, run
from taskspace.envs.karel.language import PAD, TOKEN_ID, decode
from taskspace.envs.karel.machine import DONE
from taskspace.envs.karel.quotas import PARTS, Cell, Selection, new_folder, part_of, quotas
from taskspace.envs.karel.skeletons import Skeleton, skeletons
from taskspace.envs.karel.worlds import SIDE, Worlds
from taskspace.files import read_sealed_arrays, write_sealed_arrays
from taskspace.progress import Advance, progress_bar

LEAST_SIDE = 4
_DRAWN, _BLOCK = 2048, 512  # programs drawn for a block, and those that get worlds
_TASK_ARRAYS = tuple(field.name for field in fields(KarelTasks))
_KINDS = ("plain", "loops", "conditionals")  # their order is part of the seeds
_MOVE, _LEFT, _RIGHT, _PICK, _PUT = (
    TOKEN_ID[name] for name in ("move", "turnLeft", "turnRight", "pickMarker", "putMarker")
)


# -- programs --------------------------------------------------------------------------------------


def _programs(
    cell: Cell, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_]]:
    """Random programs, the numbers of their skeletons, and which of them are redundant."""
    found = skeletons(*cell)
    # Uniform over skeletons, a few short loops would be too frequent; uniform over programs, WHILE,
    # which has few fills, would be too rare.
    weights = np.cbrt([skeleton.fills for skeleton in found])
    shape = rng.choice(len(found), _DRAWN, p=weights / weights.sum())
    rows, redundant = np.empty((_DRAWN, cell[1]), np.uint8), np.empty(_DRAWN, np.bool_)
    for number, skeleton in enumerate(found):
        chosen = np.flatnonzero(shape == number)
        rows[chosen] = skeleton.fill(len(chosen), rng)
        redundant[chosen] = skeleton.redundant(rows[chosen])
    return rows, shape, redundant | wasteful(rows)


def wasteful(programs: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which programs turn, or pick and put markers, more often than needed between two moves.

    Turns and markers do not affect each other: only their sums matter until the next move.

    >>> from taskspace.envs.karel.language import encode
    >>> wasteful(encode(["DEF run m( putMarker turnLeft pickMarker m)"]))
    array([ True])
    """
    waste = np.zeros(len(programs), np.bool_)
    turn, marker, count = np.zeros((3, len(programs)), np.int64)
    for column in programs.T:
        turn += 1 * (column == _LEFT) - 1 * (column == _RIGHT)
        marker += 1 * (column == _PUT) - 1 * (column == _PICK)
        stays = (column > _MOVE) & (column <= _PUT)
        count += stays
        needed = np.abs(marker) + np.minimum(turn % 4, -turn % 4)
        waste |= count > needed
        turn, marker, count = (part * stays for part in (turn, marker, count))
    return waste


# -- examples --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Candidates:
    """The remaining programs of one block."""

    tokens: NDArray[np.uint8]  # (n, length)
    shapes: NDArray[np.int64]  # (n,): which skeleton
    inputs: Worlds  # (n, examples)
    outputs: Worlds
    entered: NDArray[np.bool_]  # (n, examples, branches)

    def keep(self, chosen: NDArray[np.bool_]) -> _Candidates:
        """The chosen programs."""
        return _Candidates(
            self.tokens[chosen], self.shapes[chosen], self.inputs[chosen], self.outputs[chosen],
            self.entered[chosen],
        )  # fmt: skip


def _with_examples(
    tokens: NDArray[np.uint8], shapes: NDArray[np.int64], kind: str, worlds: Worlds
) -> _Candidates:
    """The programs that have six good worlds, with the first six of them.

    With a conditional, worlds in which it is taken and not taken alternate.
    """
    runs = run(tokens[:, None], worlds, coverage=True)
    assert runs.entered is not None
    outputs = runs.worlds
    few = (outputs.markers <= MOST_IN_CELL).all((-2, -1))
    good = (runs.status == DONE) & ~outputs.same_as(worlds) & few
    rank = np.cumsum(good, 1)
    if kind == "conditionals":
        taken = runs.entered.any(-1)
        rank = np.where(taken, np.cumsum(good & taken, 1), np.cumsum(good & ~taken, 1))
    order = np.argsort(np.where(good, rank, TRIES + 1), 1, kind="stable")[:, :EXAMPLES]
    enough = np.flatnonzero(good.sum(1) >= EXAMPLES)
    pick = enough[:, None], order[enough]
    return _Candidates(
        tokens[enough], shapes[enough], worlds[pick], outputs[pick], runs.entered[pick]
    )


def _inputs_differ(candidates: _Candidates, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which candidates have six different inputs (with a small probability of hash collisions)."""
    worlds = candidates.inputs
    parts = (worlds.sizes, worlds.heroes, worlds.walls, worlds.markers)
    flat = [part.reshape(*worlds.shape, -1).astype(np.uint64) for part in parts]
    together = np.concatenate(flat, -1)
    weights = rng.integers(0, 2**63, together.shape[-1], np.uint64)
    digests = np.sort(together @ weights, 1)
    return np.asarray((digests[:, 1:] != digests[:, :-1]).all(1))


def _telling_branches(candidates: _Candidates, kind: str) -> NDArray[np.bool_]:
    """Which candidates enter every body, and that of a conditional not in all examples."""
    shown = candidates.entered[:, :SPECIFICATION]
    branches = compile_programs(candidates.tokens).branches
    has = np.arange(shown.shape[2]) < branches[:, None]
    ok = (shown.any(1) | ~has).all(1)
    if kind == "conditionals":
        ok &= ~(shown.all(1) & has).any(1)
    return np.asarray(ok)


def explained(
    programs: NDArray[np.uint8], owners: NDArray[np.int64], inputs: Worlds, outputs: Worlds
) -> NDArray[np.bool_]:
    """Which of the programs map all inputs (n, examples) of their owners to the outputs."""
    left = np.arange(len(programs))
    for example in range(inputs.shape[1]):
        if not len(left):
            break
        whose = owners[left]
        ends = run(programs[left], inputs[whose, example])
        left = left[ends.reach(outputs[whose, example])]
    found = np.zeros(len(programs), np.bool_)
    found[left] = True
    return found


def _not_explained_by(
    candidates: _Candidates, programs: NDArray[np.uint8], owners: NDArray[np.int64]
) -> NDArray[np.bool_]:
    shown = candidates.inputs[:, :SPECIFICATION], candidates.outputs[:, :SPECIFICATION]
    ok = np.ones(len(candidates.tokens), np.bool_)
    ok[owners[explained(programs, owners, *shown)]] = False
    return ok


def _not_simpler(candidates: _Candidates, found: tuple[Skeleton, ...]) -> NDArray[np.bool_]:
    """Which candidates have no simpler program that explains their examples."""
    programs, owners = [], []
    for number, skeleton in enumerate(found):
        whose = np.flatnonzero(candidates.shapes == number)
        simpler = skeleton.simpler(candidates.tokens[whose])
        programs.append(simpler.reshape(-1, simpler.shape[-1]))
        owners.append(np.repeat(whose, simpler.shape[1]))
    return _not_explained_by(candidates, np.concatenate(programs), np.concatenate(owners))


def _not_straight(candidates: _Candidates) -> NDArray[np.bool_]:
    """Which candidates have no example whose sequence of actions explains all examples."""
    shown = candidates.inputs[:, :SPECIFICATION]
    actions = run(candidates.tokens[:, None], shown, trace=True).actions
    assert actions is not None
    lengths = (actions != PAD).sum(-1)
    width = int(lengths.max(initial=0))
    rows = np.full((*lengths.shape, width + 4), PAD, np.uint8)
    rows[..., :3] = [TOKEN_ID[token] for token in ("DEF", "run", "m(")]
    rows[..., 3:-1] = actions[..., :width]
    np.put_along_axis(rows, lengths[..., None] + 3, TOKEN_ID["m)"], -1)
    looks = (candidates.tokens == TOKEN_ID["c("]).any(1)
    matters = looks[:, None] | (lengths + 4 <= candidates.tokens.shape[1])
    owners = np.broadcast_to(np.arange(len(rows))[:, None], lengths.shape)
    return _not_explained_by(candidates, rows[matters], owners[matters])


# -- blocks ----------------------------------------------------------------------------------------


def _block(cell: Cell, number: int, seed: int, side: int) -> tuple[KarelTasks, int, Counter[str]]:
    """The tasks of one block, the number of programs drawn, and why programs were dropped."""
    rng = np.random.default_rng([seed, _KINDS.index(cell[0]), cell[1], number, side])
    dropped: Counter[str] = Counter()
    tokens, shapes, redundant = _programs(cell, rng)
    last = np.flatnonzero(np.cumsum(~redundant) == _BLOCK)
    drawn = int(last[0]) + 1 if len(last) else len(tokens)
    fine = np.flatnonzero(~redundant[:drawn])
    dropped["redundant program"] = drawn - len(fine)
    tokens, shapes = tokens[fine], shapes[fine]
    worlds = fitting_worlds(tokens, side, rng)
    left = _with_examples(tokens, shapes, cell[0], worlds)
    dropped["fewer than six good worlds"] = len(tokens) - len(left.tokens)
    rules: dict[str, Callable[[_Candidates], NDArray[np.bool_]]] = {
        "repeated input": lambda c: _inputs_differ(c, rng),
        "branch not shown": lambda c: _telling_branches(c, cell[0]),
        "simpler program explains the examples": lambda c: _not_simpler(c, skeletons(*cell)),
    }
    if cell[0] != "plain":
        rules["sequence of actions explains the examples"] = _not_straight
    for why, rule in rules.items():
        ok = rule(left)
        dropped[why] = int((~ok).sum())
        left = left.keep(ok)
    return KarelTasks.pack(left.tokens, left.inputs, left.outputs), drawn, dropped


def _stored_block(
    cell: Cell, number: int, seed: int, side: int, checkpoints: Checkpoints
) -> tuple[KarelTasks, int, Counter[str]]:
    """The same, but not computed again if it was stored before a kill."""
    name = f"{cell[0]}-{cell[1]}-{number}.npz"
    found = checkpoints.load(name, _load_block)
    if found is None:
        found = _block(cell, number, seed, side)
        checkpoints.save(name, found, _save_block)
    return found


def _save_block(block: tuple[KarelTasks, int, Counter[str]], path: Path) -> None:
    tasks, drawn, dropped = block
    arrays = {name: getattr(tasks, name) for name in _TASK_ARRAYS}
    write_sealed_arrays({**arrays, "counts": np.array(json.dumps([drawn, dropped]))}, path)


def _load_block(path: Path) -> tuple[KarelTasks, int, Counter[str]]:
    arrays = read_sealed_arrays(path)
    drawn, dropped = json.loads(str(arrays.pop("counts")))
    return KarelTasks(**arrays), drawn, Counter(dropped)


def generate_tasks(
    tasks: int | None = None,
    seed: int = 0,
    side: int = SIDE,
    progress: bool | None = None,
    checkpoints: Checkpoints = NONE,
) -> tuple[dict[str, KarelTasks], Selection]:
    """Training and validation tasks by the paper's quotas, or this number in the same proportions.

    Worlds have 2 to `side` rows and columns. The selection counts the candidates that were dropped.
    Blocks are stored in `checkpoints`, and not generated again.
    """
    selection, seed = _checked(tasks, seed, side)
    total = sum(sum(table.values()) for table in selection.wanted.values())
    accepted: dict[str, list[KarelTasks]] = {part: [] for part in PARTS}
    with progress_bar("generating Karel tasks", total, progress) as advance:
        for cell in selection.wanted[PARTS[0]]:
            number = 0
            while any(selection.room(part, cell) for part in PARTS):
                block, drawn, dropped = _stored_block(cell, number, seed, side, checkpoints)
                selection.seen += drawn
                selection.dropped += dropped
                done = 0
                for part, chosen in _sorted_out(block, cell, selection).items():
                    accepted[part].append(block[chosen])
                    done += len(chosen)
                advance(done, f"{cell[0]} of {cell[1]} tokens")
                number += 1
    rng = np.random.default_rng([seed, len(_KINDS)])
    joined = {part: KarelTasks.join(blocks) for part, blocks in accepted.items()}
    return {part: found[rng.permutation(len(found))] for part, found in joined.items()}, selection


def _checked(tasks: int | None, seed: int, side: int) -> tuple[Selection, int]:
    """Check the settings; returns an empty selection and the seed."""
    if not LEAST_SIDE <= checks.whole(side, "the side of worlds") <= SIDE:
        raise ValueError(f"the side of worlds must be {LEAST_SIDE} to {SIDE}, got {side}")
    return Selection(quotas(tasks)), checks.seed(seed)


def _sorted_out(
    block: KarelTasks, cell: Cell, selection: Selection
) -> dict[str, NDArray[np.int64]]:
    """The tasks of a block that are accepted, by part."""
    chosen: dict[str, list[int]] = {part: [] for part in PARTS}
    for number, row in enumerate(block.tokens):
        part = part_of(decode(row))
        if not selection.room(part, cell):
            selection.dropped["quota full"] += 1
        elif selection.take(part, cell, block.examples_digest(number)):
            chosen[part].append(number)
    return {part: np.array(numbers, np.int64) for part, numbers in chosen.items()}


def generate_dataset(
    target: str | os.PathLike[str],
    tasks: int | None = None,
    seed: int = 0,
    side: int = SIDE,
    json_lines: bool = False,
    progress: bool | None = None,
) -> Selection:
    """Write generated tasks to a folder: `training.npz` and `validation.npz` for `KarelTasks`.

    With `json_lines`, also write `training.jsonl.gz` and `validation.jsonl.gz` in the format of
    the public data set (`program_json` is null).
    """
    _checked(tasks, seed, side)  # before the folder is made
    with new_folder(target) as folder:
        found, selection = generate_tasks(tasks, seed, side, progress)
        for part, batch in found.items():
            batch.save(folder / f"{part}.npz")
            if json_lines:
                with progress_bar(f"writing {part}", len(batch), progress) as advance:
                    write_tasks(_counted(batch.records(), advance), folder / f"{part}.jsonl.gz")
    return selection


def _counted(records: Iterator[KarelTask], advance: Advance) -> Iterator[KarelTask]:
    for record in records:
        yield record
        advance(1)
