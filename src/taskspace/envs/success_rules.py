"""What counts as success in a Gymnasium environment, each rule with a sentence that says it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

At = Literal["last", "any"]


@dataclass(frozen=True, eq=False)
class EpisodeSummary:
    """What is kept of an episode for a function that judges it.

    Of observations and infos only the last are kept, so that memory stays bounded.
    """

    task: Mapping[str, float]
    rewards: NDArray[np.float64]  # one a step
    observation: Any  # the last one
    info: Mapping[str, Any]  # of the last step
    terminated: bool  # ended by the environment's own rules
    truncated: bool  # ended by a limit of time

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.rewards)

    @property
    def total_reward(self) -> float:
        """The return: the sum of the rewards."""
        return float(self.rewards.sum())


@dataclass(frozen=True)
class SuccessRule:
    """Judges an episode; `words` says how."""

    words: str

    def noticed(self, info: Mapping[str, Any], before: bool) -> bool:
        """What a step's info says, given what was noticed before."""
        return False

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """Whether the episode was a success."""
        raise NotImplementedError


@dataclass(frozen=True)
class InfoKey(SuccessRule):
    """An entry of the info, at the last step or at any."""

    key: str
    at: At

    def noticed(self, info: Mapping[str, Any], before: bool) -> bool:
        """Whether the entry is true now, or has been if any step will do."""
        return (before and self.at == "any") or _true(info.get(self.key, False), self.key)

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """What was noticed."""
        return noticed


@dataclass(frozen=True)
class LeastReturn(SuccessRule):
    """A return of at least so much."""

    least: float

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """Whether the rewards add up to it."""
        return episode.total_reward >= self.least


@dataclass(frozen=True)
class FunctionRule(SuccessRule):
    """A function of the episode."""

    function: Callable[[EpisodeSummary], Any]

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """What the function says."""
        return bool(self.function(episode))


def success_rule(success: Any, at: Any) -> SuccessRule:
    """The rule for what a user passed: an info key, a least return or a function.

    >>> success_rule("is_success", "any").words
    "info['is_success'] is true at any step"
    >>> success_rule(475, "last").words
    'the return is at least 475'
    """
    if at not in ("last", "any"):
        raise ValueError(f"success_at must be 'last' or 'any', not {at!r}")
    if isinstance(success, str) and success:
        when = "at the last step" if at == "last" else "at any step"
        return InfoKey(f"info[{success!r}] is true {when}", success, at)
    if at == "any":
        raise ValueError("success_at='any' goes with the name of an info entry as success")
    number = isinstance(success, (int, float, np.integer, np.floating))
    if number and not isinstance(success, bool) and np.isfinite(success):
        return LeastReturn(f"the return is at least {success:g}", float(success))
    if callable(success):
        return FunctionRule(_words(success), success)
    raise TypeError(
        "success is the name of an info entry ('is_success'), the least return (a number) or a"
        f" function of an EpisodeSummary; got {success!r}"
    )


def _words(function: Callable[..., Any]) -> str:
    """The function's own first sentence where it has one, else its name."""
    docstring = inspect.getdoc(function) if inspect.isroutine(function) else None
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return docstring.splitlines()[0] if docstring else f"the function {name} says so"


def _true(value: Any, key: str) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    try:
        return value is not None and float(np.asarray(value).item()) > 0.0
    except (TypeError, ValueError):
        raise ValueError(f"info[{key!r}] is {value!r}, expected true or false") from None
