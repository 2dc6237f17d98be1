"""Plots of maps, populations and predictions.

Every function draws arrays on `ax`, by default on a new figure, and returns the axes.
`ax.figure.savefig("map.png")` saves the figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from taskspace.report.interactive import InteractiveMap

INK, MUTED, PALE = "#2b2f36", "#737a85", "#e6e9ee"
_DIVERGING = ("#D55E00", "#EBA067", "#d4d7dc", "#7FB4D6", "#0072B2")  # from negative to positive
_MUTING, _GREYED = "#b8bcc4", 0.75  # how much of this grey is mixed into muted colours
# Safe for colour-blind readers (Okabe and Ito, with a darker yellow, and a wine red).
# There are 9 colours and 7 markers, so a pair of them repeats only after 63 clusters.
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#6b6b6b", "#b0a000",
    "#882255",
)  # fmt: skip
MARKERS = "os^DvPX"
_PIXELS = 1.5  # per point, as radius of an area in points
_GREY = 6  # its index among the colours
_DOT = 0.08  # smallest area of a point relative to the mean, so that all are visible
_BESIDE: dict[str, Any] = {
    "loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False,
    "fontsize": 9, "labelcolor": INK, "alignment": "left",
}  # fmt: skip


@overload
def plot_map(
    coordinates: ArrayLike, *, difficulty: ArrayLike | None = None,
    clusters: ArrayLike | None = None, cluster_names: Sequence[str] = (),
    numbers: ArrayLike | None = None, title: str = "", legend: bool = True, muted: bool = False,
    ax: Axes | None = None, interactive: Literal[False] = False,
) -> Axes: ...  # fmt: skip


@overload
def plot_map(
    coordinates: ArrayLike, *, difficulty: ArrayLike | None = None,
    clusters: ArrayLike | None = None, cluster_names: Sequence[str] = (),
    numbers: ArrayLike | None = None, title: str = "", muted: bool = False,
    interactive: Literal[True], names: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
) -> InteractiveMap: ...  # fmt: skip


def plot_map(
    coordinates: ArrayLike, *, difficulty: ArrayLike | None = None,
    clusters: ArrayLike | None = None, cluster_names: Sequence[str] = (),
    numbers: ArrayLike | None = None, title: str = "", legend: bool = True, muted: bool = False,
    ax: Axes | None = None, interactive: bool = False, names: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
) -> Axes | InteractiveMap:  # fmt: skip
    """Plot tasks as points, coloured by cluster or by a number.

    Args:
        coordinates: The positions of the tasks (tasks, 2), e.g. a PCA projection of their vectors.
        difficulty: The difficulty of each task, which the area of its point is proportional to. By
            default, all points have the same area.
        clusters: The cluster of each task, an integer of at least 0.
        cluster_names: The names of the clusters, for the legend.
        numbers: A number for each task, NaN if it is unknown, shown on a scale of colours instead
            of clusters.
        title: The title of the plot.
        legend: Whether to draw a legend.
        muted: Whether to draw clusters nearly grey, because they are not to be relied on.
        ax: The axes to draw on; by default those of a new figure.
        interactive: Whether to return an interactive map, which notebooks show: hover over a task
            to see its name, difficulty and labels, drag to move, scroll to zoom.
        names: The names of the tasks, for an interactive map.
        labels: What else it says about the tasks, by name: one value per task.

    Returns:
        The axes, or the interactive map.

    Raises:
        ValueError: If the arrays do not have one entry per task, or a value is invalid.

    Example:
        >>> ax = plot_map([[0, 0], [1, 2]], difficulty=[0.3, 0.9], clusters=[0, 1])
        >>> ax.collections[1].get_sizes()
        array([90.])
    """
    points = checks.numbers(coordinates, "coordinates")
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"coordinates must have shape (tasks, 2), got {points.shape}")
    hard = None if difficulty is None else _column(difficulty, len(points), "difficulty")
    if hard is not None and (hard < 0).any():
        raise ValueError(f"difficulty must be at least 0, got {hard.min():g}")
    members = _members(clusters, cluster_names, len(points))
    if interactive:
        if ax is not None:
            raise ValueError("ax must be None for an interactive map, got axes")
        said: dict[str, ArrayLike] = {} if hard is None else {"difficulty": hard}
        for name, values in (labels or {}).items():
            said[name if name not in said else f"label:{name}"] = values
        areas = _areas(np.ones(len(points)) if hard is None else hard)
        return _interactive(points, areas, members, numbers, muted, names, said, title)
    if names is not None or labels is not None:
        given = "names" if names is not None else "labels"
        raise ValueError(f"{given} must be used with interactive=True, got interactive=False")
    ax = _axes(ax, 8.4, 5.6)
    areas = _areas(np.ones(len(points)) if hard is None else hard) * _shrinking(ax)
    if numbers is None:
        _scatter(ax, points, areas, members, legend, muted)
    else:
        _scatter_scale(ax, points, areas, _column_of_reals(numbers, len(points)), legend)
    if legend and hard is not None and hard.max() > 0:
        _size_legend(ax, hard, areas)
    ax.margins(0.03)
    ax.set(aspect="equal", adjustable="datalim", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    _set_title(ax, title)
    return ax


def _interactive(
    points: NDArray[np.float64], areas: NDArray[np.float64], members: _Members,
    numbers: ArrayLike | None, muted: bool, names: ArrayLike | None,
    labels: Mapping[str, ArrayLike], title: str,
) -> InteractiveMap:  # fmt: skip
    from matplotlib import colormaps
    from matplotlib.colors import Normalize, to_hex

    from taskspace.report.interactive import interactive_map

    radii = np.sqrt(areas / np.pi) * _PIXELS
    if numbers is not None:
        values = np.ma.masked_invalid(_column_of_reals(numbers, len(points)))
        scale = colormaps["viridis"].with_extremes(bad=COLOURS[_GREY])
        colours = [to_hex(colour) for colour in scale(Normalize()(values))]
        return interactive_map(
            points, radii, colours, names, {**labels, "value": values.filled(np.nan)}, None, title
        )
    cluster = np.zeros(len(points), np.int64)
    for position, (_, _, tasks) in enumerate(members):
        cluster[tasks] = position
    colours = [to_hex(_colour(number, muted)) for number, _, _ in members]
    if not members[0][1]:  # no clusters
        return interactive_map(points, radii, colours * len(points), names, labels, None, title)
    known = ([name for _, name, _ in members], cluster)
    return interactive_map(points, radii, colours, names, labels, known, title)


def plot_success(
    values: ArrayLike, success: ArrayLike, label: str, *, clusters: ArrayLike | None = None,
    cluster_names: Sequence[str] = (), title: str = "", muted: bool = False,
    what: str = "success rate of the population", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the success rate of the population against another number, one point per task.

    Args:
        values: The number of each task, e.g. the length of its vector.
        success: The success rate of the population on each task.
        label: What the number is.
        clusters: The cluster of each task, an integer of at least 0.
        cluster_names: The names of the clusters, for the legend.
        title: The title of the plot.
        muted: Whether to draw clusters nearly grey, as in `plot_map`.
        what: What the success rates are called, if they are e.g. normalised returns.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If the arrays do not have one entry per task, or a value is invalid.

    Example:
        >>> plot_success([1.0, 2.5], [0.9, 0.2], "vector length").get_ylabel()
        'success rate of the population'
    """
    across = checks.numbers(values, "values")
    rates = _column(success, across.size, "success")
    if across.ndim != 1 or not across.size:
        raise ValueError(f"values must have shape (tasks,), got {across.shape}")
    if ((rates < 0) | (rates > 1)).any():
        raise ValueError("success must be rates between 0 and 1, got a value outside")
    members = _members(clusters, cluster_names, len(across))
    ax = _axes(ax, 5.4, 3.8)
    points = np.stack([across, rates], axis=1)
    _scatter(ax, points, _areas(np.ones(len(points))), members, muted=muted)
    ax.set_ylim(-0.03, 1.03)
    return _plain(ax, title, label, what)


