"""Rules for what counts as success in a Gymnasium environment."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

At = Literal["last", "any"]


@dataclass(frozen=True, eq=False)
class EpisodeSummary:
    """A summary of an episode, for a function that decides whether it was a success.

    It contains only the last observation and info, so that memory is bounded.

    Attributes:
        task: The task, from column names to numbers.
        rewards: The reward of each step.
        observation: The last observation.
        info: The info of the last step.
        terminated: Whether the environment's own rules ended the episode.
        truncated: Whether a limit of steps ended the episode.

    Example:
        >>> episode = EpisodeSummary({"mass": 2.0}, np.array([0.0, 1.0]), None, {}, True, False)
        >>> episode.length, episode.total_reward
        (2, 1.0)
    """

    task: Mapping[str, float]
    rewards: NDArray[np.float64]
    observation: Any
    info: Mapping[str, Any]
    terminated: bool
    truncated: bool

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
    """Decides whether an episode was a success; `words` describes the rule."""

    words: str

    def noticed(self, info: Mapping[str, Any], before: bool) -> bool:
        """Whether the infos up to this step count as a success, given those `before` it."""
        return False

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """Whether the episode was a success."""
        raise NotImplementedError


@dataclass(frozen=True)
class InfoKey(SuccessRule):
    """An entry of the info must be true, at the last step or at any step."""

    key: str
    at: At

    def noticed(self, info: Mapping[str, Any], before: bool) -> bool:
        """Whether the entry is true at this step or, if any step counts, at an earlier one."""
        return (before and self.at == "any") or _true(info.get(self.key, False), self.key)

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """Whether the entry was true."""
        return noticed

    def check(self, known: Iterable[str], where: str) -> None:
        """Raise an error if the entry is not a known one: its name is probably misspelled."""
        entries = sorted(map(str, known))
        if self.key not in entries:
            raise ValueError(
                f"there is no entry {self.key!r} in the info of {where}; it has"
                f" {', '.join(entries) or 'no entries'}"
            )


@dataclass(frozen=True)
class LeastReturn(SuccessRule):
    """The return must be at least this number."""

    least: float

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """Whether the return is large enough."""
        return episode.total_reward >= self.least


@dataclass(frozen=True)
class FunctionRule(SuccessRule):
    """A function of the episode must return a true value."""

    function: Callable[[EpisodeSummary], Any]

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """The result of the function."""
        return bool(self.function(episode))


@dataclass(frozen=True)
class ReturnsOnly(SuccessRule):
    """No episode is a success or a failure: outcomes are returns."""

    def solved(self, episode: EpisodeSummary, noticed: bool) -> bool:
        """Never."""
        return False


def success_rule(success: Any, at: Any) -> SuccessRule:
    """Make a rule from the name of an info entry, the smallest return, a function or None.

    >>> success_rule("is_success", "any").words
    "info['is_success'] is true at any step"
    >>> success_rule(475, "last").words
    'the return is at least 475'
    """
    if at not in ("last", "any"):
        raise ValueError(f"success_at must be 'last' or 'any', got {checks.brief(at)}")
    if isinstance(success, str) and success:
        when = "at the last step" if at == "last" else "at any step"
        return InfoKey(f"info[{success!r}] is true {when}", success, at)
    if success is None and at == "last":
        return ReturnsOnly("none: outcomes are returns")
    if at == "any":
        raise ValueError(
            "success must be the name of an info entry with success_at='any',"
            f" got {checks.brief(success)}"
        )
    number = isinstance(success, (int, float, np.integer, np.floating))
    if number and not isinstance(success, bool) and np.isfinite(success):
        return LeastReturn(f"the return is at least {success:g}", float(success))
    if callable(success):
        return FunctionRule(_words(success), success)
    raise TypeError(
        "success must be the name of an info entry (e.g. 'is_success'), the smallest return (a"
        " number), a function of an EpisodeSummary, or None for outcomes that are returns, got"
        f" {checks.brief(success)}"
    )


def _words(function: Callable[..., Any]) -> str:
    """The first line of the function's docstring or, without one, a sentence with its name."""
    docstring = inspect.getdoc(function) if inspect.isroutine(function) else None
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return docstring.splitlines()[0] if docstring else f"the function {name} says so"


def _true(value: Any, key: str) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    try:
        return value is not None and float(np.asarray(value).item()) > 0.0
    except (TypeError, ValueError):
        raise ValueError(
            f"info[{key!r}] must be true or false, got {checks.brief(value)}"
        ) from None
