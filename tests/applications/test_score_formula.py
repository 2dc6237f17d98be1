"""The score as a formula is the estimate of `PerformancePredictor.score`."""

from __future__ import annotations

import numpy as np

from taskspace.applications.replay import replay
from taskspace.applications.score_formula import ScoreFormula, score_formula
from taskspace.applications.scores import estimate_scores
from taskspace.models.linear_population import LinearPopulation

RNG = np.random.default_rng(0)
SOLVED = RNG.normal(size=(41, 1)) + RNG.normal(size=(41, 90)) > RNG.normal(size=90)
POPULATION = LinearPopulation.from_rates(SOLVED[1:].astype(np.float64), None, 0)
GROUPS = np.arange(90) % 4 - 1  # a quarter of the tasks is in no group
ANSWERED = RNG.permutation(90)[:25]


def formula_of(
    answered: np.ndarray, groups: np.ndarray, among: np.ndarray | None = None
) -> ScoreFormula:
    errors = replay(POPULATION, answered, groups)
    return score_formula(errors, answered, groups, among)


def test_it_gives_the_same_scores() -> None:
    results = SOLVED[0, ANSWERED].astype(np.float64)
    names = np.array(["a", "b", "c"])
    scores = estimate_scores(POPULATION, ANSWERED, results, names, GROUPS, 0.9).scores
    formula = formula_of(ANSWERED, GROUPS)
    np.testing.assert_allclose(formula.apply(results[None])[0], scores, rtol=1e-6)


def test_with_all_tasks_answered_it_is_the_plain_mean() -> None:
    everything = np.arange(90)
    formula = formula_of(everything, np.zeros(90, np.int64))
    np.testing.assert_allclose(formula.weights, 1 / 90, rtol=1e-6)
    np.testing.assert_allclose(formula.intercepts, 0, atol=1e-9)


def test_only_the_tasks_among_those_that_count_are_predicted() -> None:
    among = np.sort(ANSWERED)
    formula = formula_of(ANSWERED, np.zeros(90, np.int64), among)
    np.testing.assert_allclose(formula.weights, 1 / 25, rtol=1e-6)
