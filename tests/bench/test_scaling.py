"""What is derived from the measurements of Ray; how fast it is, is not a matter for tests."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from taskspace.bench import scaling
from taskspace.bench.scaling import Costs, Piece, Scaling
from taskspace.rollouts.compiled import chunks

COSTS = Costs(
    start_seconds=4, first_seconds=6, call_ms=1, ship_seconds=1, ship_mb=56, fetch_seconds=1,
    driver_mb=300, driver_more_mb=50, idle_mb=200, worker_mb=300, local_steps_per_s=1e6, cores=2,
    episode_steps=20,
)  # fmt: skip
USED = chunks._STEPS_PER_PIECE


def measured(share: float) -> Scaling:
    return Scaling(COSTS, (Piece(USED // 10, 1, 0.1), Piece(USED, 1, share)))


def test_the_share_is_that_of_the_pieces_in_use() -> None:
    assert measured(0.9).share == 0.9


def test_two_machines_pay_when_what_they_save_is_more_than_they_cost() -> None:
    # With half of the time saved, the fixed costs are worth twice as many seconds.
    assert measured(1.0).break_even(2, started=True) == pytest.approx(12)
    assert measured(1.0).break_even(2, started=False) == pytest.approx(20)
    assert measured(0.8).break_even(4, started=True) < measured(0.8).break_even(2, started=True)
    assert math.isinf(measured(0.5).break_even(2, started=True))


def test_core_hours_are_steps_by_speed() -> None:
    # 10 agents x 360 tasks x 10 rollouts x 20 steps at half a million steps a second and core
    expected = 10 * 360 * scaling.ROLLOUTS * 20 / 5e5 / 3600
    assert measured(1.0).core_hours(10, 360) == pytest.approx(expected)
    assert measured(0.5).core_hours(10, 360) == pytest.approx(2 * expected)


def test_json_has_costs_and_pieces() -> None:
    numbers = json.loads(json.dumps(scaling.as_json(measured(0.9))))
    assert Costs(**numbers["costs"]) == COSTS
    assert [Piece(**piece) for piece in numbers["pieces"]] == list(measured(0.9).pieces)
    assert replace(COSTS, cores=3) != Costs(**numbers["costs"])
