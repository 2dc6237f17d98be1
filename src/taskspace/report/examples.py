"""Example tasks: one for each of the largest clusters, drawn if the environment can draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.envs.base import Environment
from taskspace.models.embedding.spectral import unit
from taskspace.outcomes.labels import divides, shortened
from taskspace.report.figure_files import Drawing

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_CLUSTERS = 6  # that have an example
FIGURES = "example-"  # the first letters of the names of their figures
LONGEST = 160  # characters of what is said about a task


def examples(run: Run) -> dict[int, int]:
    """The index of the most typical task of each of the largest clusters, the largest first.

    Typical is the direction closest to the mean direction of the cluster.
    """
    labels, directions = run.clusters.labels, unit(run.index.vectors)
    sizes = np.bincount(labels, minlength=len(run.clusters.names))
    largest = [int(c) for c in np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS] if sizes[c]]
    found = {}
    for cluster in largest:
        tasks = np.flatnonzero(labels == cluster)
        found[cluster] = int(tasks[(directions[tasks] @ directions[tasks].mean(0)).argmax()])
    return found


def drawings(run: Run) -> Iterator[Drawing]:
    """Pictures of the examples; none if the tasks cannot be drawn."""
    if run.from_table or type(run.environment).draw_state is Environment.draw_state:
        return
    for cluster, task in examples(run).items():
        ax = run.environment.draw_task(run.outcomes.task_inputs[task])
        name, alt = f"{FIGURES}{cluster}", f"An example task of {run.clusters.names[cluster]}"
        yield Drawing(name, "", describe_task(run, task), alt, ax.figure)  # type: ignore[arg-type]


def describe_task(run: Run, task: int) -> str:
    """What is known about a task besides results: a line of text, or its labels."""
    if not run.from_table:
        lines = run.environment.text(run.outcomes.task_inputs[task]).splitlines()
        return shortened(lines[-1], LONGEST) if len(lines) < 6 else ""  # no pictures or programs
    labels = run.outcomes.task_labels
    # Labels that differ between nearly all tasks, such as the text of a question, say most.
    names = sorted(labels, key=lambda name: divides(labels[name]) or labels[name].dtype.kind == "f")
    told = [f"{name}: {_value(labels[name][task])}" for name in names]
    return shortened("; ".join(text for text in told if not text.endswith(": ")), LONGEST)


def _value(value: Any) -> str:
    """A value of a label; nothing if it is missing."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)
