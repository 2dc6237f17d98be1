"""Plots of maps, populations and predictions.

Every function draws arrays on `ax`, by default on a new figure, and returns the axes.
`ax.figure.savefig("map.png")` saves the figure.
"""

from taskspace.report.plots.accuracy import (
    plot_accuracy,
    plot_errors,
    plot_reliability,
    plot_selection,
)
from taskspace.report.plots.learning import plot_learning_curve, plot_spectrum
from taskspace.report.plots.matrix import plot_similarity
from taskspace.report.plots.points import plot_success
from taskspace.report.plots.population import (
    plot_agents_needed,
    plot_histogram,
    plot_scores,
    plot_scree,
    plot_skills,
)
from taskspace.report.plots.style import (
    COLOURS,
    COLOURS_ON_DARK,
    INK,
    LIGHT,
    LIGHT_ON_DARK,
    MARKERS,
    MUTED,
    PALE,
)
from taskspace.report.plots.task_map import plot_map

__all__ = [
    "COLOURS", "COLOURS_ON_DARK", "INK", "LIGHT", "LIGHT_ON_DARK", "MARKERS", "MUTED", "PALE",
    "plot_accuracy", "plot_agents_needed", "plot_errors", "plot_histogram", "plot_learning_curve",
    "plot_map", "plot_reliability", "plot_scores", "plot_scree", "plot_selection",
    "plot_similarity", "plot_skills", "plot_spectrum", "plot_success",
]  # fmt: skip
