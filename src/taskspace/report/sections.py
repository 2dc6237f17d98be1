"""The report of a run: what it is, the map, the numbers, the rest of the figures, the settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.report import figures, html

if TYPE_CHECKING:
    from taskspace.runs.run import Run

_ACCURACIES = {
    "similarity_accuracy": "similarity orders that hold",
    "similarity_accuracy_reachable": "… in a fresh estimate",
    "difficulty_accuracy": "difficulty orders that hold",
}


def write(run: Run, path: Path) -> None:
    """Write the report of a run."""
    first, *others = figures.load(run.figures)
    intro = html.Text([
        f"A map of the tasks of {run.name}, learned from how {run.outcomes.n_agents}"
        f" agents perform on {run.outcomes.n_tasks} of them. Tasks lie in the same direction"
        " when success on one tells about success on the other, and further out when they are"
        f" harder. The colours show {run.clusters.description}."
    ])  # fmt: skip
    numbers = html.Numbers(numbers_table(run.results), heading="Numbers")
    parts: list[html.Section] = [intro, first, numbers, *others, html.Settings(run.settings)]
    html.write_report(path, title=f"A map of {run.name}", sections=parts)


def numbers_table(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The numbers in words, for the report and the terminal."""
    same, rank = numbers["agreement_of_seeds"], numbers["norm_difficulty_rank_correlation"]
    rows = [
        ("agents", str(numbers["agents"])),
        ("tasks played", str(numbers["tasks"])),
        ("dimensions", str(numbers["dimensions"])),
    ]
    if "silhouette" in numbers:
        spread = f"{numbers['silhouette']:.3f} ± {numbers['silhouette_spread']:.3f}"
        rows.append(("silhouette", spread))
    for key, label in _ACCURACIES.items():
        if numbers.get(key) is not None:
            rows.append((label, f"{numbers[key]:.1%}"))
    return [
        *rows,
        ("rank correlation of length and difficulty", f"{rank:.3f}"),
        ("similarities by another seed, rank correlation", f"{same['similarity']:.3f}"),
        ("difficulties by another seed, rank correlation", f"{same['difficulty']:.3f}"),
    ]
