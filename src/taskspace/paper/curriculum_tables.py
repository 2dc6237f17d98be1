"""The tables of the comparison of curricula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.paper.harness.curricula import Trial
from taskspace.paper.study import Table

Floats = NDArray[np.float64]

LEVELS = (0.05, 0.2, 0.5)  # of held-out success, to which steps are counted
BOOTSTRAP = 10_000
ENOUGH = 5  # seeds for an interval: a bootstrap of fewer values would be too narrow
IID = "IID"
COMPARED = (  # what the questions of the study are about
    ("ours", IID),
    ("ours", "PLR"),
    ("ours, no population", IID),
    ("ours, no population", "PLR"),
    ("ours, expert-free", IID),
    ("ours", "ours, no population"),
    ("ours", "ours, expert-free"),
    ("ours, expert-free", "ours, no population"),
    ("ours", "ours, no handover"),
    ("ours, handover", "ours"),
    ("proximal, learned", "proximal, raw"),
    ("ours", "proximal, learned"),
)


def tables(setting: str, found: Mapping[str, Sequence[Trial]]) -> list[Table]:
    """What is known about a setting: areas, differences between them, and the course."""
    areas = {method: np.array([one.area for one in trials]) for method, trials in found.items()}
    compared = differences(setting, areas)
    return [area_table(setting, areas), *([compared] if compared else []), course(setting, found)]


def area_table(setting: str, areas: Mapping[str, Floats]) -> Table:
    """The area under the curve of each method, and its ratio to that of IID."""
    rows = [{"method": method} | _area(values, areas.get(IID)) for method, values in areas.items()]
    note = (
        "AUC: mean held-out success over all steps, with a 95 % bootstrap interval over seeds"
        f" (from {ENOUGH} seeds on)."
    )
    return Table(f"curriculum-{setting}", f"Curricula on {setting}", rows, note)


def course(setting: str, found: Mapping[str, Sequence[Trial]]) -> Table:
    """How fast each method reaches levels of success, how it ends, and the time it takes."""
    rows = [
        {"method": method}
        | {f"steps to {level:g}": _steps_to(trials, level) for level in LEVELS}
        | {
            "worst tenth": float(np.mean([one.worst_tenth for one in trials])),
            "overhead": float(np.mean([one.chooser_seconds / one.seconds for one in trials])),
        }
        for method, trials in found.items()
    ]
    note = (
        "Steps to a level: median over seeds. Worst tenth: success rate on the tenth of held-out"
        " tasks that are solved least, at the end. Overhead: share of the CPU time of the training."
    )
    title = f"Curricula on {setting}: course and cost"
    return Table(f"curriculum-{setting}-course", title, rows, note)


def differences(setting: str, areas: Mapping[str, Floats]) -> Table | None:
    """Differences of areas with bootstrap intervals; None if there are too few seeds."""
    enough = {method for method, values in areas.items() if len(values) >= ENOUGH}
    rows = [_difference(areas, *pair) for pair in COMPARED if enough.issuperset(pair)]
    note = "Differences of AUC, with 95 % bootstrap intervals over the seeds of both."
    title = f"Curricula on {setting}: differences"
    return Table(f"curriculum-{setting}-differences", title, rows, note) if rows else None


def _difference(areas: Mapping[str, Floats], method: str, other: str) -> dict[str, Any]:
    resampled = resampled_means(areas[method], 1) - resampled_means(areas[other], 2)
    low, high = map(float, np.quantile(resampled, (0.025, 0.975)))
    return {
        "method": method, "minus": other,
        "AUC": float(areas[method].mean() - areas[other].mean()), "from": low, "to": high,
    }  # fmt: skip


def _area(areas: Floats, iid: Floats | None) -> dict[str, Any]:
    """Mean area with its interval, and its ratio to that of IID with its interval."""
    low, high = interval(areas)
    found: dict[str, Any] = {
        "seeds": len(areas), "AUC": float(areas.mean()), "from": low, "to": high
    }  # fmt: skip
    if iid is None:
        return found
    ratios = resampled_means(areas, 1) / np.maximum(resampled_means(iid, 2), 1e-9)
    few = min(len(areas), len(iid)) < ENOUGH
    least, most = (None, None) if few else map(float, np.quantile(ratios, (0.025, 0.975)))
    return found | {
        "AUC / IID": float(areas.mean() / max(iid.mean(), 1e-9)),
        "ratio from": least, "ratio to": most,
    }  # fmt: skip


def interval(values: Floats) -> tuple[float | None, float | None]:
    """A 95 % bootstrap interval of the mean; few values have none.

    >>> interval(np.array([1.0, 2.0]))
    (None, None)
    >>> low, high = interval(np.arange(10.0))
    >>> low < 4.5 < high
    True
    """
    if len(values) < ENOUGH:
        return None, None
    low, high = np.quantile(resampled_means(values, 0), (0.025, 0.975))
    return float(low), float(high)


def resampled_means(values: Floats, seed: int) -> Floats:
    """Means of bootstrap samples."""
    drawn = np.random.default_rng(seed).integers(len(values), size=(BOOTSTRAP, len(values)))
    means: Floats = values[drawn].mean(1)
    return means


def _steps_to(trials: Sequence[Trial], level: float) -> int | None:
    """The median number of steps to a level; None if half of the trainings do not reach it."""
    reached = [one.steps_to(level) for one in trials]
    middle = float(np.median(reached))
    return int(middle) if np.isfinite(middle) else None
