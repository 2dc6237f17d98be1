"""What every source yields, and must define."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.runs.sources.base import Played, Source
from taskspace.runs.sources.environment import EnvironmentSource
from taskspace.runs.sources.karel import KarelSource
from taskspace.runs.sources.table import TableSource

OUTCOMES = ts.Outcomes(np.ones((1, 3), int), np.array(1))


def test_environment_and_population_come_together() -> None:
    env, population = ts.make("MultiKeyNav"), ts.Population([])
    assert Played(OUTCOMES, env, population).known == (env, population)
    with pytest.raises(AssertionError):
        _ = Played(OUTCOMES).known


def test_a_source_must_define_every_step() -> None:
    class Half(Source):
        def settings(self) -> dict[str, object]:
            return {}

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]


@pytest.mark.parametrize("kind", [EnvironmentSource, KarelSource, TableSource])
def test_every_source_defines_every_step(kind: type[Source]) -> None:
    assert not kind.__abstractmethods__
