"""Totals and means among the columns of a table with one column per task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.outcomes.how_read import how_read
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

RNG = np.random.default_rng(0)
SOLVED = RNG.integers(0, 2, (12, 4)).astype(float)
GAPS = np.where(RNG.random((12, 4)) < 0.2, np.nan, SOLVED)
TASKS = ["q1", "q2", "q3", "q4"]


def _table(rows: Any, more: dict[str, Any], *, first: bool = False) -> dict[str, Any]:
    tasks = {name: rows[:, number] for number, name in enumerate(TASKS)}
    return {
        "agent": [f"a{n}" for n in range(len(rows))],
        **({**more, **tasks} if first else {**tasks, **more}),
    }


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("name", ["total", "Ergebnis", "score"])
@pytest.mark.parametrize(
    ("column", "what"),
    [
        (SOLVED.sum(1), "sum"),
        (SOLVED.mean(1), "mean"),
        (SOLVED.mean(1).round(1), "mean"),
        ((100 * SOLVED.mean(1)).round(), "percentage"),
    ],
)
def test_a_summary_is_left_out_and_told(name: str, column: Any, what: str, first: bool) -> None:
    found = Outcomes.from_table(_table(SOLVED, {name: column}, first=first))
    assert found.tasks.tolist() == TASKS
    assert f"not used: {name} (the {what} of the others)" in how_read(found)


def test_a_summary_of_the_columns_before_it_is_told_as_such() -> None:
    subtotal = {"part 1": SOLVED[:, :4].sum(1), "q5": SOLVED[::-1, 0], "q6": SOLVED[::-1, 1]}
    found = Outcomes.from_table(_table(SOLVED, subtotal))
    assert found.tasks.tolist() == [*TASKS, "q5", "q6"]
    assert "not used: part 1 (the sum of the columns before it)" in how_read(found)


def test_missing_results_and_several_summaries() -> None:
    both = {"Summe": np.nansum(GAPS, 1), "Mittel": np.nanmean(GAPS, 1)}
    assert Outcomes.from_table(_table(GAPS, both)).tasks.tolist() == TASKS
    returns = _table(30 * SOLVED - 7, {"mean": (30 * SOLVED - 7).mean(1).round(2)})
    assert Outcomes.from_table(returns, returns=True).tasks.tolist() == TASKS


@pytest.mark.filterwarnings("error")
def test_tasks_are_no_summaries() -> None:
    graded = RNG.integers(0, 6, 12) / 5
    copies = {"agent": range(12), **dict.fromkeys(TASKS, graded)}
    for table in (copies, _table(SOLVED, {"majority": SOLVED.mean(1).round()})):
        assert Outcomes.from_table(table).n_tasks == len(table) - 1


def test_a_column_that_is_called_total_is_told() -> None:
    with pytest.warns(UserWarning, match=says("'Total' task")):
        found = Outcomes.from_table(_table(SOLVED, {"Total": SOLVED @ [0.4, 0.3, 0.2, 0.1]}))
    assert found.n_tasks == 5


def test_rows_and_tasks_of_long_tables_that_are_summaries_are_told() -> None:
    rows = RNG.integers(0, 2, (6, 8)).astype(float)
    rows = np.vstack([rows, rows.mean(0)])
    agents = [*(f"a{n}" for n in range(6)), "Mittelwert"]
    wide = {"agent": agents, **{f"q{task}": rows[:, task] for task in range(8)}}
    task, agent = np.indices(rows.T.shape)
    names = np.array(agents)  # now of tasks
    long = {"agent": task.ravel(), "task": names[agent.ravel()], "score": rows.T.ravel()}
    for table in (wide, long):
        with pytest.warns(UserWarning, match=says("'Mittelwert' mean others")):
            Outcomes.from_table(table)
    with pytest.warns(UserWarning, match=says("'average' agent")):
        Outcomes.from_table({"agent": ["a", "average"], "q1": [1, 0.5], "q2": [0, 0.5]})


@pytest.mark.parametrize(
    ("name", "values"), [("age", [21, 22, 20, 22, 25]), ("lfd", [1, 2, 3, 4, 5])]
)
def test_numbers_about_agents_are_told(name: str, values: list[int]) -> None:
    table = {"student": list("abcde"), name: values, "q1": [50, 0, 9, 9, 100]}
    with pytest.warns(UserWarning, match=says(f"{name!r} task --agents")):
        Outcomes.from_table(table, max_score=100)