def plot_similarity(
    matrix: ArrayLike,
    clusters: ArrayLike,
    cluster_names: Sequence[str],
    ax: Axes | None = None,
    *,
    signed: bool = False,
) -> Axes:
    """Plot a matrix of similarities in bits, or of correlations, ordered by cluster.

    Args:
        matrix: The similarities (tasks, tasks); NaN where they are unknown, which is left white.
        clusters: The cluster of each task, an integer of at least 0.
        cluster_names: The names of the clusters.
        ax: The axes to draw on; by default those of a new figure.
        signed: Whether the similarities are correlations, whose colours diverge from 0.

    Returns:
        The axes.

    Raises:
        ValueError: If the matrix is not square, or a value is invalid.

    Example:
        >>> ax = plot_similarity([[0.9, 0.1], [0.1, 0.8]], [0, 1], ["easy", "hard"])
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['easy', 'hard']
    """
    given = checks.real(matrix, "matrix")
    unknown = np.isnan(given)
    table = checks.numbers(np.where(unknown, 0.0, given), "matrix")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ValueError(f"matrix must have shape (tasks, tasks), got {table.shape}")
    members = _members(clusters, cluster_names, len(table))
    order = np.concatenate([tasks for _, _, tasks in members])
    sizes = np.array([len(tasks) for _, _, tasks in members])
    ends = np.cumsum(sizes)
    ax = _axes(ax, 5.4, 4.0)
    heat = _signed_heat if signed else _heat
    heat(ax, np.ma.array(table, mask=unknown)[np.ix_(order, order)])
    for end in ends[:-1] - 0.5:
        ax.axhline(end, color="white", linewidth=0.9)
        ax.axvline(end, color="white", linewidth=0.9)
    positions = _spread(ends - sizes / 2 - 0.5, len(table) / 22)
    ax.set_yticks(positions, [name for _, name, _ in members], color=INK)
    ax.set_xticks([])
    ax.tick_params(length=0, labelsize=9)
    ax.spines[:].set_visible(False)
    return ax


