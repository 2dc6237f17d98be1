"""Outcomes: how often each agent solved each task, or the returns it reached."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes import outcome_files, result_tables, tables
from taskspace.outcomes.counts import (
    check_booleans,
    check_counts,
    counts_of,
    of_shape,
    results_of,
    rollouts_of,
    successes_of,
)
from taskspace.outcomes.frames import check_same_order
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.labels import Labels, check_labels
from taskspace.outcomes.names import plural, positions, unique_names
from taskspace.outcomes.outcome_columns import columns_of, frame_of
from taskspace.outcomes.outcome_files import PER_PAIR
from taskspace.outcomes.rates import mean_rates
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.outcomes.returns import (
    check_precision,
    check_return_options,
    check_returns,
    check_scale,
    check_spreads,
    normalised_sums,
)
from taskspace.outcomes.task_features import checked_features


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Success counts of agents on tasks, or their returns.

    Only `successes` and `rollouts` are required. Outcomes with a `scale` are returns, made by
    `from_returns`, `by_return` or `from_table(…, returns=True)`: an attempt counts as its
    normalised return, a number from 0 to 1, wherever other outcomes count successes.

    Attributes:
        successes: The number of successes (agents, tasks). If rollouts have scores from 0 to 1,
            the sum of the scores. If outcomes are returns, the sum of the normalised returns.
        rollouts: The number of rollouts (agents, tasks), or one number for all pairs. A pair that
            was never tried has 0 rollouts.
        agents: The names of the agents; "agent-0", "agent-1" and so on by default.
        tasks: The names of the tasks; "task-0", "task-1" and so on by default.
        features: The features of the tasks (tasks, features), if any.
        feature_names: The names of the features; by default those of the columns, if `features` is
            a DataFrame, or else "x0", "x1" and so on.
        steps: The number of steps (agents, tasks), summed over rollouts, if known.
        returns: The mean return (agents, tasks), if known; NaN for pairs that were never tried.
        return_spreads: The standard deviation of the returns of each pair over its rollouts, if
            known; NaN for pairs with fewer than two rollouts.
        scale: The scale of the returns; None if these outcomes are successes, with returns beside
            them or without.
        results: The result of every rollout (agents, tasks, rollouts), if known.
        task_labels: What columns of text or numbers say about the tasks, by name: one value per
            task. Models do not learn from labels; figures, lists and exports show them.
        agent_labels: The same about the agents.
        info: Anything to store with the outcomes, e.g. where they come from, as JSON values.

    Raises:
        ValueError: If an array has the wrong shape or type, if a pair has more successes than
            rollouts, if a pair was tried but has no return, or if two agents or two tasks have the
            same name.

    >>> outcomes = Outcomes(successes=[[3, 0], [9, 4]], rollouts=10)
    >>> outcomes
    Outcomes(2 agents x 2 tasks, 10 rollouts per pair, 40 % solved)
    >>> outcomes.rates
    array([[0.3, 0. ],
           [0.9, 0.4]])
    """

    successes: NDArray[Any]  # unsigned; float32 if scores are fractional
    rollouts: NDArray[np.unsignedinteger[Any]]
    agents: NDArray[np.str_] = None  # type: ignore[assignment]
    tasks: NDArray[np.str_] = None  # type: ignore[assignment]
    features: NDArray[Any] | None = None  # float64 or uint8
    feature_names: tuple[str, ...] = ()
    steps: NDArray[np.unsignedinteger[Any]] | None = None
    returns: NDArray[np.float32] | None = None
    return_spreads: NDArray[np.float32] | None = None
    scale: ReturnScale | None = None
    results: NDArray[np.bool_] | None = None
    task_labels: Labels = field(default_factory=dict)
    agent_labels: Labels = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        per_pair = {name: getattr(self, name) for name in PER_PAIR}
        check_same_order(per_pair, {"features": self.features})
        successes = successes_of(self.successes)
        if successes.ndim != 2 or not successes.size:
            raise ValueError(
                "successes must be a table of agents x tasks with at least one of each,"
                f" got an array of shape {successes.shape}"
            )
        shape = successes.shape
        self._set("rollouts", rollouts_of(self.rollouts, shape))
        check_booleans(self.successes, self.rollouts)
        self._set("successes", successes)
        self._set("agents", unique_names(self.agents, shape[0], "agent"))
        self._set("tasks", unique_names(self.tasks, shape[1], "task"))
        check_counts(successes, self.rollouts, self.agents, self.tasks)
        features, names = checked_features(self.features, self.feature_names, self.tasks)
        self._set("features", features)
        self._set("feature_names", names)
        if self.steps is not None:
            self._set("steps", of_shape(counts_of(self.steps, "steps"), shape, "steps"))
        self._check_returns()
        if self.results is not None:
            self._set("results", results_of(self.results, self.successes, self.rollouts))
        self._set("task_labels", check_labels(self.task_labels, shape[1], "task"))
        self._set("agent_labels", check_labels(self.agent_labels, shape[0], "agent"))
        self._set("info", outcome_files.checked_info(self.info))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_returns(self) -> None:
        for name, check in (("returns", check_returns), ("return_spreads", check_spreads)):
            if getattr(self, name) is not None:
                given = getattr(self, name)
                self._set(name, check(given, self.rollouts, self.agents, self.tasks))
        if self.return_spreads is not None and self.returns is None:
            raise ValueError("return_spreads must come with returns, got spreads alone")
        if self.scale is None:
            return
        check_scale(self.scale, self.returns, self.n_tasks)
        assert self.returns is not None
        expected = normalised_sums(self.scale, self.returns, self.rollouts)
        if not np.allclose(self.successes, expected, rtol=1e-4, atol=1e-4):
            raise ValueError(
                "successes must be rollouts times normalised returns if there is a scale, got other"
                " numbers; make such outcomes by Outcomes.from_returns"
            )
        self._set("successes", expected)

    @property
    def n_agents(self) -> int:
        """The number of agents."""
        return len(self.successes)

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return self.successes.shape[1]

    @property
    def task_inputs(self) -> NDArray[Any]:
        """The tasks as models take them: rows of features, or names if there are no features."""
        return self.tasks if self.features is None else self.features

    @property
    def rates(self) -> NDArray[np.float64]:
        """Success rates (agents, tasks); NaN for pairs that were never tried.

        If these outcomes are returns, the mean normalised returns.
        """
        with np.errstate(invalid="ignore"):
            return np.true_divide(self.successes, self.rollouts, dtype=np.float64)

    @property
    def mean_lengths(self) -> NDArray[np.float64]:
        """Mean episode lengths (agents, tasks); NaN for pairs that were never tried.

        Raises:
            ValueError: If the outcomes have no episode lengths.
        """
        if self.steps is None:
            raise ValueError("there are no lengths of episodes in these outcomes; steps is None")
        with np.errstate(invalid="ignore"):
            return np.true_divide(self.steps, self.rollouts)

    def of_agents(self, names: Iterable[str]) -> Outcomes:
        """Select the outcomes of some of the agents.

        Args:
            names: The names of the agents, in the wanted order.

        Returns:
            The outcomes of these agents.

        Raises:
            ValueError: If there is no agent of a name, or if a name is repeated.

        >>> Outcomes([[3, 0], [9, 4]], 10, agents=["weak", "strong"]).of_agents(["strong"]).rates
        array([[0.9, 0.4]])
        """
        rows = positions(names, self.agents, "agent")
        parts = {
            name: getattr(self, name)[rows]
            for name in (*PER_PAIR, "agents")
            if getattr(self, name) is not None
        }
        labels = {name: values[rows] for name, values in self.agent_labels.items()}
        return replace(self, **parts, agent_labels=labels)

    def of_tasks(self, names: Iterable[str]) -> Outcomes:
        """Select the outcomes on some of the tasks.

        Args:
            names: The names of the tasks, in the wanted order.

        Returns:
            The outcomes on these tasks.

        Raises:
            ValueError: If there is no task of a name, or if a name is repeated.

        >>> Outcomes([[3, 0], [9, 4]], 10, tasks=["easy", "hard"]).of_tasks(["hard"]).rates
        array([[0. ],
               [0.4]])
        """
        return self._of_tasks(positions(names, self.tasks, "task"))

    def first_tasks(self, count: int) -> Outcomes:
        """Select the outcomes on the first tasks.

        Args:
            count: The number of tasks; all if there are fewer.

        Returns:
            The outcomes on these tasks.

        Raises:
            ValueError: If `count` is not a positive integer.

        >>> Outcomes([[3, 0], [9, 4]], 10).first_tasks(1).rates
        array([[0.3],
               [0.9]])
        """
        return self._of_tasks(slice(checks.whole(count, "count", 1)))

    def _of_tasks(self, chosen: slice | list[int]) -> Outcomes:
        parts = {
            name: getattr(self, name)[:, chosen]
            for name in PER_PAIR
            if getattr(self, name) is not None
        }
        if self.scale is not None:
            parts["scale"] = self.scale.of_tasks(chosen)
        features = None if self.features is None else self.features[chosen]
        labels = {name: values[chosen] for name, values in self.task_labels.items()}
        return replace(
            self, **parts, tasks=self.tasks[chosen], features=features, task_labels=labels
        )

    def __repr__(self) -> str:
        least, most = int(self.rollouts.min()), int(self.rollouts.max())
        rollouts = plural(most, "rollout") if least == most else f"{least} to {most} rollouts"
        return (
            f"Outcomes({plural(self.n_agents, 'agent')} x {plural(self.n_tasks, 'task')},"
            f" {rollouts} per pair, {self._summary()})"
        )

    def _summary(self) -> str:
        total = int(self.rollouts.sum(dtype=np.int64))
        if self.scale is not None and self.returns is not None and total:
            low, high = np.nanmin(self.returns), np.nanmax(self.returns)
            return f"returns from {low:g} to {high:g}"
        solved = 100 * float(self.successes.sum(dtype=np.float64)) / total if total else 0
        return f"{solved:.0f} % solved"

    # -- returns ---------------------------------------------------------------------------------

    def by_return(self, *, best: ArrayLike | None = None, success: Any = None) -> Outcomes:
        """Read outcomes by their returns instead of their successes.

        Difficulty is then the mean normalised regret if `best` is given, the share of agents below
        `success` if that is given, and otherwise an ordering within what these agents reached.
        Returns of tasks with features have one range; other tasks have a range each.

        Args:
            best: The best possible return, one number or one per task, if it is known.
            success: The return from which on a task counts as solved, one number or one per task,
                if there is such a threshold.

        Returns:
            Outcomes with a `scale`, without the results of single rollouts.

        Raises:
            ValueError: If there are no returns, if both arguments are given, or if a return exceeds
                the best one.

        >>> played = Outcomes([[1, 0]], 1, returns=[[3.0, -2.0]], features=[[0.0], [1.0]])
        >>> played.by_return(best=8).rates
        array([[0.5, 0. ]])
        """
        if self.returns is None:
            raise ValueError(
                "there are no returns in these outcomes; keep them with evaluate(keep_returns=True)"
            )
        shared = self.features is not None
        returns = self.returns.astype(np.float64)
        scale = ReturnScale.reached(returns, shared=shared, best=best, success=success)
        sums = normalised_sums(scale, self.returns, self.rollouts)
        return replace(self, successes=sums, scale=scale, results=None)

    @classmethod
    def from_returns(
        cls,
        returns: ArrayLike,
        rollouts: ArrayLike = 1,
        *,
        spreads: ArrayLike | None = None,
        best: ArrayLike | None = None,
        success: Any = None,
        **others: Any,
    ) -> Outcomes:
        """Make outcomes of mean returns, or of scores on any scale.

        Args:
            returns: The mean return of each pair (agents, tasks); NaN for pairs never tried.
            rollouts: The number of rollouts (agents, tasks), or one number for all tried pairs.
            spreads: The standard deviation of the returns of each pair over its rollouts, if known.
            best: The best possible return, one number or one per task, if it is known.
            success: The return from which on a task counts as solved, one number or one per task,
                if there is such a threshold.
            **others: Other attributes of outcomes: `agents`, `tasks`, `features` and so on.

        Returns:
            Outcomes with a `scale`.

        Raises:
            ValueError: If an array has the wrong shape or type, if a return exceeds the best, or
                if returns differ too little for single precision.

        >>> outcomes = Outcomes.from_returns([[-200, 1.5], [-110, np.nan]])
        >>> outcomes
        Outcomes(2 agents x 2 tasks, 0 to 1 rollouts per pair, returns from -200 to 1.5)
        >>> outcomes.rates
        array([[0. , 0.5],
               [1. , nan]])
        """
        per_pair = {"returns": returns, "rollouts": rollouts, "spreads": spreads}
        per_pair["steps"] = others.get("steps")
        per_task = {"best": best, "success": success, "features": others.get("features")}
        check_same_order(per_pair, per_task)
        found = checks.real(returns, "returns")
        if found.ndim != 2 or not found.size:
            raise ValueError(
                "returns must be a table of agents x tasks with at least one of each,"
                f" got an array of shape {found.shape}"
            )
        check_precision(found)
        number = checks.array(rollouts, "rollouts")
        missing = np.isnan(found)
        if not number.ndim and missing.any() and number.dtype.kind in "iuf":
            number = np.where(missing, 0, number)
        nothing = np.zeros(found.shape, np.uint8)
        plain = cls(nothing, number, returns=found, return_spreads=spreads, **others)  # type: ignore[arg-type]
        return plain.by_return(best=best, success=success)

    # -- files -----------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        """The first tasks in a notebook."""
        returns = self.returns if self.scale is not None else None
        columns = {
            "task": self.tasks,
            "success" if returns is None else "return": mean_rates(
                self.rates if returns is None else returns.astype(np.float64), axis=0
            ),
            "tried by": (self.rollouts > 0).sum(0),
            **self.task_labels,
        }
        return html_table(columns, repr(self), what="tasks")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the outcomes to one .npz file, without pickle.

        The file is written completely or not at all.

        Args:
            path: The path of the file.

        Raises:
            OSError: If the file cannot be written.
        """
        outcome_files.write(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Outcomes:
        """Read outcomes written by `save`.

        Args:
            path: The path of the file.

        Returns:
            The outcomes.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is damaged or in another format.
        """
        given = outcome_files.read(path)
        try:
            return cls(**given)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{outcome_files.DAMAGED.format(path)}: {error}") from error

    def to_table(self, path: str | os.PathLike[str]) -> None:
        """Write a table with one row per tried pair: agent, task, successes, rollouts.

        If these outcomes are returns, it has the columns return, return_spread (if known) and
        rollouts instead, which `from_table(…, returns=True)` reads; pass it `best` or `success`
        again, because the table does not hold them.

        Features and labels become further columns. All pairs of the first agent have a row, and
        every agent has at least one, with 0 rollouts if necessary, so that `from_table` restores
        all names in their order.

        Args:
            path: The path of the file, which must end in .csv or .parquet.

        Raises:
            ValueError: If the path has another ending, or if a label has the name of another
                column.
            OSError: If the file cannot be written.
        """
        tables.write(columns_of(self), path)

    def to_pandas(self) -> Any:
        """Return the table that `to_table` writes as a DataFrame of pandas.

        Returns:
            The DataFrame, with one row per tried pair.

        Raises:
            ImportError: If pandas is not installed.
            ValueError: If a label has the name of another column.

        >>> outcomes = Outcomes([[1, 0]], 1)
        >>> outcomes.to_pandas()["successes"].tolist()
        [1, 0]
        """
        return frame_of(self, "pandas")

    def to_polars(self) -> Any:
        """Return the table that `to_table` writes as a DataFrame of Polars.

        Returns:
            The DataFrame, with one row per tried pair.

        Raises:
            ImportError: If Polars is not installed.
            ValueError: If a label has the name of another column.

        >>> outcomes = Outcomes([[1, 0]], 1)
        >>> outcomes.to_polars()["successes"].to_list()
        [1, 0]
        """
        return frame_of(self, "polars")

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        features: Any = None,
        tasks: Any = None,
        agents: Any = None,
        agent: str | None = None,
        task: str | None = None,
        score: str | None = None,
        max_score: float = 1,
        returns: bool = False,
        best: ArrayLike | None = None,
        success: Any = None,
    ) -> Outcomes:
        """Read a table of results in long or wide form.

        In the long form, each row belongs to one agent and one task. It has either `successes` and
        `rollouts`, or the result of one attempt: a boolean or a number from 0 to 1. Attempts of the
        same pair are summed, and rows without a result are skipped. Columns are recognised by the
        names that people give them, e.g. `student`, `question` and `correct`. Any other column with
        one value per task is a label of the tasks, and one with one value per agent a label of the
        agents.

        In the wide form, the first column names the agents and every other column of numbers is a
        task; the cells are results of one attempt. Columns of text are labels of the agents. A
        NumPy array of agents x tasks is the same without names.

        With `returns`, results are any numbers, e.g. in a column `return`, `reward` or `score`.
        Several rows of a pair give its mean return and the spread of its attempts. In a table with
        a column `rollouts`, results are mean returns.

        Agents and tasks are listed in the order of their first appearance. `info["columns"]` says
        what each column was taken for.

        Args:
            table: The path of a .csv or .parquet file, a DataFrame (pandas or polars), a mapping
                of columns, or a NumPy array or a list of rows.
            features: The names of the columns about tasks that models learn from, as a list or
                separated by commas. A table with one row per task is accepted too: its columns of
                numbers are features, and its columns of text are labels. If `table` is a NumPy
                array, so is an array of tasks x features.
            tasks: A table of labels with one row per task, and its name in a column `task`.
            agents: A table of labels with one row per agent, and its name in a column `agent`.
            agent: The column with the names of the agents, if it has an unusual name.
            task: The column with the names of the tasks, if it has an unusual name.
            score: The column with the results, if it has an unusual name.
            max_score: The highest possible score; scores are divided by it.
            returns: Whether results are returns, or scores on any scale.
            best: The best possible return, one number or one per task, if it is known.
            success: The return from which on a task counts as solved, if there is a threshold.

        Returns:
            The outcomes; with `returns`, they have a `scale`.

        Raises:
            FileNotFoundError: If there is no such file.
            TypeError: If `table` or `features` has an unsupported type.
            ValueError: If a column or a value is missing or invalid, if a column could be several
                things, or if the features do not tell tasks apart.

        >>> attempts = {"student": ["a", "a", "b"], "item": ["t", "t", "u"], "correct": [1, 0, 1]}
        >>> Outcomes.from_table({**attempts, "topic": ["sums", "sums", "areas"]}).rates
        array([[0.5, nan],
               [nan, 1. ]])
        >>> Outcomes.from_table(np.array([[1, 0.5], [0, np.nan]]))
        Outcomes(2 agents x 2 tasks, 0 to 1 rollouts per pair, 50 % solved)
        >>> Outcomes.from_table(np.array([[120, -7.5], [80, np.nan]]), returns=True)
        Outcomes(2 agents x 2 tasks, 0 to 1 rollouts per pair, returns from -7.5 to 120)
        """
        check_return_options(returns, best=best, success=success)
        found = result_tables.parts(
            table,
            features=features,
            tasks=tasks,
            agents=agents,
            given={"agent": agent, "task": task, "score": score},
            max_score=max_score,
            returns=returns,
            best=best,
        )
        return cls.from_returns(**found, best=best, success=success) if returns else cls(**found)
