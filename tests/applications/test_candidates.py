"""Candidates that a new agent may resemble."""

from __future__ import annotations

import numpy as np

from taskspace.applications.candidates import (
    ON_MAP,
    SIMULATED,
    SKILLS,
    SPREADS,
    TILTS,
    Table,
    candidates,
    of_skill_levels,
    on_map,
    simulate,
)
from taskspace.models.success.factors import Factors, fit_factors
from taskspace.models.success.low_rank import Settings


def simulated() -> tuple[Table, Factors]:
    """300 agents with two skills, 40 tasks with an attempt each."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 40)) + rng.normal(size=40)
    solved = rng.binomial(1, 1 / (1 + np.exp(-logits))).astype(np.float64)
    table = Table(solved, np.ones_like(solved), rng.normal(size=(40, 2)))
    return table, fit_factors(table.successes, table.attempts, 2, 0.1)


def test_simulated_agents_fare_as_the_known_ones_do() -> None:
    table, factors = simulated()
    drawn = simulate(factors, np.random.default_rng(0))
    assert drawn.shape == (SIMULATED, 40)
    alike, apart = (drawn[spread :: len(SPREADS)] for spread in range(2))
    np.testing.assert_allclose(alike.mean(0), table.successes.mean(0), atol=0.07)
    assert (apart.std(0) > alike.std(0)).all()  # every other one is twice as far out


def test_agents_on_the_map_need_a_map() -> None:
    table, factors = simulated()
    plain = Table(table.successes, table.attempts, None)
    for given, sizes in (
        (plain, [300, SIMULATED, SKILLS * len(TILTS)]),
        (table, [300, SIMULATED, SKILLS * len(TILTS), ON_MAP]),
    ):
        groups = candidates(given, factors, Settings(2, 0.1, 30.0), np.random.default_rng(0))
        assert [group.shape for group in groups] == [(size, 40) for size in sizes]


def test_parts_of_a_table_stay_together() -> None:
    table, _ = simulated()
    agents, tasks = np.array([7, 3]), np.array([30, 1, 2])
    part = table.of_agents(agents).of_tasks(tasks)
    np.testing.assert_array_equal(part.successes, table.successes[np.ix_(agents, tasks)])
    assert part.attempts.shape == (2, 3)
    assert table.vectors is not None
    assert part.vectors is not None
    np.testing.assert_array_equal(part.vectors, table.vectors[tasks])


def test_ease_is_centred_and_follows_success() -> None:
    table, _ = simulated()
    assert abs(table.ease.mean()) < 1e-12
    order = np.argsort(table.successes.mean(0), kind="stable")
    assert (np.diff(table.ease[order]) >= 0).all()


def test_own_skill_reaches_from_all_the_same_to_as_hard_as_for_others() -> None:
    ease = np.array([-2.0, 0.0, 2.0])
    chances = of_skill_levels(ease).reshape(len(TILTS), SKILLS, 3)
    np.testing.assert_allclose(chances[0].std(1), 0, atol=1e-12)
    logits = np.log(chances / (1 - chances))
    np.testing.assert_allclose(np.diff(logits[2], axis=1), 2.0)
    np.testing.assert_allclose(logits[2].mean(0), ease, atol=1e-9)


def test_on_the_map_neighbours_are_alike() -> None:
    places = np.array([[0.0, 0.0], [0.01, 0.0], [5.0, 5.0], [9.0, 1.0]])
    chances = on_map(places, np.zeros(4), np.random.default_rng(0))
    assert chances.shape == (ON_MAP, 4)
    apart = np.abs(chances - chances[:, :1]).mean(0)
    assert apart[1] < 0.01 < 0.1 < apart[2]
    together = on_map(np.zeros((3, 2)), np.zeros(3), np.random.default_rng(0))
    np.testing.assert_allclose(together.std(1), 0, atol=1e-12)
