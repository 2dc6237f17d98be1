"""One agent of a population."""

from __future__ import annotations

from typing import Any

import pytest

from taskspace.agents.agent import Agent
from tests.messages import says


@pytest.mark.parametrize(
    ("arguments", "error", "tokens"),
    [
        (("", None), ValueError, "name empty"),
        ((3, None), TypeError, "name agent 3"),
        (("a", None, None), TypeError, "subpopulation agent None"),
        (("a", None, "", -1), ValueError, "step a -1"),
        (("a", None, "", 0, 2.0), ValueError, "skill a 0 1 2.0"),
        (("a", None, "", 0, "good"), ValueError, "skill a 0 1 'good'"),
    ],
)
def test_bad_agents_are_refused(
    arguments: tuple[Any, ...], error: type[Exception], tokens: str
) -> None:
    with pytest.raises(error, match=says(tokens)):
        Agent(*arguments)
