"""The titles of clusters: those found in a table are called after the label that prevails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.labels import by_frequency, divides, shortened

if TYPE_CHECKING:
    from taskspace.runs.run import Run

PREVAILS = 0.5  # the least fraction of the tasks of a cluster with the label
LEVEL = 0.01  # probability that any label prevails so clearly if labels were shuffled
_LONGEST = 30  # characters of a label


def cluster_titles(run: Run) -> tuple[str, ...]:
    """The names of the clusters, those found in a map with the label that prevails in them.

    A label is named if most tasks of the cluster have it, and more than chance explains. On a weak
    map, none is.
    """
    names, labels = run.clusters.names, run.outcomes.task_labels
    known = {name: values for name, values in labels.items() if divides(values)}
    if not run.from_table or run.verdict.weak or not known:
        return names
    members = [run.clusters.labels == cluster for cluster in range(len(names))]
    tests = len(names) * sum(len(set(values.tolist())) for values in known.values())
    return tuple(
        f"{name}: {value}" if (value := prevailing(inside, list(known.values()), tests)) else name
        for name, inside in zip(names, members, strict=True)
    )


def prevailing(inside: NDArray[np.bool_], labels: list[NDArray[np.object_]], tests: int = 1) -> str:
    """The value of a label that prevails in a cluster, or nothing.

    Args:
        inside: Which tasks are in the cluster.
        labels: The values of each label, one per task; "" if missing.
        tests: The number of values and clusters looked at, which the level is divided by.

    Returns:
        The value that chance explains least, shortened.

    >>> topics = np.array(["sums"] * 10 + ["areas"] * 10, object)
    >>> prevailing(np.arange(20) < 9, [topics]), prevailing(np.arange(20) % 2 == 0, [topics])
    ('sums', '')
    """
    from scipy.stats import hypergeom

    best, least = "", LEVEL / max(tests, 1)
    for values in labels:
        texts, codes = by_frequency(values)
        in_all = np.bincount(codes[codes >= 0], minlength=len(texts))
        here = np.bincount(codes[inside & (codes >= 0)], minlength=len(texts))
        most = int(here.argmax())
        if here[most] < PREVAILS * inside.sum():
            continue
        chance = hypergeom.sf(here[most] - 1, len(codes), in_all[most], int(inside.sum()))
        if chance < least:
            best, least = shortened(texts[most], _LONGEST), float(chance)
    return best
