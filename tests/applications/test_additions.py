"""Candidates are ranked by what they add to a population."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from taskspace.applications.additions import rank_additions
from taskspace.similarity.agent_kernel import AgentProfiles, covariance, ridge, task_means
from tests.messages import says
from tests.models.embedding.tables import results_of

RNG = np.random.default_rng(0)
POPULATION = results_of(RNG.integers(0, 2, (12, 150)), 1)
POOL = results_of(
    np.concatenate([POPULATION.successes[:2], RNG.integers(0, 2, (3, 150))]),
    1, agents=["copy 0", "copy 1", "new 0", "new 1", "new 2"],
)  # fmt: skip


def test_copies_come_last() -> None:
    found = rank_additions(POPULATION, POOL)
    assert set(found.agents[:3]) == {"new 0", "new 1", "new 2"}
    assert found.gains[2] > 3 * found.gains[3]
    assert list(found.columns) == ["agent", "gain", "alone"]


def test_a_copy_of_a_candidate_adds_little_after_it() -> None:
    pool = results_of(np.repeat(POOL.successes[2:4], 2, axis=0), 1, agents=["a", "a'", "b", "b'"])
    found = rank_additions(POPULATION, pool)
    assert {name[0] for name in found.agents[:2]} == {"a", "b"}
    assert found.gains[2] < 0.5 * found.alone[2]


def test_gains_are_those_of_the_log_determinant() -> None:
    found = rank_additions(POPULATION, POOL)
    means = task_means(POPULATION)
    known = AgentProfiles.of(POPULATION, means)

    def log_determinant(names: tuple[str, ...]) -> float:
        rows = [POPULATION.successes, POOL.of_agents(names).successes] if names else [
            POPULATION.successes
        ]  # fmt: skip
        together = AgentProfiles.of(results_of(np.concatenate(rows), 1), means)
        kernel = covariance(together, together) + ridge(known) * np.eye(len(together.noise))
        return float(np.linalg.slogdet(kernel)[1] - len(names) * np.log(ridge(known)))

    order = tuple(found.agents.tolist())
    totals = [log_determinant(order[:count]) / 2 / np.log(2) for count in range(6)]
    np.testing.assert_allclose(np.diff(totals), found.gains, atol=1e-9)


def test_a_few_are_the_first_of_all_and_close_to_the_best() -> None:
    found, all_ = rank_additions(POPULATION, POOL, k=2), rank_additions(POPULATION, POOL)
    assert found.agents.tolist() == all_.agents[:2].tolist()
    best = max(
        rank_additions(POPULATION, POOL.of_agents(pair)).gains.sum()
        for pair in itertools.combinations(POOL.agents.tolist(), 2)
    )
    assert found.gains.sum() >= best - 1e-9 or found.gains.sum() > 0.99 * best


def test_bad_input_is_told_in_one_sentence() -> None:
    with pytest.raises(ValueError, match=says("candidates Outcomes None")):
        rank_additions(POPULATION, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("candidates tasks 150 20")):
        rank_additions(POPULATION, POPULATION.first_tasks(20))
    with pytest.raises(ValueError, match=says("k 6")):
        rank_additions(POPULATION, POOL, k=6)
