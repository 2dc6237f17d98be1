"""The quiz of Figure 5 for new agents, in a small study."""

from __future__ import annotations

import pytest

from taskspace.paper import figure5, new_agents
from taskspace.paper.study import Study
from tests.paper.test_figure5 import accuracies

pytestmark = pytest.mark.slow


def test_new_agents_are_other_agents(study: Study) -> None:
    new, old = (accuracies(part.reproduce(study)) for part in (new_agents, figure5))
    assert new["OPT"] != old["OPT"]
    assert new["Ours"]["quiz 20"] > new["Random"]["quiz 20"] + 0.1
