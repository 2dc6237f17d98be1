"""Soft nearest neighbours (Section 7.1 of the paper): prediction from a map alone.

The prediction for a task is the mean result on the quiz, weighted by closeness on the map. Unlike
`PerformancePredictor`, it takes neither the difficulty of the task nor other agents into account.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.task_mixtures import Embedder, quiz_results, vectors_of
from taskspace.models.success.factors import Floats

# Default of beta times the mean squared distance between quiz tasks. Measured on MultiKeyNav and
# CartPoleVar for quizzes of 3 to 20 tasks, against betas tuned for each size.
SHARPNESS = 4.0

_LARGEST = float(np.finfo(np.float64).max)


def soft_neighbours(
    embedder: Embedder,
    quiz: Any,
    results: ArrayLike,
    tasks: Any,
    *,
    beta: float | None = None,
) -> Floats:
    """Predict the probability that an agent solves each task, by a weighted vote of the quiz tasks.

    Args:
        embedder: A map of the tasks.
        quiz: The tasks that the agent has tried, at least one.
        results: Its results on the quiz: 0 and 1, booleans, or success rates; NaN is a skipped
            answer.
        tasks: The tasks to predict.
        beta: How fast the weight of a quiz task falls with distance: 0 gives the mean of all
            results, a large value the result of the nearest task. The default is 4 divided by the
            mean squared distance between the quiz tasks.

    Returns:
        One probability per task.

    Raises:
        ValueError: If an argument has the wrong form.

    >>> from sklearn.preprocessing import StandardScaler
    >>> tasks = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> embedder = StandardScaler().fit(tasks)  # or a TaskEmbedder
    >>> soft_neighbours(embedder, tasks, [1, 1, 0, 0], [[0.5], [5.0], [9.5]]).round(2)
    array([1. , 0.5, 0. ])
    """
    given = quiz_results(results, quiz)
    answered = ~np.isnan(given)
    if not answered.any():
        raise ValueError("quiz must have at least one task with a result, got none")
    checks.listed(tasks, "tasks")
    if beta is not None:
        beta = _number(beta)
    quiz_vectors = vectors_of(embedder, quiz, "the quiz tasks")[answered]
    vectors = vectors_of(embedder, tasks, "the tasks")
    if beta is None:
        beta = default_beta(quiz_vectors)
    return soft_vote(squared_distances(vectors, quiz_vectors), given[answered], beta)


def default_beta(quiz_vectors: Floats) -> float:
    """The default beta, which adapts to the scale of the vectors (quiz, dimensions).

    It depends on the quiz alone: the prediction for a task must not depend on the other tasks
    that are predicted. If all quiz vectors are equal, all tasks have the same weight.
    """
    scale = mean_squared_distance(quiz_vectors)
    return SHARPNESS / scale if scale > 0 else 0.0


def mean_squared_distance(vectors: Floats) -> float:
    """Mean squared distance over all pairs of different rows; 0 for a single row.

    >>> mean_squared_distance(np.array([[0.0], [1.0], [3.0]]))  # (1 + 4 + 9) / 3
    4.66...
    """
    with np.errstate(over="ignore"):
        spread = float(((vectors - vectors.mean(0)) ** 2).sum())
    return 2 * spread / max(len(vectors) - 1, 1)


def squared_distances(vectors: Floats, quiz: Iterable[Floats]) -> Floats:
    """Squared distances (n, quiz) of each of the n vectors from the tasks of its quiz.

    Each item of `quiz` is one vector, shared by all n, or n vectors. Processing one item at a
    time saves memory and is exact, unlike inner products of vectors far from 0.
    """
    with np.errstate(over="ignore"):
        columns = [((vectors - other) ** 2).sum(1) for other in quiz]
    return np.stack(columns).T  # this memory layout makes sums over a quiz faster


def soft_vote(distances: Floats, results: NDArray[Any], beta: float) -> Floats:
    """Mean result (n,) of quiz tasks at squared distances (n, quiz), weighted exp(-beta distance).

    `results` are (n, quiz), or (quiz,) if all n share one quiz.

    >>> soft_vote(np.array([[0.0, np.log(3.0)]]), np.array([1, 0]), beta=1.0)
    array([0.75])
    """
    # Infinity is replaced by the largest number, to avoid 0 * inf and inf - inf.
    beta, distances = min(beta, _LARGEST), np.minimum(distances, _LARGEST)
    # Weights relative to the nearest task, so that they do not all underflow to 0.
    behind = distances - distances.min(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        weights = np.exp(-beta * behind)
    voted: Floats = (weights * results).sum(1) / weights.sum(1)
    return voted


def _number(beta: Any) -> float:
    value = checks.numbers(beta, "beta")
    if value.ndim or value < 0:
        raise ValueError(f"beta must be a number of at least 0, got {checks.brief(beta)}")
    return float(value)
