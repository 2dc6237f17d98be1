"""The parts of a run that may be made in another process, and how.

Each one is made from the source and from the parts before it, which are in the run folder, so it is
the same wherever it is made.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taskspace.applications import answers
from taskspace.applications.predictor import PerformancePredictor
from taskspace.files import explain_errors, read_arrays, write_arrays
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.verdict import WeakMapWarning
from taskspace.report.projections import project
from taskspace.runs import layout, questions
from taskspace.runs.predictors import fit_predictor
from taskspace.runs.run import Run
from taskspace.runs.sources.base import Played, Source
from taskspace.runs.stages import Finished
from taskspace.runs.stored_parts import load_embedder, load_short_test


@dataclass(frozen=True)
class Recipe:
    """How a part is made, saved and loaded."""

    make: Callable[[Source, Run, Played], Any]
    save: Callable[[Any, Path], object]
    load: Callable[[Path], Any]


def as_it_is(path: Path) -> Any:
    """Return the path itself: nothing needs more, or later stages read the file."""
    return path


def _second_map(source: Source, run: Run, played: Played) -> Embedding:
    return source.learn_again(played, source.seed + 1)


def _projection(source: Source, run: Run, played: Played) -> dict[str, Any]:
    tasks, labels = source.shown(played, run.clusters)
    points, difficulty = run.embedder.points(tasks), run.embedder.difficulty(tasks)
    listed = source.listed()
    return {
        "tasks": tasks, "points": points, "difficulty": difficulty, "clusters": labels,
        **({} if listed is None else {"indices": listed}), **project(points),
    }  # fmt: skip


RECIPES = {
    layout.SECOND_EMBEDDER: Recipe(_second_map, Embedding.save, load_embedder),
    layout.PROJECTION: Recipe(_projection, write_arrays, read_arrays),
    layout.SHORT_TEST: Recipe(
        lambda source, run, _: questions.make_short_test(run.outcomes, source.seed),
        answers.save,
        load_short_test,
    ),
    layout.PREDICTOR: Recipe(
        lambda source, run, _: fit_predictor(run), PerformancePredictor.save, as_it_is
    ),
}


# -- in the other process --------------------------------------------------------------------------


def get_ready(torch: bool, *, report: Callable[[Any], None]) -> None:
    """Import what takes seconds, before there is work."""
    import sklearn.manifold  # noqa: F401

    if torch:
        import taskspace.models.success.model  # noqa: F401


def make_part(
    folder: str, source: dict[str, Any], stage: str, path: str, *, report: Callable[[Any], None]
) -> None:
    """Make a part from those in the run folder, write it to `path`, and report its warnings."""
    part = next(part for part in RECIPES if part.stage == stage)
    recipe = RECIPES[part]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for hidden in (WeakMapWarning, DeprecationWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", hidden)  # as in the first process
        made = recipe.make(*_opened(folder, source["kind"], tuple(source["values"])))
    for warning in caught:
        report(str(warning.message))
    with explain_errors(Path(folder) / part.file):
        recipe.save(made, Path(path))


@functools.lru_cache(1)
def _opened(folder: str, kind: str, values: tuple[Any, ...]) -> tuple[Source, Run, Played]:
    """The source and the run in a folder, kept for the next part."""
    source = rebuilt(Path(folder), kind, values)
    played = source.play(Finished(folder))
    known = {"outcomes": played.outcomes, "environment": played.environment}
    return source, Run(folder, **known, population=played.population), played


def rebuilt(folder: Path, kind: str, values: tuple[Any, ...]) -> Source:
    """The source that describes itself so; the outcomes of a table are in the run folder."""
    if kind == "table":
        from taskspace.outcomes.outcomes import Outcomes
        from taskspace.runs.sources.table import TableSource

        return TableSource(Outcomes.load(folder / layout.OUTCOMES.file), *values)
    from taskspace.envs.registry import make
    from taskspace.runs.sources.environment import EnvironmentSource

    return EnvironmentSource(make(kind), *values)
