"""The numbers of the benchmark; how fast things are is not a matter for tests."""

from __future__ import annotations

import json

import pytest

from taskspace.bench import karel


def test_json_has_the_promised_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(karel, "ROUNDS", 1)
    monkeypatch.setattr(karel, "SETTINGS", {karel.SHARED: (20, 10), karel.OWN: (20, 6)})
    for setting in karel.SETTINGS:
        speed = karel.measure(setting)
        numbers = json.loads(json.dumps(karel.as_json({setting: speed})))[setting]
        assert set(numbers) >= {"plain_per_s", "compiled_per_s", "ratio", "ratio_by_hand"}
        assert all(number > 0 for number in numbers.values())
        assert numbers["ratio"] == pytest.approx(numbers["compiled_per_s"] / numbers["plain_per_s"])
