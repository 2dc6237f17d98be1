"""Which tasks of a run are similar to a task, by its success model, its table or its map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.selection import BOTH, fits
from taskspace.similarity.estimates import estimates
from taskspace.similarity.profiles import INFORMATION, profile_similarity

if TYPE_CHECKING:
    from taskspace.runs.run import Run


def similarities(run: Run, task: Any) -> NDArray[np.float64]:
    """The similarity of a task to every task of the outcomes; see `Run.similarities`."""
    return _similarities(run, *_known_or_new(run, task))


def similar(
    run: Run, task: Any, k: int, harder: bool, easier: bool, opposite: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The most similar, or most opposite, tasks and their similarities; see `Run.similar`."""
    if harder and easier:
        raise ValueError(BOTH)
    if opposite and run.measure == INFORMATION:
        raise ValueError(
            "opposite tasks must be looked for in a map by correlation, got one by information,"
            " in which they are similar; make it with measure='correlation'"
        )
    most, (known, row) = checks.whole(k, "k", 1), _known_or_new(run, task)
    difficulty, similarity = run.index.difficulty, _similarities(run, known, row)
    suitable = similarity < 0 if opposite else ~np.isnan(similarity)
    if known is None:
        own = float(run.comparison.difficulty(row)[0])
    else:
        own, suitable[known] = float(difficulty[known]), False
    suitable &= fits(difficulty, own if harder else None, own if easier else None)
    found = np.flatnonzero(suitable)
    nearness = similarity[found] if opposite else -similarity[found]
    found = found[np.argsort(nearness, kind="stable")[:most]]
    return found, similarity[found]


def _known_or_new(run: Run, task: Any) -> tuple[int | None, NDArray[Any]]:
    """The index of a task, or None if it is new; and the task as a row for the embedder."""
    if np.ndim(task) == 0:
        index = run.task_index(task)
        return index, run.outcomes.task_inputs[index : index + 1]
    return None, run.check_tasks(np.asarray(task)[None])


def _similarities(run: Run, known: int | None, row: NDArray[Any]) -> NDArray[np.float64]:
    every = run.profiles
    if every is not None:
        new = run.profiler.predict_proba(row) if known is None else every[:, known, None]
        dispersion = None if run.outcomes.scale is None else run.profiler.dispersion_
        return profile_similarity(new, every, run.measure, dispersion)[0]
    if known is None:
        return run.index.vectors @ run.reader.transform(row)[0]
    found = estimates(run.statistics, [known], measure=run.measure)[0]
    return np.maximum(found, 0.0) if run.measure == INFORMATION else found
