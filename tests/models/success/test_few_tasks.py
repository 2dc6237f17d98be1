"""Few tasks: the better candidate is chosen, and the means unless another one is clearly better."""

from __future__ import annotations

import numpy as np
import torch

from taskspace.models.success.few_tasks import Candidate, choose, linear_candidates, means_candidate
from taskspace.models.success.network import Counts, Encoding


def counts(slope: float, tasks: int = 60, agents: int = 6, seed: int = 0) -> Counts:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(tasks, 2))
    chances = 1 / (1 + np.exp(-slope * features[:, :1] - rng.normal(size=agents)))
    solved = torch.from_numpy(rng.binomial(1, chances).astype(np.float32))
    return Counts(torch.from_numpy(features), solved, torch.ones_like(solved))


def encoder(some: Counts) -> Encoding:
    return Encoding.of(some.tasks.numpy(), bins=0)


def test_every_task_is_predicted_from_other_folds() -> None:
    some, fitted = counts(0.0, tasks=23), []
    means = means_candidate(encoder(some))

    def fit(part: Counts) -> torch.nn.Sequential:
        fitted.append({tuple(row) for row in part.tasks.tolist()})
        return means.fit(part)

    choose(Candidate("means", fit), [], some, np.random.default_rng(0))
    every = {tuple(row) for row in some.tasks.tolist()}
    tested = [every - part for part in fitted]
    assert sorted(map(len, tested)) == [4, 4, 5, 5, 5]
    assert set.union(*tested) == every


def test_the_choice_follows_the_features() -> None:
    kinds = {
        slope: [
            choose(
                means_candidate(encoder(some)),
                linear_candidates(encoder(some)),
                some,
                np.random.default_rng(0),
            ).candidate.kind
            for some in (counts(slope, seed=seed) for seed in range(10))
        ]
        for slope in (0.0, 2.0)
    }
    assert kinds[2.0] == ["linear"] * 10
    assert kinds[0.0].count("means") >= 7


def test_the_logits_are_those_of_the_choice_and_of_the_means() -> None:
    some = counts(2.0)
    choice = choose(
        means_candidate(encoder(some)),
        linear_candidates(encoder(some)),
        some,
        np.random.default_rng(0),
    )
    assert choice.logits.shape == choice.means.shape == (60, 6)
    assert some.loss(choice.logits) < some.loss(choice.means) - 0.05
    # Within a fold, the means of an agent do not depend on the task.
    assert len(torch.unique(choice.means[:, 0])) <= 5
