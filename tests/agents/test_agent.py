"""One agent of a population."""

from __future__ import annotations

from typing import Any

import pytest

from taskspace.agents.agent import Agent, check_names_differ
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


def test_an_agent_is_told_with_its_skill_if_it_is_known() -> None:
    assert repr(Agent("a", 5, skill=0.256)) == "Agent('a', skill 0.26, 5)"
    assert repr(Agent("a", 5)) == "Agent('a', 5)"
    assert Agent("a", None, skill=1).skill == 1.0


def test_names_must_differ() -> None:
    check_names_differ([])
    check_names_differ([Agent("a", None), Agent("b", None)])
    with pytest.raises(ValueError, match=says("'b'")):
        check_names_differ([Agent(name, None) for name in "abcb"])
