"""Short tests: how well a few tasks predict the scores of agents that were left out.

    python examples/short_tests.py helm-lite.parquet --by scenario --per-label 10,30,100
    python examples/short_tests.py animal-ai.parquet --score passed --sizes 10,30,100
    python examples/short_tests.py minigrid-sfl.parquet --sizes 10,30,100

The table has a row per agent and task (or, in the wide form, a column per task). It prints the mean
absolute error of the estimated scores: with --by, of the score on each value of a label, with so
many tasks of each value; otherwise of the full score.
"""

from __future__ import annotations

import argparse

import numpy as np

import taskspace as ts
from taskspace.applications.scores import groups_by
from taskspace.applications.subset_comparison import compare
from taskspace.applications.subset_errors import Question
from taskspace.applications.subset_limits import Limits
from taskspace.progress import progress_bar

STEPS = 20  # at most, of the progress bar, per size


def main() -> None:
    """Read the table, compare ways to choose tasks, and print their errors."""
    options = arguments()
    outcomes = ts.Outcomes.from_table(
        options.table, agent=options.agent, task=options.task, score=options.score
    )
    if options.agents is not None:  # the dense part of a table with many missing pairs
        outcomes = dense_part(outcomes, options.agents, options.tasks)
    print(outcomes)
    _, labels = groups_by(outcomes.task_labels, options.by, outcomes.n_tasks)
    per_label = [int(number) for number in options.per_label.split(",")] if options.by else [0]
    sizes = [int(number) for number in options.sizes.split(",")]
    for least in per_label:
        limits = Limits(labels, least)
        counts = [int(limits.least_per_label.sum())] if options.by else sizes
        question = Question(limits, options.by is not None)
        with progress_bar(f"{least or ''} tasks", STEPS * len(counts)) as advance:
            found = compare(outcomes, question, counts, options.seed, advance)
        print(f"{least} tasks per {options.by}" if options.by else "full score")
        for size, method, error, standard in zip(
            found.sizes, found.methods, found.asked, found.standard_errors, strict=True
        ):
            print(f"  {size:6d} {method:32s} {error:.4f} ± {standard:.4f}", flush=True)


def dense_part(outcomes: ts.Outcomes, agents: int, tasks: int) -> ts.Outcomes:
    """The outcomes of the agents that tried most tasks, on the tasks that most of them tried."""
    tried = outcomes.rollouts > 0
    best = np.argsort(-tried.sum(1), kind="stable")[: 4 * agents]
    items = np.argsort(-tried[best].sum(0), kind="stable")[:tasks]
    best = np.argsort(-tried[:, items].sum(1), kind="stable")[:agents]
    return outcomes.of_agents(outcomes.agents[best].tolist()).of_tasks(
        outcomes.tasks[items].tolist()
    )


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", help="table of results, .csv or .parquet")
    parser.add_argument("--by", help="label of the tasks whose scores are predicted")
    parser.add_argument("--per-label", default="10,30,100", help="tasks per value of the label")
    parser.add_argument("--sizes", default="10,30,100", help="numbers of tasks, without --by")
    parser.add_argument("--agent", help="column of the agents")
    parser.add_argument("--task", help="column of the tasks")
    parser.add_argument("--score", help="column of the results")
    parser.add_argument("--agents", type=int, help="keep so many agents, those with most results")
    parser.add_argument("--tasks", type=int, default=200, help="with --agents: keep so many tasks")
    parser.add_argument("--seed", type=int, default=100, help="seed (default: 100)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
