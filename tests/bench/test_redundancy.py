"""The benchmark of near-copies."""

from __future__ import annotations

from taskspace.bench.redundancy import WORLDS, measure


def test_copies_are_counted() -> None:
    assert measure(WORLDS["four copies"], seeds=1) == (6.0, 0)
    assert measure(WORLDS["no copies"], seeds=1) == (0.0, 0)
