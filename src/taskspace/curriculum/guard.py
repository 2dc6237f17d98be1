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

PERIOD = 500  # episodes between decisions
_ON, _OFF = 1, 2  # positions of the speeds in the state; position 0 is the success rate
_FIRST_SPEED = 0.02  # standard deviation of a speed before anything is known, per period
_DRIFT = 0.003  # by which a speed may change from one period to the next
_JITTER = 0.002  # of the success rate beyond its speed
_CLEARLY = 1.0  # standard deviations by which uniform must be faster to hand back
_TRIAL = 4  # periods between trials of the other mode at first; then twice as many, up to
_RAREST = 16


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
    ...     _ = guard.observe(np.ones(500), (rng.random(500) < rate).astype(float))
    >>> guard.following
    False
    """

    enabled: bool = True
    following: bool = True
    trial: bool = False
    state: Floats = field(default_factory=lambda: np.zeros(3))
    covariance: Floats = field(default_factory=lambda: np.diag([0.25, *[_FIRST_SPEED**2] * 2]))
    sums: Floats = field(default_factory=lambda: np.zeros(4))  # episodes, r, r s, r²
    spacing: int = _TRIAL
    waited: int = 0  # periods since the last trial

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

    def observe(self, uniform: Floats, successes: Floats) -> bool:
        """Take in episodes; `uniform` is the probability that each was drawn uniformly.

        Returns:
            Whether a period has ended.
        """
        if not self.enabled:
            return False
        self.sums += [len(uniform), uniform.sum(), uniform @ successes, uniform @ uniform]
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
        move[0, _ON if self.on else _OFF] = 1.0
        noise = np.diag([_JITTER**2, _DRIFT**2, _DRIFT**2])
        predicted = move @ self.covariance @ move.T + noise
        state = move @ self.state
        gain = predicted[:, 0] / (predicted[0, 0] + variance)
        self.state = state + gain * (rate - state[0])
        self.covariance = predicted - np.outer(gain, predicted[0])

    def _decide(self) -> None:
        """Follow or hand back; now and then, try the opposite for a period."""
        faster, spread = self.advantage
        before = self.following
        if self.following and faster < -_CLEARLY * spread:
            self.following = False
        elif not self.following and faster > 0:
            self.following = True
        if self.following != before:
            self.spacing, self.trial, self.waited = _TRIAL, False, 0
            return
        self.waited += 1
        if self.trial:
            self.spacing, self.trial, self.waited = min(2 * self.spacing, _RAREST), False, 0
        elif self.waited >= self.spacing:
            self.trial = True

    def as_arrays(self) -> dict[str, Floats]:
        """The guard as arrays, for a file."""
        numbers = [self.enabled, self.following, self.trial, self.spacing, self.waited]
        return {
            "flags": np.array(numbers, np.float64), "state": self.state,
            "covariance": self.covariance, "sums": self.sums,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: dict[str, Floats]) -> Guard:
        """The guard that `as_arrays` described."""
        enabled, following, trial, spacing, waited = arrays["flags"].tolist()
        return cls(
            bool(enabled), bool(following), bool(trial), arrays["state"], arrays["covariance"],
            arrays["sums"], int(spacing), int(waited),
        )  # fmt: skip
