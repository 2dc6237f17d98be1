"""The figures of a run: drawn once, saved as files, and shown in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.answers import Unanswered
from taskspace.applications.return_answers import difficulty_in_words
from taskspace.files import read_json, write_figure, write_json
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.labels import by_frequency, divides, shortened
from taskspace.outcomes.rates import mean_rates
from taskspace.report import answers, health, html, plots
from taskspace.report.projections import LINE, PCA, TSNE
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.reliability import TARGET
from taskspace.similarity.returns import statistics_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from taskspace.runs.run import Run

IN_MATRIX = 300  # tasks in the figure of the similarity matrix
MOST_POINTS_OF_SVG = 500  # with more points, a PNG is smaller and faster to show
MOST_LABELS, MOST_NAMED = 3, 12  # labels that have a figure, and values in the legend of each one
_OTHER, _MISSING = 15, 24  # clusters in grey, which no value has
_LONGEST = 30  # characters of a value in the legend
_DPI = 200  # sharp on high-resolution screens and in print
_MARGIN = 0.1  # inches
_CAPTIONS = "captions.json"
_PROJECTIONS = {  # the file, its heading, and the first words of its caption
    TSNE: ("map-tsne", "Map: t-SNE projection", "t-SNE projection of the map."),
    PCA: ("map-pca", "Map: PCA projection", "PCA projection of the map."),
    LINE: ("map", "Map", "The map has one dimension; the vertical position is random."),
}


@dataclass(frozen=True)
class Drawing:
    """A figure with its heading, caption and alternative text in the report."""

    name: str
    heading: str
    caption: str
    alt: str
    figure: Figure
    wide: bool = False


def draw(run: Run, answered: Callable[[], object] = lambda: None) -> Iterator[Drawing]:
    """Draw all figures of a run, the map first.

    `answered` is called before the figures of answers are drawn; it may wait for them.
    """
    maps = _maps(run)
    yield next(maps)
    yield from _labels(run)
    yield from maps
    yield _readings(run)
    yield _similarities(run)
    yield from _learning(run)
    yield _agents(run)
    yield from _population(run)
    if run.from_table:
        answered()
        yield from _short_test(run)
        yield from _abilities(run)


def save(drawings: Iterable[Drawing], folder: Path) -> None:
    """Write all figures as PNG and SVG files, and their captions as JSON."""
    folder.mkdir()
    captions = []
    for drawing in drawings:
        box = _laid_out(drawing.figure)
        for kind in ("png", "svg"):
            path = folder / f"{drawing.name}.{kind}"
            write_figure(drawing.figure, path, dpi=_DPI, bbox_inches=box)
        kind = "png" if _points(drawing.figure) > MOST_POINTS_OF_SVG else "svg"
        captions.append({
            "file": f"{drawing.name}.{kind}", "heading": drawing.heading,
            "caption": drawing.caption, "alt": drawing.alt, "wide": drawing.wide,
        })  # fmt: skip
    write_json(captions, folder / _CAPTIONS)


def _laid_out(figure: Figure) -> Bbox:
    """Lay the figure out, and return what it takes up, in inches.

    Matplotlib would do both for every file, which takes longer than drawing it.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine(None)  # keeps the positions
    return figure.get_tightbbox().padded(_MARGIN)


def load(folder: Path) -> list[html.Figure]:
    """Load the figures written by `save`, for a report."""
    return [
        html.Figure(image=folder / caption.pop("file"), **caption)
        for caption in read_json(folder / _CAPTIONS)
    ]


def _maps(run: Run) -> Iterator[Drawing]:
    shown = run.projection
    for kind in (kind for kind in _PROJECTIONS if kind in shown):
        name, heading, caption = _PROJECTIONS[kind]
        ax = plots.plot_map(
            shown[kind],
            difficulty=shown["difficulty"],
            clusters=shown["clusters"],
            cluster_names=run.clusters.names,
            muted=run.verdict.weak,
        )
        caption += " Each point is a task; its area is proportional to its difficulty."
        if run.verdict.weak:
            caption += " Clusters are nearly grey because the map is weak."
        yield _drawing(name, heading, caption, f"Scatter plot of tasks, {kind}", ax, wide=True)


def _labels(run: Run) -> Iterator[Drawing]:
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
        yield _drawing(f"map-label-{number + 1}", f"Map: {name}", caption, alt, ax, wide=True)


