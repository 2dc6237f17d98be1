"""What exceeds chance: planted skills do, independent results do not."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.similarity.chance import (
    CHANCE_OF_A_PAIR,
    MOST_SKILLS,
    Scree,
    beyond_one_ability,
    parallel_analysis,
    share_above_chance,
    shuffled,
    shuffled_among_similar,
)
from taskspace.similarity.statistics import SuccessStatistics
from tests.models.embedding.tables import planted


@pytest.mark.parametrize("skills", range(1, 9))
def test_planted_skills_exceed_chance(skills: int) -> None:
    statistics = SuccessStatistics.from_outcomes(planted(400, skills, 8).outcomes)
    found = parallel_analysis(statistics, np.arange(8 * skills), np.random.default_rng(0))
    assert found.above == skills


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_independent_results_hardly_exceed_chance(missing: float) -> None:
    rng = np.random.default_rng(0)
    rates = rng.integers(0, 2, (150, 60)).astype(np.float32)
    statistics = SuccessStatistics.from_rates(rates)
    if missing:
        tried = rng.random((60, 150)) >= missing
        cells = np.where(tried, statistics.rates, np.float32(0))
        success = cells.sum(1) / tried.sum(1)
        statistics = SuccessStatistics(cells, success.astype(np.float64), success, tried)
    assert parallel_analysis(statistics, np.arange(60), rng).above <= 1
    share = share_above_chance(statistics, rng)
    assert share == pytest.approx(CHANCE_OF_A_PAIR, abs=0.02)


def test_pairs_of_one_skill_exceed_chance() -> None:
    statistics = SuccessStatistics.from_outcomes(planted(400, 2, 10).outcomes)
    share = share_above_chance(statistics, np.random.default_rng(0))
    same_skill = 90 / 190  # of the pairs of 20 tasks; 5 % of the others exceed chance too
    assert share == pytest.approx(same_skill + 0.05 * (1 - same_skill), abs=0.08)


@pytest.mark.parametrize("agents", [60, 300])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_one_ability_is_told_from_several(agents: int, missing: float) -> None:
    """Parallel analysis alone cannot: difficulties seem to be a second skill."""
    for skills, several in ((1, False), (2, True), (4, True)):
        world = planted(agents, skills, 40 // skills, missing=missing)
        statistics = SuccessStatistics.from_outcomes(world.outcomes)
        tasks, rng = np.arange(statistics.n_tasks), np.random.default_rng(0)
        assert beyond_one_ability(statistics, tasks, rng) is several
    assert not beyond_one_ability(statistics, tasks[:2], rng)


def test_shares_of_the_first_skill() -> None:
    one = Scree(np.array([5.0, 1.0]), np.array([1.5, 1.2]))
    assert (one.above, one.first_share) == (1, 1.0)
    nothing = Scree(np.array([1.0, 1.0]), np.array([1.5, 1.2]))
    assert nothing.above == 0
    assert np.isnan(nothing.first_share)
    # what follows an eigenvalue below chance does not count
    assert Scree(np.array([5.0, 1.0, 0.9]), np.array([1.5, 1.2, 0.8])).above == 1


def test_at_most_so_many_are_compared() -> None:
    statistics = SuccessStatistics.from_rates(np.random.default_rng(0).integers(0, 2, (30, 40)))
    tasks = np.arange(40)
    assert len(parallel_analysis(statistics, tasks, np.random.default_rng(0)).values) == MOST_SKILLS
    few = parallel_analysis(statistics, tasks[:1], np.random.default_rng(0))
    assert (len(few.values), few.above) == (0, 0)


def test_a_shuffled_table_keeps_the_success_of_tasks_and_the_missing_pairs() -> None:
    world = planted(60, 2, 5, missing=0.4)
    statistics = SuccessStatistics.from_outcomes(world.outcomes)
    mixed = shuffled(statistics, np.random.default_rng(0))
    assert mixed.tried is statistics.tried
    np.testing.assert_allclose(mixed.rates.sum(1), statistics.rates.sum(1), rtol=1e-6)
    assert mixed.tried is not None
    assert not mixed.rates[~mixed.tried].any()
    assert (mixed.rates != statistics.rates).any()


@pytest.mark.parametrize("missing", [0.0, 0.8])
def test_agents_of_similar_scores_exchange_their_results(missing: float) -> None:
    world = planted(300, 1, 40, missing=missing)
    statistics = SuccessStatistics.from_outcomes(world.outcomes)
    mixed = shuffled_among_similar(statistics, np.random.default_rng(0))
    np.testing.assert_allclose(mixed.rates.sum(1), statistics.rates.sum(1), rtol=1e-6)
    tried = np.ones_like(mixed.rates, bool) if mixed.tried is None else mixed.tried
    assert not mixed.rates[~tried].any()
    changed = (mixed.rates != statistics.rates)[tried].mean()
    assert 0.05 < changed < 0.5  # results that differ from those of their neighbours
    scores = [table.rates.sum(0) / np.maximum(tried.sum(0), 1) for table in (mixed, statistics)]
    assert np.corrcoef(*scores)[0, 1] > (0.95 if not missing else 0.5)
