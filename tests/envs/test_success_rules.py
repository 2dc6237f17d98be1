"""What counts as success in a Gymnasium environment."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from taskspace.envs.success_rules import EpisodeSummary, InfoKey, success_rule
from tests.messages import says


def summary(rewards: list[float], **named: Any) -> EpisodeSummary:
    given: dict[str, Any] = {"task": {}, "observation": 0, "info": {}}
    given |= {"terminated": True, "truncated": False}
    return EpisodeSummary(rewards=np.array(rewards), **{**given, **named})


def test_rules_say_in_words_what_they_do() -> None:
    def solved(episode: EpisodeSummary) -> bool:
        """The episode ends early.

        And nothing else.
        """
        return episode.terminated and episode.length < 3

    rule = success_rule(solved, "last")
    assert rule.words == "The episode ends early."
    assert rule.solved(summary([1, 1]), False)
    assert not rule.solved(summary([1, 1, 1]), True)
    assert "<lambda>" in success_rule(lambda episode: True, "last").words
    at_least = success_rule(np.float32(1.5), "last")
    assert re.search(says("return 1.5"), at_least.words)
    assert at_least.solved(summary([1, 0.5]), False)
    assert not at_least.solved(summary([1, 0.4]), False)
    assert re.search(says("info['done'] last"), success_rule("done", "last").words)


@pytest.mark.parametrize(
    ("infos", "last", "any_step"),
    [
        ([{}, {"won": True}], True, True),
        ([{"won": True}, {"won": False}], False, True),
        ([{"won": 1.0}, {}], False, True),
        ([{"won": np.array([0.0])}, {"won": None}], False, False),
        ([{"won": np.bool_(True)}], True, True),
        ([{"won": float("nan")}], False, False),
    ],
)
def test_info_entries_at_the_last_or_at_any_step(infos: Any, last: bool, any_step: bool) -> None:
    for at, expected in (("last", last), ("any", any_step)):
        rule = InfoKey("", "won", at)  # type: ignore[arg-type]
        noticed = False
        for info in infos:
            noticed = rule.noticed(info, noticed)
        assert rule.solved(summary([0.0]), noticed) == expected


def test_an_entry_that_is_no_truth_value() -> None:
    with pytest.raises(ValueError, match=says("info['won'] 'yes'")):
        InfoKey("", "won", "last").noticed({"won": "yes"}, False)


@pytest.mark.parametrize(
    ("success", "at", "error", "tokens"),
    [
        ("won", "first", ValueError, "success_at 'first'"),
        (3.0, "any", ValueError, "success_at"),
        (lambda episode: True, "any", ValueError, "success_at"),
        ("", "last", TypeError, "''"),
        (True, "last", TypeError, "True"),
        (float("nan"), "last", TypeError, "nan"),
        ([], "last", TypeError, "[]"),
        (None, "any", ValueError, "None"),
    ],
)
def test_what_makes_no_rule(success: Any, at: str, error: type[Exception], tokens: str) -> None:
    with pytest.raises(error, match=says(tokens)):
        success_rule(success, at)


def test_a_summary_adds_up_its_rewards() -> None:
    episode = summary([1.0, 0.5, -2.0])
    assert (episode.length, episode.total_reward) == (3, -0.5)
