"""The numbers of the benchmark; how fast things are is not a matter for tests."""

from __future__ import annotations

import json

import pytest

from taskspace.agents.karel.network import Size, Synthesizer
from taskspace.bench import synthesis
from taskspace.training.karel import recipes
from taskspace.training.karel.learning import SUBPOPULATIONS, TrainingSettings

TINY = TrainingSettings(
    Size(side=6, radius=5, channels=4, blocks=1, code=8, token=8, hidden=16),
    steps=90, batch=8, rate=6e-3, every=45, delta=-1.0, skill_tasks=20,
)  # fmt: skip


@pytest.mark.slow
def test_json_has_the_promised_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis, "ROUNDS", 1)
    monkeypatch.setattr(synthesis, "DECODED", 4)
    monkeypatch.setattr(synthesis, "PRESETS", ("tiny",))
    monkeypatch.setitem(recipes.TRAINING_SETTINGS, "tiny", TINY)
    found = synthesis.measure_all()
    numbers = json.loads(json.dumps(synthesis.as_json(found)))["tiny"]
    assert all(number is None or number > 0 for number in numbers.values())
    network = Synthesizer(TINY.size)
    assert numbers["parameters"] == sum(weight.numel() for weight in network.parameters())
    hours = numbers["step_seconds"] * TINY.steps * len(SUBPOPULATIONS) / 3600
    assert numbers["training_core_hours"] == pytest.approx(hours)
