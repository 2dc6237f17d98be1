"""The part of a summary about single tasks: the hardest and the most informative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.answers import Unanswered
from taskspace.applications.return_answers import difficulty_in_words
from taskspace.outcomes.rates import mean_rates
from taskspace.report import examples, html
from taskspace.report.examples import task_name
from taskspace.report.words import count, decimals, listed, percent
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.returns import statistics_of

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_TASKS = 3  # of each kind that are named
FEWEST_TRIES = 5  # agents that tried a task, for it to be called one of the hardest


def sections(run: Run) -> list[html.Section]:
    """The hardest tasks and, on a map that can be trusted, the most informative ones."""
    told = [_difficulty(run), *_unsolved(run), *_tied(run)]
    rows, columns = _rows(run, _hardest(run), "hardest"), ["task", "why", "difficulty"]
    columns += ["mean return" if run.outcomes.scale is not None else "success rate"]
    if _has_information(run) and run.verdict.trusted:
        rows += _rows(run, _informative(run), "most informative")
        columns += ["information"]
        if len(_copied(run)):
            told.append(
                "Tasks with a near-copy are not called informative: what they share with the copy"
                " says little about an agent."
            )
    elif _has_information(run):
        told.append(f"Informative tasks are not named, because the map is {run.verdict.level}.")
    told_about = any(row[-1] for row in rows)
    rows = rows if told_about else [row[:-1] for row in rows]
    columns += ["about the task"] if told_about else []
    informative = len(rows) > MOST_TASKS
    heading = f"The hardest {'and the most informative ' if informative else ''}tasks"
    return [html.Text(told, heading=heading), html.Numbers(rows, columns, words=True)]


def difficulties(run: Run) -> NDArray[np.float64]:
    """The difficulty of each task: by the model of a map that is trusted, or as observed."""
    if _is_estimated(run):
        return run.index.difficulty
    return 1.0 - np.nan_to_num(statistics_of(run.outcomes).success, nan=1.0)


def _is_estimated(run: Run) -> bool:
    return "success_model" in run.results and run.verdict.trusted


def _difficulty(run: Run) -> str:
    """What difficulty is; a success model estimates it from all attempts."""
    told = f"Difficulty is {difficulty_in_words(run.outcomes.scale)}"
    if not _is_estimated(run):
        return f"{told}."
    observed = "success rates" if run.outcomes.scale is None else "returns"
    return (
        f"{told}, as a model estimates it from the attempts at all tasks; {observed} are those"
        " observed on the task itself, and vary more."
    )


def _has_information(run: Run) -> bool:
    """Whether the squared length of a vector is information in bits."""
    return run.measure != CORRELATION and "kept_information" in run.results


def _hardest(run: Run) -> NDArray[np.int64]:
    """The hardest tasks among those that enough agents tried."""
    enough = _tried(run)
    order = np.argsort(-difficulties(run)[enough], kind="stable")
    return enough[order[:MOST_TASKS]]


def _tried(run: Run) -> NDArray[np.int64]:
    """The tasks that enough agents tried."""
    tried = (run.outcomes.rollouts > 0).sum(0)
    return np.flatnonzero(tried >= min(FEWEST_TRIES, tried.max()))


def _tied(run: Run) -> list[str]:
    """Whether more tasks are as hard as the hardest than are named."""
    found, hardest = difficulties(run), _hardest(run)
    last = found[hardest[-1]]
    tied, named = (
        int(np.isclose(found[tasks], last, rtol=0, atol=1e-9).sum())
        for tasks in (_tried(run), hardest)
    )
    if tied <= named:
        return []
    verb = "is" if named == 1 else "are"
    return [f"{count(tied, 'task')} share the difficulty {decimals(last)}; {named} {verb} named."]


def _informative(run: Run) -> NDArray[np.int64]:
    """The most informative tasks without a near-copy: what copies share also counts as theirs."""
    bits = _information(run)
    bits[_copied(run)] = -1.0
    return np.argsort(-bits, kind="stable")[:MOST_TASKS]


def _copied(run: Run) -> NDArray[np.int64]:
    """The tasks of a table that have a near-copy."""
    if not run.from_table or run.outcomes.scale is not None:
        return np.zeros(0, np.int64)
    found = run.redundancy
    if isinstance(found, Unanswered):
        return np.zeros(0, np.int64)
    names = {*found.first[found.confirmed], *found.second[found.confirmed]}
    return np.flatnonzero([task in names for task in run.outcomes.tasks])


def _information(run: Run) -> NDArray[np.float64]:
    return np.square(run.index.vectors.astype(np.float64)).sum(1)


def _rows(run: Run, tasks: NDArray[np.int64], why: str) -> list[list[str]]:
    results, bits, hard = _results(run, tasks), _information(run)[tasks], difficulties(run)
    return [
        [
            task_name(run.outcomes.tasks[task]),
            why,
            decimals(float(hard[task])),
            _result(run, results[place]),
            *(
                [f"{decimals(bits[place])} bits"]
                if _has_information(run) and run.verdict.trusted
                else []
            ),
            examples.describe_task(run, task),
        ]
        for place, task in enumerate(tasks.tolist())
    ]


def _unsolved(run: Run) -> list[str]:
    """How many tasks tell nothing about agents, because all or none solve them."""
    if run.outcomes.scale is not None:
        return []
    rates = mean_rates(run.outcomes.rates[:, _tried(run)], axis=0)
    none, every = int((rates <= 0).sum()), int((rates >= 1).sum())
    told = [
        f"{count(n, 'task')} by {who}"
        for n, who in ((none, "no agent"), (every, "every agent"))
        if n
    ]
    if not told:
        return []
    verb = "was" if (none or every) == 1 else "were"
    first, *more = told
    start = first.replace(" by ", f" {verb} solved by ", 1)
    # Without features, the vectors of such tasks are 0, so that their directions are arbitrary.
    placed = run.outcomes.features is not None or not _has_information(run)
    where = "" if placed else ", and where they lie on the map means nothing"
    return [f"{listed([start, *more])}: such tasks tell nothing about how agents differ{where}."]


def _results(run: Run, tasks: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean success rate or the mean return of tasks."""
    outcomes = run.outcomes
    if outcomes.scale is not None and outcomes.returns is not None:
        return mean_rates(outcomes.returns[:, tasks].astype(np.float64), axis=0)
    return mean_rates(outcomes.rates[:, tasks], axis=0)


def _result(run: Run, value: float) -> str:
    return f"{value:.4g}".replace("-", "−") if run.outcomes.scale is not None else percent(value)
