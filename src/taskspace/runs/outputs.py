"""What a run gives to people and other programs: copies of its report, maps, exports."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace import checks
from taskspace.files import atomic_path
from taskspace.outcomes.labels import LABEL
from taskspace.outcomes.rates import mean_rates
from taskspace.runs import layout
from taskspace.runs.task_tables import beside

if TYPE_CHECKING:
    from taskspace.report.interactive import InteractiveMap
    from taskspace.runs.run import Run


def copy_report(run: Run, report: Path, target: str | os.PathLike[str], title: str | None) -> Path:
    """Write a copy of the report, which may have another title."""
    with atomic_path(target) as temporary:
        if title is None:
            shutil.copyfile(report, temporary)
        else:
            from taskspace.report import sections

            sections.write(run, temporary, check_title(title))
    return Path(target)


def interactive_map(run: Run, projection: str | None) -> InteractiveMap:
    """An interactive map of all tasks; see `Run.map`."""
    from taskspace.report.cluster_titles import cluster_titles
    from taskspace.report.plots import plot_map

    chosen = next(iter(run.layouts)) if projection is None else projection
    if chosen not in run.layouts:
        known = " or ".join(map(repr, run.layouts))
        raise ValueError(f"projection must be {known}, got {checks.brief(projection)}")
    success = mean_rates(run.outcomes.rates, axis=0)
    return plot_map(
        run.layouts[chosen], difficulty=run.index.difficulty, clusters=run.clusters.labels,
        cluster_names=cluster_titles(run), title=f"{run.title} ({chosen} projection)",
        muted=run.verdict.weak, interactive=True, names=run.outcomes.tasks,
        labels=beside({"success rate": success}, run.outcomes.task_labels, LABEL),
    )  # fmt: skip


def export(run: Run, target: str | os.PathLike[str]) -> list[Path]:
    """Export the map for other programs; see `Run.export`."""
    from taskspace.explore.export import export_page
    from taskspace.report.export import export as export_table
    from taskspace.report.targets import check_export

    path = check_export(target)
    _check_outside_parts(run.folder, path)
    if path.suffix.lower() == ".html":
        export_page(run, target)
        return [Path(target)]
    return export_table(run, target)


def _check_outside_parts(folder: Path, target: Path) -> None:
    """Refuse a target within a part of the run, which would count as damaged."""
    inside = target.resolve()
    for part in (folder.resolve() / name for name in layout.FOLDERS):
        if inside == part or part in inside.parents:
            raise ValueError(
                f"the export target must not be within a part of the run, got {str(target)!r};"
                " choose another name"
            )


def check_title(title: Any) -> str:
    """The title of a report, which must be text."""
    if not isinstance(title, str) or not title.strip():
        raise ValueError(f"title must be a text that is not empty, got {checks.brief(title)}")
    return title.strip()


def plain_name(name: str) -> str:
    """The name of a file as words, without its extension.

    >>> plain_name("algebra_course-2024.csv"), plain_name("MultiKeyNav")
    ('algebra course 2024', 'MultiKeyNav')
    """
    stem = name.removesuffix(".csv").removesuffix(".parquet")
    return " ".join(stem.replace("_", " ").replace("-", " ").split()) or name
