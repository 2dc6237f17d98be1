"""The benchmark measures what it says; how good estimates are is for its report."""

from __future__ import annotations

import pytest

from taskspace.bench import similarity


def test_agents_are_as_described() -> None:
    rates = similarity.known_rates()
    assert rates.shape == (similarity.AGENTS, similarity.TASKS)
    assert 0 < rates.min() < 0.1
    assert 0.9 < rates.max() < 1
    assert (rates != similarity.known_rates(seed=1)).any()


def test_both_estimates_get_better_with_rollouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "SEEDS", 2)
    few, many = similarity.errors(5), similarity.errors(50)
    assert many[0] < few[0]
    assert many[1] < few[1]
    assert few[1] < few[0]  # what success rates save
