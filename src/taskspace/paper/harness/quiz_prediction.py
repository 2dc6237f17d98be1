"""The performance prediction benchmark (Section 7.1, Figure 5): predictions after a quiz.

An example is an agent, a quiz and one more task, all drawn at random; a method predicts whether the
agent solves that task. All rollouts are made in advance: rollout 0 of each agent on each task is
its result, both in the quiz and as ground truth, and the oracles know only the other rollouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.soft_neighbours import (
    mean_squared_distance,
    soft_vote,
    squared_distances,
)
from taskspace.outcomes.outcomes import Outcomes

EXAMPLES = 5000  # for tuning, and as many for testing
FOLDS = 10
QUIZ_SIZES = range(1, 21)
SKILL_TASKS = 500  # tasks that IgnoreTask estimates the skill of an agent from
BASELINES = ("Random", "IgnoreTask", "IgnoreAgent", "OPT")
# The betas to try, times the mean squared distance between tasks: from nearly equal weights to
# the nearest task only.
MULTIPLES = np.geomspace(0.01, 10_000, 25)


@dataclass(frozen=True)
class PredictionScore:
    """The accuracy of a method on the test examples of one quiz size."""

    method: str
    quiz_size: int
    accuracy: float  # mean over the folds
    standard_error: float  # of this mean
    beta: float | None = None  # the tuned value, if the method has one
    at_edge: bool = False  # whether beta is at an edge of the grid


@dataclass(frozen=True, eq=False)
class Examples:
    """Indices of tasks and agents; the tasks of a row differ."""

    quiz: NDArray[np.int64]  # (n, quiz size)
    task: NDArray[np.int64]  # (n,)
    agent: NDArray[np.int64]  # (n,)


def benchmark_prediction(
    outcomes: Outcomes,
    vectors: Mapping[str, ArrayLike],
    *,
    quiz_sizes: Sequence[int] = QUIZ_SIZES,
    seed: int = 0,
) -> list[PredictionScore]:
    """Score the baselines, and soft nearest neighbours with the vectors of each method.

    `outcomes` come from `evaluate` with `keep_results=True`, on tasks that no method was trained
    on. `vectors` have one row per task and any number of dimensions, so that
    `other_rates(outcomes).T` shows the accuracy of neighbours by success rates. The scores of a
    quiz size do not depend on other sizes.

    >>> solved = np.repeat(np.eye(2, dtype=bool), 30, axis=1)  # each agent solves half the tasks
    >>> results = np.repeat(solved[:, :, None], 11, axis=2)
    >>> outcomes = Outcomes(results.sum(2), 11, results=results)
    >>> scores = benchmark_prediction(outcomes, {"map": solved.T}, quiz_sizes=[10])
    >>> {score.method: round(score.accuracy, 1) for score in scores}
    {'Random': 0.5, 'IgnoreTask': 0.5, 'IgnoreAgent': 0.5, 'OPT': 1.0, 'map': 1.0}
    """
    seed = checks.seed(seed)
    results, points = _results(outcomes), _points(vectors, outcomes.n_tasks)
    sizes = [_quiz_size(size, outcomes.n_tasks) for size in quiz_sizes]
    solved, rates = results[:, :, 0], other_rates(outcomes)
    skills = _skills(results, np.random.default_rng([seed, 0]))
    scores = []
    for size in sizes:
        rng = np.random.default_rng([seed, size])
        train, test = draw_datasets(outcomes.n_agents, outcomes.n_tasks, size, rng)
        for method, guess in _oracles(test, rates, skills, rng):
            scores.append(PredictionScore(method, size, *folded(guess, solved, test)))
        for method, point in points.items():
            beta, at_edge = tune_beta(point, solved, train, MULTIPLES)
            guess = _vote(point, solved, test, [beta])[0] > 0.5
            found = folded(guess, solved, test)
            scores.append(PredictionScore(method, size, *found, beta, at_edge))
    return scores


def other_rates(outcomes: Outcomes) -> NDArray[np.float64]:
    """Success rates (agents, tasks) over all rollouts but the first, the ground truth."""
    rates: NDArray[np.float64] = _results(outcomes)[:, :, 1:].mean(2)
    return rates


def draw_datasets(
    agents: int, tasks: int, quiz_size: int, rng: np.random.Generator
) -> tuple[Examples, Examples]:
    """Examples for tuning and, drawn after them, examples for testing."""
    train = _draw(agents, tasks, quiz_size, rng)
    return train, _draw(agents, tasks, quiz_size, rng)


def _draw(agents: int, tasks: int, quiz_size: int, rng: np.random.Generator) -> Examples:
    rows = _different(tasks, EXAMPLES, quiz_size + 1, rng)
    return Examples(rows[:, :-1], rows[:, -1], rng.integers(0, agents, EXAMPLES))


def tune_beta(
    vectors: NDArray[np.float64],
    solved: NDArray[np.bool_],
    examples: Examples,
    multiples: NDArray[np.float64],
) -> tuple[float, bool]:
    """The beta with the best accuracy, and whether it is at an edge of the grid.

    `multiples` are the betas to try, times the mean squared distance of the vectors. Of several
    that are equally good, the middle one is used. If the first is best, distances are not
    informative; if the last is best, larger ones should be tried.
    """
    betas = multiples / (mean_squared_distance(vectors) or 1.0)
    truth = solved[examples.agent, examples.task]
    right = [((c > 0.5) == truth).sum() for c in _vote(vectors, solved, examples, betas)]
    best = np.flatnonzero(np.array(right) == max(right))
    chosen = int(best[(len(best) - 1) // 2])
    return float(betas[chosen]), chosen in (0, len(betas) - 1)


def _vote(
    vectors: NDArray[np.float64],
    solved: NDArray[np.bool_],
    examples: Examples,
    betas: Sequence[float] | NDArray[np.float64],
) -> list[NDArray[np.float64]]:
    """The votes (examples,) of the quizzes, for each beta."""
    quiz_vectors = (vectors[tasks] for tasks in examples.quiz.T)
    distances = squared_distances(vectors[examples.task], quiz_vectors)
    results = solved[examples.agent, examples.quiz.T].T  # with the memory layout of the distances
    return [soft_vote(distances, results, beta) for beta in betas]


def _oracles(
    examples: Examples,
    rates: NDArray[np.float64],
    skills: NDArray[np.float64],
    rng: np.random.Generator,
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The predictions of the baselines: random, or oracles of the agent, the task, or both."""
    known = (
        rng.random(len(examples.task)),
        skills[examples.agent],
        rates.mean(0)[examples.task],
        rates[examples.agent, examples.task],
    )
    for method, probability in zip(BASELINES, known, strict=True):
        yield method, probability > 0.5


