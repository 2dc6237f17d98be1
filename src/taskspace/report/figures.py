"""The figures of a run: drawn once, kept as files, and shown in the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.files import read_json, write_figure, write_json
from taskspace.report import html, plots
from taskspace.report.projections import LINE, PCA, TSNE
from taskspace.similarity.statistics import SuccessStatistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from taskspace.runs.run import Run

IN_MATRIX = 300  # tasks in the picture of the similarity matrix
MOST_POINTS_OF_SVG = 500  # a drawing of more points is smaller, and quicker to show, as a PNG
_DPI = 200  # sharp on dense screens and in print
_CAPTIONS = "captions.json"
_PROJECTIONS = {  # the file, its heading, and how the caption says it
    TSNE: ("map-tsne", "The map", "t-SNE"),
    PCA: ("map-pca", "The map, straight", "PCA"),
    LINE: ("map", "The map", "one dimension; the height has no meaning"),
}


@dataclass(frozen=True)
class Drawing:
    """A figure, its place in the report, and what it shows for those who cannot see it."""

    name: str
    heading: str
    caption: str
    alt: str
    figure: Figure
    wide: bool = False


def draw(run: Run) -> Iterator[Drawing]:
    """Every figure of a run, the map first."""
    yield from _maps(run)
    yield _difficulty(run)
    yield _similarities(run)
    ax = plots.plot_learning_curve(run.embedder.history_)
    yield _drawing("learning", "Learning", "Learning the map.", "Loss over training steps", ax)
    yield _agents(run)


def save(drawings: Iterable[Drawing], folder: Path) -> None:
    """Write every figure as PNG and SVG, and beside them what the report says of them."""
    folder.mkdir()
    captions = []
    for drawing in drawings:
        for kind in ("png", "svg"):
            write_figure(drawing.figure, folder / f"{drawing.name}.{kind}", dpi=_DPI)
        kind = "png" if _points(drawing.figure) > MOST_POINTS_OF_SVG else "svg"
        captions.append({
            "file": f"{drawing.name}.{kind}", "heading": drawing.heading,
            "caption": drawing.caption, "alt": drawing.alt, "wide": drawing.wide,
        })  # fmt: skip
    write_json(captions, folder / _CAPTIONS)


def load(folder: Path) -> list[html.Figure]:
    """The figures that `save` wrote, for a report."""
    return [
        html.Figure(image=folder / caption.pop("file"), **caption)
        for caption in read_json(folder / _CAPTIONS)
    ]


def _maps(run: Run) -> Iterator[Drawing]:
    shown = run.projection
    norms = np.linalg.norm(shown["vectors"], axis=1)
    for kind in (kind for kind in _PROJECTIONS if kind in shown):
        name, heading, by = _PROJECTIONS[kind]
        ax = plots.plot_map(
            shown[kind], norms=norms, clusters=shown["clusters"], cluster_names=run.clusters.names
        )
        caption = f"The map ({by}). A point is a task; the larger it is, the longer its vector."
        yield _drawing(name, heading, caption, f"Scatter plot of tasks by {by}", ax, wide=True)


def _difficulty(run: Run) -> Drawing:
    every = slice(None, None, max(1, run.outcomes.n_tasks // 2000))
    ax = plots.plot_difficulty(
        run.embedder.difficulty(run.outcomes.task_inputs[every]),
        SuccessStatistics.from_outcomes(run.outcomes).success[every],
        clusters=run.clusters.labels[every],
        cluster_names=run.clusters.names,
    )
    rank = run.results["norm_difficulty_rank_correlation"]
    caption = f"Harder tasks lie further out: the rank correlation is {rank:.2f}."
    alt = "Scatter plot of vector length and success rate"
    return _drawing("difficulty", "Difficulty", caption, alt, ax)


def _similarities(run: Run) -> Drawing:
    some = np.arange(min(IN_MATRIX, run.outcomes.n_tasks))
    matrix = SuccessStatistics.from_outcomes(run.outcomes).matrix(some, some)
    ax = plots.plot_similarity(matrix, run.clusters.labels[some], run.clusters.names)
    caption = "Estimated similarity of tasks, ordered by cluster."
    if np.isnan(matrix).any():
        caption += " It is unknown (white) where too few agents have tried both tasks."
    return _drawing("similarity", "Similarity", caption, "Matrix of similarities between tasks", ax)


def _agents(run: Run) -> Drawing:
    heading = "The population"
    if run.from_table:
        rates = np.nanmean(run.outcomes.rates, axis=1)
        ax = plots.plot_histogram(rates, "share of its tasks that an agent solves", "agents")
        caption, alt = "The agents, from weak to strong.", "Histogram of agents"
        return _drawing("population", heading, caption, alt, ax)
    rows = run.population.table()
    groups, steps, skills = (
        [row[key] for row in rows] for key in ("subpopulation", "step", "skill")
    )
    ax = plots.plot_skills(groups, steps, skills)
    caption = "The agents: skill of each snapshot."
    return _drawing("population", heading, caption, "Skill over steps", ax)


def _drawing(
    name: str, heading: str, caption: str, alt: str, ax: Any, wide: bool = False
) -> Drawing:
    return Drawing(name, heading, caption, alt, ax.figure, wide)


def _points(figure: Figure) -> int:
    """How many points a figure is made of: of lines, marks and images together."""
    count = 0
    for ax in figure.axes:
        count += sum(np.size(line.get_xdata()) for line in ax.lines)
        count += sum(np.shape(marks.get_offsets())[0] for marks in ax.collections)
        count += sum(np.size(np.asarray(image.get_array())) for image in ax.images)
    return count
