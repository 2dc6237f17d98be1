"""Few agents are chosen that show what all candidates show."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import taskspace as ts
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says
from tests.models.embedding.tables import results_of

RNG = np.random.default_rng(0)


def lacking_skills(copies: int = 6, attempts: int = 10) -> ts.Outcomes:
    """Four skills, eight tasks each: agents that lack one skill, and many that lack none."""
    able = np.ones((5, 4)) - np.eye(5, 4)
    skills = np.concatenate([able[:4], np.repeat(able[4:], copies, axis=0)])
    p = np.repeat(0.1 + 0.8 * skills, 8, axis=1)
    names = [*(f"lacks {i}" for i in range(4)), *(f"able {i}" for i in range(copies))]
    return results_of(RNG.binomial(attempts, p), attempts, agents=names)


def agreement(rates: np.ndarray, chosen: np.ndarray) -> float:
    """The cosine of the covariances of tasks over the chosen agents and over all agents."""
    some, every = (np.cov(part.T, bias=True).ravel() for part in (rates[chosen], rates))
    return float(some @ every / (np.linalg.norm(some) * np.linalg.norm(every)))


def test_every_kind_of_agent_is_chosen() -> None:
    chosen = ts.choose_diverse(lacking_skills(), 5)
    kinds = [name.split()[0] for name in chosen.agents.tolist()]
    assert sorted(kinds) == ["able", *["lacks"] * 4]


def test_agreement_is_the_cosine_of_covariances_and_each_step_is_the_best() -> None:
    outcomes = results_of(RNG.integers(0, 2, (9, 40)), 1)
    rates, chosen = outcomes.rates, ts.choose_diverse(outcomes, 6)
    rows = [outcomes.agents.tolist().index(name) for name in chosen.agents]
    pairs = itertools.combinations(range(9), 2)
    best = max(agreement(rates, np.array(pair)) for pair in pairs)
    assert chosen.agreement[1] == pytest.approx(best)
    for size in range(2, 6):
        others = [row for row in range(9) if row not in rows[:size]]
        found = [agreement(rates, np.array([*rows[:size], row])) for row in others]
        assert chosen.agreement[size] == pytest.approx(max(found))
    assert chosen.gains.sum() == pytest.approx(chosen.agreement[-1])
    assert list(chosen.columns) == ["agent", "agreement", "gain"]


def test_a_larger_choice_begins_with_a_smaller_one() -> None:
    outcomes = lacking_skills()
    few, many = (ts.choose_diverse(outcomes, k).agents.tolist() for k in (4, 8))
    assert many[:4] == few
    every = ts.choose_diverse(outcomes, outcomes.n_agents)
    assert every.agreement[-1] == pytest.approx(1)
    assert sorted(every.agents) == sorted(outcomes.agents)


def test_similarities_of_diverse_agents_are_closer_than_those_of_the_best() -> None:
    outcomes = lacking_skills(copies=30)
    truth = SuccessStatistics.from_outcomes(outcomes).matrix().ravel()
    best = outcomes.agents[np.argsort(-outcomes.rates.mean(1))[:6]]

    def correlation(names: np.ndarray) -> float:
        some = SuccessStatistics.from_outcomes(outcomes.of_agents(names.tolist()))
        return float(np.corrcoef(truth, some.matrix().ravel())[0, 1])

    assert correlation(ts.choose_diverse(outcomes, 6).agents) > 0.3 + correlation(best)


def test_missing_pairs_and_copies() -> None:
    outcomes = lacking_skills()
    rollouts = np.where(RNG.random(outcomes.successes.shape) < 0.3, 0, 10)
    gaps = ts.Outcomes(np.minimum(outcomes.successes, rollouts), rollouts, agents=outcomes.agents)
    assert np.isfinite(ts.choose_diverse(gaps, 6).agreement).all()
    twice = results_of(np.repeat([[1, 1, 0], [0, 1, 1]], 3, axis=0), 1)
    assert len(set(ts.choose_diverse(twice, 6).agents.tolist())) == 6


@pytest.mark.parametrize(
    ("given", "k", "tokens"),
    [
        ([[1, 0]], 2, "outcomes Outcomes got"),
        (lacking_skills(), 1, "k 2 got 1"),
        (lacking_skills(), 11, "k 10 got 11"),
        (results_of(np.ones((3, 4), int), 1), 2, "agents"),
    ],
)
def test_bad_input(given: object, k: int, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ts.choose_diverse(given, k)  # type: ignore[arg-type]


def test_a_population_is_trained_and_some_agents_are_kept() -> None:
    env = ts.make("MultiKeyNav")
    kept = ts.train_diverse(env, 6, fast=True, workers=1)
    assert len(kept) == 6
    assert len(kept.subpopulations) > 1
    with pytest.raises(ValueError, match=says("k 2 got 1")):
        ts.train_diverse(env, 1)