def plot_learning_curve(
    history: Mapping[str, Sequence[float]], ax: Axes | None = None, *, title: str = ""
) -> Axes:
    """Plot the training and validation loss of a map.

    Args:
        history: The `history_` of an embedder: "step", "loss" and "validation".
        ax: The axes to draw on; by default those of a new figure.
        title: The title of the plot.

    Returns:
        The axes.

    Raises:
        ValueError: If an entry is missing, or the entries have different lengths.

    Example:
        >>> history = {"step": [0, 100], "loss": [0.7, 0.4], "validation": [0.7, 0.5]}
        >>> plot_learning_curve(history).get_xlabel()
        'training step'
    """
    if not isinstance(history, Mapping):
        raise ValueError(f"history must be that of an embedder, got {checks.brief(history)}")
    missing = {"step", "loss", "validation"} - set(history)
    if missing:
        raise ValueError(f"history must have step, loss and validation, got no {min(missing)}")
    steps = checks.numbers(history["step"], "step")
    losses = _column(history["loss"], steps.size, "loss")
    checked = _column(history["validation"], steps.size, "validation")
    ax = _axes(ax, 5.4, 3.8)
    ax.plot(steps, losses, color=MUTED, linewidth=1.8, label="training")
    ax.plot(steps, checked, color=COLOURS[0], linewidth=1.8, label="validation")
    if steps.size:
        best = int(checked.argmin())
        ax.plot(
            steps[best], checked[best], "o", color=COLOURS[0], label=f"best, {checked[best]:.3g}"
        )
    ax.legend(frameon=False, labelcolor=INK, fontsize=9)
    return _plain(ax, title, "training step", "loss")


def plot_skills(
    subpopulations: Sequence[str], steps: ArrayLike, skills: ArrayLike, ax: Axes | None = None,
    *, title: str = "",
) -> Axes:  # fmt: skip
    """Plot the skill of agents over training steps, one line per subpopulation.

    Args:
        subpopulations: The name of the subpopulation of each agent.
        steps: The training step at which each agent was saved.
        skills: The skill of each agent, i.e. its mean success rate.
        ax: The axes to draw on; by default those of a new figure.
        title: The title of the plot.

    Returns:
        The axes.

    Raises:
        ValueError: If the arrays do not have one entry per agent.

    Example:
        >>> ax = plot_skills(["a", "a", "b"], [0, 100, 100], [0.1, 0.8, 0.6])
        >>> len(ax.lines)
        2
    """
    checks.listed(subpopulations, "subpopulations")
    names = [str(name) for name in subpopulations]
    at, heights = _column(steps, len(names), "steps"), _column(skills, len(names), "skills")
    ax = _axes(ax, 5.4, 3.8)
    for i, name in enumerate(dict.fromkeys(names)):
        mine = np.array([j for j, other in enumerate(names) if other == name])
        mine = mine[np.argsort(at[mine], kind="stable")]
        look = f"{MARKERS[i % len(MARKERS)]}{('-', '--')[i // len(COLOURS) % 2]}"
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(at[mine], heights[mine], look, color=colour, markersize=3.5, label=name)
    if names:
        ax.legend(**_BESIDE)
    return _plain(ax, title, "training step", "skill (mean success rate)")


