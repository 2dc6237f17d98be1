"""The prior: what left-out agents decide, and what few of them leave open."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from taskspace.applications.candidates import Table
from taskspace.applications.prior import (
    FEWEST_AGENTS,
    FOLDS,
    LINEAR_SHARES,
    MAP_SHARES,
    MIXES,
    MOST_AGENTS,
    TEMPERS,
    Choice,
    choose_prior,
    log_likelihood,
    spread,
)
from taskspace.models.success.factors import Floats

RNG = np.random.default_rng(0)


def table(agents: int, places: Floats | None = None) -> Table:
    """Two subpopulations, each of which solves one half of thirty tasks."""
    solved = np.repeat(np.eye(2), 15, axis=1)[np.arange(agents) % 2]
    return Table(solved, np.ones_like(solved), places)


def kinds(useful: int, count: int = 3) -> Callable[[Table], list[Floats]]:
    """Candidates: one type equals the agents, and the others are uninformative."""

    def make(rest: Table) -> list[Floats]:
        groups = [np.full((5, rest.successes.shape[1]), 0.5) for _ in range(count)]
        groups[useful] = 0.05 + 0.9 * rest.successes
        return groups

    return make


def test_what_was_not_asked_does_not_count() -> None:
    results = np.array([[1.0, np.nan, 0.0]])
    chances = RNG.uniform(0.1, 0.9, size=(4, 3))
    expected = np.log(chances[:, 0]) + np.log(1 - chances[:, 2])
    np.testing.assert_allclose(log_likelihood(chances, results)[0], expected)


def test_a_rate_counts_as_one_attempt() -> None:
    chances = RNG.uniform(0.1, 0.9, size=(4, 1))
    expected = 0.3 * np.log(chances[:, 0]) + 0.7 * np.log(1 - chances[:, 0])
    np.testing.assert_allclose(log_likelihood(chances, np.array([[0.3]]))[0], expected)


def test_every_candidate_of_a_kind_is_as_likely() -> None:
    groups = [np.zeros((count, 4)) for count in (2, 5, 1)]
    np.testing.assert_allclose(
        spread((0.5, 0.4, 0.1), groups), [0.25, 0.25, 0.08, 0.08, 0.08, 0.08, 0.08, 0.1]
    )


@pytest.mark.parametrize(("useful", "mix"), [(0, MIXES[0]), (1, MIXES[3]), (2, MIXES[4])])
def test_the_kind_that_tells_left_out_agents_best_is_most_likely(
    useful: int, mix: tuple[float, ...]
) -> None:
    chosen = choose_prior(table(40), kinds(useful), np.random.default_rng(0))
    assert chosen.mix == mix
    assert chosen.temper in TEMPERS


def test_an_agent_is_never_among_its_own_candidates() -> None:
    known = Table(np.arange(24.0)[:, None] / 24 * np.ones(30), np.ones((24, 30)), None)
    seen: list[set[float]] = []

    def make(rest: Table) -> list[Floats]:
        seen.append(set(rest.successes[:, 0].tolist()))
        return kinds(0)(rest)

    choose_prior(known, make, np.random.default_rng(0))
    everybody = set(known.successes[:, 0].tolist())
    left_out = [everybody - others for others in seen]
    assert len(left_out) == FOLDS
    assert set().union(*left_out) == everybody
    assert sum(map(len, left_out)) == len(everybody)


@pytest.mark.parametrize(("useful", "share"), [(3, MAP_SHARES[-1]), (0, 0.0)])
def test_left_out_agents_decide_about_the_map(useful: int, share: float) -> None:
    mapped = table(12, np.ones((30, 2)))
    chosen = choose_prior(mapped, kinds(useful, 4), np.random.default_rng(0))
    assert chosen.mix[-1] == share
    assert sum(chosen.mix) == pytest.approx(1)


def test_left_out_agents_decide_about_the_linear_model() -> None:
    """It predicts the two subpopulations, and no candidate does; or one candidate knows best."""
    ignorant = choose_prior(table(40), lambda rest: [np.full((3, 30), 0.5)] * 3, RNG)
    assert ignorant.linear == LINEAR_SHARES[-1]
    noise = Table(RNG.integers(0, 2, (40, 30)).astype(np.float64), np.ones((40, 30)), None)
    assert choose_prior(noise, lambda rest: [np.full((3, 30), 0.5)] * 3, RNG).linear == 0.0
    assert choose_prior(table(40), kinds(0), RNG, shares=(0.0,)).linear == 0.0


def test_of_many_agents_some_take_part() -> None:
    sizes: list[int] = []

    def make(rest: Table) -> list[Floats]:
        sizes.append(len(rest.successes))
        return [group[:5] for group in kinds(0)(rest)]

    choose_prior(table(MOST_AGENTS + 500), make, np.random.default_rng(0))
    assert sizes == [MOST_AGENTS * (FOLDS - 1) // FOLDS] * FOLDS


def test_few_agents_decide_nothing() -> None:
    def never(rest: Table) -> list[Floats]:
        raise AssertionError

    few = table(FEWEST_AGENTS - 1)
    assert choose_prior(few, never, np.random.default_rng(0)) == Choice(MIXES[1], TEMPERS[-1], 0.0)
