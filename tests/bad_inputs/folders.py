"""Run folders for bad commands: whole ones, made once, and damaged copies of them."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from tests.run_folders import write_run

N_AGENTS, N_TASKS = 40, 12


@functools.cache
def _runs() -> Path:
    """A folder with the runs `course` and `other` of tables without features, and `levels`."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, seed in (("course", 0), ("other", 1)):
        outcomes = _outcomes(seed)
        write_run(folder / name, {"name": name}, outcomes, TaskEmbedder(2).fit(outcomes))
    features = np.column_stack([np.linspace(-1, 1, N_TASKS), np.arange(N_TASKS) % 2])
    outcomes = _outcomes(2, features=features, feature_names=("level", "kind"))
    embedder = OrdinalEmbedder(2, steps=0).fit(outcomes)
    write_run(folder / "levels", {"name": "levels"}, outcomes, embedder)
    return folder


def _outcomes(seed: int, **features: object) -> Outcomes:
    rng = np.random.default_rng(seed)
    skills, level = rng.normal(size=(N_AGENTS, 2 + seed)), np.linspace(-1, 1, N_TASKS)
    solved = skills[:, np.arange(N_TASKS) % (2 + seed)] > level
    tasks = [f"q{task}" for task in range(N_TASKS)]
    return Outcomes(1 * solved, np.array(1), tasks=tasks, **features)  # type: ignore[arg-type]


def whole(folder: Path) -> None:
    """Put the runs `course`, `other` and `levels` into the folder of a command."""
    for name in ("course", "other", "levels"):
        (folder / name).symlink_to(_runs() / name)


def damaged(change: Callable[[Path], object]) -> Callable[[Path], None]:
    """Put a changed copy of `course` there; its name is `broken`."""

    def prepare(folder: Path) -> None:
        whole(folder)
        shutil.copytree(_runs() / "course", folder / "broken", copy_function=_plain_copy)
        change(folder / "broken")

    return prepare


def _plain_copy(source: str, target: str) -> None:
    shutil.copyfile(source, target)


def without(part: str) -> Callable[[Path], None]:
    """Remove a file or a folder of the run."""

    def change(run: Path) -> None:
        path = run / part
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return change


def cut(part: str) -> Callable[[Path], None]:
    """Keep only the first half of a file of the run."""

    def change(run: Path) -> None:
        raw = (run / part).read_bytes()
        (run / part).write_bytes(raw[: len(raw) // 2])

    return change


def with_bytes(part: str, content: bytes) -> Callable[[Path], None]:
    """Replace a file of the run."""

    def change(run: Path) -> None:
        (run / part).write_bytes(content)

    return change


def from_other(*parts: str) -> Callable[[Path], None]:
    """Replace files or folders of the run by those of another run."""

    def change(run: Path) -> None:
        for part in parts:
            without(part)(run)
            source = _runs() / "other" / part
            (shutil.copytree if source.is_dir() else shutil.copyfile)(source, run / part)

    return change


def with_version(version: object) -> Callable[[Path], None]:
    """Say in the settings that the run has another format."""

    def change(run: Path) -> None:
        there = json.loads((run / "settings.json").read_text())
        there["taskspace"]["format version"] = version
        (run / "settings.json").write_text(json.dumps(there))

    return change