def _named(values: NDArray[Any]) -> dict[str, Any]:
    """The most frequent texts as clusters, the other ones and missing ones in grey."""
    texts, codes = by_frequency(values)
    colours = [n for n in range(_OTHER) if n != _OTHER % len(plots.COLOURS)][:MOST_NAMED]
    names = [""] * _MISSING + ["missing"]
    names[_OTHER] = "other"
    for colour, text in zip(colours, texts, strict=False):
        names[colour] = _legend_text(text)
    of_codes = np.array([*colours, _OTHER, _MISSING])
    clusters = of_codes[np.where(codes < 0, -1, np.minimum(codes, MOST_NAMED))]
    return {"clusters": clusters, "cluster_names": names}


def _legend_text(text: str) -> str:
    """A short text without what is special to Matplotlib: formulas, and names that are hidden."""
    short = shortened(text, _LONGEST).replace("$", r"\$")
    return f" {short}" if short.startswith("_") else short


def _readings(run: Run) -> Drawing:
    """Success against what the vectors say: information, or in an ordinal map difficulty."""
    every = slice(None, None, max(1, run.outcomes.n_tasks // 2000))
    lengths = np.linalg.norm(run.index.vectors[every], axis=1)
    success = statistics_of(run.outcomes).success[every]
    options: dict[str, Any] = {
        "clusters": run.clusters.labels[every], "cluster_names": run.clusters.names,
        "muted": run.verdict.weak,
    }  # fmt: skip
    scale, what = run.outcomes.scale, "Success rate of the population"
    if scale is not None:
        what = "Mean normalised return" if scale.rule == "order" else "1 minus difficulty"
        options["what"] = what[0].lower() + what[1:]
    if "norm_difficulty_rank_correlation" in run.results:
        rank = run.results["norm_difficulty_rank_correlation"]
        ax = plots.plot_success(lengths, success, "vector length (norm)", **options)
        caption = (
            f"{what} against vector length, one point per task. Harder tasks"
            f" have longer vectors: the Spearman correlation with difficulty is {rank:.2f}."
        )
        alt = f"Scatter plot of {what.lower()} against vector length"
        return _drawing("difficulty", "Difficulty", caption, alt, ax)
    if run.measure == CORRELATION:
        label = "correlation of two attempts (squared length)"
        ax = plots.plot_success(lengths**2, success, label, **options)
        caption = (
            f"{what} against the squared length of a task's vector, one"
            " point per task: the correlation of two attempts by the same agent. The shorter a"
            " vector is, the less an attempt at the task has in common with attempts at any task."
        )
        alt = f"Scatter plot of {what.lower()} against squared length"
        return _drawing("information", "Difficulty and squared length", caption, alt, ax)
    ax = plots.plot_success(lengths**2, success, "information (squared length, bits)", **options)
    little = "nearly all agents solve, or nearly none,"
    if scale is not None:
        little = "gives all agents nearly the same return, compared with how attempts vary,"
    caption = (
        f"{what} against the information of a task, one point per task: what two attempts by the"
        f" same agent share, in bits. A task that {little} tells little about them."
    )
    if scale is not None:
        caption += f" Difficulty is {difficulty_in_words(scale)}."
    alt = f"Scatter plot of {options.get('what', 'success')} against information"
    return _drawing("information", "Difficulty and information", caption, alt, ax)


def _similarities(run: Run) -> Drawing:
    some = np.arange(min(IN_MATRIX, run.outcomes.n_tasks))
    signed = run.measure == CORRELATION
    of = "outcomes" if run.outcomes.scale is None else "agents' ranks"
    matrix = statistics_of(run.outcomes).matrix(some, some, run.measure)
    ax = plots.plot_similarity(matrix, run.clusters.labels[some], run.clusters.names, signed=signed)
    what = (
        f"Correlation of the {of} on {len(some)} tasks"
        if signed
        else f"Estimated similarity of {len(some)} tasks in bits (mutual information of {of})"
    )
    caption = f"{what}, ordered by cluster."
    if np.isnan(matrix).any():
        caption += " White cells are unknown: too few agents attempted both tasks."
    return _drawing("similarity", "Similarity", caption, "Matrix of similarities between tasks", ax)


def _learning(run: Run) -> Iterator[Drawing]:
    """The spectrum of an information map, and the losses while something was learned."""
    embedder, what = run.embedder, "map"
    if isinstance(embedder, TaskEmbedder):
        ax = plots.plot_spectrum(embedder.spectrum_, embedder.n_components_)
        what = "correlations of tasks" if run.measure == CORRELATION else "information"
        caption = (
            f"What each axis holds of the {what}. The map has {embedder.n_components_} dimensions,"
            f" which keep {embedder.kept_:.0%} of what tasks share."
        )
        if run.measure == CORRELATION:
            ax.set_ylabel("% of the correlations")
        yield _drawing("spectrum", "What the map keeps", caption, "Bar chart of the spectrum", ax)
        if embedder.task_names_ is not None:
            return
        embedder = embedder.model_
        what = "success model" if run.outcomes.scale is None else "model of returns"
    if not embedder.history_.get("step"):
        return
    ax = plots.plot_learning_curve(embedder.history_)
    caption = (
        f"Training and validation loss of the {what}. The {what} with the lowest validation loss is"
        " used."
    )
    yield _drawing("learning", "Learning curve", caption, "Loss over training steps", ax)


def _agents(run: Run) -> Drawing:
    heading = "Population"
    if run.from_table:
        outcomes, what, ends = run.outcomes, "success rate", (0.0, 1.0)
        rates = mean_rates(outcomes.rates, axis=1)
        if outcomes.scale is not None and outcomes.returns is not None:
            what, rates = "mean return", mean_rates(outcomes.returns.astype(np.float64), axis=1)
            ends = float(np.nanmin(rates)), float(np.nanmax(rates))
        across = f"{what} of the agent"
        ax = plots.plot_histogram(rates[~np.isnan(rates)], across, "number of agents", ends=ends)
        caption = f"Distribution of the {what}s of the agents."
        alt = f"Histogram of {what}s"
        return _drawing("population", heading, caption, alt, ax)
    rows = run.population.table()
    subpopulations, steps, skills = (
        [row[key] for row in rows] for key in ("subpopulation", "step", "skill")
    )
    ax = plots.plot_skills(subpopulations, steps, skills)
    caption = (
        "Skill (mean success rate) of each agent. Agents are snapshots taken during training;"
        " each line is a subpopulation."
    )
    return _drawing("population", heading, caption, "Skill over training steps", ax)


def _population(run: Run) -> Iterator[Drawing]:
    found = run.diagnosis
    if isinstance(found, Unanswered):
        return
    ax = plots.plot_scree(found.scree.values, found.scree.chance)
    yield _drawing(health.SCREE, "", health.CAPTIONS[health.SCREE], "Scree plot against chance", ax)
    if all(each.known for each in found.reliability.values()):
        curves = dict(found.curve)
        agents, now = curves.pop("agents"), found.reliability[found.better_measure].agents
        ax = plots.plot_agents_needed(agents, curves, now, target=TARGET)
        alt = "Reliability of similarities against the number of agents"
        yield _drawing(health.NEEDED, "", health.CAPTIONS[health.NEEDED], alt, ax)


def _short_test(run: Run) -> Iterator[Drawing]:
    from matplotlib.figure import Figure

    if isinstance(run.short_test, Unanswered):
        return
    comparison = run.short_test.comparison
    ax = Figure(figsize=(8.4, 3.8), layout="constrained").add_subplot()  # as wide as the map
    plots.plot_errors(np.unique(comparison.sizes), comparison.curves, ax=ax)
    caption = (
        "Error of the estimated full score for agents that took no part in the choice, by the"
        " number of tasks (on a logarithmic scale); lower is better. Bands are one standard error."
        f" {answers.METHODS}"
    )
    alt = "Error of estimated scores against the number of tasks"
    yield _drawing(answers.SHORT_TEST, "", caption, alt, ax, wide=True)


def _abilities(run: Run) -> Iterator[Drawing]:
    if isinstance(run.abilities, Unanswered):
        return
    columns, which = answers.shown_agents(run.abilities)
    names = [_legend_text(name) for name in columns["agent"].tolist()]
    ax = plots.plot_scores(names, columns["score"], columns["low"], columns["high"])
    caption = (
        f"{which} Points are scores, lines are {run.abilities.level:.0%} intervals: where the lines"
        " of two agents overlap widely, their order is uncertain."
    )
    yield _drawing(answers.AGENTS, "", caption, "Scores of agents with intervals", ax, wide=True)


def _drawing(
    name: str, heading: str, caption: str, alt: str, ax: Any, wide: bool = False
) -> Drawing:
    return Drawing(name, heading, caption, alt, ax.figure, wide)


def _points(figure: Figure) -> int:
    """The number of points in the lines, markers and images of a figure."""
    count = 0
    for ax in figure.axes:
        count += sum(np.size(line.get_xdata()) for line in ax.lines)
        count += sum(np.shape(marks.get_offsets())[0] for marks in ax.collections)
        count += sum(np.size(np.asarray(image.get_array())) for image in ax.images)
    return count
