"""A comparison of predictors on new agents, which are quizzed and then predicted.

The tasks of every new agent are put in random order. The first ones are its quiz, with one attempt
each; those after the largest quiz are predicted, the same ones at every quiz size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.soft_neighbours import default_beta, soft_vote, squared_distances
from taskspace.models.success.item_response import fit_item_response
from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
# From indices of quiz tasks, results on them, and indices of other tasks to probabilities.
Predictor = Callable[[Numbers, Floats, Numbers], Floats]

QUIZ_SIZES = (1, 5, 10, 20)
BINS = 10


@dataclass(frozen=True, eq=False)
class PredictorScore:
    """The quality of a predictor over all predicted attempts, at one quiz size."""

    method: str
    quiz_size: int
    accuracy: float  # fraction of attempts whose more probable outcome occurs
    brier: float  # mean squared difference between probability and result
    reliability: Floats  # (3, bins): probability, success rate, fraction of attempts

    @property
    def calibration_error(self) -> float:
        """The expected calibration error."""
        return calibration_error(self.reliability)


def predictors(known: Outcomes, vectors: ArrayLike, *, seed: int = 0) -> dict[str, Predictor]:
    """All predictors by name, fitted to the known agents.

    `vectors` (tasks, dimensions) are a map of the tasks, which the vote and the posterior use. The
    quiz mean is IgnoreTask of the paper, which knows only the skill of the agent.
    """
    points = checks.numbers(vectors, "vectors")
    if points.ndim != 2 or len(points) != known.n_tasks:
        raise ValueError(
            f"vectors must have one row per task ({known.n_tasks}), got an array of shape"
            f" {points.shape}"
        )
    given = SimpleNamespace(transform=lambda tasks: points)
    predictor = PerformancePredictor(embedder=given, random_state=seed).fit(known)
    solved, tried = known.successes.sum(0, np.float64), known.rollouts.sum(0, np.float64)
    means = (solved + 1) / (tried + 2)

    def vote(quiz: Numbers, results: Floats, tasks: Numbers) -> Floats:
        distances = squared_distances(points[tasks], points[quiz])
        return soft_vote(distances, results, default_beta(points[quiz]))

    return {
        "vote": vote,
        "quiz mean": lambda quiz, results, tasks: np.full(len(tasks), results.mean()),
        "item mean": lambda quiz, results, tasks: means[tasks],
        "Rasch": fit_item_response(known, same_slopes=True).predict,
        "2PL": fit_item_response(known).predict,
        "posterior": predictor.predict_proba,
    }


def compare_predictors(
    methods: Mapping[str, Predictor],
    new: Outcomes,
    *,
    quiz_sizes: Sequence[int] = QUIZ_SIZES,
    seed: int = 0,
) -> list[PredictorScore]:
    """Score all methods on new agents, at every quiz size.

    `new` are the outcomes of these agents on the tasks of the methods, in the same order.

    >>> new = Outcomes([[1, 1, 1, 0], [1, 1, 0, 1]], 1)
    >>> methods = {"hopeful": lambda quiz, results, tasks: np.full(len(tasks), 0.75)}
    >>> [score] = compare_predictors(methods, new, quiz_sizes=[1])
    >>> score.method, score.quiz_size, round(score.accuracy, 2), round(score.brier, 2)
    ('hopeful', 1, 0.67, 0.23)
    """
    rng = np.random.default_rng(checks.seed(seed))
    sizes = [checks.whole(size, "a quiz size", 1) for size in quiz_sizes]
    examples = [_example(agent, new, max(sizes), rng) for agent in range(new.n_agents)]
    return [
        _score(name, method, size, [example for example in examples if example])
        for size in sizes
        for name, method in methods.items()
    ]


_Example = tuple[Numbers, Floats, Numbers, Floats]  # quiz, answers, tasks, rates


def _example(agent: int, new: Outcomes, size: int, rng: np.random.Generator) -> _Example | None:
    """The largest quiz of an agent and the tasks to predict, or None with too few tasks."""
    order = rng.permutation(np.flatnonzero(new.rollouts[agent]))
    if len(order) <= size:
        return None
    rates = new.successes[agent, order] / new.rollouts[agent, order].astype(np.float64)
    answers = (rng.random(size) < rates[:size]).astype(np.float64)
    return order[:size], answers, order[size:], rates[size:]


def _score(name: str, method: Predictor, size: int, examples: Iterable[_Example]) -> PredictorScore:
    predicted, rates = [], []
    for quiz, answers, tasks, truth in examples:
        predicted.append(method(quiz[:size], answers[:size], tasks))
        rates.append(truth)
    if not predicted:
        raise ValueError("new agents must have more tasks than the largest quiz, got none that has")
    p, r = np.concatenate(predicted), np.concatenate(rates)
    accuracy = np.where(p > 0.5, r, 1 - r).mean()
    brier = (r * (1 - p) ** 2 + (1 - r) * p**2).mean()
    return PredictorScore(name, size, float(accuracy), float(brier), reliability(p, r))


def reliability(probabilities: Floats, rates: Floats) -> Floats:
    """Mean probability, success rate and fraction of attempts (3, BINS) per bin of probability.

    >>> reliability(np.array([0.11, 0.13, 0.95]), np.array([0.0, 1.0, 1.0]))[:, [1, 9]].round(2)
    array([[0.12, 0.95],
           [0.5 , 1.  ],
           [0.67, 0.33]])
    """
    bins = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(bins, minlength=BINS)
    with np.errstate(invalid="ignore"):
        sums = [np.bincount(bins, x, minlength=BINS) / count for x in (probabilities, rates)]
    return np.stack([*sums, count / len(probabilities)])


def score_table(runs: Sequence[Sequence[PredictorScore]]) -> str:
    """A text table of accuracy, Brier score and calibration error: mean ± standard deviation.

    The standard deviation is over the runs; it is 0 for a single run.
    """
    lines = [f"{'quiz':>4} {'method':<10} {'accuracy':>15} {'Brier':>15} {'calibration':>15}"]
    for scores in zip(*runs, strict=True):
        found = np.array([(s.accuracy, s.brier, s.calibration_error) for s in scores])
        cells = (f"{m:.3f} ± {d:.3f}" for m, d in zip(found.mean(0), found.std(0), strict=True))
        first = scores[0]
        lines.append(
            f"{first.quiz_size:>4} {first.method:<10} " + " ".join(f"{cell:>15}" for cell in cells)
        )
    return "\n".join(lines)


def mean_reliability(scores: Iterable[PredictorScore]) -> Floats:
    """The reliability (3, BINS) of all attempts of several runs together."""
    return mean_curve([score.reliability for score in scores])


def mean_curve(curves: Sequence[ArrayLike]) -> Floats:
    """The mean of reliabilities (3, bins) with equal numbers of attempts."""
    every = np.asarray(curves, np.float64)
    fractions = every[:, 2]
    fraction = fractions.sum(0)
    with np.errstate(invalid="ignore"):
        means = (np.nan_to_num(every[:, :2]) * fractions[:, None]).sum(0) / fraction
    return np.vstack([means, fraction / len(every)])


def calibration_error(reliability: ArrayLike) -> float:
    """The expected calibration error, from the `reliability` (3, bins).

    >>> calibration_error([[0.25, 0.75], [0.25, 0.5], [0.4, 0.6]])
    0.15
    """
    predicted, observed, fraction = np.asarray(reliability, np.float64)
    return float(np.nansum(fraction * np.abs(predicted - observed)))
