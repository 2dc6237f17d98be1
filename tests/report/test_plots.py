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

from taskspace.report import plots
from tests.messages import says

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(90, 2))
DIFFICULTY = RNG.uniform(0.5, 4, 90)
CLUSTERS = np.arange(90) % 9
NAMES = [f"keys {i}" for i in range(9)]
HISTORY: dict[str, Sequence[float]] = {
    "step": [0, 10, 20], "loss": [3.0, 2.0, 1.0], "validation": [3.0, 1.5, 2.0],
}  # fmt: skip
SIZES = [1, 5, 20]
CURVES = {
    "Ours": ([0.6, 0.7, 0.8], [0.01, 0.02, 0.03]), "OPT": ([0.9] * 3, [0.0] * 3),
    "PredModel": ([0.7, 0.6, 0.6], [0.01] * 3),
}  # fmt: skip
METHODS = ["Random", "Ours", "OPT"]
BARS = ([0.1, 0.6, 0.8], [0.02, 0.03, 0.01], [0.3, 0.9, 1.0], [0.02, 0.01, 0.0])


def legend_texts(ax: Axes) -> list[str]:
    legends = [child for child in ax.get_children() if type(child).__name__ == "Legend"]
    return [text.get_text() for legend in legends for text in legend.get_texts()]  # type: ignore[attr-defined]


def looks(ax: Axes) -> set[tuple[str, int]]:
    """The colour and the shape of each cloud of points."""
    clouds = [cloud for cloud in ax.collections if len(cloud.get_offsets())]  # type: ignore[arg-type]
    return {(to_hex(c.get_facecolor()[0]), len(c.get_paths()[0].vertices)) for c in clouds}  # type: ignore[index, arg-type]


DRAWINGS: list[Callable[..., Axes]] = [
    lambda **options: plots.plot_map(POINTS, difficulty=DIFFICULTY, clusters=CLUSTERS, **options),
    lambda **options: plots.plot_success(
        DIFFICULTY, DIFFICULTY / 4, "length", clusters=CLUSTERS, **options
    ),
    lambda **options: plots.plot_spectrum([3.0, 1.0], 1, **options),
    lambda **options: plots.plot_scree([3.0, 1.0], [1.5, 1.2], **options),
    lambda **options: plots.plot_agents_needed([20, 40], {"bits": [0.4, 0.6]}, 20, **options),
    lambda **options: plots.plot_similarity(np.eye(90), CLUSTERS, NAMES, **options),
    lambda **options: plots.plot_learning_curve(HISTORY, **options),
    lambda **options: plots.plot_skills(["a", "a"], [0, 1], [0.1, 0.2], **options),
    lambda **options: plots.plot_accuracy(SIZES, CURVES, **options),
    lambda **options: plots.plot_errors(SIZES, CURVES, **options),
    lambda **options: plots.plot_selection(METHODS, *BARS, **options),
    lambda **options: plots.plot_scores(["a"], [0.5], [0.4], [0.7], **options),
]


@pytest.mark.parametrize("draw", DRAWINGS)
def test_the_axes_given_are_returned_and_new_ones_made_without(draw: Callable[..., Axes]) -> None:
    mine = Figure().add_subplot()
    assert draw(ax=mine) is mine
    new = draw()
    assert isinstance(new, Axes)
    assert isinstance(new.figure, Figure)
    new.figure.draw_without_rendering()


def test_points_have_an_area_in_proportion_to_the_difficulty() -> None:
    ax = plots.plot_map(POINTS, difficulty=DIFFICULTY, clusters=CLUSTERS)
    ratios = []
    for cloud in ax.collections[:9]:
        for place, area in zip(cloud.get_offsets(), cloud.get_sizes(), strict=True):  # type: ignore[attr-defined, arg-type]
            task = int(np.abs(POINTS - np.asarray(place)).sum(axis=1).argmin())
            ratios.append(area / DIFFICULTY[task])
    assert len(ratios) == 90
    np.testing.assert_allclose(ratios, ratios[0])


def test_without_difficulty_all_points_have_one_area() -> None:
    (cloud,) = plots.plot_map(POINTS).collections
    assert len(set(cloud.get_sizes())) == 1  # type: ignore[attr-defined]


def test_nine_clusters_have_nine_colours_and_their_names() -> None:
    ax = plots.plot_map(POINTS, clusters=CLUSTERS, cluster_names=NAMES, title="Map")
    assert len({colour for colour, _ in looks(ax)}) == 9
    assert legend_texts(ax) == NAMES
    assert ax.get_title(loc="left") == "Map"


