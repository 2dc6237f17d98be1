"""What several parts of the tests need."""

from __future__ import annotations

from dataclasses import replace

import pytest


@pytest.fixture
def small_karel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Karel's fast preset, cut to a few seconds."""
    from taskspace.agents.karel.network import Size
    from taskspace.runs.sources import karel
    from taskspace.training.karel import recipes
    from taskspace.training.karel.learning import TrainingSettings

    tiny = TrainingSettings(
        Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48),
        steps=150, batch=32, rate=6e-3, every=75, delta=-1.0, skill_tasks=20,
    )  # fmt: skip
    monkeypatch.setitem(recipes.TRAINING_SETTINGS, "fast", tiny)
    plan = replace(karel.PRESETS["fast"], tasks=200, side=6, played=60, steps=50, shown=30)
    monkeypatch.setitem(karel.PRESETS, "fast", plan)
