"""The benchmark measures what it says; how fast things are is not a matter for tests."""

from __future__ import annotations

import json

import pytest

from taskspace.bench import search

pytestmark = pytest.mark.slow


def test_json_has_a_positive_time_for_every_way() -> None:
    numbers = json.loads(json.dumps(search.as_json(search.measure_all(tasks=5000))))
    assert list(numbers) == [f"{dimension} dimensions" for dimension in search.DIMENSIONS]
    for timing in numbers.values():
        assert set(timing) == {"index", "harder", "sorting", "reading", "faiss"}
        assert all(milliseconds > 0 for milliseconds in timing.values() if milliseconds is not None)
