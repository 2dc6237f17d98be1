"""How good predictions and selections are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.report.plots.style import (
    BESIDE,
    DARK,
    INK,
    LIGHT,
    MUTED,
    given_or_new,
    line_look,
    one_each,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BEST: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1.6, "zorder": 5}


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
    ax = given_or_new(ax, 5.4, 3.6)
    _draw_curves(ax, sizes, curves, "sizes of the quiz")
    return plain(ax, title, "quiz size", "prediction accuracy")


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

    ax = given_or_new(ax, 6.4, 3.6)
    at = _draw_curves(ax, sizes, curves, "numbers of tasks")
    ax.set_xscale("log")
    ax.set_xticks(at)
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_ylim(bottom=0)
    return plain(ax, title, "number of tasks", "mean absolute error of the score")


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
        heights = one_each(means, at.size, f"the means of {name}")
        margins = one_each(errors, at.size, f"the errors of {name}")
        look = _BEST if name == "OPT" else line_look(others.index(name))
        (line,) = ax.plot(at, heights, label=name, **look)
        ax.fill_between(
            at, heights - margins, heights + margins, color=look["color"], alpha=0.15, linewidth=0
        )
        ends[line] = heights[-1]
    # The legend lists the lines in the order of their right ends.
    ax.legend(handles=sorted(ends, key=lambda line: -ends[line]), handlelength=2.6, **BESIDE)
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
    ax = given_or_new(ax, 4.2, 4.2)
    ax.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1)
    for index, (name, curve) in enumerate(curves.items()):
        rows = checks.real(curve, f"the curve of {name}")
        if rows.ndim != 2 or len(rows) != 3:
            raise ValueError(f"the curve of {name} must have three rows, got shape {rows.shape}")
        predicted, observed, fraction = rows[:, rows[2] > 0]
        look = line_look(index)
        ax.plot(predicted, observed, label=name, **look)
        ax.scatter(predicted, observed, 200 * fraction, color=look["color"], zorder=3)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.legend(loc="upper left", frameon=False, fontsize=8, labelcolor=INK)
    return plain(ax, title, "predicted probability", "observed success rate")


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
        one_each(values, len(names), what) for what, values in given.items()
    )
    ax = given_or_new(ax, 5.4, 0.9 + 0.28 * len(names))
    rows = np.arange(len(names))
    for column, (label, colour, lengths, errors) in enumerate((
        ("Top-3", DARK, third, third_errors), ("Top-1", LIGHT, first, first_errors),
    )):  # fmt: skip
        ax.barh(rows, lengths, 0.72, color=colour)
        ax.errorbar(lengths, rows, xerr=errors, fmt="none", ecolor=INK, elinewidth=1, capsize=2)
        _write_column(ax, 52 - 34 * column, label, colour, lengths)
    ax.set_yticks(rows, names)
    ax.set(xlim=(0, 1.03), ylim=(len(names) - 0.4, -0.6))
    plain(ax, title, "selection accuracy", "")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0, labelsize=9, labelcolor=INK)
    return ax


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
    ax.annotate(label, (1, -1), color="white" if colour == DARK else INK, bbox=box, **style)
