"""Example tasks: one for each of the largest clusters, drawn if the environment can draw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.spectral import unit
from taskspace.outcomes.labels import divides, shortened, without_middle
from taskspace.report.figure_files import Drawing

if TYPE_CHECKING:
    from taskspace.envs.base import Environment
    from taskspace.runs.run import Run

MOST_CLUSTERS = 6  # that have an example
FIGURES = "example-"  # the first letters of the names of their figures
_SIZE = (3.2, 2.35)  # inches of an example: small, so that its words are large on a card
LONGEST, LONGEST_NAME = 160, 48  # characters of what is said about a task, and of its name


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
    if run.from_table:
        return
    from matplotlib.figure import Figure

    from taskspace.envs.base import Environment  # imports Numba, which tables do not need

    if type(run.environment).draw_state is Environment.draw_state:
        return
    for cluster, task in examples(run).items():
        ax = Figure(figsize=_SIZE).add_axes((0, 0, 1, 1))
        run.environment.draw_task(run.outcomes.task_inputs[task], ax)
        name, alt = f"{FIGURES}{cluster}", f"An example task of {run.clusters.names[cluster]}"
        yield Drawing(name, "", describe_task(run, task), alt, ax.figure)  # type: ignore[arg-type]


def task_name(name: Any) -> str:
    """The name of a task in a line; of a long one, the start and the end."""
    return without_middle(" ".join(str(name).split()), LONGEST_NAME)


def describe_task(run: Run, task: int) -> str:
    """What is known about a task besides results: a line of text, or its labels."""
    if not run.from_table:
        return in_words(run.environment, run.outcomes.task_inputs[task])
    labels = run.outcomes.task_labels
    # Labels that differ between nearly all tasks, such as the text of a question, say most.
    names = sorted(labels, key=lambda name: divides(labels[name]) or labels[name].dtype.kind == "f")
    told = [f"{name}: {_value(labels[name][task])}" for name in names]
    return shortened(" · ".join(text for text in told if not text.endswith(": ")), LONGEST)


def in_words(environment: Environment, task: NDArray[Any]) -> str:
    """The last line of a task as text, in which environments say what their picture shows.

    >>> from taskspace.envs.registry import make
    >>> in_words(make("MultiKeyNav"), np.array([0.5, 0, 0, 1, 0, 0, 1]))
    'door needs A+C, held C, to pick A'
    """
    last = environment.text(task).splitlines()[-1]
    return shortened(last, LONGEST) if re.search(r"[a-z]{3}", last) else ""


def _value(value: Any) -> str:
    """A value of a label; nothing if it is missing."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)
