"""From a table of results to a map in one call: the stages of `taskspace fit`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import checks, summary
from taskspace.embedding.estimator import TaskEmbedder
from taskspace.groups import FoundGroups
from taskspace.outcomes import Outcomes
from taskspace.pipeline import MOST_SHOWN, Map, finish, second_map
from taskspace.runs import Run

FEWEST_TASKS = 3  # one of which is more like a second than the third is


def fit_table(
    table: Any,
    folder: str | os.PathLike[str],
    *,
    features: Any = None,
    n_components: int | str = 3,
    steps: int = 6000,
    seed: int = 0,
    name: str | None = None,
    say: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Learn a map from results alone and report on it; returns the numbers.

    `table` and `features` are as `Outcomes.from_table` takes them, or `table` is `Outcomes`.
    Everything lands in `folder`, as `taskspace.pipeline.run` has it: a fit that was stopped goes
    on where it was, and a folder of another run is refused. `name` is what the report calls the
    tasks (the name of the table's file by default).
    """
    outcomes = (
        table if isinstance(table, Outcomes) else Outcomes.from_table(table, features=features)
    )
    seed, steps = checks.seed(seed), checks.whole(steps, "steps")
    if n_components != "auto":
        checks.whole(n_components, "the number of dimensions, if not 'auto',", 1)
    if outcomes.n_tasks < FEWEST_TASKS:
        raise ValueError(
            f"a map needs at least {FEWEST_TASKS} tasks; these results have {outcomes.n_tasks}"
        )
    settings = {
        "results": _digest(outcomes), "n_components": n_components, "steps": steps, "seed": seed,
        "name": name or (Path(table).name if isinstance(table, (str, os.PathLike)) else "results"),
    }  # fmt: skip
    with Run(folder, settings, say=say) as stages:
        stages.stage(
            "outcomes", lambda: outcomes, Outcomes.save, Outcomes.load, file="outcomes.npz"
        )
        made = _learn(stages, outcomes, settings)
        again = second_map(stages, lambda: _new_map(outcomes, settings, seed + 1))
        numbers = finish(
            stages, made, again, _shown(outcomes, seed), settings,
            lambda: summary.numbers_of(made.env.name, outcomes, made.embedder),
        )  # fmt: skip
    target = Path(folder)
    return {**numbers, "folder": str(target), "report": str(target / "report.html")}


def _learn(stages: Run, outcomes: Outcomes, settings: dict[str, Any]) -> Map:
    embedder = stages.stage(
        "map",
        lambda: _new_map(outcomes, settings, settings["seed"]),
        TaskEmbedder.save,
        TaskEmbedder.load,
        file="embedder",
    )
    space = FoundGroups.find(settings["name"], embedder, summary.tasks_of(outcomes))
    return Map(space, None, outcomes, embedder, MOST_SHOWN)


def _new_map(outcomes: Outcomes, settings: dict[str, Any], seed: int) -> TaskEmbedder:
    embedder = TaskEmbedder(settings["n_components"], steps=settings["steps"], random_state=seed)
    return embedder.fit(outcomes)


def _shown(outcomes: Outcomes, seed: int) -> Any:
    """The tasks on the picture of the map: not too many to look at."""
    order = np.random.default_rng(seed).permutation(outcomes.n_tasks)[:MOST_SHOWN]
    return summary.tasks_of(outcomes)[np.sort(order)]


def _digest(outcomes: Outcomes) -> str:
    """What tells these results from others."""
    digest = hashlib.sha256()
    for part in ("successes", "rollouts", "agents", "tasks", "features"):
        value = getattr(outcomes, part)
        if value is not None:
            digest.update(f"{part} {value.dtype} {value.shape}".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()
