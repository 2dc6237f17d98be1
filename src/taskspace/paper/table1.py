"""Table 1: silhouette scores of the learned maps, beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import tables
from taskspace.pipeline import run

# "Ours" of Table 1: mean and spread over three seeds of task sampling.
PAPER = {
    "MultiKeyNav": (0.753, 0.001),
    "CartPoleVar": (0.325, 0.009),
    "PointMass": (0.380, 0.019),
    "BasicKarel": (0.811, 0.019),
}


def reproduce(
    environments: Sequence[str],
    folder: Path,
    *,
    seeds: int = 3,
    preset: str = "default",
    say: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """A row for each environment; the whole pipeline runs once for each seed, and is resumed."""
    rows = []
    for name in environments:
        numbers = [
            run(name, folder / f"{name.lower()}-{seed}", preset=preset, seed=seed, say=say)
            for seed in range(seeds)
        ]
        rows.append(_row(name, numbers))
    columns = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    tables.write(columns, folder / "table1.csv")
    return rows


def _row(name: str, numbers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    scores = [run["silhouette"] for run in numbers]

    def mean(key: str) -> float:
        return float(np.mean([np.nan if run[key] is None else run[key] for run in numbers]))

    return {
        "environment": name,
        "paper": PAPER[name][0],
        "paper_spread": PAPER[name][1],
        "ours": float(np.mean(scores)),
        "ours_spread": float(np.std(scores)),
        "agents": mean("agents"),
        "similarity_accuracy": mean("similarity_accuracy"),
        "similarity_accuracy_reachable": mean("similarity_accuracy_reachable"),
        "difficulty_accuracy": mean("difficulty_accuracy"),
        "rank_correlation": mean("norm_difficulty_rank_correlation"),
        "seeds": len(numbers),
    }
