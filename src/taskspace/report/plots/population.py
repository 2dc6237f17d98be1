"""The agents: their skills, and whether they are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from taskspace import checks
from taskspace.report.plots.style import (
    BESIDE,
    COLOURS,
    DARK,
    INK,
    LIGHT,
    MARKERS,
    MUTED,
    PALE,
    given_or_new,
    line_look,
    one_each,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    at, heights = one_each(steps, len(names), "steps"), one_each(skills, len(names), "skills")
    ax = given_or_new(ax, 5.4, 3.8)
    for i, name in enumerate(dict.fromkeys(names)):
        mine = np.array([j for j, other in enumerate(names) if other == name])
        mine = mine[np.argsort(at[mine], kind="stable")]
        look = f"{MARKERS[i % len(MARKERS)]}{('-', '--')[i // len(COLOURS) % 2]}"
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(at[mine], heights[mine], look, color=colour, markersize=3.5, label=name)
    if names:
        ax.legend(**BESIDE)
    return plain(ax, title, "training step", "skill (mean success rate)")


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
    ax = given_or_new(ax, 5.4, 3.8)
    ax.hist(found, bins=20, range=ends, color=COLOURS[0], edgecolor="white")
    return plain(ax, title, across, counted)


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
    expected = one_each(chance, len(found), "chance")
    ax = given_or_new(ax, 4.2, 3.0)
    numbers = np.arange(1, 1 + len(found))
    above = np.logical_and.accumulate(found > expected)
    ax.bar(numbers, found, color=[COLOURS[0] if is_above else PALE for is_above in above])
    ax.plot(numbers, expected, color=COLOURS[5], marker=".", label="chance")
    ax.set_xlim(0.4, len(found) + 0.6)
    ax.set_xticks([1, *range(5, len(found) + 1, 5)])
    ax.legend(frameon=False, fontsize=8, labelcolor=INK)
    return plain(ax, title, "skill", "eigenvalue")


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
    ax = given_or_new(ax, 4.2, 3.0)
    for index, (name, values) in enumerate(reliability.items()):
        curve = one_each(values, sizes.size, f"the reliability of {name}")
        ax.plot(sizes, curve, label=name, **{**line_look(index), "marker": ""})
    ax.axhline(checks.number(target, "target"), color=MUTED, linestyle=":", linewidth=1)
    ax.axvline(checks.whole(now, "now", 1), color=MUTED, linewidth=1)
    ax.annotate("now", (now, 0.02), xytext=(3, 0), textcoords="offset points", color=MUTED, size=8)
    ax.set_ylim(0, 1)
    ax.legend(loc="lower right", frameon=False, fontsize=8, labelcolor=INK)
    return plain(ax, title, "agents", "reliability of similarities")


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
        one_each(values, count, what)
        for values, what in ((scores, "scores"), (low, "low"), (high, "high"))
    )
    ax = given_or_new(ax, 8.4, 0.9 + 0.2 * count)
    rows = np.arange(count)
    ax.hlines(rows, start, end, color=LIGHT, linewidth=4)
    ax.plot(middle, rows, "o", color=DARK, markersize=4.5)
    ax.set_yticks(rows, [str(name) for name in names])
    ax.set(xlim=(-0.01, 1.01), ylim=(count - 0.4, -0.6))
    plain(ax, title, "score (mean success rate)", "")
    ax.tick_params(axis="y", length=0, labelsize=8, labelcolor=INK)
    return ax
