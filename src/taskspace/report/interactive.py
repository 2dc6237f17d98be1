"""An interactive map: one HTML page with everything in it, for notebooks and files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.files import atomic_path
from taskspace.report.plots.style import COLOURS, COLOURS_ON_DARK

HEIGHT = 520  # pixels in a notebook
MOST_TASKS = 100_000  # a page of more is slow
_LONGEST = 200  # characters of a label
_ON_DARK = {light.lower(): dark for light, dark in zip(COLOURS, COLOURS_ON_DARK, strict=True)}


@dataclass(frozen=True, eq=False)
class InteractiveMap:
    """A map of tasks to hover over, move and zoom; it needs no network.

    Notebooks show it as it is.

    Attributes:
        html: The page: HTML with its data, its style and its script.
    """

    html: str

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its style and script touch nothing else."""
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}" title="map"></iframe>'

    def __repr__(self) -> str:
        return "InteractiveMap(shown in a notebook; `save` writes it to a file)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Args:
            path: The path of the file, e.g. map.html.

        Raises:
            OSError: If the file cannot be written.
        """
        with atomic_path(checks.path(path)) as temporary:
            temporary.write_text(self.html, "utf-8")


def interactive_map(
    points: NDArray[np.float64],
    radii: NDArray[np.float64],
    colours: Sequence[str],
    names: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
    clusters: tuple[Sequence[str], NDArray[np.int64]] | None = None,
    title: str = "",
) -> InteractiveMap:
    """Make an interactive map.

    Args:
        points: The positions of the tasks (tasks, 2).
        radii: The radii of the points in pixels.
        colours: The colours of the clusters or, without clusters, of each task.
        names: The names of the tasks.
        labels: What is said about the tasks, by name: one value per task.
        clusters: The names of the clusters, and the cluster of each task.
        title: The title.

    Returns:
        The map.

    Raises:
        ValueError: If there are too many tasks, or if names or labels are not one per task.
    """
    count = len(points)
    if count > MOST_TASKS:
        raise ValueError(
            f"an interactive map must have at most {MOST_TASKS:,} tasks, got {count:,}"
        )
    called = [f"task {i}" for i in range(count)] if names is None else _each(names, count, "names")
    facts = {str(name): _each(v, count, f"label {name!r}") for name, v in (labels or {}).items()}
    span = float(np.ptp(points, axis=0).max()) or 1.0
    x, y = ((points - points.min(0)) / span).round(5).T  # fewer digits make a smaller page
    data = {
        "title": title, "names": called, "facts": facts,
        "x": x.tolist(), "y": y.tolist(),
        "radius": radii.round(2).tolist(), "onDark": _ON_DARK,
        "palette": list(colours) if clusters else [], "colour": [] if clusters else list(colours),
        "clusters": list(map(str, clusters[0])) if clusters else [],
        "cluster": clusters[1].tolist() if clusters else [],
    }  # fmt: skip
    page = (resources.files("taskspace.report") / "assets" / "map.html").read_text("utf-8")
    # In a script, only "<" could end it; JSON has another way to write it.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return InteractiveMap(page.replace("/*data*/", text))


def _each(values: ArrayLike, count: int, what: str) -> list[str]:
    """One short text per task; numbers are rounded, and those that are missing are empty."""
    if checks.listed(values, what) != count:
        raise ValueError(f"{what} must be one per task, {count}, got {len(np.asarray(values))}")
    return [_text(value) for value in np.asarray(values).tolist()]


def _text(value: Any) -> str:
    from taskspace.outcomes.labels import shortened

    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4g}"
    return shortened(str(value), _LONGEST)