def plot_histogram(
    values: ArrayLike, across: str, counted: str, ax: Axes | None = None, *, title: str = "",
    ends: tuple[float, float] = (0.0, 1.0),
) -> Axes:  # fmt: skip
    """Plot a histogram of values between two ends, e.g. 0 and 1.

    Args:
        values: The values.
        across: The label of the values.
        counted: The label of the counts.
        ax: The axes to draw on; by default those of a new figure.
        title: The title of the plot.
        ends: The lowest and the highest possible value.

    Returns:
        The axes.

    Raises:
        ValueError: If a value is not between the ends.

    Example:
        >>> plot_histogram([0.1, 0.5, 0.5], "success rate", "agents").get_ylabel()
        'agents'
    """
    found = checks.numbers(values, "values")
    low, high = ends
    outside = found[(found < low) | (found > high)]
    if outside.size:
        raise ValueError(f"values must be numbers from {low:g} to {high:g}, got {outside[0]:g}")
    ax = _axes(ax, 5.4, 3.8)
    ax.hist(found, bins=20, range=ends, color=COLOURS[0], edgecolor="white")
    return _plain(ax, title, across, counted)


def plot_spectrum(values: ArrayLike, kept: int, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Plot the information on each axis of a map; the dimensions that the map keeps are coloured.

    Args:
        values: The eigenvalues of the similarities, largest first.
        kept: The number of dimensions of the map.
        ax: The axes to draw on; by default those of a new figure.
        title: The title of the plot.

    Returns:
        The axes.

    Raises:
        ValueError: If the values are not numbers, or `kept` is not an integer of at least 0.

    Example:
        >>> len(plot_spectrum([6.0, 3.0, 1.0], 2).patches)
        3
    """
    found = checks.numbers(values, "values")
    if found.ndim != 1:
        raise ValueError(f"values must be one number per axis, got an array of shape {found.shape}")
    checks.whole(kept, "kept")
    ax = _axes(ax, 5.4, 3.8)
    shares = 100 * found / max(float(found.sum()), 1e-12)
    most = max(2 * kept, 10)
    numbers = np.arange(1, 1 + len(shares[:most]))
    colours = [COLOURS[0] if number <= kept else PALE for number in numbers]
    ax.bar(numbers, shares[:most], color=colours)
    ax.set_xticks(numbers)
    return _plain(ax, title, "axis", "% of the shared information")


def plot_scree(
    values: ArrayLike, chance: ArrayLike, ax: Axes | None = None, *, title: str = ""
) -> Axes:
    """Plot the skills in which agents differ against what chance would give.

    Args:
        values: The leading eigenvalues of the correlations of outcomes, the largest first.
        chance: The eigenvalues that chance would give in their place.
        ax: The axes to draw on; by default those of a new figure.
        title: The title of the plot.

    Returns:
        The axes.

    Raises:
        ValueError: If there are no values, or if there is not one of chance for each.

    Example:
        >>> len(plot_scree([6.0, 3.0, 1.0], [2.0, 1.5, 1.2]).patches)
        3
    """
    found = checks.numbers(values, "values")
    if found.ndim != 1 or not found.size:
        raise ValueError(f"values must be at least one number, got an array of shape {found.shape}")
    expected = _column(chance, len(found), "chance")
    ax = _axes(ax, 4.2, 3.0)
    numbers = np.arange(1, 1 + len(found))
    above = np.logical_and.accumulate(found > expected)
    ax.bar(numbers, found, color=[COLOURS[0] if is_above else PALE for is_above in above])
    ax.plot(numbers, expected, color=COLOURS[5], marker=".", label="chance")
    ax.set_xlim(0.4, len(found) + 0.6)
    ax.set_xticks([1, *range(5, len(found) + 1, 5)])
    ax.legend(frameon=False, fontsize=8)
    return _plain(ax, title, "skill", "eigenvalue")


def plot_agents_needed(
    agents: ArrayLike, reliability: Mapping[str, ArrayLike], now: int, *, target: float = 0.8,
    title: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the reliability of similarities against the number of agents.

    Args:
        agents: Numbers of agents.
        reliability: The reliability to expect of each number, by measure of similarity.
        now: The number of agents at hand, marked by a vertical line.
        target: The reliability to reach, marked by a horizontal line.
        title: The title of the plot.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If there is no curve, or if a curve does not have one value per number.

    Example:
        >>> ax = plot_agents_needed([30, 60, 120], {"correlation": [0.37, 0.54, 0.7]}, 60)
        >>> ax.get_xlabel()
        'agents'
    """
    sizes = checks.numbers(agents, "agents")
    if not reliability:
        raise ValueError("at least one curve must be given, got none")
    ax = _axes(ax, 4.2, 3.0)
    for index, (name, values) in enumerate(reliability.items()):
        curve = _column(values, sizes.size, f"the reliability of {name}")
        ax.plot(sizes, curve, label=name, **{**_line_look(index), "marker": ""})
    ax.axhline(checks.number(target, "target"), color=MUTED, linestyle=":", linewidth=1)
    ax.axvline(checks.whole(now, "now", 1), color=MUTED, linewidth=1)
    ax.annotate("now", (now, 0.02), xytext=(3, 0), textcoords="offset points", color=MUTED, size=8)
    ax.set_ylim(0, 1)
    ax.legend(loc="lower right", frameon=False, fontsize=8)
    return _plain(ax, title, "agents", "reliability of similarities")


def plot_accuracy(
    sizes: ArrayLike, curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str = "",
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the prediction accuracy of methods against the size of the quiz.

    Args:
        sizes: The sizes of the quiz.
        curves: The means and their standard errors by method. "OPT", the best possible method, is
            drawn in black and dashed.
        title: The title of the plot.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If there is no curve, or a curve does not have one value per size.

    Example:
        >>> curves = {"Ours": ([0.6, 0.8], [0, 0]), "OPT": ([0.9, 0.9], [0, 0])}
        >>> ax = plot_accuracy([1, 5], curves)
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['OPT', 'Ours']
    """
    ax = _axes(ax, 5.4, 3.6)
    _draw_curves(ax, sizes, curves, "sizes of the quiz")
    return _plain(ax, title, "quiz size", "prediction accuracy")


def plot_errors(
    sizes: ArrayLike, curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str = "",
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the error of the score that short tests predict against their number of tasks.

    Args:
        sizes: The numbers of tasks.
        curves: The mean absolute errors and their standard errors, by how the tasks were chosen.
        title: The title of the plot.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If there is no curve, or a curve does not have one value per size.

    Example:
        >>> curves = {"informative": ([0.03, 0.02], [0, 0]), "random": ([0.05, 0.03], [0, 0])}
        >>> ax = plot_errors([10, 30], curves)
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['random', 'informative']
    """
    from matplotlib.ticker import NullLocator, ScalarFormatter

    ax = _axes(ax, 6.4, 3.6)
    at = _draw_curves(ax, sizes, curves, "numbers of tasks")
    ax.set_xscale("log")
    ax.set_xticks(at)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_ylim(bottom=0)
    return _plain(ax, title, "number of tasks", "mean absolute error of the score")


def _draw_curves(
    ax: Axes, sizes: ArrayLike, curves: Mapping[str, tuple[ArrayLike, ArrayLike]], what: str
) -> NDArray[np.float64]:
    """Draw means with bands of standard errors and a legend; returns the sizes."""
    at = checks.numbers(sizes, "sizes")
    if at.ndim != 1 or not at.size or not curves:
        raise ValueError(f"{what} and at least one curve must be given, got none")
    ends = {}
    others = [name for name in curves if name != "OPT"]
    for name, (means, errors) in curves.items():
        heights = _column(means, at.size, f"the means of {name}")
        margins = _column(errors, at.size, f"the errors of {name}")
        look = _BEST if name == "OPT" else _line_look(others.index(name))
        (line,) = ax.plot(at, heights, label=name, **look)
        ax.fill_between(
            at, heights - margins, heights + margins, color=look["color"], alpha=0.15, linewidth=0
        )
        ends[line] = heights[-1]
    # The legend lists the lines in the order of their right ends.
    ax.legend(handles=sorted(ends, key=lambda line: -ends[line]), handlelength=2.6, **_BESIDE)
    return at


def plot_reliability(
    curves: Mapping[str, ArrayLike], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Plot observed success rates against predicted probabilities.

    Well-calibrated predictions give a curve near the diagonal.

    Args:
        curves: One array of three rows per method: mean predicted probability, observed success
            rate, and fraction of all attempts per bin (NaN where a bin is empty). The area of a
            point is proportional to the fraction.
        title: The title of the plot.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If there is no curve, or a curve does not have three rows.

    Example:
        >>> ax = plot_reliability({"all": [[0.1, 0.9], [0.2, 0.9], [0.5, 0.5]]})
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('predicted probability', 'observed success rate')
    """
    if not curves:
        raise ValueError("at least one curve must be given, got none")
    ax = _axes(ax, 4.2, 4.2)
    ax.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1)
    for index, (name, curve) in enumerate(curves.items()):
        rows = checks.real(curve, f"the curve of {name}")
        if rows.ndim != 2 or len(rows) != 3:
            raise ValueError(f"the curve of {name} must have three rows, got shape {rows.shape}")
        predicted, observed, fraction = rows[:, rows[2] > 0]
        look = _line_look(index)
        ax.plot(predicted, observed, label=name, **look)
        ax.scatter(predicted, observed, 200 * fraction, color=look["color"], zorder=3)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.legend(loc="upper left", frameon=False, fontsize=8)
    return _plain(ax, title, "predicted probability", "observed success rate")


def plot_selection(
    methods: Sequence[str], top1: ArrayLike, top1_errors: ArrayLike, top3: ArrayLike,
    top3_errors: ArrayLike, *, title: str = "", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the task selection accuracy of methods: light bars (Top-1) in dark bars (Top-3).

    Args:
        methods: The names of the methods.
        top1: The Top-1 accuracy of each method.
        top1_errors: The standard errors of `top1`.
        top3: The Top-3 accuracy of each method.
        top3_errors: The standard errors of `top3`.
        title: The title of the plot.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If there is no method, or an array does not have one entry per method.

    Example:
        >>> plot_selection(["Ours"], [0.5], [0.1], [0.9], [0.05]).get_xlabel()
        'selection accuracy'
    """
    names = [str(name) for name in methods]
    if not names:
        raise ValueError("at least one method must be given, got none")
    given = {"top1": top1, "top1_errors": top1_errors, "top3": top3, "top3_errors": top3_errors}
    first, first_errors, third, third_errors = (
        _column(values, len(names), what) for what, values in given.items()
    )
    ax = _axes(ax, 5.4, 0.9 + 0.28 * len(names))
    rows = np.arange(len(names))
    for column, (label, colour, lengths, errors) in enumerate((
        ("Top-3", _DARK, third, third_errors), ("Top-1", _LIGHT, first, first_errors),
    )):  # fmt: skip
        ax.barh(rows, lengths, 0.72, color=colour)
        ax.errorbar(lengths, rows, xerr=errors, fmt="none", ecolor=INK, elinewidth=1, capsize=2)
        _write_column(ax, 52 - 34 * column, label, colour, lengths)
    ax.set_yticks(rows, names)
    ax.set(xlim=(0, 1.03), ylim=(len(names) - 0.4, -0.6))
    _plain(ax, title, "selection accuracy", "")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=9, labelcolor=INK)
    return ax


def plot_scores(
    names: Sequence[str], scores: ArrayLike, low: ArrayLike, high: ArrayLike, *, title: str = "",
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the scores of agents as points with their intervals as lines.

    Args:
        names: The names of the agents, from top to bottom.
        scores: The score of each agent, from 0 to 1.
        low: The lower bound of each score.
        high: The upper bound of each score.
        title: The title of the plot.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If there is no agent, or an array does not have one entry per agent.

    Example:
        >>> ax = plot_scores(["ann", "bob"], [0.7, 0.5], [0.6, 0.4], [0.8, 0.6])
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['ann', 'bob']
    """
    count = len(names)
    if not count:
        raise ValueError("at least one agent must be given, got none")
    middle, start, end = (
        _column(values, count, what)
        for values, what in ((scores, "scores"), (low, "low"), (high, "high"))
    )
    ax = _axes(ax, 8.4, 0.9 + 0.2 * count)
    rows = np.arange(count)
    ax.hlines(rows, start, end, color=_LIGHT, linewidth=4)
    ax.plot(middle, rows, "o", color=_DARK, markersize=4.5)
    ax.set_yticks(rows, [str(name) for name in names])
    ax.set(xlim=(-0.01, 1.01), ylim=(count - 0.4, -0.6))
    _plain(ax, title, "score (mean success rate)", "")
    ax.tick_params(axis="y", length=0, labelsize=8, labelcolor=INK)
    return ax


_BEST: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1.6, "zorder": 5}
_DARK, _LIGHT = "#0072B2", "#a9cbe2"


def _line_look(index: int) -> dict[str, Any]:
    """The colour, marker and line style of a curve; each of them distinguishes a few curves."""
    return {
        "color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)],
        "linestyle": ("-", (0, (5, 1.5)), "-.", ":")[index % 4], "linewidth": 1.6,
        "markersize": 4.5, "markeredgecolor": "white", "markeredgewidth": 0.4,
    }  # fmt: skip


def _write_column(
    ax: Axes, points: float, label: str, colour: str, values: NDArray[np.float64]
) -> None:
    """Write values to the right of their bars, under a label in the colour of the bars."""
    style: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(), "xytext": (points, 0), "size": 8, "ha": "center",
        "textcoords": "offset points", "va": "center", "annotation_clip": False,
    }  # fmt: skip
    for row, value in enumerate(values):
        ax.annotate(f"{value:.2f}", (1, row), color=INK, **style)
    box = {"boxstyle": "round,pad=0.25", "facecolor": colour, "edgecolor": "none"}
    ax.annotate(label, (1, -1), color="white" if colour == _DARK else INK, bbox=box, **style)


_Members = list[tuple[int, str, NDArray[np.int64]]]  # cluster, its name ("" if unknown), its tasks


def _column(values: ArrayLike, count: int, what: str) -> NDArray[np.float64]:
    column = checks.numbers(values, what)
    if column.shape != (count,):
        raise ValueError(f"{what} must be {count} numbers, got an array of shape {column.shape}")
    return column


def _column_of_reals(values: ArrayLike, count: int) -> NDArray[np.float64]:
    """One number per task, NaN if it is unknown."""
    column = checks.real(values, "numbers")
    if column.shape != (count,):
        raise ValueError(
            f"numbers must be one number for each of the {count} tasks, got an array of"
            f" shape {column.shape}"
        )
    return column


def _members(clusters: ArrayLike | None, names: Sequence[str], count: int) -> _Members:
    if clusters is None:
        return [(0, "", np.arange(count))]
    indices = _column(clusters, count, "clusters")
    checks.listed(names, "cluster names")
    if (indices < 0).any() or (indices != np.floor(indices)).any():
        raise ValueError("clusters must be integers of at least 0, one per task")
    found = [int(index) for index in np.unique(indices)]
    if len(names) and found[-1] >= len(names):
        raise ValueError(f"cluster names must include cluster {found[-1]}, got {len(names)} names")
    named = {i: str(names[i]) if len(names) else f"cluster {i}" for i in found}
    return [(i, named[i], np.flatnonzero(indices == i)) for i in found]


def _areas(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Areas of points, proportional to `lengths`; smaller if there are many points."""
    mean, typical = float(lengths.mean()), float(np.clip(24_000 / len(lengths), 6, 60))
    relative = lengths / mean if mean > 0 else np.ones(len(lengths))
    return typical * np.maximum(relative, _DOT)


def _shrinking(ax: Axes) -> float:
    """The factor for areas on axes that are smaller than a whole figure."""
    box = ax.get_window_extent()
    return min(1.0, float(np.sqrt(box.width * box.height / ax.figure.dpi**2 / 25)))


def _scatter(
    ax: Axes, points: NDArray[np.float64], areas: NDArray[np.float64], members: _Members,
    legend: bool = True, muted: bool = False,
) -> None:  # fmt: skip
    edge = 0.25 if len(points) <= 2000 else 0.0  # an edge would hide the smallest points
    for cluster, name, tasks in members:
        drawn = tasks[
            np.argsort(-areas[tasks], kind="stable")
        ]  # small points are drawn last, on top
        ax.scatter(
            points[drawn, 0], points[drawn, 1], s=areas[drawn], label=name or None, alpha=0.8,
            color=_colour(cluster, muted), marker=MARKERS[cluster % len(MARKERS)],
            edgecolors="white", linewidths=edge,
        )  # fmt: skip
    if legend and members[0][1]:
        for handle in ax.legend(**_BESIDE).legend_handles:
            handle.set(sizes=[42], alpha=1.0)  # type: ignore[union-attr]


def _colour(cluster: int, muted: bool) -> Any:
    """The colour of a cluster, if muted mixed with grey."""
    from matplotlib.colors import to_rgb

    colour = COLOURS[cluster % len(COLOURS)]
    if not muted:
        return colour
    return tuple(_GREYED * np.array(to_rgb(_MUTING)) + (1 - _GREYED) * np.array(to_rgb(colour)))


def _scatter_scale(
    ax: Axes, points: NDArray[np.float64], areas: NDArray[np.float64],
    numbers: NDArray[np.float64], legend: bool,
) -> None:  # fmt: skip
    """Points in the colours of a scale; those without a number are grey."""
    known = np.isfinite(numbers)
    _scatter(ax, points, areas, [(_GREY, "", np.flatnonzero(~known))], legend=False)
    drawn = np.flatnonzero(known)[np.argsort(-areas[known], kind="stable")]
    x, y = points[drawn].T
    marks = ax.scatter(x, y, s=areas[drawn], c=numbers[drawn], alpha=0.8, linewidths=0)
    if legend and len(drawn):
        bar = ax.figure.colorbar(marks, cax=ax.inset_axes((1.03, 0.45, 0.025, 0.55)))
        bar.ax.tick_params(colors=MUTED, labelsize=8)
        bar.outline.set_visible(False)  # type: ignore[operator]


def _size_legend(ax: Axes, lengths: NDArray[np.float64], areas: NDArray[np.float64]) -> None:
    shown = [float(f"{lengths.max() * part:.1g}") for part in (0.25, 0.5, 1.0)]
    scale = areas.max() / lengths.max()
    handles = [ax.scatter([], [], s=x * scale, color=MUTED, label=f"{x:g}") for x in shown]
    first = ax.get_legend()
    where = {**_BESIDE, "loc": "lower left", "bbox_to_anchor": (1.01, 0.0)}
    ax.legend(handles=handles, title="difficulty", title_fontsize=9, **where)
    if first is not None:
        ax.add_artist(first)
        first.set_clip_on(False)  # otherwise the layout treats it as part of the axes


def _heat(ax: Axes, table: np.ma.MaskedArray[Any, np.dtype[np.float64]]) -> None:
    known = table.compressed() if table.count() else np.zeros(1)
    # The similarity of a task to itself is by far the largest, so these values may saturate.
    low, high = min(float(known.min()), 0.0), float(np.quantile(known, 0.99))
    high = high if high > low else low + 1.0
    image = ax.imshow(table, cmap="viridis", vmin=low, vmax=high)
    extend = "max" if float(known.max()) > high else "neither"
    _label_bar(ax.figure.colorbar(image, ax=ax, shrink=0.85, extend=extend), "similarity (bits)")


def _signed_heat(ax: Axes, table: np.ma.MaskedArray[Any, np.dtype[np.float64]]) -> None:
    """Correlations in the colours of the explorer: orange is negative, grey 0, blue positive."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("signed", _DIVERGING)
    image = ax.imshow(table, cmap=colours, vmin=-1.0, vmax=1.0)
    _label_bar(ax.figure.colorbar(image, ax=ax, shrink=0.85), "correlation")


def _label_bar(bar: Any, label: str) -> None:
    bar.set_label(label, color=INK)
    bar.ax.tick_params(colors=MUTED, labelsize=8)
    bar.outline.set_visible(False)


def _spread(centres: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Move positions down until the labels do not overlap."""
    steps = gap * np.arange(len(centres))
    return np.maximum.accumulate(centres - steps) + steps


def _set_title(ax: Axes, title: str) -> None:
    ax.set_title(title, loc="left", color=INK, fontsize=11, fontweight="bold")


def _plain(ax: Axes, title: str, across: str, upwards: str) -> Axes:
    from matplotlib.ticker import EngFormatter

    _set_title(ax, title)
    ax.set_xlabel(across, color=INK)
    ax.set_ylabel(upwards, color=INK)
    if across == "training step":
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))  # 20k and not 20000
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.tick_params(colors=MUTED, labelsize=8)
    ax.grid(color=PALE, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The given axes, or those of a new figure of this size."""
    from matplotlib.figure import Figure

    if ax is not None and not hasattr(ax, "get_window_extent"):
        raise ValueError(f"ax must be axes of matplotlib or None, got {checks.brief(ax)}")
    return (
        ax
        if ax is not None
        else Figure(figsize=(width, height), layout="constrained").add_subplot()
    )