def test_muted_clusters_are_nearly_grey_and_still_differ() -> None:
    ax = plots.plot_map(POINTS, clusters=CLUSTERS, cluster_names=NAMES, muted=True)
    colours = np.array([np.asarray(marks.get_facecolor())[0, :3] for marks in ax.collections[:9]])
    assert np.ptp(colours, axis=1).max() < 0.3
    assert len(np.unique(colours, axis=0)) == 9


def test_more_clusters_than_colours_are_told_apart_by_shape() -> None:
    pairs = {(i % len(plots.COLOURS), i % len(plots.MARKERS)) for i in range(63)}
    assert len(pairs) == 63


def test_a_cluster_keeps_its_colour_when_others_are_absent() -> None:
    one = plots.plot_map(POINTS[:2], clusters=[4, 4], cluster_names=NAMES)
    assert {colour for colour, _ in looks(one)} == {plots.COLOURS[4].lower()}
    assert legend_texts(one) == ["keys 4"]


def test_the_legend_of_a_map_lies_inside_the_figure_and_beside_the_points() -> None:
    ax = plots.plot_map(POINTS, difficulty=DIFFICULTY, clusters=CLUSTERS, cluster_names=NAMES)
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()
    legends = [child for child in ax.get_children() if type(child).__name__ == "Legend"]
    assert len(legends) == 2
    for legend in legends:
        box = legend.get_window_extent()
        assert box.x0 >= ax.get_window_extent().x1
        assert box.x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize("difficulty", [[0.0], [2.0]])
def test_one_point_can_be_drawn(difficulty: list[float]) -> None:
    assert len(plots.plot_map([[1, 2]], difficulty=difficulty, clusters=[0]).collections) >= 1
    plots.plot_success([1.0], [0.5], "length", clusters=[0])
    plots.plot_similarity([[1.0]], [0], ["only"])
    plots.plot_learning_curve({"step": [1], "loss": [1], "validation": [1]})
    plots.plot_skills(["a"], [0], [0.5])


def test_success_has_its_title_and_axes_named() -> None:
    ax = plots.plot_success([1, 2], [1, 0], "length", title="rank correlation −1.00")
    assert ax.get_title(loc="left") == "rank correlation −1.00"
    assert ax.get_xlabel() == "length"
    assert "success" in ax.get_ylabel()


def test_the_spectrum_is_in_percent_and_what_is_kept_is_coloured() -> None:
    ax = plots.plot_spectrum([6.0, 3.0, 1.0], 2, title="Spectrum")
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([60, 30, 10])  # type: ignore[attr-defined]
    first, second, third = (to_hex(bar.get_facecolor()) for bar in ax.patches)
    assert first == second != third
    assert ax.get_title(loc="left") == "Spectrum"
    assert "%" in ax.get_ylabel()


@pytest.mark.parametrize(("kept", "bars"), [(2, 10), (8, 16), (60, 50)])
def test_a_long_spectrum_is_cut(kept: int, bars: int) -> None:
    assert len(plots.plot_spectrum(np.arange(50, 0, -1), kept).patches) == bars


def test_nothing_shared_is_an_empty_spectrum() -> None:
    assert not plots.plot_spectrum([], 1).patches


def test_skills_up_to_the_first_below_chance_are_coloured() -> None:
    ax = plots.plot_scree([6.0, 3.0, 1.0, 0.9], [2.0, 1.5, 1.2, 0.8], title="Skills")
    colours = [to_hex(bar.get_facecolor()) for bar in ax.patches]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [2.0, 1.5, 1.2, 0.8])


def test_the_agents_at_hand_and_the_target_are_marked() -> None:
    curves = {"information": [0.3, 0.5], "correlation": [0.4, 0.6]}
    ax = plots.plot_agents_needed([20, 40], curves, 20, target=0.7)
    assert ax.get_legend_handles_labels()[1] == list(curves)
    level, now = ax.lines[2:]
    np.testing.assert_array_equal(level.get_ydata(), [0.7, 0.7])
    np.testing.assert_array_equal(now.get_xdata(), [20, 20])


def test_bad_figures_of_a_population_are_refused() -> None:
    with pytest.raises(ValueError, match=says("values 0")):
        plots.plot_scree([], [])
    with pytest.raises(ValueError, match=says("chance 2")):
        plots.plot_scree([2.0, 1.0], [1.0])
    with pytest.raises(ValueError, match=says("one curve none")):
        plots.plot_agents_needed([20], {}, 20)
    with pytest.raises(ValueError, match=says("now 0")):
        plots.plot_agents_needed([20], {"bits": [0.5]}, 0)


