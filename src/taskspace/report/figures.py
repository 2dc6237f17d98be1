"""The figures of a run, which its report shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.applications.answers import Unanswered
from taskspace.applications.return_answers import difficulty_in_words
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.rates import mean_rates
from taskspace.report import answers, examples, health, plots
from taskspace.report.figure_files import Drawing
from taskspace.report.map_figures import drawn_titles, labelled_maps, legend_text, maps
from taskspace.report.words import count
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.reliability import TARGET
from taskspace.similarity.returns import statistics_of

if TYPE_CHECKING:
    from taskspace.runs.run import Run

IN_MATRIX = 300  # tasks in the figure of the similarity matrix


def draw(run: Run, answered: Callable[[], object] = lambda: None) -> Iterator[Drawing]:
    """Draw all figures of a run, the map first.

    `answered` is called before the figures of answers are drawn; it may wait for them.
    """
    shown = maps(run)
    yield next(shown)
    yield from examples.drawings(run)
    yield from labelled_maps(run)
    yield from shown
    yield _readings(run)
    yield _similarities(run)
    yield from _learning(run)
    yield _agents(run)
    yield from _population(run)
    if run.from_table:
        answered()
        yield from _short_test(run)
        yield from _abilities(run)


def _readings(run: Run) -> Drawing:
    """Success against what the vectors say: information, or in an ordinal map difficulty."""
    every = slice(None, None, max(1, run.outcomes.n_tasks // 2000))
    lengths = np.linalg.norm(run.index.vectors[every], axis=1)
    success = statistics_of(run.outcomes).success[every]
    options: dict[str, Any] = {
        "clusters": run.clusters.labels[every], "cluster_names": drawn_titles(run),
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
    ax = plots.plot_similarity(matrix, run.clusters.labels[some], drawn_titles(run), signed=signed)
    what = (
        f"Correlation of the {of} on {len(some):,} tasks"
        if signed
        else f"Estimated similarity of {len(some):,} tasks in bits (mutual information of {of})"
    )
    caption = f"{what}, ordered by cluster; the diagonal is left blank."
    if np.isnan(matrix[~np.eye(len(matrix), dtype=bool)]).any():
        caption += " Other blank cells are unknown: too few agents attempted both tasks."
    return _drawing("similarity", "Similarity", caption, "Matrix of similarities between tasks", ax)


def _learning(run: Run) -> Iterator[Drawing]:
    """The spectrum of an information map, and the losses while something was learned."""
    embedder, what = run.embedder, "map"
    if isinstance(embedder, TaskEmbedder):
        ax = plots.plot_spectrum(embedder.spectrum_, embedder.n_components_)
        what = "correlations of tasks" if run.measure == CORRELATION else "information"
        caption = (
            f"What each axis holds of the {what}. The map has"
            f" {count(embedder.n_components_, 'dimension')}; together they"
            f" hold {embedder.kept_:.0%} of what tasks share."
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
    names = [legend_text(name) for name in columns["agent"].tolist()]
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
