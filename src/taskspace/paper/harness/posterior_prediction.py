"""The examples of Figure 5, predicted by the posterior of a success model.

The quizzed agent is neither among the candidates nor part of a mixture of candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.posterior import Posterior
from taskspace.applications.predictor import PerformancePredictor
from taskspace.models.success.factors import Floats
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.harness.quiz_prediction import (
    Examples,
    PredictionScore,
    draw_datasets,
    folded,
)


def benchmark_posterior(
    outcomes: Outcomes,
    predictor: PerformancePredictor,
    *,
    quiz_sizes: Sequence[int],
    families: tuple[Sequence[str], Sequence[str]] | None = None,
    seed: int = 0,
) -> list[PredictionScore]:
    """Score a predictor that was fitted to a success model, on tasks that are new to it.

    `outcomes` are as for `benchmark_prediction`, which draws the same examples with this seed.
    `families` are the names of the family of each quizzed agent and of each agent of the model; no
    agent of the quizzed agent's family is a candidate. By default, both are the same agents, and
    each is its own family.
    """
    assert outcomes.results is not None
    assert predictor.model_ is not None
    assert predictor.candidates_ is not None
    every = range(outcomes.n_agents)
    quizzed, known = map(np.asarray, (every, every) if families is None else families)
    solved = outcomes.results[:, :, 0]
    tests = {
        size: draw_datasets(
            outcomes.n_agents, outcomes.n_tasks, size, np.random.default_rng([seed, size])
        )[1]
        for size in quiz_sizes
    }
    probabilities = {size: np.empty(len(test.task)) for size, test in tests.items()}
    profile = predictor.model_.predict_proba(outcomes.features)
    for agent in every:
        others = predictor.candidates_.posterior(profile[known != quizzed[agent]])
        for size, test in tests.items():
            own = np.flatnonzero(test.agent == agent)
            probabilities[size][own] = _predicted(others, test, own, solved[agent])
    return [
        PredictionScore("posterior", size, *folded(probabilities[size] > 0.5, solved, test))
        for size, test in tests.items()
    ]


def _predicted(
    posterior: Posterior, test: Examples, chosen: NDArray[np.int64], solved: NDArray[np.bool_]
) -> Floats:
    """The predicted probability for the task of each chosen example, all of one agent."""
    quiz = test.quiz[chosen]
    weights = posterior.weights_of_many(quiz, solved[quiz].astype(np.float64))
    voted: Floats = (weights * posterior.profiles[test.task[chosen]]).sum(1)
    return voted
