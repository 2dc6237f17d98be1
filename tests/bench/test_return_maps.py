"""Maps by success and by return are compared on the same tasks."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.agents.population import Population
from taskspace.bench.return_maps import compare
from taskspace.bench.subjects import Subject
from taskspace.envs.registry import make
from taskspace.testing.agents import trained_like

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore")
def test_both_readings_are_measured() -> None:
    env = make("PointMass")
    policies = [*trained_like(env), *trained_like(env, seed=1)]
    agents = Population({f"agent-{number}": policy for number, policy in enumerate(policies)})
    found = compare(Subject(env, agents), tasks=60, new=20)
    for reading in ("success", "return"):
        assert 0 <= found[reading]["triplet_accuracy"] <= 1
        assert np.isfinite(found[reading]["purity"])
