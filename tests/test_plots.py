"""The pictures: what is drawn where, in which size and colour; bad input is told in a sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from taskspace import plots

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(90, 2))
NORMS = RNG.uniform(0.5, 4, 90)
CLUSTERS = np.arange(90) % 9
NAMES = [f"keys {i}" for i in range(9)]
HISTORY: dict[str, Sequence[float]] = {
    "step": [0, 10, 20], "loss": [3.0, 2.0, 1.0], "validation": [3.0, 1.5, 2.0],
}  # fmt: skip


def legend_texts(ax: Axes) -> list[str]:
    legends = [child for child in ax.get_children() if type(child).__name__ == "Legend"]
    return [text.get_text() for legend in legends for text in legend.get_texts()]  # type: ignore[attr-defined]


def looks(ax: Axes) -> set[tuple[str, int]]:
    """The colour and the shape of each cloud of points."""
    clouds = [cloud for cloud in ax.collections if len(cloud.get_offsets())]  # type: ignore[arg-type]
    return {(to_hex(c.get_facecolor()[0]), len(c.get_paths()[0].vertices)) for c in clouds}  # type: ignore[index, arg-type]


DRAWINGS: list[Callable[..., Axes]] = [
    lambda **options: plots.plot_map(POINTS, norms=NORMS, clusters=CLUSTERS, **options),
    lambda **options: plots.plot_difficulty(NORMS, NORMS / 4, clusters=CLUSTERS, **options),
    lambda **options: plots.plot_similarity(np.eye(90), CLUSTERS, NAMES, **options),
    lambda **options: plots.plot_learning_curve(HISTORY, **options),
    lambda **options: plots.plot_skills(["a", "a"], [0, 1], [0.1, 0.2], **options),
]


@pytest.mark.parametrize("draw", DRAWINGS)
def test_the_axes_given_are_returned_and_new_ones_made_without(draw: Callable[..., Axes]) -> None:
    mine = Figure().add_subplot()
    assert draw(ax=mine) is mine
    new = draw()
    assert isinstance(new, Axes)
    assert isinstance(new.figure, Figure)
    new.figure.draw_without_rendering()


def test_points_have_an_area_in_proportion_to_the_norm() -> None:
    ax = plots.plot_map(POINTS, norms=NORMS, clusters=CLUSTERS)
    ratios = []
    for cloud in ax.collections[:9]:
        for place, area in zip(cloud.get_offsets(), cloud.get_sizes(), strict=True):  # type: ignore[attr-defined, arg-type]
            task = int(np.abs(POINTS - np.asarray(place)).sum(axis=1).argmin())
            ratios.append(area / NORMS[task])
    assert len(ratios) == 90
    np.testing.assert_allclose(ratios, ratios[0])


def test_without_norms_all_points_have_one_area() -> None:
    (cloud,) = plots.plot_map(POINTS).collections
    assert len(set(cloud.get_sizes())) == 1  # type: ignore[attr-defined]


def test_nine_clusters_have_nine_colours_and_their_names() -> None:
    ax = plots.plot_map(POINTS, clusters=CLUSTERS, cluster_names=NAMES, title="Map")
    assert len({colour for colour, _ in looks(ax)}) == 9
    assert legend_texts(ax) == NAMES
    assert ax.get_title(loc="left") == "Map"


def test_more_clusters_than_colours_are_told_apart_by_shape() -> None:
    pairs = {(i % len(plots.COLOURS), i % len(plots.MARKERS)) for i in range(63)}
    assert len(pairs) == 63


def test_a_cluster_keeps_its_colour_when_others_are_absent() -> None:
    one = plots.plot_map(POINTS[:2], clusters=[4, 4], cluster_names=NAMES)
    assert {colour for colour, _ in looks(one)} == {plots.COLOURS[4].lower()}
    assert legend_texts(one) == ["keys 4"]


def test_the_legend_of_a_map_lies_inside_the_figure_and_beside_the_points() -> None:
    ax = plots.plot_map(POINTS, norms=NORMS, clusters=CLUSTERS, cluster_names=NAMES)
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()
    legends = [child for child in ax.get_children() if type(child).__name__ == "Legend"]
    assert len(legends) == 2
    for legend in legends:
        box = legend.get_window_extent()
        assert box.x0 >= ax.get_window_extent().x1
        assert box.x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize("norms", [[0.0], [2.0]])
def test_one_point_can_be_drawn(norms: list[float]) -> None:
    assert len(plots.plot_map([[1, 2]], norms=norms, clusters=[0]).collections) >= 1
    plots.plot_difficulty([1.0], [0.5], clusters=[0])
    plots.plot_similarity([[1.0]], [0], ["only"])
    plots.plot_learning_curve({"step": [1], "loss": [1], "validation": [1]})
    plots.plot_skills(["a"], [0], [0.5])


def test_difficulty_has_its_title_and_axes_named() -> None:
    ax = plots.plot_difficulty([1, 2], [1, 0], title="rank correlation −1.00")
    assert ax.get_title(loc="left") == "rank correlation −1.00"
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "norm of the embedding", "success rate of the population"
    )  # fmt: skip


def test_similarity_is_ordered_by_cluster() -> None:
    clusters = np.array([1, 0, 1, 0])
    matrix = (clusters[:, None] == clusters[None]) * 1.0
    ax = plots.plot_similarity(matrix, clusters, ["a", "b"])
    expected = np.kron(np.eye(2), np.ones((2, 2)))
    np.testing.assert_array_equal(np.asarray(ax.images[0].get_array()), expected)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [line.get_ydata()[0] for line in ax.lines[:1]] == [1.5]  # type: ignore[index]
    assert ax.figure.axes[1].get_ylabel() == "bits"


def test_names_of_small_clusters_do_not_overlap() -> None:
    clusters = np.array([0, 1, 2] + [3] * 97)
    ax = plots.plot_similarity(np.eye(100), clusters, list("abcd"))
    assert np.diff(ax.get_yticks()).min() > 4


def test_the_learning_curve_marks_the_best_validation() -> None:
    ax = plots.plot_learning_curve(HISTORY)
    assert legend_texts(ax) == ["training", "validation", "best, 1.5"]
    np.testing.assert_array_equal(ax.lines[2].get_xydata(), [[10, 1.5]])  # type: ignore[arg-type]


def test_skills_have_a_line_for_each_subpopulation_in_the_order_of_steps() -> None:
    ax = plots.plot_skills(["b", "a", "b"], [20, 0, 10], [0.9, 0.1, 0.5])
    assert legend_texts(ax) == ["b", "a"]
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[10, 0.5], [20, 0.9]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.plot_map([1, 2]), r"coordinates must be \(tasks, 2\)"),
        (lambda: plots.plot_map(np.zeros((0, 2))), r"coordinates must be \(tasks, 2\)"),
        (lambda: plots.plot_map(POINTS, norms=[1]), "norms must be 90 numbers"),
        (lambda: plots.plot_map(POINTS, norms=-NORMS), "norms must be numbers from 0 on"),
        (lambda: plots.plot_map(POINTS, clusters=[1]), "clusters must be 90 numbers"),
        (lambda: plots.plot_map([[0, 0]], clusters=[0.5]), "clusters must be whole numbers"),
        (lambda: plots.plot_map([[0, 0]], clusters=[2], cluster_names=["a"]), "only 1 cluster na"),
        (lambda: plots.plot_map([[0, np.nan]]), "coordinates must be finite"),
        (lambda: plots.plot_difficulty([1, 2], [1]), "success must be 2 numbers"),
        (lambda: plots.plot_difficulty([1], [1.5]), "success must be rates from 0 to 1"),
        (lambda: plots.plot_similarity(np.ones((2, 3)), [0, 0], ["a"]), "matrix must be"),
        (lambda: plots.plot_similarity(np.eye(2), [0], ["a"]), "clusters must be 2 numbers"),
        (lambda: plots.plot_learning_curve({"step": [1], "loss": [1]}), "it has no validation"),
        (lambda: plots.plot_learning_curve({**HISTORY, "loss": [1]}), "loss must be 3 numbers"),
        (lambda: plots.plot_skills(["a"], [1, 2], [1]), "steps must be 1 numbers"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_nothing_is_loaded_on_import_and_pyplot_never() -> None:
    program = (
        "import sys; from taskspace import plots, report;"
        "first = 'matplotlib' in sys.modules;"
        "ax = plots.plot_map([[0, 0], [1, 1]], norms=[1, 2], clusters=[0, 1]);"
        "print(first, 'matplotlib.pyplot' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
