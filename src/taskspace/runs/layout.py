"""Every name in a run folder, once: the stages, and the file or folder that each one writes."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """A stage, whose stamp is `<stage>.json`, and the name of its result."""

    stage: str
    file: str


SETTINGS = "settings.json"

TASKS = Part("tasks", "tasks")  # only where the tasks are a set of the run's own
POPULATION = Part("population", "population.zip")
OUTCOMES = Part("outcomes", "outcomes.npz")
EMBEDDER = Part("map", "embedder")
SECOND_EMBEDDER = Part("second-map", "embedder-second-seed")
CLUSTERS = Part("clusters", "clusters.npz")
CONSTRAINTS = Part("orders", "constraints.json")
RESULTS = Part("numbers", "results.json")
PROJECTION = Part("projection", "projection.npz")
FIGURES = Part("pictures", "figures")
REPORT = Part("report", "report.html")

# Made when they are first asked for.
PREDICTOR = Part("predictor", "predictor.npz")
MODEL = Part("model", "success-model")
LAYOUTS = Part("layouts", "layouts.npz")
