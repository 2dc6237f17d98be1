"""The contradiction in the paper's two requirements, in numbers and a picture.

Inner products are to be ordered like similarities, and vector lengths like difficulties. For two
nearly equal tasks, the inner product is the squared length: so the length must also follow the
information that two attempts at the same task share, which is largest at medium difficulty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.constraints import draw_pairs
from taskspace.models.embedding.scoring import inner_products
from taskspace.paper.figure6 import ENVIRONMENTS, evaluated_twice
from taskspace.paper.information import MORE_DIMENSIONS, information_map
from taskspace.paper.map_quality import new_triplets
from taskspace.paper.study import Result, Study, Table, mean_and_spread
from taskspace.report import plots
from taskspace.runs.measures import difficulty_accuracy, similarity_scores
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ordinal_plan
from taskspace.similarity.statistics import SuccessStatistics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Row = dict[str, Any]

SIMILAR = "information map"
SLIGHT = "its directions, lengths differ slightly by difficulty"
HARD = "its directions, lengths equal difficulty"
SEPARATE = "information map, difficulty as a separate number"
SLIGHTLY = 0.01  # power of difficulty: the order is that of difficulty, but lengths hardly differ
NORM_WEIGHTS = (0.0, 0.1, 0.4, 1.0, 3.0)  # of the ordinal map
PAPERS_WEIGHT = 0.4
PAIRS = 20_000
# The text, colour and marker of a point of the picture, and the offset of its text in points.
SHOWN = {
    SIMILAR: ("information map,\nlengths show information", plots.COLOURS[0], "o", (1, 22)),
    SEPARATE: ("information map,\ndifficulty beside it", plots.COLOURS[2], "*", (10, 0)),
    SLIGHT: (
        "its directions, lengths\ndiffer slightly by difficulty",
        plots.COLOURS[5],
        "o",
        (10, 0),
    ),
    HARD: ("its directions,\nlengths equal difficulty", plots.COLOURS[5], "o", (10, 0)),
}
X, Y = "difficulty pairs", "clear triplets"
COLUMNS = (Y, "triplets", X, "rank correlation")
NOTE = (
    f"All maps have {MORE_DIMENSIONS} dimensions and are measured on new tasks. clear triplets,"
    " triplets: triplet accuracy as in `taskspace reproduce beyond`; difficulty pairs: fraction of"
    " pairs of tasks, whose success rates differ by more than 0.1, that the lengths (in the last"
    " row, the separate difficulties) order correctly; rank correlation: Spearman correlation of"
    " the same numbers with difficulty. The lengths of the two maps with the directions of the"
    " information map increase with difficulty, slightly or in proportion; the ordinal maps adapt"
    " their directions, too."
)
CAPTION = (
    "How well inner products show similarity, and lengths show difficulty. A map that gains on one"
    " loses on the other, unless difficulty is a separate number."
)


def reproduce(study: Study) -> Result:
    """Maps that are best for one requirement, and the ordinal maps between them."""
    tables, drawn = [], {}
    for name in study.chosen(ENVIRONMENTS):
        runs = [_run(study, name, seed) for seed in range(study.seeds)]
        rows = drawn[name] = [_mean(same) for same in zip(*runs, strict=True)]
        title = f"{name}: similarity and difficulty in one vector"
        tables.append(Table(f"contradiction-{name.lower()}", title, rows, NOTE))
    picture = study.draw("contradiction", _figure(drawn))
    title = "The contradiction between similarity and difficulty"
    return Result("contradiction", title, tables, {picture: CAPTION})


def ordinal(norm_weight: float) -> str:
    """The label of the ordinal map with this weight of difficulty."""
    return f"ordinal map, weight {norm_weight:g}"


def _mean(same: Sequence[Mapping[str, Any]]) -> Row:
    row: Row = {"map": same[0]["map"]}
    for column in COLUMNS:
        row |= mean_and_spread(column, [found[column] for found in same])
    return row


def _run(study: Study, environment: str, seed: int) -> list[Row]:
    made = study.map_of(environment, seed)
    name = f"{environment.lower()}-{seed}-contradiction"
    settings = {"seed": seed, "weights": list(NORM_WEIGHTS)}
    return study.saved_rows(name, settings, lambda: list(_measured(study, made, seed)))


def _measured(study: Study, made: Run, seed: int) -> Iterator[Row]:
    """One row per map."""
    from scipy.stats import spearmanr

    played = evaluated_twice(study, made, seed)[0]
    truth, tasks = SuccessStatistics.from_outcomes(played), played.features
    triplets, everything = new_triplets(truth, seed), np.arange(truth.n_tasks)
    pairs = draw_pairs(truth, PAIRS, np.random.default_rng(seed), everything)
    for name, vectors, difficulty in _maps(study, made, seed, tasks):
        found = similarity_scores(inner_products(vectors), truth, triplets)
        yield {
            "map": name,
            Y: found["clear_triplet_accuracy"],
            "triplets": found["triplet_accuracy"],
            X: difficulty_accuracy(difficulty, pairs),
            "rank correlation": float(spearmanr(difficulty, 1 - truth.success).statistic),
        }


def _maps(study: Study, made: Run, seed: int, tasks: Any) -> Iterator[tuple[str, Floats, Floats]]:
    """The name of each map, its vectors, and the numbers that are to show difficulty."""
    embedder = information_map(study, made, seed, MORE_DIMENSIONS)
    vectors, difficulty = embedder.transform(tasks), embedder.difficulty(tasks)
    directions = embedder.direction(tasks)
    yield SIMILAR, vectors, _lengths(vectors)
    plan = replace(ordinal_plan(made.name, study.preset), n_components=MORE_DIMENSIONS)
    for weight in NORM_WEIGHTS:
        learned = replace(plan, norm_weight=weight).learn(made.outcomes, seed).transform(tasks)
        yield ordinal(weight), learned, _lengths(learned)
    for name, power in ((SLIGHT, SLIGHTLY), (HARD, 1.0)):
        scaled = directions * difficulty[:, None] ** power
        yield name, scaled, _lengths(scaled)
    yield SEPARATE, vectors, difficulty


def _lengths(vectors: Floats) -> Floats:
    return np.linalg.norm(vectors, axis=1)


def _figure(tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8 * len(tables), 4.6), layout="constrained")
    axes = np.atleast_1d(figure.subplots(1, len(tables), sharey=True))
    for ax, (environment, rows) in zip(axes, tables.items(), strict=True):
        _panel(ax, environment, {row["map"]: (row[X], row[Y]) for row in rows})
    return figure


def _panel(ax: Axes, environment: str, points: Mapping[str, tuple[float, float]]) -> None:
    curve = [points[ordinal(weight)] for weight in NORM_WEIGHTS]
    ax.plot(*np.transpose(curve), "o-", color=plots.MUTED, linewidth=1.4, markersize=5)
    paper = points[ordinal(PAPERS_WEIGHT)]
    ax.plot(*paper, "o", color=plots.MUTED, markersize=9)
    text = "ordinal maps: difficulty\ncounts more along the line;\nlarge dot: as in the paper"
    _label(ax, text, paper, (-12, -30), plots.MUTED)
    for name, (text, colour, marker, offset) in SHOWN.items():
        ax.plot(*points[name], marker, color=colour, markersize=11, zorder=3)
        _label(ax, text, points[name], offset, colour)
    ax.set_title(environment, loc="left", fontweight="bold")
    ax.margins(y=0.2)  # room for the labels
    ax.set_xlim(-0.25, 1.7)
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_xlabel("pairs of tasks whose difficulty is ordered correctly")
    ax.set_ylabel("triplets whose similarity is ordered correctly")
    ax.spines[["top", "right"]].set_visible(False)


def _label(
    ax: Axes, text: str, point: tuple[float, float], offset: tuple[int, int], colour: str
) -> None:
    ax.annotate(
        text, point, xytext=offset, textcoords="offset points", color=colour, va="center",
        ha=("center", "left", "right")[np.sign(offset[0])], fontsize=9,
    )  # fmt: skip
