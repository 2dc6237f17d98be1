"""Predictions of returns: how often intervals contain the truth, and how large errors are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from taskspace.applications.predictor import PerformancePredictor
from taskspace.bench.printing import print_lines
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]

SIZES, LEVEL = (1, 5, 20), 0.9
AGENTS, NEW, TASKS, SKILLS = 80, 20, 100, 3
DISPERSION = 0.1  # of attempts: a tenth of the variance of successes
OWN = 0.3  # log odds: the part of an agent's ability on a task that no skill explains
SEEDS = range(10, 15)  # 0 to 3 were used to choose the settings of the predictor


@dataclass(frozen=True)
class Coverage:
    """What was measured after a quiz, with errors in standard deviations of the known returns."""

    inside: float  # fraction of intervals of single tasks that contain the truth
    error: float  # root mean square error of predictions
    error_of_means: float  # of the known agents' mean returns as predictions
    scores_inside: float  # fraction of intervals of the mean return that contain it


def simulated(
    seed: int, attempts: int, *, features: bool = False
) -> tuple[Floats, Floats, Floats | None]:
    """Expected returns (agents, tasks), single ones (agents, tasks, attempts), and features."""
    rng = np.random.default_rng(seed)
    loads = 1.5 * rng.normal(size=(TASKS, SKILLS)) / np.sqrt(SKILLS)
    levels, skills = rng.normal(size=TASKS), rng.normal(size=(AGENTS, SKILLS))
    own = OWN * rng.normal(size=(AGENTS, TASKS))
    p = 1 / (1 + np.exp(-(skills @ loads.T + levels + own)))[..., None]
    total = 1 / DISPERSION - 1
    drawn = rng.beta(total * p, total * (1 - p), (AGENTS, TASKS, attempts))
    low, width = (-200.0, 150.0) if features else _ranges(rng)
    columns = np.column_stack([loads, levels]) if features else None
    single = np.reshape(low, (-1, 1)) + np.reshape(width, (-1, 1)) * drawn
    return low + width * p[..., 0], single, columns


def _ranges(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The lowest return and the range of returns of each task."""
    return 50 * rng.normal(size=TASKS), 30 * np.exp(rng.normal(size=TASKS))


def known_outcomes(returns: Floats, features: Floats | None, new: int = NEW) -> Outcomes:
    """The outcomes of all but the last agents, from single returns (agents, tasks, attempts)."""
    attempts = returns.shape[2]
    spreads = returns.std(2, ddof=1)[:-new] if attempts > 1 else None
    means = returns.mean(2)[:-new]
    return Outcomes.from_returns(means, attempts, spreads=spreads, features=features)


def fitted(outcomes: Outcomes) -> PerformancePredictor:
    """The predictor of a table or, if tasks have features, of a model."""
    if outcomes.features is None:
        return PerformancePredictor().fit(outcomes)
    model = SuccessModel(random_state=0).fit(outcomes)
    predictor = PerformancePredictor().fit(model).over(outcomes.features, outcomes.tasks)
    predictor.population_ = LinearPopulation.fit(outcomes)  # as in a run folder
    return predictor


def coverage(
    known: Outcomes, truth: Floats, answers: Floats, sizes: Sequence[int] = SIZES, seed: int = 0
) -> dict[int, Coverage]:
    """Measure predictions for new agents after random quizzes, by the number of answers.

    Args:
        known: The outcomes of known agents.
        truth: The expected returns of new agents (agents, tasks).
        answers: Single returns of the new agents (agents, tasks).
        sizes: The numbers of answers.
        seed: The seed of the quizzes.

    Returns:
        The measurements for each number of answers.
    """
    assert known.returns is not None
    predictor, rng = fitted(known), np.random.default_rng(seed)
    means, spread = known.returns.mean(0), known.returns.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    found = {}
    for size in sizes:
        inside, errors, plain, scores = [], [], [], []
        for true, given in zip(truth, answers, strict=True):
            quiz, others = np.split(rng.permutation(len(true)), [size])
            low, high = predictor.interval(quiz, given[quiz], others, LEVEL)
            inside.append((low <= true[others]) & (true[others] <= high))
            predicted = predictor.predict(quiz, given[quiz], others)
            errors.append((predicted - true[others]) / spread[others])
            plain.append((means[others] - true[others]) / spread[others])
            score = predictor.score(quiz, given[quiz], level=LEVEL)
            scores.append(score.low[0] <= true.mean() <= score.high[0])
        found[size] = Coverage(
            float(np.mean(inside)), _size(errors), _size(plain), float(np.mean(scores))
        )
    return found


def _size(errors: list[Floats]) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def of_simulated(attempts: int, *, features: bool = False) -> dict[int, Coverage]:
    """The mean measurements over seeds, for new agents that answer with single attempts."""
    found = []
    for seed in SEEDS:
        truth, returns, columns = simulated(seed, attempts, features=features)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few tasks, and returns beyond those known
            known = known_outcomes(returns, columns)
            found.append(coverage(known, truth[-NEW:], returns[-NEW:, :, 0]))
    return _mean(found)


def held_out(outcomes: Outcomes, folds: int = 4, seed: int = 0) -> dict[int, Coverage]:
    """The measurements on a table of single returns, whose agents are left out in turn."""
    assert outcomes.returns is not None
    returns, found = outcomes.returns.astype(np.float64), []
    for new in np.array_split(np.random.default_rng(seed).permutation(len(returns)), folds):
        known = outcomes.of_agents(np.delete(outcomes.agents, new))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # returns beyond those known
            found.append(coverage(known, returns[new], returns[new], seed=seed))
    return _mean(found)


def _mean(found: list[dict[int, Coverage]]) -> dict[int, Coverage]:
    names = list(Coverage.__dataclass_fields__)
    return {
        size: Coverage(*(float(np.mean([getattr(f[size], n) for f in found])) for n in names))
        for size in found[0]
    }


def print_coverage(console: Console, title: str, found: dict[int, Coverage]) -> None:
    """Print one table, with one column per number of answers."""
    lines: dict[str, Callable[[Coverage], str]] = {
        f"{LEVEL:.0%} intervals of returns that contain it": lambda each: f"{each.inside:.1%}",
        f"{LEVEL:.0%} intervals of the mean return": lambda each: f"{each.scores_inside:.1%}",
        "error (standard deviations)": lambda each: f"{each.error:.2f}",
        "error of the mean return of known agents": lambda each: f"{each.error_of_means:.2f}",
    }
    print_lines(console, title, lines, {f"{size} answers": each for size, each in found.items()})


def print_report(console: Console) -> None:
    """Print one table per simulated population."""
    tables = {
        "A table, five attempts per pair": of_simulated(5),
        "A table, one attempt per pair": of_simulated(1),
        "Tasks with features, five attempts per pair": of_simulated(5, features=True),
    }
    for title, found in tables.items():
        print_coverage(console, title, found)
