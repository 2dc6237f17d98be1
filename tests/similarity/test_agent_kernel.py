"""Differences of agents: effective numbers, and what each one adds."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.similarity.agent_kernel import attempt_noise, effective_agents
from tests.models.embedding.tables import results_of


def independent(agents: int, tasks: int = 1500, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (agents, tasks))


@pytest.mark.parametrize("agents", [2, 5, 20, 60])
def test_agents_that_share_nothing_count_fully(agents: int) -> None:
    found = effective_agents(results_of(independent(agents), 1))
    assert found == pytest.approx(max(agents - 1, 1), rel=0.05)


def test_copies_do_not_count() -> None:
    solved = independent(12)
    once, often = (effective_agents(results_of(np.repeat(solved, n, axis=0), 1)) for n in (1, 4))
    assert often == pytest.approx(once, rel=0.02)


def test_agents_that_differ_in_one_way_count_as_one() -> None:
    skill = np.linspace(0.1, 0.9, 40)[:, None]
    solved = np.random.default_rng(0).binomial(20, np.repeat(skill, 300, axis=1))
    assert effective_agents(results_of(solved, 20)) < 1.2


def test_noise_of_attempts_is_subtracted() -> None:
    """A few attempts at profiles of three skills say what many attempts say."""
    rng = np.random.default_rng(0)
    skills, tasks = rng.normal(size=(50, 3)), rng.normal(size=(3, 800))
    truth = 1 / (1 + np.exp(-skills @ tasks))
    few, many = (
        effective_agents(results_of(rng.binomial(count, truth), count)) for count in (3, 200)
    )
    assert few == pytest.approx(many, rel=0.15)


def test_noise_is_that_of_the_mean_of_attempts() -> None:
    rng = np.random.default_rng(0)
    solved = rng.binomial(5, 0.3, (4, 5000))
    np.testing.assert_allclose(attempt_noise(results_of(solved, 5)), 0.3 * 0.7 / 5, rtol=0.05)
    assert not attempt_noise(results_of(independent(3), 1)).any()
    assert not attempt_noise(results_of(rng.random((3, 8)), 1)).any()


def test_missing_pairs_are_left_out() -> None:
    solved = independent(20)
    counts = (np.random.default_rng(1).random(solved.shape) < 0.6).astype(int)
    assert effective_agents(results_of(solved * counts, counts)) == pytest.approx(19, rel=0.1)
