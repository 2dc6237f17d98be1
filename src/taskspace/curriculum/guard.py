"""The guard: does the learner learn faster with the curriculum than with uniform tasks?

Some periods of training have uniform tasks only. Success on uniform tasks rises by one speed in
these periods and by another in periods with the curriculum. A Kalman filter tracks both speeds;
when uniform periods are faster, the guard hands training back to uniform tasks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PERIOD = 1000  # episodes between decisions
_ON, _OFF = 1, 2  # positions of the speeds in the state; position 0 is the success rate
_FIRST_SPEED = 0.02  # standard deviation of a speed before anything is known, per period
_DRIFT = 0.001  # by which a speed may change from one period to the next
_JITTER = 0.002  # of the success rate beyond its speed
_HAND_BACK = -0.7  # advantage, in standard deviations, below which training is handed back
_RETURN = 1.0  # and above which it returns to the curriculum
_TRIAL = 4  # periods of a trial of the other mode
_SPACING = 4  # periods between trials at first; they get rarer as long as they change nothing
_RARER, _RAREST = 2, 32


@dataclass
class Guard:
    """Decides whether the next episodes follow the curriculum or are uniform.

    Attributes:
        enabled: Whether to hand back at all; otherwise the curriculum is always followed.
        following: Whether the curriculum is followed, apart from trials.
        trial: Whether this period tries the opposite.
        state: The success rate on uniform tasks, its speed with the curriculum, and without.
        covariance: The uncertainty of the state.

    >>> guard, rng = Guard(), np.random.default_rng(0)
    >>> rate = 0.1
    >>> for _ in range(60):  # uniform tasks teach, the curriculum does not
    ...     rate += 0.0 if guard.on else 0.02
    ...     _ = guard.observe(np.ones(1000), (rng.random(1000) < rate).astype(float))
    >>> guard.following
    False
    """

    enabled: bool = True
    following: bool = True
    trial: bool = False
    state: Floats = field(default_factory=lambda: np.zeros(3))
    covariance: Floats = field(default_factory=lambda: np.diag([0.25, *[_FIRST_SPEED**2] * 2]))
    sums: Floats = field(default_factory=lambda: np.zeros(4))  # episodes, r, r s, r²
    spacing: int = _SPACING
    waited: int = 0  # periods since the last trial began or ended
    before: bool = True  # whether the curriculum was on in the last period

    @property
    def on(self) -> bool:
        """Whether tasks come from the curriculum in this period."""
        return self.following != self.trial

    @property
    def advantage(self) -> tuple[float, float]:
        """How much faster learning is with the curriculum, and the standard deviation of this."""
        difference = np.array([0.0, 1.0, -1.0])
        return (
            float(difference @ self.state),
            float(np.sqrt(difference @ self.covariance @ difference)),
        )

    @property
    def _learns_without(self) -> bool:
        """Whether the learner clearly learns from uniform tasks: otherwise they are no choice."""
        return bool(self.state[_OFF] > np.sqrt(self.covariance[_OFF, _OFF]))

    def observe(self, uniform: Floats, successes: Floats) -> bool:
        """Take in episodes; `uniform` is the probability that each was drawn uniformly.

        Returns:
            Whether a period has ended.
        """
        if not self.enabled:
            return False
        new = [len(uniform), uniform.sum(), uniform @ successes, uniform @ uniform]
        self.sums = self.sums + new
        if self.sums[0] < PERIOD:
            return False
        self._end_period()
        return True

    def _end_period(self) -> None:
        _, weight, won, squares = self.sums
        if weight > 0:
            count = weight**2 / squares  # the effective number of uniform episodes
            rate = (won + 0.5) / (weight + 1.0)
            self._filter(rate, rate * (1 - rate) / count)
        self.sums = np.zeros(4)
        self._decide()

    def _filter(self, rate: float, variance: float) -> None:
        """One step of the Kalman filter."""
        move = np.eye(3)
        # What is learned in a period shows in the next one.
        move[0, _ON if self.before else _OFF] = 1.0
        noise = np.diag([_JITTER**2, _DRIFT**2, _DRIFT**2])
        predicted = move @ self.covariance @ move.T + noise
        state = move @ self.state
        gain = predicted[:, 0] / (predicted[0, 0] + variance)
        self.state = state + gain * (rate - state[0])
        self.covariance = predicted - np.outer(gain, predicted[0])

    def _decide(self) -> None:
        """Follow or hand back; now and then, try the opposite for some periods."""
        self.before = self.on
        faster, spread = self.advantage
        self.waited += 1
        slower = faster < _HAND_BACK * spread and self._learns_without
        if slower if self.following else faster > _RETURN * spread:
            self.following = not self.following
            self.spacing, self.trial, self.waited = _SPACING, False, 0
        elif self.trial and self.waited >= _TRIAL:
            self.spacing = min(_RARER * self.spacing, _RAREST)
            self.trial, self.waited = False, 0
        elif not self.trial and self.waited >= self.spacing:
            self.trial, self.waited = True, 0

    def as_arrays(self) -> dict[str, Floats]:
        """The guard as arrays, for a file."""
        numbers = [self.enabled, self.following, self.trial, self.spacing, self.waited, self.before]
        return {
            "flags": np.array(numbers, np.float64), "state": self.state,
            "covariance": self.covariance, "sums": self.sums,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: dict[str, Floats]) -> Guard:
        """The guard that `as_arrays` described."""
        enabled, following, trial, spacing, waited, before = arrays["flags"].tolist()
        return cls(
            bool(enabled), bool(following), bool(trial), arrays["state"], arrays["covariance"],
            arrays["sums"], int(spacing), int(waited), bool(before),
        )  # fmt: skip
