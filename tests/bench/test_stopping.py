"""Where evaluations end: exact intervals of the simulated population, and the rule beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.stopping_rule import FEWEST, StoppingRule
from taskspace.bench import stopping
from taskspace.bench.stopping import Stops, closed_form, simulated, stops, together
from taskspace.outcomes.outcomes import Outcomes


def test_exact_intervals_have_the_probability_of_a_polya_urn() -> None:
    solved, count, tasks = 6, 10, 14
    a, b = stopping.ABILITY[0] + solved, stopping.ABILITY[1] + count - solved
    left = tasks - count

    def rising(start: float, steps: int) -> float:
        return math.prod(start + step for step in range(steps))

    chances = [
        math.comb(left, more) * rising(a, more) * rising(b, left - more) / rising(a + b, left)
        for more in range(left + 1)
    ]
    assert sum(chances) == pytest.approx(1)
    low, high = (round(end * tasks) - solved for end in stopping._exact(solved, count, tasks))
    assert sum(chances[:low]) < 0.05 <= sum(chances[: low + 1])
    assert sum(chances[:high]) < 0.95 <= sum(chances[: high + 1])


def test_evaluations_end_where_the_rule_itself_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = simulated(1)[:20, :80]
    found = stops(rates, (0.12, 1e-9), 1, seed=3)
    never = found[1e-9]
    assert (never.answered == 80).all()
    assert never.covered.all()
    early = found[0.12]
    assert sorted(early.agents) == list(range(20))
    assert (early.answered >= FEWEST).all()
    assert early.answered.mean() < 60
    # One of them again, answer by answer.
    rng = np.random.default_rng(3)
    new = np.array_split(rng.permutation(20), stopping.FOLDS)[0]
    order = rng.permutation(80)
    rest = Outcomes(np.delete(rates, new, 0).astype(int), np.array(1))
    rule = StoppingRule(PerformancePredictor().fit(rest), 0.12)
    agent = int(new[0])
    for task in order:
        if not rule.reached:
            rule.add(f"task-{task}", rates[agent, task])
    at = early.agents.tolist().index(agent)
    assert rule.finished == early.answered[at]
    assert abs(rule.estimate()["score"] - rates[agent].mean()) == pytest.approx(early.errors[at])


def test_agents_of_several_tables_are_different() -> None:
    one = closed_form(simulated(0)[:5], (0.1,), 2)[0.1]
    both = together([one, one])
    assert len(np.unique(both.agents)) == 10
    assert one.covered.mean() > 0.5
    same = Stops(np.array([0, 0, 1, 1]), np.zeros(4, int), np.array([1, 1, 0, 0]) > 0, np.zeros(4))
    assert same.standard_error == pytest.approx(0.5 / 2**0.5)
