"""`select`: the tasks that are most similar to a reference task, optionally harder or easier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes.feature_rows import in_order
from taskspace.outcomes.task_names import as_list, positions
from taskspace.similarity.profiles import CORRELATION

if TYPE_CHECKING:
    from taskspace.models.success.model import SuccessModel

ROUNDING = 1e-9  # relative; difficulties of equal tasks may differ by rounding in the network
BOTH = "only one of harder and easier can be True, got both"


class Comparison(Protocol):
    """Anything that compares tasks: a map, or a `SuccessModel`."""

    def similarity(self, first: Any, second: Any, /) -> NDArray[Any]:
        """The similarities of each of the first tasks with each of the second."""

    def difficulty(self, tasks: Any, /) -> NDArray[np.float64]:
        """One number per task."""


@dataclass(frozen=True)
class SignedComparison:
    """A success model that compares tasks by correlation instead of information.

    Attributes:
        model: The fitted `SuccessModel`.
    """

    model: SuccessModel

    @property
    def task_names_(self) -> NDArray[np.str_] | None:
        """The names of the tasks if they have no features, otherwise None."""
        return self.model.task_names_

    @property
    def feature_names_(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.model.feature_names_

    def similarity(self, first: Any, second: Any) -> NDArray[np.float64]:
        """The correlations of outcomes (first, second)."""
        return self.model.similarity(first, second, CORRELATION)

    def difficulty(self, tasks: Any) -> NDArray[np.float64]:
        """One number per task."""
        return self.model.difficulty(tasks)


def select(
    source: Comparison,
    reference: ArrayLike,
    options: ArrayLike,
    *,
    k: int | None = None,
    harder: bool = False,
    easier: bool = False,
) -> NDArray[np.int64]:
    """Select the options that are most similar to a reference task.

    Args:
        source: A fitted `SuccessModel`, whose similarities are exact, or a fitted map of the tasks.
        reference: The reference task: a row of features. If the source was fitted without features,
            the name of the task as text, or its position in the outcomes as an integer.
        options: The tasks to choose from, in the same form.
        k: The largest number of tasks to select; all by default.
        harder: Whether to select only tasks that are harder than the reference.
        easier: Whether to select only tasks that are easier than the reference.

    Returns:
        The indices of the selected options, most similar first. The array is empty if no option is
        harder or easier.

    Raises:
        ValueError: If both `harder` and `easier` are set, or if an argument has the wrong form.

    >>> import taskspace as ts
    >>> env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    >>> reference, *options = env.sample_tasks(50, seed=0)
    >>> best = select(embedder, reference, options, k=3, harder=True)
    >>> embedder.difficulty([options[i] for i in best]) > embedder.difficulty(reference)
    array([ True,  True,  True])
    """
    if harder and easier:
        raise ValueError(BOTH)
    if not hasattr(source, "similarity"):
        raise ValueError(f"source must be a fitted map or SuccessModel, got {checks.brief(source)}")
    most = None if k is None else checks.whole(k, "k", 1)
    names = getattr(source, "task_names_", None)
    if names is None:
        columns = getattr(source, "feature_names_", ())
        given = in_order(reference, columns, "reference"), in_order(options, columns, "options")
        rows = _rows(*given)
    else:
        rows = _named(names, reference, options)
    similarity, difficulty = source.similarity(rows[:1], rows[1:])[0], source.difficulty(rows)
    suitable = fits(
        difficulty[1:],
        float(difficulty[0]) if harder else None,
        float(difficulty[0]) if easier else None,
    )
    order = np.argsort(-similarity, kind="stable")
    return order[suitable[order]][:most]


def fits(
    difficulty: NDArray[np.float64], harder_than: float | None, easier_than: float | None
) -> NDArray[np.bool_]:
    """Which tasks are harder and easier than given difficulties, apart from rounding.

    >>> fits(np.array([0.2, 0.5, 0.8]), harder_than=0.2, easier_than=0.8)
    array([False,  True, False])
    """
    suitable = np.ones(len(difficulty), np.bool_)
    if harder_than is not None:
        suitable &= difficulty > harder_than + ROUNDING * abs(harder_than)
    if easier_than is not None:
        suitable &= difficulty < easier_than - ROUNDING * abs(easier_than)
    return suitable


def _rows(reference: Any, options: Any) -> NDArray[Any]:
    """The reference and the options, in this order, as one table."""
    task, table = checks.numbers(reference, "reference"), checks.numbers(options, "options")
    if task.ndim == 2 and len(task) == 1:
        task = task[0]
    if task.ndim != 1:
        raise ValueError(f"reference must be one task, got an array of shape {task.shape}")
    if table.ndim != 2 or not len(table):
        raise ValueError(
            "options must be a table with one row per task and at least one task,"
            f" got an array of shape {table.shape}"
        )
    if table.shape[1] != len(task):
        raise ValueError(
            f"options must have {len(task)} features like the reference, got {table.shape[1]}"
        )
    return np.vstack([task, table])


def _named(names: NDArray[np.str_], reference: Any, options: Any) -> NDArray[np.str_]:
    """The names of the reference and of the options, in this order."""
    task = positions(names, as_list(reference), "source", "reference")
    if len(task) != 1:
        raise ValueError(f"reference must be one task, got {len(task)}")
    if not checks.listed(options, "options"):
        raise ValueError("options must have at least one task, got an empty list")
    return names[np.concatenate([task, positions(names, options, "source", "options")])]
