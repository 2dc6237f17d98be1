"""What the page's predictions leave out of the predictor: the share of its linear model."""

from __future__ import annotations

from typing import Any

import numpy as np

from taskspace.applications.linear_share import blend
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.linear_population import Floats

_AGENTS, _QUESTIONS, _TASKS = 20, 10, 500  # most that the difference is measured with


def omitted_share(predictor: PerformancePredictor, rates: Floats) -> dict[str, Any] | None:
    """How predictions without the linear share differ from whole ones; None if they do not.

    Known agents, which have these success rates or normalised returns (agents, tasks), take quizzes
    of ten random tasks.
    """
    if not predictor.linear_share_ or predictor.population_ is None:
        return None
    rng = np.random.default_rng(0)
    some = rng.permutation(rates.shape[1])[:_TASKS]
    differences = []
    for agent in rng.permutation(len(rates))[:_AGENTS]:
        tried = np.flatnonzero(~np.isnan(rates[agent]))
        quiz = rng.permutation(tried)[:_QUESTIONS]
        if not len(quiz):
            continue
        results, mixture = rates[agent, quiz], TaskMixture.known(some)
        weights = predictor.weights_of(quiz, results)
        without = predictor.posterior_.after(quiz, results).mean(weights, mixture)
        linear = predictor.population_, predictor.linear_share_
        whole = blend(without, *linear, quiz, results, mixture)
        differences.append(np.abs(whole - without))
    return {
        "share": round(predictor.linear_share_, 4),
        "mean": round(float(np.mean(differences)), 4),
        "largest": round(float(np.max(differences)), 4),
    }