def test_similarity_is_ordered_by_cluster() -> None:
    clusters = np.array([1, 0, 1, 0])
    matrix = (clusters[:, None] == clusters[None]) * 1.0
    ax = plots.plot_similarity(matrix, clusters, ["a", "b"])
    drawn: Any = ax.images[0].get_array()
    assert np.ma.getmaskarray(drawn).tolist() == np.eye(4, dtype=bool).tolist()
    np.testing.assert_array_equal(drawn.filled(1.0), np.kron(np.eye(2), np.ones((2, 2))))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [line.get_ydata()[0] for line in ax.lines[:1]] == [1.5]  # type: ignore[index]
    assert ax.figure.axes[1].get_ylabel() == "similarity (bits)"


def test_colours_of_correlations_diverge_from_zero() -> None:
    matrix = np.array([[1.0, -0.6], [-0.6, 1.0]])
    ax = plots.plot_similarity(matrix, [0, 1], ["a", "b"], signed=True)
    image: Any = ax.images[0]
    assert (image.norm.vmin, image.norm.vmax) == (-0.6, 0.6)  # the diagonal is left blank
    negative, none, positive = image.cmap(image.norm([-0.6, 0.0, 0.6]))[:, :3]
    assert negative[0] > negative[2]  # orange
    assert np.ptp(none) < 0.05  # grey
    assert positive[2] > positive[0]  # blue
    assert ax.figure.axes[1].get_ylabel() == "correlation"


def test_unknown_similarities_are_left_out() -> None:
    matrix = np.array([[1.0, np.nan], [np.nan, 0.5]])
    drawn: Any = plots.plot_similarity(matrix, [0, 0], ["a"]).images[0].get_array()
    assert np.ma.getmaskarray(drawn).all()
    plots.plot_similarity(np.full((2, 2), np.nan), [0, 0], ["a"])


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


def test_points_of_no_norm_are_still_dots() -> None:
    (cloud, *_) = plots.plot_map(POINTS[:3], difficulty=[0, 1, 2]).collections
    sizes = sorted(cloud.get_sizes())  # type: ignore[attr-defined]
    assert 0 < sizes[0] < 0.1 * sizes[1]


def test_points_are_smaller_on_small_axes() -> None:
    def size(**options: Any) -> float:
        ax = plots.plot_map(POINTS, ax=Figure(**options).add_subplot())
        return float(ax.collections[0].get_sizes()[0])  # type: ignore[attr-defined]

    assert size(figsize=(2, 2)) < size(figsize=(4, 4)) < size(figsize=(8, 6))
    assert size(figsize=(8, 6)) == size(figsize=(16, 12))


def test_a_map_can_go_without_legends() -> None:
    ax = plots.plot_map(
        POINTS, difficulty=DIFFICULTY, clusters=CLUSTERS, cluster_names=NAMES, legend=False
    )
    assert legend_texts(ax) == []


def test_accuracy_curves_have_bands_and_a_legend_in_the_order_of_their_ends() -> None:
    ax = plots.plot_accuracy(SIZES, CURVES, title="Quiz")
    assert legend_texts(ax) == ["OPT", "Ours", "PredModel"]
    assert "size" in ax.get_xlabel()
    assert "accuracy" in ax.get_ylabel()
    (ours,) = [line for line in ax.lines if line.get_label() == "Ours"]
    np.testing.assert_allclose(ours.get_ydata(), CURVES["Ours"][0])  # type: ignore[arg-type]
    band = np.asarray(ax.collections[0].get_paths()[0].vertices)
    at_end = band[band[:, 0] == 20, 1]
    np.testing.assert_allclose([at_end.min(), at_end.max()], [0.77, 0.83])
    assert len(ax.collections) == 3


def test_accuracy_curves_differ_in_more_than_colour_and_the_best_is_on_top() -> None:
    curves = {f"method {i}": ([0.5] * 3, [0.0] * 3) for i in range(6)} | {"OPT": CURVES["OPT"]}
    *lines, best = plots.plot_accuracy(SIZES, curves).lines
    assert len({line.get_marker() for line in lines}) == 6
    assert (best.get_color(), best.get_linestyle()) == ("black", "--")
    assert best.get_zorder() > max(line.get_zorder() for line in lines)


