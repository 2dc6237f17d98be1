"""The part of a summary about clusters: each with its size, its difficulty and an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.rates import mean_rates
from taskspace.report import examples, html
from taskspace.report.cluster_titles import cluster_titles
from taskspace.report.examples import task_name
from taskspace.report.notable_tasks import difficulties
from taskspace.report.plots import COLOURS
from taskspace.report.words import count, decimals, percent

if TYPE_CHECKING:
    from taskspace.runs.run import Run


def sections(run: Run, drawn: Mapping[str, html.Figure]) -> list[html.Section]:
    """The largest clusters as cards; those found in a map that is not trusted are not described."""
    heading, names = "Clusters of tasks", cluster_titles(run)
    if run.from_table and not run.verdict.trusted:
        why = f"No clusters are described, because the map is {run.verdict.level}."
        return [html.Text([why], heading=heading)]
    shown = examples.examples(run)
    if len(shown) < 2:
        return []
    cards = [
        _card(run, cluster, task, names[cluster], drawn.get(f"{examples.FIGURES}{cluster}"))
        for cluster, task in shown.items()
    ]
    return [html.Cards(cards, _about_clusters(run, len(shown)), heading)]


def _about_clusters(run: Run, shown: int) -> list[str]:
    total = len(np.unique(run.clusters.labels))
    which = f"the {shown} largest of {total} clusters" if shown < total else f"{total} clusters"
    if run.from_table:
        told = [
            f"Here are {which} of tasks whose vectors have similar directions, each with its most"
            " typical task. Any map can be divided so: clusters are a way to read it."
        ]
        return told + [
            _by_label(name, each) for name, each in run.results.get("labels", {}).items()
        ]
    about = f"Here are {which} with an example of each. They show {run.clusters.description}."
    if "silhouette" not in run.results:
        return [about]
    apart = decimals(run.results["silhouette"])
    return [f"{about} Their silhouette on the map is {apart} (1: apart, 0: mixed as by chance)."]


def _by_label(name: str, scores: Mapping[str, Any]) -> str:
    return (
        f"The nearest neighbour of a task has the same {name} in {percent(scores['purity'])} of the"
        f" cases (by chance {percent(scores['chance'])}); this label was not used for the map."
    )


def _card(run: Run, cluster: int, task: int, name: str, picture: html.Figure | None) -> html.Card:
    inside = run.clusters.labels == cluster
    size, share = int(inside.sum()), float(inside.mean())
    text = f"{count(size, 'task')} ({percent(share)}); {_mean(run, np.flatnonzero(inside))}."
    told = examples.describe_task(run, task)
    example = f"Example: {task_name(run.outcomes.tasks[task])}{f' · {told}' if told else ''}"
    image, alt = (None, "") if picture is None else (picture.image, picture.alt)
    return html.Card(name, text, example, COLOURS[cluster % len(COLOURS)], image, alt)


def _mean(run: Run, tasks: NDArray[np.int64]) -> str:
    """What tasks have on average; returns on tasks of different scales have no mean."""
    if run.outcomes.scale is not None:
        return f"mean difficulty {decimals(float(difficulties(run)[tasks].mean()))}"
    rates = mean_rates(run.outcomes.rates[:, tasks], axis=0)
    return f"mean success rate {percent(float(np.nanmean(rates)))}"
