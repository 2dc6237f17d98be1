"""The maps as the paper shows them: several in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace import plots
from taskspace.files import read_arrays, write_arrays
from taskspace.paper.study import Study
from taskspace.pipeline import MOST_SHOWN, Map
from taskspace.summary import project

if TYPE_CHECKING:
    from matplotlib.figure import Figure

View = dict[str, NDArray[Any]]  # what `summary.project` gives
SIZE = (4.3, 3.1)  # of a panel, in inches: its letters stay readable when two fill a page
LETTERS = "abcdefgh"


@dataclass(frozen=True)
class Panel:
    """One map: its tasks as points, with the lengths of their vectors and their clusters."""

    title: str
    points: NDArray[np.float64]
    norms: NDArray[np.float64]
    clusters: NDArray[np.int64]
    cluster_names: Sequence[str]


def view_of(study: Study, made: Map, name: str | None = None) -> View:
    """The picture that `taskspace run` makes of this map, of the same fresh tasks; it is kept.

    `name` says which map it is, if not the environment's own.
    """
    name = name or f"{made.env.name.lower()}-0"
    shown = min(made.shown, MOST_SHOWN)
    return study.kept(
        f"{name}-view",
        {"map": name, "tasks": shown},
        lambda: project(
            made.embedder, made.env.sample_tasks(shown, seed=2, distribution=made.fresh)
        ),
        write_arrays,
        read_arrays,
    )


def map_panel(made: Map, view: View, kind: str = "tsne", title: str = "") -> Panel:
    """The panel of a map, coloured by the environment's clusters; `kind` is "tsne" or "pca"."""
    env, norms = made.env, np.linalg.norm(view["vectors"], axis=1)
    clusters = env.clusters(view["tasks"])
    return Panel(title or env.name, view[kind], norms, clusters, env.cluster_names)


def draw_panels(panels: Sequence[Panel]) -> Figure:
    """Draw maps side by side, two in a row."""
    from matplotlib.figure import Figure

    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(SIZE[0] * columns, SIZE[1] * rows), layout="constrained")
    for index, panel in enumerate(panels):
        plots.plot_map(
            panel.points,
            norms=panel.norms,
            clusters=panel.clusters,
            cluster_names=panel.cluster_names,
            title=f"({LETTERS[index]}) {panel.title}",
            ax=figure.add_subplot(rows, columns, index + 1),
        )
    return figure
