"""Figures with several maps, as in the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.files import read_arrays, write_arrays
from taskspace.paper.study import Study
from taskspace.report import plots
from taskspace.report.projections import LINE, TSNE, project
from taskspace.runs.run import Run
from taskspace.runs.sources.base import MOST_SHOWN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

View = dict[str, NDArray[Any]]  # tasks, their difficulties, and 2-D projections
SIZE = (4.3, 3.1)  # of a panel in inches, readable with two panels per row
LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Panel:
    """One map: the points of its tasks, their difficulties according to it, and their clusters."""

    title: str
    points: NDArray[np.float64]
    difficulty: NDArray[np.float64]
    clusters: NDArray[np.int64]
    cluster_names: Sequence[str]


def view_of(study: Study, made: Run, name: str | None = None) -> View:
    """The projection of the tasks that `taskspace run` draws for this map; saved in the study.

    `name` identifies the map, by default the map of the environment.
    """
    name = name or f"{made.environment.name.lower()}-0"
    shown = min(made.settings["shown"], MOST_SHOWN)
    return study.saved(
        f"{name}-view",
        {"map": name, "tasks": shown},
        lambda: _projected(made, shown),
        write_arrays,
        read_arrays,
    )


def _projected(made: Run, shown: int) -> View:
    env = made.environment
    tasks = env.sample_tasks(shown, seed=2, distribution=env.fresh_distribution)
    embedder = made.embedder
    difficulty = embedder.difficulty(tasks)
    return {"tasks": tasks, "difficulty": difficulty, **project(embedder.points(tasks))}


def coordinates(view: View, kind: str = TSNE) -> NDArray[Any]:
    """A projection of the tasks; a map with one dimension has only one."""
    return view[kind if kind in view else LINE]


def map_panel(made: Run, view: View, kind: str = TSNE, title: str = "") -> Panel:
    """The panel of a map, coloured by the clusters of the environment; `kind` is TSNE or PCA."""
    env, points = made.environment, coordinates(view, kind)
    clusters = env.clusters(view["tasks"])
    return Panel(title or env.name, points, view["difficulty"], clusters, env.cluster_names)


def draw_panels(panels: Sequence[Panel]) -> Figure:
    """Draw maps with two panels per row."""
    from matplotlib.figure import Figure

    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(SIZE[0] * columns, SIZE[1] * rows), layout="constrained")
    for index, panel in enumerate(panels):
        plots.plot_map(
            panel.points,
            difficulty=panel.difficulty,
            clusters=panel.clusters,
            cluster_names=panel.cluster_names,
            title=f"({LETTERS[index]}) {panel.title}",
            ax=figure.add_subplot(rows, columns, index + 1),
        )
    return figure
