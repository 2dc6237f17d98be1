"""What several parts of the tests need."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

# What takes longest starts first, so that both workers end at about the same time.
LONGEST = (
    "tests/rollouts/test_ray.py", "tests/cli", "tests/paper", "tests/explore", "tests/test_docs.py",
    "tests/test_gallery.py", "tests/bad_inputs/test_bad_inputs.py",
    "tests/runs/sources/test_karel.py", "tests/runs/test_pipeline.py",
    "tests/runs/sources/test_table.py", "tests/runs/test_faults.py",
    "tests/training/karel/test_recipes.py",
)  # fmt: skip
# The tests of these folders share runs that are made once per worker, so one worker has them all.
SHARING = ("tests/cli", "tests/explore", "tests/paper")


def unit_of(test: str) -> str:
    """The tests that a worker runs together: those of a file, or of a folder that shares runs."""
    file = test.partition("::")[0]
    return next((folder for folder in SHARING if file.startswith(f"{folder}/")), file)


def pytest_configure(config: pytest.Config) -> None:
    """Give each worker a core of its own: threads of two workers would wait for one another."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if worker.isdecimal() and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker) % len(cores)]})


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        ranks = {unit: rank for rank, unit in enumerate(LONGEST)}
        items.sort(key=lambda item: ranks.get(unit_of(item.nodeid), len(ranks)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    return Units(config, log) if config.getvalue("dist") == "loadscope" else None


@pytest.fixture
def small_karel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Karel's fast preset, cut to a few seconds."""
    from taskspace.agents.karel.network import Size
    from taskspace.runs.sources import karel
    from taskspace.training.karel import recipes
    from taskspace.training.karel.learning import TrainingSettings

    tiny = TrainingSettings(
        Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48),
        steps=150, batch=32, rate=6e-3, every=75, delta=-1.0, skill_tasks=20,
    )  # fmt: skip
    monkeypatch.setitem(recipes.TRAINING_SETTINGS, "fast", tiny)
    plan = replace(karel.PRESETS["fast"], tasks=200, side=6, played=60, steps=50, shown=30)
    monkeypatch.setitem(karel.PRESETS, "fast", plan)
