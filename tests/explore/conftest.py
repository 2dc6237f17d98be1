"""Small maps in run folders: of tasks with features, of tasks known by name, and of programs.

`keys` and `course` are information maps, the others ordinal maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from taskspace.applications import subset_comparison
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import encode
from taskspace.envs.karel.worlds import random_worlds
from taskspace.explore.programs import read
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import Run
from tests.explore.browser import chromium, small_map, small_outcomes
from tests.run_folders import write_run


@pytest.fixture(scope="package", autouse=True)
def _one_division() -> Iterator[None]:
    """The explorer compares short tests of these few agents; a single division is faster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subset_comparison, "MOST_DIVISIONS", 1)
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """160 tasks of MultiKeyNav."""
    return small_map(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="session")
def ordinal(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same tasks on an ordinal map."""
    outcomes, listed = small_outcomes()
    embedder = OrdinalEmbedder(3, steps=200, random_state=0, progress=False).fit(outcomes)
    settings = {"environment": "MultiKeyNav"}
    return write_run(tmp_path_factory.mktemp("ordinal"), settings, outcomes, embedder, listed)


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """30 questions to 40 students, in a line from easy to hard; not everybody tried all."""
    folder, rng = tmp_path_factory.mktemp("course"), np.random.default_rng(0)
    skills, levels = rng.normal(size=(40, 1)), np.linspace(-2, 2, 30)
    tried = rng.random((40, 30)) < 0.8
    solved = tried & (skills + rng.logistic(scale=0.3, size=(40, 30)) > levels)
    names = ["algebra/1", *(f"q{number}" for number in range(1, 30))]
    outcomes = Outcomes(1 * solved, tried.astype(np.uint8), tasks=np.array(names))
    embedder = TaskEmbedder(1, random_state=0).fit(outcomes)
    return write_run(folder, {"name": "course.csv"}, outcomes, embedder)


@pytest.fixture(scope="session")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """24 questions to 300 students; the first four are near-copies."""
    folder, rng = tmp_path_factory.mktemp("copied"), np.random.default_rng(0)
    solved = rng.normal(size=(300, 1)) + rng.logistic(size=(300, 24)) > rng.normal(size=24)
    solved[:, 1:4] = solved[:, :1] ^ (rng.random((300, 3)) < 0.04)
    outcomes = Outcomes(1 * solved, np.array(1))
    embedder = OrdinalEmbedder(2, steps=20, random_state=0, progress=False).fit(outcomes)
    return write_run(folder, {"name": "copies.csv"}, outcomes, embedder)


@pytest.fixture(scope="session")
def labelled(course: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The course with labels of its questions and students."""
    tasks: dict[str, Any] = {
        "topic": ["", *["sums", "sums", "areas"] * 9, "sums", "sums"],
        "prompt": [f"<b>Question</b> {number} " + "of many words " * 400 for number in range(30)],
        "page": [np.nan, *range(1, 30)],
    }
    agents: dict[str, Any] = {
        "country": ["", *["CH", "CH", "DE"] * 13],
        "school": [f"school {number % 15}" for number in range(40)],
        "email": [f"student {number}" for number in range(40)],
    }
    outcomes = replace(course.outcomes, task_labels=tasks, agent_labels=agents)
    folder = tmp_path_factory.mktemp("labelled")
    return write_run(folder, {"name": "course.csv"}, outcomes, course.embedder)


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """24 questions on two topics to 150 students without gaps; q7 is a copy of q1."""
    folder, rng = tmp_path_factory.mktemp("copies"), np.random.default_rng(0)
    needed = np.arange(24) % 2
    skills, levels = rng.normal(size=(150, 2)), rng.normal(size=24)
    solved = skills[:, needed] + rng.logistic(scale=0.3, size=(150, 24)) > levels
    solved[:, 7] = solved[:, 1]
    labels: Any = {"topic": np.array(["sums", "areas"], object)[needed]}
    names = np.array([f"q{number}" for number in range(24)])
    outcomes = Outcomes(1 * solved, np.array(1), tasks=names, task_labels=labels)
    embedder = TaskEmbedder(2, random_state=0).fit(outcomes)
    return write_run(folder, {"name": "copies.csv"}, outcomes, embedder)


# They never crash: they look before they move, and there are no markers in the worlds.
PROGRAMS = (
    "turnLeft", "turnLeft turnLeft", "putMarker", "putMarker turnRight", "REPEAT 3 { putMarker }",
    "IF frontIsClear { move }", "WHILE frontIsClear { move }", "IF leftIsClear { turnLeft move }",
)  # fmt: skip


@pytest.fixture(scope="session")
def karel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """40 tasks of Karel: eight programs, each in five times six worlds."""
    folder, rng = tmp_path_factory.mktemp("karel"), np.random.default_rng(0)
    worlds = random_worlds(240, seed=0, sides=(3, 6), markers=0.0).reshape(40, 6)
    tokens = encode([read(text) for text in PROGRAMS * 5])
    tasks = KarelTasks.pack(tokens, worlds, run(tokens[:, None], worlds).worlds)
    probabilities = rng.uniform(0.2, 1, (20, 1)) * np.tile(np.linspace(1, 0.1, 8), 5)
    given: Any = {"rollouts": 10, "features": tasks.rows()}
    outcomes = Outcomes(rng.binomial(10, probabilities), **given)
    embedder = KarelEmbedder(
        2, side=6, channels=4, blocks=1, code=16, steps=50, random_state=0, progress=False
    ).fit(outcomes)
    return write_run(folder, {"environment": "Karel"}, outcomes, embedder)
