"""Will it solve this task? An agent's chances, from how it did on a small quiz of other tasks.

With the outcomes of other agents, the answers say which of these the agent is like; `posterior.py`
has the method. With a map alone, the answer is a vote of the quiz tasks, each weighted by how close
it lies to the task in question (soft nearest neighbours, Section 7.1 of the paper); the vote does
not know how hard a task is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.known_tasks import Embedder, Mix, mix_of, vectors_of
from taskspace.applications.model_posterior import ModelPosterior, Profiler, fit_model_posterior
from taskspace.applications.posterior import AgentPosterior, fit_posterior
from taskspace.outcomes import Outcomes
from taskspace.success.factors import Floats

# beta times the mean squared distance between quiz tasks, where beta is not given. Measured on
# MultiKeyNav and CartPoleVar for quizzes of 3 to 20 tasks, against betas tuned for each size.
SHARPNESS = 4.0

_LARGEST = float(np.finfo(np.float64).max)


@overload
def predict(
    embedder: Embedder | Profiler | ModelPosterior | None,
    quiz_tasks: Any,
    quiz_results: ArrayLike,
    tasks: Any,
    *,
    outcomes: Outcomes | AgentPosterior | None = None,
    beta: float | None = None,
    interval: None = None,
) -> Floats: ...


@overload
def predict(
    embedder: Embedder | Profiler | ModelPosterior | None,
    quiz_tasks: Any,
    quiz_results: ArrayLike,
    tasks: Any,
    *,
    outcomes: Outcomes | AgentPosterior | None = None,
    beta: float | None = None,
    interval: float,
) -> tuple[Floats, Floats, Floats]: ...


def predict(
    embedder: Embedder | Profiler | ModelPosterior | None,
    quiz_tasks: Any,
    quiz_results: ArrayLike,
    tasks: Any,
    *,
    outcomes: Outcomes | AgentPosterior | None = None,
    beta: float | None = None,
    interval: float | None = None,
) -> Floats | tuple[Floats, Floats, Floats]:
    """The probability that an agent solves each of `tasks`, given its results on a quiz.

    Results are 0 and 1, booleans, or success rates; a rate counts as one attempt.

    With `outcomes` of other agents, the agent is taken to be like some of these, or like agents
    that there might be, as far as its answers agree; this is the better way. Tasks are then names
    or numbers of tasks in the outcomes, or rows of features. The embedder finds tried tasks that
    are like a new one, and helps with agents of a new kind; it may be None if all tasks are in the
    outcomes. Learning takes seconds: for many quizzes, give `fit_posterior(outcomes)` instead.

    >>> import numpy as np, taskspace as ts
    >>> outcomes = ts.Outcomes([[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9, 1, tasks=list("abcd"))
    >>> predict(None, ["a"], [1], ["b", "c", "d"], outcomes=outcomes).round(1)
    array([1. , 0.3, 0. ])

    With an `interval`, 0.9 say, the answer is three arrays: the chances, and bounds between which
    the agent's success probability lies in 90 % of the cases, as far as the answers and the
    other agents tell. It is the share of successes in many attempts that is meant, not
    the result of the next one. Bounds are whole percents; equal shares of the doubt lie outside.

    >>> _, low, high = predict(None, ["a"], [1], ["b", "c"], outcomes=outcomes, interval=0.9)
    >>> low.round(1), high.round(1)
    (array([0.9, 0. ]), array([1. , 0.8]))

    In place of the embedder there may be a `SuccessModel`, which needs no outcomes and is the best
    way of all where tasks are new. (For many quizzes, give `fit_model_posterior(model)` instead.)

    Without outcomes the quiz tasks vote. `beta` says how fast a quiz task loses weight with
    distance: 0 gives the mean of all results, a large one the result of the nearest task. By
    default it is 4 divided by the mean squared distance between the quiz tasks.

    >>> from sklearn.preprocessing import StandardScaler
    >>> tasks = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> embedder = StandardScaler().fit(tasks)  # or a TaskEmbedder
    >>> predict(embedder, tasks, [1, 1, 0, 0], [[0.5], [5.0], [9.5]]).round(2)
    array([1. , 0.5, 0. ])
    """
    results = _quiz_results(quiz_results, quiz_tasks)
    checks.listed(tasks, "tasks")
    level = None if interval is None else level_of(interval)
    if isinstance(embedder, (Profiler, ModelPosterior)):
        if outcomes is not None or beta is not None:
            raise ValueError("a success model needs neither outcomes nor beta")
        return _by_model(embedder, quiz_tasks, results, tasks, level)
    if outcomes is not None:
        if beta is not None:
            raise ValueError("beta belongs to the vote, which is not used where there are outcomes")
        return _by_posterior(embedder, quiz_tasks, results, tasks, outcomes, level)
    if embedder is None:
        raise ValueError("there is nothing to predict from: give an embedder, outcomes or both")
    if interval is not None:
        raise ValueError("an interval needs the outcomes of other agents, which are not given")
    return _by_vote(embedder, quiz_tasks, results, tasks, beta)


def _by_model(
    source: Profiler | ModelPosterior,
    quiz_tasks: Any,
    results: Floats,
    tasks: Any,
    level: float | None,
) -> Floats | tuple[Floats, Floats, Floats]:
    posterior = source if isinstance(source, ModelPosterior) else fit_model_posterior(source)
    quiz, asked = posterior.on(quiz_tasks), posterior.on(tasks)
    if len(quiz.profiles) != len(results):
        raise ValueError(f"{len(quiz.profiles)} quiz tasks, but {len(results)} results")
    weights = quiz.weights(Mix.known(np.arange(len(results))), results)
    every = Mix.known(np.arange(len(asked.profiles)))
    chances = asked.chances(weights, every)
    return chances if level is None else (chances, *asked.interval(weights, every, level))


def _by_posterior(
    embedder: Embedder | None,
    quiz_tasks: Any,
    results: Floats,
    tasks: Any,
    source: Outcomes | AgentPosterior,
    level: float | None,
) -> Floats | tuple[Floats, Floats, Floats]:
    known = source.outcomes if isinstance(source, AgentPosterior) else source
    if not isinstance(known, Outcomes):
        raise TypeError(f"outcomes must be Outcomes or an AgentPosterior, not {source!r}")
    quiz = mix_of(quiz_tasks, known, embedder, "the quiz tasks")
    asked = mix_of(tasks, known, embedder, "the tasks")
    posterior = source if isinstance(source, AgentPosterior) else _learn(source, embedder)
    weights = posterior.weights(quiz, results)
    chances = posterior.chances(weights, asked)
    return chances if level is None else (chances, *posterior.interval(weights, asked, level))


def _learn(outcomes: Outcomes, embedder: Embedder | None) -> AgentPosterior:
    if embedder is None:
        return fit_posterior(outcomes)
    tasks = outcomes.tasks if outcomes.features is None else outcomes.features
    return fit_posterior(outcomes, vectors=vectors_of(embedder, tasks, "the known tasks"))


def _by_vote(
    embedder: Embedder,
    quiz_tasks: Any,
    results: Floats,
    tasks: Any,
    beta: float | None,
) -> Floats:
    if beta is not None:
        beta = _number(beta)
    quiz_vectors = vectors_of(embedder, quiz_tasks, "the quiz tasks")
    vectors = vectors_of(embedder, tasks, "the tasks")
    if beta is None:
        beta = default_beta(quiz_vectors)
    return soft_vote(squared_distances(vectors, quiz_vectors), results, beta)


def default_beta(quiz_vectors: Floats) -> float:
    """A beta that suits the scale of the vectors (quiz, dimensions) and needs no tuning.

    It depends on the quiz alone: what is predicted for a task must not depend on the others
    that are asked about. Where all quiz tasks lie in one place, all have the same weight.
    """
    scale = mean_squared_distance(quiz_vectors)
    return SHARPNESS / scale if scale > 0 else 0.0


def mean_squared_distance(vectors: Floats) -> float:
    """The mean over all pairs of different rows; 0 for a single row.

    >>> mean_squared_distance(np.array([[0.0], [1.0], [3.0]]))  # (1 + 4 + 9) / 3
    4.66...
    """
    with np.errstate(over="ignore"):
        spread = float(((vectors - vectors.mean(0)) ** 2).sum())
    return 2 * spread / max(len(vectors) - 1, 1)


def squared_distances(vectors: Floats, quiz: Iterable[Floats]) -> Floats:
    """Squared distances (n, quiz) of each of the n vectors from the tasks of its quiz.

    Each item of `quiz` is one vector, for all the same, or n of them. One at a time keeps
    memory small and is exact, which inner products of vectors far from 0 are not.
    """
    with np.errstate(over="ignore"):
        columns = [((vectors - other) ** 2).sum(1) for other in quiz]
    return np.stack(columns).T  # columns stay together in memory: sums over a quiz run faster


def soft_vote(distances: Floats, results: NDArray[Any], beta: float) -> Floats:
    """Mean result (n,) of quiz tasks at squared distances (n, quiz), weighted exp(-beta distance).

    `results` are (n, quiz), or (quiz,) for the same quiz throughout.

    >>> soft_vote(np.array([[0.0, np.log(3.0)]]), np.array([1, 0]), beta=1.0)
    array([0.75])
    """
    # Infinity is as good as the largest number, and does not make 0 * inf or inf - inf.
    beta, distances = min(beta, _LARGEST), np.minimum(distances, _LARGEST)
    # Weights relative to that of the nearest task: far from all, they would all be 0.
    behind = distances - distances.min(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        weights = np.exp(-beta * behind)
    voted: Floats = (weights * results).sum(1) / weights.sum(1)
    return voted


def _quiz_results(quiz_results: ArrayLike, quiz_tasks: Any) -> Floats:
    count = checks.listed(quiz_tasks, "quiz_tasks")
    results = checks.numbers(quiz_results, "quiz_results")
    if results.ndim != 1:
        raise ValueError(
            f"quiz_results must be one number a quiz task, not an array of shape {results.shape}"
        )
    if len(results) != count:
        raise ValueError(f"{count} quiz tasks, but {len(results)} results")
    if not len(results):
        raise ValueError("the quiz is empty; it needs at least one task")
    if results.min() < 0 or results.max() > 1:
        raise ValueError("quiz_results must be 0 and 1, or success rates between them")
    return results


def level_of(interval: Any) -> float:
    """The level of an interval, or one sentence on what is wrong with it."""
    value = checks.array(interval, "interval")
    if value.ndim or value.dtype.kind not in "iuf" or not 0 < value < 1:
        raise ValueError(
            f"interval must be a number between 0 and 1, such as 0.9, not {interval!r}"
        )
    return float(value)


def _number(beta: Any) -> float:
    value = checks.numbers(beta, "beta")
    if value.ndim or value < 0:
        raise ValueError(f"beta must be a number from 0 on, not {beta!r}")
    return float(value)
