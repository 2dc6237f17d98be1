"""Maps by return beside maps by success, of environments that have both."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.bench.printing import print_lines
from taskspace.bench.subjects import Subject
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs.measures import label_scores, map_scores
from taskspace.similarity.returns import statistics_of

ENVIRONMENTS = ("PointMass", "CartPoleVar")
TASKS, ROLLOUTS = 1000, 5  # from which the maps are learned
NEW_TASKS, NEW_ROLLOUTS = 200, 20  # on which they are tested
READINGS = ("success", "return")


def compare(subject: Subject, tasks: int = TASKS, new: int = NEW_TASKS) -> dict[str, Any]:
    """Measurements of the map by success and of the map by return, on the same new tasks."""
    learned = _play(subject, tasks, ROLLOUTS, 1)
    truth, again = (_play(subject, new, NEW_ROLLOUTS, seed, tasks_of=2) for seed in (2, 3))
    assert truth.features is not None
    found = {}
    for reading in READINGS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # anti-correlated tasks
            embedder = TaskEmbedder(random_state=0).fit(_read(learned, reading))
        first, second = (statistics_of(_read(each, reading)) for each in (truth, again))
        rng = np.random.default_rng(0)
        scores = map_scores(embedder, truth.features, first, second, rng)
        kinds = subject.env.clusters(truth.features).astype(np.str_).astype(object)
        together = label_scores({"kind": kinds}, embedder.points(truth.features))
        found[reading] = {**scores, **together["labels"]["kind"], "dims": embedder.n_components_}
    return found


def _play(
    subject: Subject, tasks: int, rollouts: int, seed: int, tasks_of: int | None = None
) -> Outcomes:
    rows = subject.env.sample_tasks(tasks, seed=seed if tasks_of is None else tasks_of)
    return evaluate(subject.population, subject.env, rows, rollouts, seed=seed, keep_returns=True)


def _read(outcomes: Outcomes, reading: str) -> Outcomes:
    return outcomes.by_return() if reading == "return" else outcomes


def print_maps(console: Console, name: str, found: dict[str, Any]) -> None:
    """Print what `compare` found, with one column per map."""
    lines: dict[str, Callable[[Any], str]] = {
        "dimensions": lambda each: str(each["dims"]),
        "triplet accuracy on new tasks": lambda each: f"{each['triplet_accuracy']:.1%}",
        "noise ceiling": lambda each: f"{each['noise_ceiling']:.1%}",
        "difficulty-pair accuracy": lambda each: f"{each['difficulty_pair_accuracy']:.1%}",
        "nearest neighbour of the same kind": lambda each: f"{each['purity']:.1%}",
        "by chance": lambda each: f"{each['chance']:.1%}",
    }
    print_lines(console, f"{name}: maps by", lines, found)


def print_report(console: Console) -> None:
    """Print one table per environment."""
    for name in ENVIRONMENTS:
        print_maps(console, name, compare(Subject.trained(name)))