def _skills(results: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.float64]:
    """The success rate of each agent on some tasks, in one rollout that is not the ground truth."""
    tasks = rng.permutation(results.shape[1])[:SKILL_TASKS]
    skills: NDArray[np.float64] = results[:, tasks, 1].mean(1)
    return skills


def folded(
    guess: NDArray[np.bool_], solved: NDArray[np.bool_], examples: Examples
) -> tuple[float, float]:
    """Mean accuracy over the folds, and its standard error."""
    right = guess == solved[examples.agent, examples.task]
    folds = right.reshape(FOLDS, -1).mean(1)
    return float(folds.mean()), float(folds.std(ddof=1) / np.sqrt(FOLDS))


def _different(count: int, n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`n` rows of `size` different numbers below `count`, in random order.

    A number that its row already has is replaced by the largest that could have been drawn,
    which the row cannot have yet; all sets are equally likely (Floyd's algorithm).
    """
    rows = np.empty((n, size), np.int64)
    for column, largest in enumerate(range(count - size, count)):
        drawn = rng.integers(0, largest + 1, n)
        taken = (rows[:, :column] == drawn[:, None]).any(1)
        rows[:, column] = np.where(taken, largest, drawn)
    return rng.permuted(rows, axis=1)


# -- what is passed in -------------------------------------------------------------------------


def _results(outcomes: Outcomes) -> NDArray[np.bool_]:
    if outcomes.results is None or outcomes.results.shape[2] < 2:
        raise ValueError(
            "outcomes must have the results of at least 2 rollouts, got only counts; use evaluate"
            " with keep_results=True and, as in the paper, rollouts=11"
        )
    return outcomes.results


def _points(vectors: Mapping[str, ArrayLike], tasks: int) -> dict[str, NDArray[np.float64]]:
    points = {name: checks.numbers(rows, f"vectors of {name}") for name, rows in vectors.items()}
    for name, rows in points.items():
        if name in BASELINES:
            raise ValueError(
                f"the name of vectors must not be {name}, a baseline; use another name"
            )
        if rows.ndim != 2 or len(rows) != tasks:
            raise ValueError(
                f"vectors of {name} must have one row per task ({tasks} tasks), got shape"
                f" {rows.shape}"
            )
    return points


def _quiz_size(size: int, tasks: int) -> int:
    if checks.whole(size, "a quiz size", 1) >= tasks:
        raise ValueError(
            f"a quiz size must be less than the number of tasks, got {size} for {tasks} tasks"
        )
    return int(size)
