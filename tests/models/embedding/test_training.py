"""Training: constraints are drawn in parts where the steps need very many."""

from __future__ import annotations

import functools
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
import torch

from taskspace.models.embedding import training
from taskspace.models.embedding.pools import Constraints, pair_pools
from taskspace.models.embedding.training import Batches
from taskspace.similarity.statistics import SuccessStatistics
from tests.similarity.test_statistics import known_rates


def drawing(tasks: int) -> Callable[..., Constraints]:
    """What draws constraints on so many tasks, always the same ones."""
    statistics = SuccessStatistics.from_rates(known_rates(tasks=tasks))
    rng = np.random.default_rng(0)
    pool = pair_pools(tasks, rng)[0]
    return functools.partial(Constraints.draw, statistics, pool, norm_weight=0.4, rng=rng)


def test_every_step_gets_its_constraints_from_a_small_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "DRAWN_AT_ONCE", 350)
    parts = [
        (*batches.rows.shape, step) for batches, step in training._batches(drawing(60), 7, 100)
    ]
    whole = [(3, 500, 0), (3, 500, 1), (3, 500, 2)]  # three tasks of a triplet, two of a pair
    assert parts == [*whole, *whole, (1, 500, 0)]


def test_as_many_as_usual_are_drawn_at_once() -> None:
    at_once = Batches.of(drawing(60)(n=250 * 128), 250)
    for batches, step in training._batches(drawing(60), 250, 128):
        assert torch.equal(batches.rows[step], at_once.rows[step])


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "DRAWN_AT_ONCE", 1 << 13)
    draw = drawing(2000)
    tracemalloc.start()
    steps = sum(1 for _ in training._batches(draw, 20, 4000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert steps == 20
    assert peak < 8e6  # all 80,000 at once take 17 MB
