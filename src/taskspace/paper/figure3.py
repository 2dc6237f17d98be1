"""Figure 3: the maps, and measurements of the paper's statements about them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.paper import information
from taskspace.paper.drawing import Panel, draw_panels, map_panel, view_of
from taskspace.paper.study import ENVIRONMENTS, KAREL, Result, Study, Table
from taskspace.runs.run import Run
from taskspace.similarity.statistics import SuccessStatistics

Vectors = NDArray[np.float64]
CAPTION = (
    "Each point is a task; its area is proportional to the length of its vector. The colours show"
    " clusters of tasks, which were not used in training. The map of BasicKarel has one dimension;"
    " its vertical positions are random."
)
INFORMED_CAPTION = (
    "t-SNE projections of the directions of the information maps. The area of a point is"
    " proportional to the difficulty of the task."
)


def reproduce(study: Study) -> Result:
    """t-SNE projections of the maps of seed 0; norms and inner products of their tasks."""
    maps = [study.map_of(name) for name in study.chosen([*ENVIRONMENTS, KAREL])]
    panels = [map_panel(made, view_of(study, made)) for made in maps]
    rows = [row for made in maps for row in _clusters(made)]
    note = (
        "success: mean success rate of the population; norm: vector length; same, other: mean inner"
        " product of two tasks of this cluster, and of a task of this and one of another cluster."
    )
    pictures = {
        study.draw("figure3", draw_panels(panels)): f"t-SNE projections of the maps. {CAPTION}"
    }
    tables = [
        Table("figure3", "Norms and inner products by cluster, seed 0", rows, note),
        *(table for made in maps for table in statements(made)),
    ]
    informed = [_informed(study, made) for made in maps if made.name in ENVIRONMENTS]
    if informed:
        tables.append(_information_table(informed))
        figure = draw_panels([_panel(study, made) for made in informed])
        pictures[study.draw("figure3-information", figure)] = INFORMED_CAPTION
    return Result("figure3", "Figure 3: maps of the environments", tables, pictures)


def _informed(study: Study, made: Run) -> Run:
    """The same run with the information map."""
    return made.variant(embedder=information.information_map(study, made, 0))


def _panel(study: Study, informed: Run) -> Panel:
    return map_panel(informed, view_of(study, informed, f"{informed.name.lower()}-0-information"))


def _information_table(maps: Sequence[Run]) -> Table:
    rows = [row for made in maps for row in _information_clusters(made)]
    note = (
        "difficulty: mean probability of failure according to the map; information: mean squared"
        " vector length, i.e. the bits that two attempts at the same task share; same, other: mean"
        " similarity in bits, as above."
    )
    title = "Information map: difficulty, information and similarity by cluster, seed 0"
    return Table("figure3-information", title, rows, note)


def _information_clusters(made: Run) -> Iterator[dict[str, Any]]:
    vectors, tasks = embedded(made)
    difficulty = made.embedder.difficulty(tasks)
    for name, mine in _members(made, tasks):
        yield {
            "environment": made.environment.name,
            "cluster": name,
            "difficulty": float(difficulty[mine].mean()),
            "information": float((vectors[mine] ** 2).sum(1).mean()),
            "same": within(vectors[mine]),
            "other": across(vectors[mine], vectors[~mine]),
        }


def statements(made: Run) -> Iterator[Table]:
    """The paper's statements about single environments."""
    vectors, tasks = embedded(made)
    if made.environment.name == "MultiKeyNav":
        title = "MultiKeyNav: tasks with more keys to pick have longer vectors"
        yield Table("figure3-keys", title, list(by_keys(made)))
        yield _neighbours(vectors, made.environment.missing(tasks))  # type: ignore[attr-defined]
    if made.environment.name == "CartPoleVar":
        yield _dynamics(made, vectors, tasks)


def embedded(made: Run) -> tuple[Vectors, NDArray[np.float64]]:
    """The vectors of the tasks of the outcomes, and the tasks."""
    assert made.outcomes.features is not None
    return made.embedder.transform(made.outcomes.features), made.outcomes.features


