"""Small outcomes and fitted models that bad inputs are given to; each is made once."""

from __future__ import annotations

import functools
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import taskspace as ts
from taskspace.runs.run import Run
from tests.run_folders import write_run

AGENTS, TASKS, FEATURES = 40, 12, ("width", "height")
RNG = np.random.default_rng(0)
ROWS = RNG.uniform(size=(TASKS, len(FEATURES)))
SOLVED = 1 * (RNG.uniform(size=(AGENTS, 1)) > ROWS.mean(1))
NAMES = [f"item {number}" for number in range(TASKS)]

T = TypeVar("T")


def _once(make: Callable[[], T]) -> Callable[[], T]:
    """Make it once, without the warnings that few tasks give."""

    @functools.cache
    def quietly() -> T:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()

    return quietly


@_once
def named() -> ts.Outcomes:
    """Outcomes of tasks that are known by name."""
    return ts.Outcomes(SOLVED, np.array(1), tasks=np.array(NAMES))


@_once
def featured() -> ts.Outcomes:
    """Outcomes of tasks with features."""
    return ts.Outcomes(SOLVED, np.array(1), features=ROWS, feature_names=FEATURES)


@_once
def named_map() -> ts.TaskEmbedder:
    """A map of tasks that are known by name."""
    return ts.TaskEmbedder(2, random_state=0).fit(named())


@_once
def featured_map() -> ts.TaskEmbedder:
    """A map of tasks with features."""
    return ts.TaskEmbedder(2, random_state=0).fit(featured())


@_once
def ordinal_map() -> ts.OrdinalEmbedder:
    """The paper's map of tasks with features, untrained."""
    return ts.OrdinalEmbedder(2, steps=0, random_state=0).fit(featured())


@_once
def named_model() -> ts.SuccessModel:
    """A success model of tasks that are known by name."""
    return ts.SuccessModel(random_state=0).fit(named())


@_once
def featured_model() -> ts.SuccessModel:
    """A success model of tasks with features."""
    return ts.SuccessModel(random_state=0, epochs=0).fit(featured())


@_once
def predictor() -> ts.PerformancePredictor:
    """A predictor for tasks that are known by name."""
    return ts.PerformancePredictor().fit(named())


@_once
def model_predictor() -> ts.PerformancePredictor:
    """A predictor that is fitted to a success model of tasks with features."""
    return ts.PerformancePredictor().fit(featured_model())


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed at the end."""
    return tempfile.TemporaryDirectory()


@_once
def named_run() -> Run:
    """A run folder of a table of results."""
    return write_run(Path(_folder().name, "run"), {"name": "a table"}, named(), named_map())


@_once
def environment() -> ts.Environment:
    """An environment."""
    return ts.make("MultiKeyNav")


@_once
def policy() -> ts.MLPPolicy:
    """An agent of this environment."""
    return ts.MLPPolicy.random(environment(), hidden=(4,), seed=0)


def saved(thing: Any, path: Path) -> Path:
    """Save it there."""
    thing.save(path)
    return path


def cut(path: Path, part: float = 0.5) -> Path:
    """Keep only the start of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    return path


def changed(path: Path, old: bytes, new: bytes) -> Path:
    """Replace some bytes of a file."""
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


def written(path: Path, content: str | bytes) -> Path:
    """A file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
