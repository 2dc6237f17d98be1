"""Reliability of similarities: known cases, and what more agents would bring."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.profiles import MEASURES
from taskspace.similarity.reliability import Reliability, spearman_brown, split_half
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says
from tests.models.embedding.tables import planted


def measured(agents: int, skills: int = 3, missing: float = 0.0) -> dict[str, Reliability]:
    world = planted(agents, skills, 10, missing=missing)
    statistics = SuccessStatistics.from_outcomes(world.outcomes)
    return split_half(statistics, np.random.default_rng(0))


@pytest.mark.parametrize("measure", MEASURES)
def test_more_agents_are_more_reliable(measure: str) -> None:
    values = [measured(agents)[measure].value for agents in (16, 60, 250, 1000)]
    assert values == sorted(values)
    assert values[0] < 0.6
    assert values[-1] > 0.9


@pytest.mark.parametrize("skills", [2, 8])
def test_what_few_agents_say_about_many_comes_true(skills: int) -> None:
    """Extrapolated from 100 agents to 400; with ranks it would be far off if skills are many."""
    few, many = (measured(agents, skills)["correlation"] for agents in (100, 400))
    assert few.at(400)[0] == pytest.approx(many.value, abs=0.06)
    needed = few.more_agents(0.8)
    assert needed is not None
    there = measured(100 + needed, skills)["correlation"].value if needed else few.value
    assert there > 0.8 - 0.08


@pytest.mark.parametrize("measure", MEASURES)
def test_independent_results_are_not_reliable(measure: str) -> None:
    rng = np.random.default_rng(0)
    noise = [SuccessStatistics.from_rates(rng.integers(0, 2, (100, 40))) for _ in range(10)]
    found = [split_half(each, rng)[measure] for each in noise]
    assert np.mean([one.half for one in found]) == pytest.approx(0, abs=0.03)
    assert max(one.value for one in found) < 0.2
    assert max(one.order for one in found) < 0.2


@pytest.mark.parametrize("measure", MEASURES)
def test_returns_of_mere_noise_are_not_reliable(measure: str) -> None:
    """Several attempts tell how noisy each task is; that both halves know it is no agreement."""
    rng = np.random.default_rng(0)
    found = []
    for attempts in rng.normal(size=(5, 3, 40, 30)):
        spreads = attempts.std(0, ddof=1)
        noise = Outcomes.from_returns(attempts.mean(0), 3, spreads=spreads)
        found.append(split_half(statistics_of(noise), rng)[measure])
    assert np.mean([one.half for one in found]) == pytest.approx(0, abs=0.05)
    assert max(one.value for one in found) < 0.25
    assert max(one.order for one in found) < 0.25


def test_missing_pairs_are_left_out() -> None:
    whole, gaps = measured(600)["correlation"], measured(600, missing=0.4)["correlation"]
    assert 0.5 < gaps.value < whole.value


def test_too_few_agents_or_tasks_say_nothing() -> None:
    rng = np.random.default_rng(0)
    for shape in ((7, 30), (50, 4)):
        statistics = SuccessStatistics.from_rates(rng.integers(0, 2, shape))
        found = split_half(statistics, rng)["information"]
        assert not found.known
        assert np.isnan([found.value, found.spread, found.order, *found.at([10, 20])]).all()
        assert found.more_agents(0.8) is None


def test_a_sample_stands_for_all_agents() -> None:
    statistics = SuccessStatistics.from_outcomes(planted(100, 3, 10).outcomes)
    plain, scaled = (
        split_half(statistics, np.random.default_rng(0), agents=agents)["correlation"]
        for agents in (None, 400)
    )
    assert scaled.value == pytest.approx(plain.at(400)[0])
    assert scaled.at(100)[0] == pytest.approx(plain.value)
    assert scaled.order == plain.order
    with pytest.raises(ValueError, match=says("agents 100 50")):
        split_half(statistics, np.random.default_rng(0), agents=50)


def test_a_seed_gives_the_same_splits() -> None:
    one, same = (measured(40)["information"] for _ in range(2))
    np.testing.assert_array_equal(one.splits, same.splits)


def test_the_formula() -> None:
    assert spearman_brown(0.5, 1) == 0.5
    assert spearman_brown(0.5, 3) == pytest.approx(0.75)
    assert spearman_brown(spearman_brown(0.3, 4), 0.25) == pytest.approx(0.3)
    assert Reliability(50, 0.25, np.zeros(2), 0.0).more_agents(0.4) == 0
    assert Reliability(50, -0.1, np.zeros(2), 0.0).more_agents(0.8) is None


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=says("reliability 1.5")):
        spearman_brown(1.5, 2)
    with pytest.raises(ValueError, match=says("factor 0")):
        spearman_brown(0.5, 0)
    statistics = SuccessStatistics.from_rates(np.eye(10))
    with pytest.raises(ValueError, match=says("splits 1")):
        split_half(statistics, np.random.default_rng(0), splits=1)


@pytest.mark.parametrize("skills", [1, 3, 5])
def test_accuracy_is_the_share_of_triplets_in_the_order_of_many_agents(skills: int) -> None:
    found, measured = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        needed = np.repeat(np.eye(skills), 30 // skills, axis=0) * rng.uniform(0.5, 1.5, (30, 1))
        ability = rng.normal(size=(20_000, skills)) @ (1.5 * needed.T) - rng.normal(size=30)
        solved = rng.random(ability.shape) < 1 / (1 + np.exp(-ability))
        some = SuccessStatistics.from_rates(solved[:100])
        found.append(split_half(some, rng)["correlation"].accuracy)
        one, truth = (
            SuccessStatistics.from_rates(part).matrix(measure="correlation")
            for part in (solved[:100], solved)
        )
        i, j, k = rng.permuted(np.tile(np.arange(30), (5000, 1)), axis=1)[:, :3].T
        measured.append(((one[i, j] > one[i, k]) == (truth[i, j] > truth[i, k])).mean())
    assert np.mean(found) == pytest.approx(np.mean(measured), abs=0.1)
