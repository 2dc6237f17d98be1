"""The report of a run: summary, map, measurements, population, figures, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.applications.return_answers import difficulty_in_words
from taskspace.report import answers, examples, figure_files, health, html, opposites, summary
from taskspace.report.map_figures import live_map
from taskspace.report.terms import terms_of
from taskspace.report.words import decimals
from taskspace.similarity.profiles import CORRELATION

if TYPE_CHECKING:
    from taskspace.runs.run import Run

DIGEST = "results"  # a setting of a table that identifies its results, and says nothing to readers
_ACCURACIES = {
    "triplet_accuracy": "triplet accuracy ({held}; chance: 50%)",
    "noise_ceiling": "noise ceiling",
    "plain_triplet_accuracy": "triplet accuracy without a map (chance: 50%)",
    "difficulty_pair_accuracy": "difficulty-pair accuracy ({held}; chance: 50%)",
}


def write(run: Run, path: Path, title: str | None = None) -> None:
    """Write the report of a run; its title is by default that of the run."""
    drawn = {figure.image.stem: figure for figure in figure_files.load(run.figures)}
    apart = (*answers.FIGURES, *health.FIGURES)
    first, *others = (
        figure
        for name, figure in drawn.items()
        if name not in apart and not name.startswith(examples.FIGURES)
    )
    numbers = html.Numbers(
        measurements_table(run.results, run.learned_tasks),
        heading="Measurements",
        caption=_explanation(run.results),
    )
    opening, *told = summary.sections(run, drawn)
    parts: list[html.Section] = [opening, told.pop(0), _map(run, first), *told]
    parts += [html.Text([_readings(run)], heading="How to read the map"), numbers]
    parts += [*health.sections(run, drawn), *opposites.sections(run)]
    parts += answers.sections(run, drawn) if run.from_table else []
    parts += [*others, html.Settings(shown_settings(run))]
    html.write_report(path, title=title or run.title, sections=parts, terms=terms_of(run))


def _map(run: Run, figure: html.Figure) -> html.Figure:
    """The first figure, interactive on screen."""
    return replace(figure, live=live_map(run))


def shown_settings(run: Run) -> dict[str, Any]:
    """The settings of a run for readers: those that are set, without digests, and of returns."""
    known = {name: value for name, value in run.settings.items() if value is not None}
    shown = {name: value for name, value in known.items() if name != DIGEST}
    scale = run.outcomes.scale
    if scale is None:
        return shown
    shown["returns"] = True
    for name in ("best", "success"):
        given = getattr(scale, name)
        if given is not None:
            shown[name] = float(given) if not given.ndim else "one per task"
    return shown


def _readings(run: Run) -> str:
    """How to read the vectors of the map."""
    scale = run.outcomes.scale
    what = "success" if scale is None else "the return"
    if "norm_difficulty_rank_correlation" in run.results:
        return (
            f"The vectors of two tasks have similar directions if {what} on one task is informative"
            f" about {what} on the other. Harder tasks have longer vectors."
        )
    if run.measure == CORRELATION:
        of, same = "success on them", "are solved by the same agents"
        opposite = "are solved by opposite agents"
        if scale is not None:
            of, same = "the ranks of the agents on them", "put the agents in the same order"
            opposite = "put them in opposite orders"
        return (
            f"The inner product of the vectors of two tasks is the correlation of {of}: tasks that"
            f" {same} lie in the same direction, tasks that {opposite} in opposite directions."
            " The squared length of a vector is the correlation of two attempts by the same agent."
            " The difficulty of a task (the size of its point) is"
            f" {difficulty_in_words(scale)}. Pictures of the map show directions only."
        )
    order = "" if scale is None else ", by the order of the agents"
    return (
        f"The inner product of the vectors of two tasks is the information, in bits, that {what} on"
        f" one task gives about {what} on the other{order}. A task has three readings: its"
        " direction shows which skills it requires, its length how much an attempt at it tells"
        f" about an agent, and its difficulty (the size of its point) {difficulty_in_words(scale)}."
        " Pictures of the map show directions only."
    )


def measurements_table(
    results: Mapping[str, Any], learned: int | None = None
) -> list[tuple[str, str]]:
    """The measurements with their labels, for the report and the terminal.

    `learned` is the number of tasks that the map was learned from, if more than are listed.
    """
    tasks = f"{results['tasks']:,}"
    if learned is not None and learned > results["tasks"]:
        tasks = f"{learned:,} ({tasks} listed)"
    rows = [
        ("agents", f"{results['agents']:,}"),
        ("tasks", tasks),
        ("dimensions", str(results["dimensions"])),
    ]
    if "silhouette" in results:
        spread = f"{results['silhouette']:.3f} ± {results['silhouette_spread']:.3f}"
        rows.append(("silhouette of the clusters (chance: 0)", spread))
    held = "not held out" if results.get("tested_pairs") == 0 else "held out"
    for key, label in _ACCURACIES.items():
        if results.get(key) is not None:
            rows.append((label.format(held=held), f"{results[key]:.1%}"))
    if results.get("population"):
        reliability = results["population"]["reliability"]
        rows.append(("reliability of similarities (chance: 0)", f"{reliability:.2f}"))
    if "kept_information" in results:
        what = "correlation" if results.get("measure") == CORRELATION else "information"
        rows.append((f"{what} kept", f"{results['kept_information']:.1%}"))
    if "similarity_error_correlation" in results:
        rows.append(("error of correlations", f"{results['similarity_error_correlation']:.4f}"))
    if "similarity_error_bits" in results:
        rows.append(("error of similarities", f"{results['similarity_error_bits']:.4f} bits"))
    if "norm_difficulty_rank_correlation" in results:
        rank = results["norm_difficulty_rank_correlation"]
        rows.append(("vector length and difficulty (Spearman)", decimals(rank, 3)))
    for name, scores in results.get("labels", {}).items():
        rows += _label_rows(name, scores)
    if depends_on_seed(results):
        rows += [
            (f"stability across seeds (Spearman), {what}", f"{results['stability'][what]:.3f}")
            for what in ("similarity", "difficulty")
        ]
    return rows


def depends_on_seed(results: Mapping[str, Any]) -> bool:
    """Whether a stability across seeds says anything: a table without features is only computed."""
    return "kept_information" not in results or "success_model" in results


def _label_rows(name: str, scores: Mapping[str, Any]) -> list[tuple[str, str]]:
    purity = f"{scores['purity']:.1%} (by chance {scores['chance']:.1%})"
    rows = [(f"nearest neighbour has the same {name}", purity)]
    if scores["silhouette"] is not None:
        rows.append((f"silhouette by {name} (chance: 0)", decimals(scores["silhouette"], 3)))
    return rows


def _explanation(results: Mapping[str, Any]) -> str:
    """What the labels of the table mean."""
    sentences = []
    if results.get("triplet_accuracy") is not None:
        sentences.append(
            "Triplet accuracy: how often the map is right about which of two tasks is more similar"
            " to a third."
        )
    if results.get("plain_triplet_accuracy") is not None:
        sentences.append(
            "For a table, it is measured on one half of the agents for a map of the other half, and"
            " so is that of the similarities themselves, without a map. Few agents make both low."
        )
    if results.get("noise_ceiling") is not None:
        sentences.append(
            "Noise ceiling: the triplet accuracy of an independent re-evaluation of the agents."
        )
    if results.get("difficulty_pair_accuracy") is not None:
        sentences.append(
            "Difficulty-pair accuracy: how often the map is right about which of two tasks is"
            " harder."
        )
    if results.get("population"):
        sentences.append(
            "Reliability: the correlation of similarities between halves of the agents,"
            " extrapolated to all agents; 1 if more agents of the same kind would change nothing."
        )
    if results.get("measure") == CORRELATION:
        sentences.append(
            "More similar means a larger correlation, with its sign. Correlation kept: the fraction"
            " of the correlations between tasks that the dimensions keep."
        )
    elif "kept_information" in results:
        sentences.append(
            "Information kept: the fraction of the information that tasks share about agents."
        )
    if "labels" in results:
        sentences.append(
            "Labels are not used for the map: if the nearest neighbour of a task has the same label"
            " much more often than by chance, tasks with the same label require similar skills."
        )
    if depends_on_seed(results):
        sentences.append(
            "Stability: the rank correlation between this map and one learned with another seed."
        )
    return " ".join(sentences)
