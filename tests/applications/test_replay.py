"""Replay: what left-out agents say about corrections and about the size of errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from taskspace.applications.replay import Replay, replay, share, single_attempts
from taskspace.models.linear_population import LinearPopulation, Shrinkage

RNG = np.random.default_rng(0)


def errors(answered: Any, rest: Any, spread: Any = 1.0) -> Replay:
    """A replay in which every agent answered ten tasks of each group."""
    first, second = np.asarray(answered, float), np.asarray(rest, float)
    counts, nothing = np.full(first.shape, 10), np.zeros(first.shape)
    spreads = np.full(first.shape[1], spread)
    known = LinearPopulation.from_rates(np.eye(2), None, 0)
    return Replay(first, second, counts, nothing, spreads, np.ones(len(first)), Shrinkage(), known)


def test_answers_correct_as_much_as_they_tell() -> None:
    noise = RNG.normal(size=(500, 3))
    own = RNG.normal(size=(500, 3))
    rest = np.stack([own[:, 0], own[:, 1] / 2, noise[:, 2]], axis=1)
    first, second, third = errors(own, rest).halves
    assert first < 1
    assert second == 10
    assert third == np.inf


def test_few_agents_decide_like_the_other_groups() -> None:
    own = RNG.normal(size=(40, 20))
    rest = own + 0.1 * RNG.normal(size=own.shape)
    rest[2:, 0] = np.nan  # two agents tried other tasks of this group
    rest[:2, 0] = -own[:2, 0]
    assert errors(own, rest).halves[0] < 3


def test_the_scale_is_that_of_the_errors() -> None:
    rest = 0.3 * RNG.normal(size=(4000, 1))
    found = errors(np.zeros_like(rest), rest, spread=0.1)
    assert found.scale() == pytest.approx([3], rel=0.1)


def test_agents_are_left_out_exactly() -> None:
    """The others alone predict an agent's answers and its other tasks as in the replay."""
    rates = RNG.integers(0, 2, (9, 60)).astype(np.float64)
    groups, answered = np.arange(60) % 4 - 1, RNG.permutation(60)[:16]
    population = LinearPopulation.from_rates(rates, None, 0)
    found = replay(population, answered, groups)
    drawn = found.population.drawn
    assert drawn is not None
    # With 8 agents, the same weight and the same prior of each agent's weight as with 9.
    shrinkage = replace(found.shrinkage, noise=found.shrinkage.noise * 9 / 8)
    for agent in (0, 5):
        alone = replace(population, rates=np.delete(population.rates, agent, 0)).towards(groups)
        assert alone.drawn is not None
        alone = replace(alone, drawn=replace(alone.drawn, weight=drawn.weight))
        missed = rates[agent] - alone.predict(answered, rates[agent, answered], None, shrinkage)
        rest = ~np.isin(np.arange(60), answered)
        for group in range(3):
            own = groups == group
            for errors, tasks in ((found.on_answered, own & ~rest), (found.on_rest, own & rest)):
                assert errors[agent, group] == pytest.approx(missed[tasks].mean(), abs=1e-5)


def test_the_noise_of_few_tried_tasks_is_taken_out() -> None:
    """Complete tables and tables with missing pairs agree about the size of errors."""
    skill, offset = RNG.normal(size=(80, 1)), RNG.normal(0, 0.15, (80, 4))
    groups = np.repeat(np.arange(4), 50)
    rates = np.clip(0.5 + 0.1 * skill + offset[:, groups] + RNG.normal(0, 0.2, (80, 200)), 0, 1)
    answered = np.flatnonzero(np.arange(200) % 10 == 0)
    complete = replay(LinearPopulation.from_rates(rates, None, 0), answered, groups)
    missing = np.where(RNG.random(rates.shape) < 0.5, np.nan, rates)
    partly = LinearPopulation.from_rates(missing, np.tile(rates.mean(0), (80, 1)), 0)
    incomplete = replay(partly, answered, groups)
    sizes = [found.scale() * found.spread for found in (complete, incomplete)]
    np.testing.assert_allclose(sizes[1], sizes[0], rtol=0.5)


def test_single_attempts_are_recognized_by_the_rates_of_others() -> None:
    rates, solved = RNG.random((9, 5)), RNG.integers(0, 2, (9, 5)).astype(np.float64)
    asked, yes, partly = np.array([0, 2]), np.array([1.0, 0.0]), np.array([1.0, 0.4])
    several = LinearPopulation.from_rates(rates, None, 0)
    assert single_attempts(several, asked, yes)
    assert not single_attempts(several, asked, partly)
    assert not single_attempts(several, np.array([], int), np.array([]))
    assert not single_attempts(LinearPopulation.from_rates(solved, None, 0), asked, yes)


def test_without_answers_nothing_is_corrected() -> None:
    np.testing.assert_array_equal(share(np.array([0, 5]), 0.0).round(6), [0, 1])
