"""How a map was learned, and what it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from taskspace import checks
from taskspace.report.plots.style import (
    COLOURS,
    INK,
    MUTED,
    PALE,
    given_or_new,
    one_each,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    losses = one_each(history["loss"], steps.size, "loss")
    checked = one_each(history["validation"], steps.size, "validation")
    ax = given_or_new(ax, 5.4, 3.8)
    ax.plot(steps, losses, color=MUTED, linewidth=1.8, label="training")
    ax.plot(steps, checked, color=COLOURS[0], linewidth=1.8, label="validation")
    if steps.size:
        best = int(checked.argmin())
        ax.plot(
            steps[best], checked[best], "o", color=COLOURS[0], label=f"best, {checked[best]:.3g}"
        )
    ax.legend(frameon=False, labelcolor=INK, fontsize=9)
    return plain(ax, title, "training step", "loss")


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
    ax = given_or_new(ax, 5.4, 3.8)
    shares = 100 * found / max(float(found.sum()), 1e-12)
    most = max(2 * kept, 10)
    numbers = np.arange(1, 1 + len(shares[:most]))
    colours = [COLOURS[0] if number <= kept else PALE for number in numbers]
    ax.bar(numbers, shares[:most], color=colours)
    ax.set_xticks(numbers)
    return plain(ax, title, "axis", "% of the shared information")
