"""The benchmark reads what it writes; how long it takes is for its report."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.bench import readers


@pytest.mark.parametrize("name", readers.WRITERS)
def test_logs_of_every_format_are_read(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(readers, "AGENTS", 2)
    monkeypatch.setattr(readers, "ITEMS", 30)
    measured, outcomes = readers.measure(readers.WRITERS[name])
    assert measured.size > 0
    expected = [readers._scores(agent) for agent in range(2)]
    np.testing.assert_array_equal(outcomes.rates, expected)
