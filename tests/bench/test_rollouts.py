"""The benchmark measures what it says; how fast things are is not a matter for tests."""

from __future__ import annotations

import json

import pytest

from taskspace.bench import rollouts


@pytest.mark.slow
def test_json_has_the_promised_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts, "ROUNDS", 1)
    speed = rollouts.measure("MultiKeyNav", seconds=0.05)
    numbers = json.loads(json.dumps(rollouts.as_json({"MultiKeyNav": speed})))["MultiKeyNav"]
    assert set(numbers) >= {
        "plain_steps_per_s", "general_steps_per_s", "compiled_steps_per_s",
        "ratio_per_core", "ns_per_step", "scaling", "limit_share",
    }  # fmt: skip
    assert all(number > 0 for number in numbers.values())
    assert numbers["ns_per_step"] == pytest.approx(1e9 / numbers["compiled_steps_per_s"])
    share = numbers["limit_ns"] / numbers["ns_per_step"]
    assert numbers["limit_share"] == pytest.approx(share)
    assert numbers["limit_ns"] <= numbers["torch_ns"]
