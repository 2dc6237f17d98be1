"""Figure 3: the maps, and what the paper says about them in numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.paper.drawing import draw_panels, map_panel, view_of
from taskspace.paper.study import ENVIRONMENTS, KAREL, Result, Study, Table
from taskspace.runs.run import Run
from taskspace.similarity.statistics import SuccessStatistics

Vectors = NDArray[np.float64]
CAPTION = (
    "A point is a task, and its area is in proportion to the norm of its embedding. The colours"
    " show what the tasks are about; they were not used in learning. BasicKarel's map has one"
    " dimension, and the height in its picture no meaning."
)


def reproduce(study: Study) -> Result:
    """The maps of seed 0 by t-SNE; norms and inner products of the tasks that were played."""
    maps = [study.map_of(name) for name in study.chosen([*ENVIRONMENTS, KAREL])]
    panels = [map_panel(made, view_of(study, made)) for made in maps]
    rows = [row for made in maps for row in _clusters(made)]
    note = (
        "success: of the population; same, other: mean inner product of two tasks of this cluster,"
        " and of one task of it and one of another."
    )
    return Result(
        "figure3",
        "Figure 3: the maps",
        tables=[
            Table("figure3", "Norms and inner products by cluster, seed 0", rows, note),
            *(table for made in maps for table in statements(made)),
        ],
        pictures={study.draw("figure3", draw_panels(panels)): f"The maps by t-SNE. {CAPTION}"},
    )


def statements(made: Run) -> Iterator[Table]:
    """What the paper says of one environment only."""
    vectors, tasks = embedded(made)
    if made.environment.name == "MultiKeyNav":
        title = "MultiKeyNav: more keys to pick, longer vectors"
        yield Table("figure3-keys", title, list(by_keys(made)))
        yield _neighbours(vectors, made.environment.missing(tasks))  # type: ignore[attr-defined]
    if made.environment.name == "CartPoleVar":
        yield _dynamics(made, vectors, tasks)


def embedded(made: Run) -> tuple[Vectors, NDArray[np.float64]]:
    """The vectors of the tasks that were played, and the tasks."""
    assert made.outcomes.features is not None
    return made.embedder.transform(made.outcomes.features), made.outcomes.features


def within(vectors: Vectors) -> float:
    """The mean inner product of two different ones of these."""
    n, total = len(vectors), vectors.sum(0)
    return float((total @ total - (vectors**2).sum()) / (n * (n - 1)))


def across(first: Vectors, second: Vectors) -> float:
    """The mean inner product of one of the first with one of the second."""
    return float(first.mean(0) @ second.mean(0))


def success_and_norm(made: Run, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """Means and spreads over some of the tasks that were played."""
    success = SuccessStatistics.from_outcomes(made.outcomes).success[chosen]
    norms = np.linalg.norm(embedded(made)[0][chosen], axis=1)
    return {
        "tasks": int(chosen.sum()),
        "success": float(success.mean()),
        "success ±": float(success.std()),
        "norm": float(norms.mean()),
        "norm ±": float(norms.std()),
    }


def by_keys(made: Run) -> Iterator[dict[str, Any]]:
    """Success and norms by the number of keys that are still to be picked."""
    missing = made.environment.missing(made.outcomes.features)  # type: ignore[attr-defined]
    keys = np.array([int(bits).bit_count() for bits in missing])
    for count in np.unique(keys):
        yield {"keys to pick": int(count), **success_and_norm(made, keys == count)}


def _clusters(made: Run) -> Iterator[dict[str, Any]]:
    vectors, tasks = embedded(made)
    clusters = made.environment.clusters(tasks)
    for index, name in enumerate(made.environment.cluster_names):
        mine = clusters == index
        yield {
            "environment": made.environment.name,
            "cluster": name,
            **success_and_norm(made, mine),
            "same": within(vectors[mine]),
            "other": across(vectors[mine], vectors[~mine]),
        }


def _neighbours(vectors: Vectors, missing: NDArray[np.int64]) -> Table:
    """Whether clusters that share a key lie closer to each other than those that do not."""
    sets = [bits for bits in np.unique(missing) if bits]
    means = np.array([vectors[missing == bits].mean(0) for bits in sets])
    shares = np.array([[bool(one & other) for other in sets] for one in sets])
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    products = means @ means.T
    pairs = np.array(list(itertools.combinations(range(len(sets)), 2)))
    rows = []
    for told, wanted in (("share a key", True), ("share none", False)):
        i, j = pairs[shares[tuple(pairs.T)] == wanted].T
        row: dict[str, Any] = {"clusters that": told, "pairs": len(i)}
        for name, values in (("inner product", products[i, j]), ("distance", distances[i, j])):
            row |= {name: float(values.mean()), f"{name} ±": float(values.std())}
        rows.append(row)
    np.fill_diagonal(distances, np.inf)
    kin = sum(shares[one, nearest] for one, nearest in enumerate(distances.argmin(1)))
    chance = (shares.sum() - len(sets)) / (len(sets) - 1)
    note = (
        f"Of the {len(sets)} clusters with keys to pick, {kin} have a nearest neighbour with which"
        f" they share a key; by chance it would be {chance:.1f}."
    )
    title = "MultiKeyNav: clusters that share a key are neighbours (inner product of their means)"
    return Table("figure3-neighbours", title, rows, note)


def _dynamics(made: Run, vectors: Vectors, tasks: NDArray[np.float64]) -> Table:
    """Whether it is what the actions do that counts, and not how the task comes to it."""
    names = made.environment.state_names
    positive, pushes = tasks[:, names.index("F")] > 0, tasks[:, names.index("TaskType")] > 0
    kinds = [
        vectors[(positive == sign) & (pushes == kind)]
        for sign, kind in ((True, False), (False, True), (False, False), (True, True))
    ]
    first, second, third, fourth = kinds
    other = itertools.product((first, second), (third, fourth))
    rows = [
        ("same sign of F, same type", [within(kind) for kind in kinds]),
        ("same dynamics by another sign and type", [across(first, second), across(third, fourth)]),
        ("other dynamics", [across(one, another) for one, another in other]),
    ]
    return Table(
        "figure3-dynamics",
        "CartPoleVar: two dynamics, whichever sign and type bring them about",
        [{"two tasks of": told, "inner product": float(np.mean(found))} for told, found in rows],
    )