def within(vectors: Vectors) -> float:
    """The mean inner product of two different vectors."""
    n, total = len(vectors), vectors.sum(0)
    return float((total @ total - (vectors**2).sum()) / (n * (n - 1)))


def across(first: Vectors, second: Vectors) -> float:
    """The mean inner product of a vector of the first set and one of the second."""
    return float(first.mean(0) @ second.mean(0))


def success_and_norm(made: Run, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """Means and standard deviations over some of the tasks."""
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
    """Success rates and norms by the number of keys that remain to be picked."""
    missing = made.environment.missing(made.outcomes.features)  # type: ignore[attr-defined]
    keys = np.array([int(bits).bit_count() for bits in missing])
    for count in np.unique(keys):
        yield {"keys to pick": int(count), **success_and_norm(made, keys == count)}


def _clusters(made: Run) -> Iterator[dict[str, Any]]:
    vectors, tasks = embedded(made)
    for name, mine in _members(made, tasks):
        yield {
            "environment": made.environment.name,
            "cluster": name,
            **success_and_norm(made, mine),
            "same": within(vectors[mine]),
            "other": across(vectors[mine], vectors[~mine]),
        }


def _members(made: Run, tasks: NDArray[np.float64]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The name of each cluster, and which of the tasks belong to it."""
    clusters = made.environment.clusters(tasks)
    for index, name in enumerate(made.environment.cluster_names):
        yield name, clusters == index


def _neighbours(vectors: Vectors, missing: NDArray[np.int64]) -> Table:
    """Compare clusters that share a key with clusters that do not."""
    sets = [bits for bits in np.unique(missing) if bits]
    means = np.array([vectors[missing == bits].mean(0) for bits in sets])
    shares = np.array([[bool(one & other) for other in sets] for one in sets])
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    products = means @ means.T
    pairs = np.array(list(itertools.combinations(range(len(sets)), 2)))
    rows = []
    for label, wanted in (("share a key", True), ("share no key", False)):
        i, j = pairs[shares[tuple(pairs.T)] == wanted].T
        row: dict[str, Any] = {"clusters that": label, "pairs": len(i)}
        for name, values in (("inner product", products[i, j]), ("distance", distances[i, j])):
            row |= {name: float(values.mean()), f"{name} ±": float(values.std())}
        rows.append(row)
    np.fill_diagonal(distances, np.inf)
    kin = sum(shares[one, nearest] for one, nearest in enumerate(distances.argmin(1)))
    random = (shares.sum() - len(sets)) / (len(sets) - 1)
    note = (
        f"Of the {len(sets)} clusters with keys to pick, {kin} share a key with their nearest"
        f" neighbour; {random:.1f} are expected at random."
    )
    title = "MultiKeyNav: inner products and distances of cluster means"
    return Table("figure3-neighbours", title, rows, note)


def _dynamics(made: Run, vectors: Vectors, tasks: NDArray[np.float64]) -> Table:
    """Compare tasks with equal dynamics, which result from different parameters, with others."""
    names = made.environment.state_names
    positive, pushes = tasks[:, names.index("F")] > 0, tasks[:, names.index("TaskType")] > 0
    parts = [
        vectors[(positive == sign) & (pushes == task_type)]
        for sign, task_type in ((True, False), (False, True), (False, False), (True, True))
    ]
    first, second, third, fourth = parts
    other = itertools.product((first, second), (third, fourth))
    rows = [
        ("same sign of F, same type", [within(part) for part in parts]),
        ("same dynamics, other sign and type", [across(first, second), across(third, fourth)]),
        ("other dynamics", [across(one, another) for one, another in other]),
    ]
    return Table(
        "figure3-dynamics",
        "CartPoleVar: tasks are similar if they have the same dynamics",
        [{"pair of tasks": pair, "inner product": float(np.mean(found))} for pair, found in rows],
    )
