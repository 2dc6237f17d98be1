"""How it went: how often each agent solved each task."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import tables
from taskspace.files import atomic_path

FORMAT = "taskspace outcomes"
FORMAT_VERSION = 1


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Success counts of agents on tasks.

    Only `successes` and `rollouts` are needed; a pair that was never tried has 0 rollouts.

    >>> outcomes = Outcomes(successes=[[3, 0], [9, 4]], rollouts=10)
    >>> outcomes
    Outcomes(2 agents x 2 tasks, 10 rollouts a pair, 40 % solved)
    >>> outcomes.rates
    array([[0.3, 0. ],
           [0.9, 0.4]])
    """

    successes: NDArray[np.unsignedinteger[Any]]  # (agents, tasks)
    rollouts: NDArray[np.unsignedinteger[Any]]  # (agents, tasks); one number stands for all pairs
    agents: NDArray[np.str_] = None  # type: ignore[assignment]  # names; "agent-0", … by default
    tasks: NDArray[np.str_] = None  # type: ignore[assignment]  # names; "task-0", … by default
    features: NDArray[np.float64] | None = None  # (tasks, features): the tasks themselves
    feature_names: tuple[str, ...] = ()
    steps: NDArray[np.unsignedinteger[Any]] | None = None  # (agents, tasks), over all rollouts
    returns: NDArray[np.float32] | None = None  # (agents, tasks), mean over rollouts
    results: NDArray[np.bool_] | None = None  # (agents, tasks, rollouts), each single outcome
    info: dict[str, Any] = field(default_factory=dict)  # where they come from, what success means

    def __post_init__(self) -> None:
        successes = _counts(self.successes, "successes")
        if successes.ndim != 2 or not successes.size:
            raise ValueError(
                "successes must be a table of agents x tasks with at least one of each;"
                f" got an array of shape {successes.shape}"
            )
        shape = successes.shape
        self._set("successes", successes)
        self._set("rollouts", _per_pair(self.rollouts, shape))
        self._set("agents", _names(self.agents, shape[0], "agent"))
        self._set("tasks", _names(self.tasks, shape[1], "task"))
        self._check_counts()
        self._check_features()
        self._set("steps", _optional(self.steps, shape, "steps"))
        self._set("returns", _optional(self.returns, shape, "returns"))
        self._check_results()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_counts(self) -> None:
        too_many = self.successes > self.rollouts
        if too_many.any():
            agent, task = np.argwhere(too_many)[0]
            raise ValueError(
                f"{self.agents[agent]} has {self.successes[agent, task]} successes on"
                f" {self.tasks[task]} in {self.rollouts[agent, task]} rollouts"
            )

    def _check_features(self) -> None:
        if self.features is None:
            return
        features = np.asarray(self.features, np.float64)
        if features.ndim != 2 or len(features) != self.n_tasks:
            raise ValueError(
                f"features must have a row for each of the {self.n_tasks} tasks;"
                f" got an array of shape {features.shape}"
            )
        if not np.isfinite(features).all():
            row = int(np.argwhere(~np.isfinite(features))[0][0])
            raise ValueError(f"the features of {self.tasks[row]} hold NaN or infinity")
        names = tuple(self.feature_names) or tuple(f"x{i}" for i in range(features.shape[1]))
        if len(names) != features.shape[1]:
            raise ValueError(f"{len(names)} feature names for {features.shape[1]} features")
        self._set("features", features)
        self._set("feature_names", names)

    def _check_results(self) -> None:
        if self.results is None:
            return
        results = np.asarray(self.results, np.bool_)
        if results.shape[:2] != self.successes.shape or results.ndim != 3:
            raise ValueError(f"results must be (agents, tasks, rollouts), not {results.shape}")
        if (results.sum(2) != self.successes).any():
            raise ValueError("results and successes do not agree")
        self._set("results", results)

    # -- what they say ---------------------------------------------------------------------------

    @property
    def n_agents(self) -> int:
        """The number of agents."""
        return len(self.successes)

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return self.successes.shape[1]

    @property
    def rates(self) -> NDArray[np.float64]:
        """Success rates (agents, tasks); NaN where a pair was never tried."""
        with np.errstate(invalid="ignore"):
            return np.true_divide(self.successes, self.rollouts)

    @property
    def mean_lengths(self) -> NDArray[np.float64]:
        """Mean episode lengths (agents, tasks); NaN where a pair was never tried."""
        if self.steps is None:
            raise ValueError("these outcomes come without the lengths of episodes")
        with np.errstate(invalid="ignore"):
            return np.true_divide(self.steps, self.rollouts)

    def __repr__(self) -> str:
        least, most = int(self.rollouts.min()), int(self.rollouts.max())
        rollouts = f"{least}" if least == most else f"{least} to {most}"
        total = int(self.rollouts.sum(dtype=np.int64))
        solved = 100 * int(self.successes.sum(dtype=np.int64)) / total if total else 0
        return (
            f"Outcomes({self.n_agents} agents x {self.n_tasks} tasks,"
            f" {rollouts} rollouts a pair, {solved:.0f} % solved)"
        )

    # -- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one .npz file (no pickle inside), all or nothing."""
        arrays = {name: getattr(self, name) for name in _ARRAYS if getattr(self, name) is not None}
        if _same_everywhere(self.rollouts):
            arrays["rollouts"] = self.rollouts[:1, :1]  # one number for all pairs
        header = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "feature_names": self.feature_names,
            "info": self.info,
        }
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            np.savez(file, header=np.array(json.dumps(header)), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Outcomes:
        """Read a file that `save` wrote."""
        if not Path(path).is_file():
            raise FileNotFoundError(f"there is no file {path}")
        try:
            with np.load(path, allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                arrays = {name: file[name] for name in _ARRAYS if name in file.files}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"{path} is damaged or not a file of outcomes; expected one written by"
                " Outcomes.save (tables of results are read by Outcomes.from_table)"
            ) from error
        if header.get("format") != FORMAT or header.get("version") != FORMAT_VERSION:
            raise ValueError(
                f"{path} is in format {header.get('format')!r}, version {header.get('version')};"
                f" this taskspace reads {FORMAT!r}, version {FORMAT_VERSION}"
            )
        if arrays["rollouts"].size == 1:
            arrays["rollouts"] = arrays["rollouts"].ravel()[0]
        return cls(**arrays, feature_names=tuple(header["feature_names"]), info=header["info"])

    def to_table(self, path: str | os.PathLike[str]) -> None:
        """Write a long table, a row for each tried pair: agent, task, successes, rollouts.

        The ending of the name says which kind: .csv or .parquet. Task features become columns.
        """
        agent, task = np.nonzero(self.rollouts)
        columns: dict[str, Any] = {
            "agent": self.agents[agent],
            "task": self.tasks[task],
            "successes": self.successes[agent, task],
            "rollouts": self.rollouts[agent, task],
        }
        if self.features is not None:
            for name, values in zip(self.feature_names, self.features.T, strict=True):
                columns[name] = values[task]
        tables.write(columns, path)

    @classmethod
    def from_table(cls, table: Any) -> Outcomes:
        """Read a long table: columns agent, task, successes, rollouts; others are task features.

        `table` is the path of a .csv or .parquet file, a pandas DataFrame, or a mapping from
        column names to values. Agents and tasks keep the order of their first appearance.
        """
        columns = tables.read(table)
        tables.require(columns, ("agent", "task", "successes", "rollouts"))
        agents, agent = tables.codes(columns.pop("agent"), "agent")
        tasks, task = tables.codes(columns.pop("task"), "task")
        successes = tables.counts(columns.pop("successes"), "successes")
        rollouts = tables.counts(columns.pop("rollouts"), "rollouts")
        pair = agent * len(tasks) + task
        repeated = tables.first_repeat(pair)
        if repeated is not None:
            raise ValueError(
                f"row {repeated} repeats {agents[agent[repeated]]} on {tasks[task[repeated]]};"
                " each pair of agent and task has one row"
            )
        shape = (len(agents), len(tasks))
        successes_table, rollouts_table = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        successes_table[agent, task] = successes
        rollouts_table[agent, task] = rollouts
        features = tables.task_features(columns, task, tasks)
        return cls(
            successes=successes_table,  # type: ignore[arg-type]
            rollouts=rollouts_table,  # type: ignore[arg-type]
            agents=agents,
            tasks=tasks,
            features=features,
            feature_names=tuple(columns) if features is not None else (),
        )


_ARRAYS = (
    "successes", "rollouts", "agents", "tasks", "features", "steps", "returns", "results",
)  # fmt: skip


def smallest_counts(shape: tuple[int, ...], largest: int) -> NDArray[np.unsignedinteger[Any]]:
    """Zeros of the smallest unsigned kind that holds `largest`."""
    return np.zeros(shape, np.min_scalar_type(largest))


def _counts(values: ArrayLike, what: str) -> NDArray[np.unsignedinteger[Any]]:
    """Whole numbers from 0 on, in the smallest unsigned kind that holds them."""
    array = np.asarray(values)
    if np.issubdtype(array.dtype, np.unsignedinteger):
        return array
    if not (np.issubdtype(array.dtype, np.integer) or np.issubdtype(array.dtype, np.floating)):
        raise ValueError(f"{what} must be numbers, not {array.dtype}")
    if np.isnan(array).any():
        raise ValueError(f"{what} hold NaN; a pair that was never tried has 0 rollouts")
    if array.size and (array.min() < 0 or (array != np.floor(array)).any()):
        raise ValueError(f"{what} must be whole numbers from 0 on")
    return array.astype(np.min_scalar_type(int(array.max()) if array.size else 0))


def _per_pair(rollouts: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.unsignedinteger[Any]]:
    array = _counts(rollouts, "rollouts")
    if array.shape not in ((), shape):
        raise ValueError(f"rollouts must be one number or a table of shape {shape}")
    return np.broadcast_to(array, shape)  # one number for all pairs takes no memory


def _same_everywhere(rollouts: NDArray[Any]) -> bool:
    return rollouts.strides == (0, 0)


def _names(names: Any, count: int, what: str) -> NDArray[np.str_]:
    if names is None:
        return np.char.add(f"{what}-", np.arange(count).astype(np.str_))
    array = np.asarray(names, np.str_)
    if array.shape != (count,):
        raise ValueError(f"{array.size} {what} names for {count} {what}s")
    unique, first = np.unique(array, return_index=True)
    if len(unique) != count:
        repeated = array[np.setdiff1d(np.arange(count), first)[0]]
        raise ValueError(f"two {what}s have the name {str(repeated)!r}")
    return array


def _optional(values: Any, shape: tuple[int, ...], what: str) -> Any:
    if values is None:
        return None
    array = np.asarray(values)
    if array.shape != shape:
        raise ValueError(f"{what} must be a table of shape {shape}, not {array.shape}")
    return array
