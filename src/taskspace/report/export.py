"""Export of a map to files for other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.files import atomic_path, explain_errors
from taskspace.outcomes import tables
from taskspace.report.projections import Axes
from taskspace.report.targets import TABLES, check_export

if TYPE_CHECKING:
    from taskspace.runs.run import Run


def export(run: Run, target: str | os.PathLike[str]) -> list[Path]:
    """Write all tasks of a map; the extension of the target determines the format.

    A `.parquet` file has one row per task: its name, two coordinates for plotting, its vector as
    one list, its difficulty, success rate or mean return, cluster and features. A `.csv` file is
    the same with one column per component of the vector. A target without an extension is a folder
    for `vectors.tsv` and `metadata.tsv`, which the TensorBoard projector loads.
    """
    path = check_export(target)
    if path.suffix.lower() in TABLES:
        tables.write(_columns(run, flat=path.suffix.lower() == ".csv"), path)
        return [path]
    with explain_errors(path):
        path.mkdir(parents=True, exist_ok=True)
    return _write_projector(run, path)


def _columns(run: Run, flat: bool) -> dict[str, Any]:
    vectors, points = run.index.vectors, run.points
    x, y = Axes.of(points).project(points).T
    spread = {f"v{i}": column for i, column in enumerate(vectors.T)}
    return _described(run, x=x, y=y, **(spread if flat else {"vector": list(vectors)}))


def _described(run: Run, **more: Any) -> dict[str, Any]:
    return run.describe(np.arange(len(run.index)), **more)


def _write_projector(run: Run, folder: Path) -> list[Path]:
    about = _described(run)
    rows = zip(*(_texts(values) for values in about.values()), strict=True)
    lines = ["\t".join(about), *("\t".join(row) for row in rows)]
    files = {
        "vectors.tsv": ["\t".join(map(str, row)) for row in run.index.vectors.tolist()],
        "metadata.tsv": lines,
    }
    for name, content in files.items():
        with atomic_path(folder / name) as temporary:
            temporary.write_text("\n".join(content) + "\n", encoding="utf-8")
    return [folder / name for name in files]


def _texts(values: NDArray[Any]) -> list[str]:
    """A column as text without tabs and line breaks, which would break the table."""
    return [" ".join(str(value).split()) for value in values.tolist()]