def test_the_light_bar_lies_in_front_of_the_dark_one_with_the_values_beside() -> None:
    ax = plots.plot_selection(METHODS, *BARS)
    dark, light = ax.patches[:3], ax.patches[3:]
    assert [bar.get_width() for bar in dark] == BARS[2]  # type: ignore[attr-defined]
    assert [bar.get_width() for bar in light] == BARS[0]  # type: ignore[attr-defined]
    assert [label.get_text() for label in ax.get_yticklabels()] == METHODS
    written = [text.get_text() for text in ax.texts]
    assert written == ["0.30", "0.90", "1.00", "Top-3", "0.10", "0.60", "0.80", "Top-1"]
    assert isinstance(ax.figure, Figure)
    ax.figure.draw_without_rendering()
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.x0 >= ax.get_window_extent().x1
        assert box.x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize(
    ("call", "tokens"),
    [
        (lambda: plots.plot_map([1, 2]), "coordinates tasks (2,)"),
        (lambda: plots.plot_map(np.zeros((0, 2))), "coordinates tasks (0, 2)"),
        (lambda: plots.plot_map(POINTS, difficulty=[1]), "difficulty 90 (1,)"),
        (lambda: plots.plot_map(POINTS, difficulty=-DIFFICULTY), "difficulty 0"),
        (lambda: plots.plot_map(POINTS, clusters=[1]), "clusters 90 (1,)"),
        (lambda: plots.plot_map([[0, 0]], clusters=[0.5]), "clusters 0"),
        (lambda: plots.plot_map([[0, 0]], clusters=[2], cluster_names=["a"]), "cluster 2 names 1"),
        (lambda: plots.plot_map([[0, np.nan]]), "coordinates finite"),
        (lambda: plots.plot_success([1, 2], [1], "length"), "success 2 (1,)"),
        (lambda: plots.plot_success([1], [1.5], "length"), "success 0 1"),
        (lambda: plots.plot_success([], [], "length"), "values tasks (0,)"),
        (lambda: plots.plot_similarity(np.ones((2, 3)), [0, 0], ["a"]), "matrix tasks (2, 3)"),
        (lambda: plots.plot_similarity(np.eye(2), [0], ["a"]), "clusters 2 (1,)"),
        (
            lambda: plots.plot_learning_curve({"step": [1], "loss": [1]}),
            "step loss validation",
        ),
        (lambda: plots.plot_learning_curve({**HISTORY, "loss": [1]}), "loss 3 (1,)"),
        (lambda: plots.plot_map(POINTS, numbers=[1.0]), "numbers 90 (1,)"),
        (lambda: plots.plot_skills(["a"], [1, 2], [1]), "steps 1 (2,)"),
        (lambda: plots.plot_accuracy(SIZES, {}), "quiz curve"),
        (lambda: plots.plot_accuracy([], CURVES), "sizes quiz"),
        (lambda: plots.plot_errors([1], {}), "tasks curve"),
        (lambda: plots.plot_accuracy([1], CURVES), "Ours 1 (3,)"),
        (lambda: plots.plot_accuracy([1], {"a": ([1], [])}), "errors a 1 (0,)"),
        (lambda: plots.plot_selection([], *BARS), "method"),
        (lambda: plots.plot_selection(["a"], *BARS), "top1 1 (3,)"),
        (lambda: plots.plot_scores([], [], [], []), "agent"),
        (lambda: plots.plot_scores(["a"], [0.5], [0.4, 0.3], [0.7]), "low 1 (2,)"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call: Callable[[], Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as error:
        call()
    assert "\n" not in str(error.value)


def test_numbers_have_a_scale_and_unknown_ones_are_grey() -> None:
    numbers = np.where(np.arange(90) < 4, np.nan, np.arange(90.0))
    ax = plots.plot_map(POINTS, difficulty=DIFFICULTY, numbers=numbers)
    unknown, known, *_ = ax.collections
    np.testing.assert_array_equal(np.sort(np.asarray(known.get_array())), np.arange(4.0, 90))
    order = np.asarray(known.get_array(), int)
    np.testing.assert_array_equal(known.get_offsets(), POINTS[order])
    assert len(unknown.get_offsets()) == 4  # type: ignore[arg-type]
    assert to_hex(unknown.get_facecolor()[0]) == "#6b6b6b"  # type: ignore[index, arg-type]
    assert len(ax.child_axes) == 1  # the scale


def test_nothing_is_loaded_on_import_and_pyplot_never() -> None:
    program = (
        "import sys; from taskspace.report import html, plots;"
        "first = 'matplotlib' in sys.modules;"
        "ax = plots.plot_map([[0, 0], [1, 1]], difficulty=[1, 2], clusters=[0, 1]);"
        "print(first, 'matplotlib.pyplot' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
