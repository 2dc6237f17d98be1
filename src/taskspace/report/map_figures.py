"""The figures of a map: its projections, by cluster and by label, and the interactive map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.labels import by_frequency, divides, shortened
from taskspace.outcomes.rates import mean_rates
from taskspace.report import plots
from taskspace.report.cluster_titles import cluster_titles
from taskspace.report.examples import in_words
from taskspace.report.figure_files import Drawing
from taskspace.report.projections import LINE, PCA, TSNE

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_LABELS, MOST_NAMED = 3, 12  # labels that have a figure, and values in the legend of each one
_OTHER, _MISSING = 15, 24  # clusters in grey, which no value has
_LONGEST = 30  # characters of a value in the legend
_PROJECTIONS = {  # the file, its heading, and the first words of its caption
    TSNE: ("map-tsne", "The map", "t-SNE projection of the map."),
    PCA: ("map-pca", "The map from another side: PCA projection", "PCA projection of the map."),
    LINE: ("map", "The map", "The map has one dimension; the vertical position is random."),
}


def maps(run: Run) -> Iterator[Drawing]:
    """The projections of the map, with the names of the clusters on it."""
    shown = run.projection
    for kind in (kind for kind in _PROJECTIONS if kind in shown):
        name, heading, caption = _PROJECTIONS[kind]
        ax: Any = plots.plot_map(
            shown[kind],
            difficulty=shown["difficulty"],
            clusters=shown["clusters"],
            cluster_names=drawn_titles(run),
            muted=run.verdict.weak,
            place_names=True,
        )
        caption += " Each point is a task; its area is proportional to its difficulty."
        if not run.from_table:
            caption += f" Colours and names show {run.clusters.description}."
        if run.verdict.weak:
            caption += " Clusters are nearly grey because the map is weak."
        yield Drawing(
            name, heading, caption, f"Scatter plot of tasks, {kind}", ax.figure, wide=True
        )


def drawn_titles(run: Run) -> list[str]:
    """The titles of clusters without formulas, which Matplotlib would see between dollars."""
    return [title.replace("$", r"\$") for title in cluster_titles(run)]


def labelled_maps(run: Run) -> Iterator[Drawing]:
    """The map in the colours of the first few labels of the tasks that have several values."""
    shown, kinds = run.projection, [kind for kind in _PROJECTIONS if kind in run.projection]
    labels = {
        name: values[shown["indices"]]
        for name, values in run.outcomes.task_labels.items()
        if divides(values) or (values.dtype.kind == "f" and len(set(values[values == values])) > 1)
    }
    for number, name in enumerate(list(labels)[:MOST_LABELS]):
        numeric = labels[name].dtype.kind == "f"
        colours = {"numbers": labels[name]} if numeric else _named(labels[name])
        ax = plots.plot_map(shown[kinds[0]], difficulty=shown["difficulty"], **colours)
        caption = f"The same map; colours show {name}, which the map does not know."
        alt = f"Scatter plot of tasks, {kinds[0]}, coloured by {name}"
        yield Drawing(f"map-label-{number + 1}", f"Map: {name}", caption, alt, ax.figure, wide=True)


def _named(values: NDArray[Any]) -> dict[str, Any]:
    """The most frequent texts as clusters, the other ones and missing ones in grey."""
    texts, codes = by_frequency(values)
    colours = [n for n in range(_OTHER) if n != _OTHER % len(plots.COLOURS)][:MOST_NAMED]
    names = [""] * _MISSING + ["missing"]
    names[_OTHER] = "other"
    for colour, text in zip(colours, texts, strict=False):
        names[colour] = legend_text(text)
    of_codes = np.array([*colours, _OTHER, _MISSING])
    clusters = of_codes[np.where(codes < 0, -1, np.minimum(codes, MOST_NAMED))]
    return {"clusters": clusters, "cluster_names": names}


def legend_text(text: str) -> str:
    """A short text without what is special to Matplotlib: formulas, and names that are hidden."""
    short = shortened(text, _LONGEST).replace("$", r"\$")
    return f" {short}" if short.startswith("_") else short


def live_map(run: Run) -> str:
    """The page of an interactive map of the tasks that the first figure shows."""
    shown = run.projection
    kind = next(kind for kind in _PROJECTIONS if kind in shown)
    return plots.plot_map(
        shown[kind], difficulty=shown["difficulty"], clusters=shown["clusters"],
        cluster_names=cluster_titles(run), muted=run.verdict.weak, interactive=True,
        **_told(run),
    ).html  # fmt: skip


def _told(run: Run) -> dict[str, Any]:
    """The names of the tasks that are shown, and what to say about them."""
    shown, outcomes = run.projection, run.outcomes
    if "indices" not in shown:  # new tasks of an environment
        texts = [in_words(run.environment, task) for task in shown["tasks"]]
        return {"names": [text or "a task" for text in texts]}
    some = shown["indices"]
    found: dict[str, NDArray[Any]] = {}
    if outcomes.scale is None:
        found["success rate"] = mean_rates(outcomes.rates[:, some], axis=0)
    elif outcomes.returns is not None:
        found["mean return"] = mean_rates(outcomes.returns[:, some].astype(np.float64), axis=0)
    found |= {name: values[some] for name, values in outcomes.task_labels.items()}
    return {"names": outcomes.tasks[some], "labels": found}
