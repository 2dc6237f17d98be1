"""Concordant pairs, against all pairs computed plainly."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace import Outcomes
from taskspace.similarity import concordance as module
from taskspace.similarity.concordance import concordance, concordant_pairs
from taskspace.similarity.statistics import SuccessStatistics


def table(tried: float, graded: bool) -> SuccessStatistics:
    rng = np.random.default_rng(0)
    skill = rng.normal(size=(400, 1)) + 0.7 * rng.normal(size=(400, 60))
    rates = 1 / (1 + np.exp(-3 * skill)) if graded else (skill > 0).astype(float)
    seen = rng.random(rates.shape) < tried
    return SuccessStatistics.from_outcomes(Outcomes(rates * seen, seen.astype(int)))


def plain_kappa(statistics: SuccessStatistics, one: int, other: int) -> float:
    x, y = (statistics.rates[task].astype(float) for task in (one, other))
    if statistics.tried is not None:
        both = statistics.tried[one] & statistics.tried[other]
        x, y = x[both], y[both]
    apart = np.subtract.outer(x, y) ** 2  # all pairs of agents are independent ones
    return float(1 - ((x - y) ** 2).mean() / apart.mean())


@pytest.mark.parametrize("tried", [1.0, 0.7, 0.045])
@pytest.mark.parametrize("graded", [False, True])
def test_pairs_are_those_of_a_plain_search(
    tried: float, graded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", 23)  # several blocks, the last smaller
    statistics = table(tried, graded)
    first, second, dropped = concordant_pairs(statistics, 0.45, most=10_000)
    every = np.triu_indices(statistics.n_tasks, 1)
    kappa = concordance(statistics, *every).kappa
    for pair in range(0, len(kappa), 97):
        if np.isfinite(kappa[pair]):
            plain = plain_kappa(statistics, every[0][pair], every[1][pair])
            assert kappa[pair] == pytest.approx(plain)
    wanted = {(a, b) for a, b, k in zip(*every, kappa, strict=True) if k >= 0.45}
    assert {*zip(first.tolist(), second.tolist(), strict=True)} == wanted
    assert not dropped
    assert len(wanted) > 5


def test_the_most_concordant_are_kept() -> None:
    statistics = table(1.0, True)
    every = np.triu_indices(statistics.n_tasks, 1)
    kappa = concordance(statistics, *every).kappa
    first, second, dropped = concordant_pairs(statistics, 0.1, most=10)
    assert dropped
    best = {*zip(first.tolist(), second.tolist(), strict=True)}
    order = np.argsort(-kappa)[:10]
    assert best == {(int(every[0][pair]), int(every[1][pair])) for pair in order}
