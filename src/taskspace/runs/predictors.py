"""The predictor of a run: fitted to the success model of the map, or else to the outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from taskspace.applications.predictor import PerformancePredictor
from taskspace.models.linear_population import LinearPopulation
from taskspace.outcomes.labels import Labels
from taskspace.outcomes.outcomes import Outcomes

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_KNOWN = 5000  # tasks that a predictor with a success model knows by name


def fit_predictor(run: Run) -> PerformancePredictor:
    """Fit the predictor of a run."""
    outcomes = run.outcomes
    if not run.has_model:
        return PerformancePredictor(embedder=run.reader).fit(outcomes)
    some = slice(MOST_KNOWN)  # tasks are in random order
    fitted = PerformancePredictor().fit(run.profiler)
    known = fitted.over(outcomes.task_inputs[some], outcomes.tasks[some])
    known.labels_ = _labels(outcomes, MOST_KNOWN)
    if outcomes.n_agents > 1:  # results say more than the profiles of a model
        known.population_ = LinearPopulation.fit(outcomes.first_tasks(len(known.tasks_)))
    return known


def load_predictor(run: Run, path: Path) -> PerformancePredictor:
    """Load the predictor of a run, with what scores need if an earlier version saved it without."""
    if run.has_model:
        loaded = PerformancePredictor.load(path, model=run.profiler)
    else:
        loaded = PerformancePredictor.load(path, embedder=run.reader)
    count = len(loaded.tasks_)
    if not loaded.labels_:
        loaded.labels_ = _labels(run.outcomes, count)
    if loaded.population_ is None and run.outcomes.n_agents > 1:
        loaded.population_ = LinearPopulation.fit(run.outcomes.first_tasks(count))
    return loaded


def _labels(outcomes: Outcomes, count: int) -> Labels:
    """The labels of the first tasks."""
    return {name: values[:count] for name, values in outcomes.task_labels.items()}
