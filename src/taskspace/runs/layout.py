"""The names of all stages of a run folder, and of the file or folder that each one writes."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """The name of a stage, whose stamp is `<stage>.json`, and the file name of its result."""

    stage: str
    file: str


SETTINGS = "settings.json"

TASKS = Part("tasks", "tasks")  # only for Karel, whose tasks are a data set
POPULATION = Part("population", "population.zip")
TRAINING = Part("training-outcomes", "training-outcomes.npz")  # what a success model learns from
OUTCOMES = Part("outcomes", "outcomes.npz")
EMBEDDER = Part("map", "embedder")
VECTORS = Part("vectors", "vectors.npz")  # of the tasks of the outcomes, and their difficulties
SECOND_EMBEDDER = Part("second-map", "embedder-second-seed")
CLUSTERS = Part("clusters", "clusters.npz")
CONSTRAINTS = Part("constraints", "constraint-counts.json")
RESULTS = Part("measurements", "results.json")
REDUNDANCY = Part("redundancy", "redundant.npz")  # only of tables, like the next two
SHORT_TEST = Part("short-test", "subset.npz")
ABILITIES = Part("abilities", "agents.npz")
PROJECTION = Part("projection", "projection.npz")
FIGURES = Part("figures", "figures")
REPORT = Part("report", "report.html")

# Parts that are folders; files that are added to them count as damage.
FOLDERS = tuple(part.file for part in (TASKS, EMBEDDER, SECOND_EMBEDDER, FIGURES))

# What answers are read from; in folders of earlier versions, computed on first access.
PROFILES = Part("profiles", "profiles.npz")  # of a map that has a success model
PREDICTOR = Part("predictor", "predictor.npz")

# Computed on first access.
MODEL = Part("model", "success-model")  # of a map that has none
LAYOUTS = Part("layouts", "layouts.npz")
