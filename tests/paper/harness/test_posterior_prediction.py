"""Quizzes by profiles: the quizzed agent is not among the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.predictor import PerformancePredictor
from taskspace.paper.harness.posterior_prediction import benchmark_posterior
from taskspace.paper.harness.quiz_prediction import benchmark_prediction

RNG = np.random.default_rng(0)
KINDS = np.repeat(np.eye(2), 30, axis=1)


class Known:
    """Knows exactly who solves what."""

    def __init__(self, chances: Any) -> None:
        self.chances, self.sample_ = chances, np.arange(chances.shape[1])[:, None]

    def predict_proba(self, tasks: Any) -> Any:
        return self.chances[:, np.asarray(tasks)[:, 0].astype(int)]


def pool(chances: Any) -> ts.Outcomes:
    results = RNG.random((*chances.shape, 11)) < chances[..., None]
    features = np.arange(chances.shape[1])[:, None]
    return ts.Outcomes(results.sum(2), 11, results=results, features=features)  # type: ignore[arg-type]


@pytest.mark.slow
def test_agents_of_two_kinds_are_told_by_others_of_their_kind() -> None:
    chances = 0.02 + 0.96 * KINDS[np.arange(20) % 2]
    outcomes = pool(chances)
    predictor = PerformancePredictor().fit(Known(chances))
    scores = benchmark_posterior(outcomes, predictor, quiz_sizes=[1, 5])
    assert [(s.method, s.quiz_size) for s in scores] == [("posterior", 1), ("posterior", 5)]
    best = [s for s in benchmark_prediction(outcomes, {}, quiz_sizes=[5]) if s.method == "OPT"]
    assert scores[1].accuracy > best[0].accuracy - 0.02


@pytest.mark.slow
def test_of_a_family_nobody_is_a_candidate() -> None:
    chances = 0.02 + 0.96 * KINDS[np.arange(20) % 2]
    predictor = PerformancePredictor().fit(Known(chances))
    families = (["even", "odd"] * 10,) * 2
    (known,), (stranger,) = (
        benchmark_posterior(pool(chances), predictor, quiz_sizes=[5], families=given)
        for given in (None, families)
    )
    assert stranger.accuracy < known.accuracy - 0.1


def test_new_agents_are_compared_with_all_known_ones() -> None:
    known, new = (0.02 + 0.96 * KINDS[np.arange(n) % 2] for n in (20, 7))
    predictor = PerformancePredictor().fit(Known(known))
    families = (["new"] * 7, ["known"] * 20)
    (score,) = benchmark_posterior(pool(new), predictor, quiz_sizes=[5], families=families)
    assert score.accuracy > 0.9


@pytest.mark.slow
def test_an_agent_does_not_find_itself() -> None:
    # Everybody is alone: who solves what tells nothing about anybody else.
    chances = np.where(RNG.random((20, 200)) < 0.5, 0.99, 0.01)
    scores = benchmark_posterior(
        pool(chances), PerformancePredictor().fit(Known(chances)), quiz_sizes=[20]
    )
    assert abs(scores[0].accuracy - 0.5) < 0.05
