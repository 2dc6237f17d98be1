"""How far the scores of each agent in logs go, and whether they are all on one scale."""

from __future__ import annotations

import warnings
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.attempts import check_scale
from taskspace.outcomes.readers.agent_names import Key

FEWEST_TELLING = 20  # attempts after which some score of an agent should exceed 1


@dataclass
class _Range:
    """The scores of one agent on a benchmark."""

    count: int = 0
    largest: float = 0.0
    has_small: bool = False  # whether any is above 0, but not above 1


class ScoreRanges:
    """The ranges of scores by benchmark, as its format and name, and agent."""

    def __init__(self) -> None:
        self._ranges: dict[tuple[str, str], dict[Key, _Range]] = defaultdict(dict)

    def add(self, format: str, key: Key, scores: NDArray[np.float64]) -> None:
        """Add the scores of a log."""
        known = self._ranges[format, key[2]].setdefault(key, _Range())
        known.count += len(scores)
        known.largest = float(scores.max(initial=known.largest))
        known.has_small |= bool(((scores > 0) & (scores <= 1)).any())

    def check(self, most: float) -> None:
        """Refuse to divide scores by `most` that go from 0 to 1 already.

        An agent whose highest score is 1 where others exceed it is refused, unless these have
        scores up to 1, too: then they may be points, and the user is told.
        """
        for (_, benchmark), agents in self._ranges.items():
            what = benchmark or "logs"
            largest = max(one.largest for one in agents.values())
            advice = "read logs with other scores separately, without max_score (--max-score)"
            check_scale(largest, most, what, advice)
            doubtful = [
                key[0]
                for key, one in agents.items()
                if one.largest == 1 < largest and one.count >= FEWEST_TELLING
            ]
            if not doubtful:
                continue
            if not any(one.has_small for one in agents.values() if one.largest > 1):
                raise ValueError(
                    f"the scores of {what} must be on one scale, got scores up to 1 of"
                    f" {checks.brief(doubtful[0])}{_more(doubtful)} and up to {largest:g} of"
                    " others; read these logs separately"
                )
            warnings.warn(
                f"the scores of {checks.brief(doubtful[0])}{_more(doubtful)} on {what} do not"
                f" exceed 1, while those of others go up to {largest:g}; all are divided by"
                f" {most:g}",
                stacklevel=2,
            )


def _more(names: list[str]) -> str:
    return f" (and {len(names) - 1} more)" if len(names) > 1 else ""
