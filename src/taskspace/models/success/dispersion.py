"""How much attempts vary around an agent's expected return, relative to successes.

Normalised returns lie between 0 and 1, as success rates do. An attempt with the expected value p
has a variance of at most p (1 - p), which is that of a success. The dispersion is the ratio of the
two: 1 if returns are successes, and 0 if each attempt has the same return. So an attempt tells as
much as 1 / dispersion successes and failures.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]

LEAST = 0.01  # less would mean that one attempt tells more than 100 successes and failures


def dispersion_of(outcomes: Outcomes) -> float | None:
    """The dispersion of attempts, from the spreads of returns; None if these are unknown.

    >>> returns, spreads = [[0.0], [5.0], [10.0]], [[0.0], [2.0], [0.0]]
    >>> round(dispersion_of(Outcomes.from_returns(returns, 4, spreads=spreads)), 2)
    0.15
    """
    if outcomes.scale is None or outcomes.return_spreads is None:
        return None
    known = ~np.isnan(outcomes.return_spreads)
    width = np.broadcast_to(outcomes.scale.high - outcomes.scale.low, known.shape)
    known &= width > 0
    more = (outcomes.rollouts[known] - 1).astype(np.float64)
    within = (outcomes.return_spreads[known] / width[known]) ** 2
    rates = outcomes.rates[known]
    possible = float((more * rates * (1 - rates)).sum())
    if not possible > 0:
        return None
    ratio = float((more * within).sum()) / possible
    # Measured rates vary too, which makes p (1 - p) too small: by the dispersion over attempts.
    attempts = 1 + more.mean()
    return float(np.clip(ratio / (1 + ratio / attempts), LEAST, 1.0))


def residual_dispersion(predicted: Floats, rates: Floats) -> float:
    """The squared errors of predictions, relative to p (1 - p).

    They contain the errors of the model, so this is an upper bound for the dispersion of results.

    >>> residual_dispersion(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    1.0
    """
    possible = float((predicted * (1 - predicted)).sum())
    errors = float(((predicted - rates) ** 2).sum())
    return float(np.clip(errors / possible, LEAST, 1.0)) if possible > 0 else LEAST
