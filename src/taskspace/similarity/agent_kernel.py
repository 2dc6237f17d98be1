"""How agents differ from each other: the covariance of their results over tasks.

Success rates are taken relative to the mean of each task. Noise of attempts is subtracted where
agents tried tasks several times; with single attempts, it cannot be told from a difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]

RIDGE = 0.1  # of the mean variance of agents: smaller differences count little


@dataclass(frozen=True, eq=False)
class AgentProfiles:
    """The results of agents relative to the mean of each task.

    Attributes:
        deviations: Success rate - mean of the task (agents, tasks); 0 for pairs not tried.
        tried: Which pairs were tried (agents, tasks).
        noise: The variance of each agent's rates that is due to the number of attempts.
    """

    deviations: Floats
    tried: NDArray[np.bool_]
    noise: Floats

    @classmethod
    def of(cls, outcomes: Outcomes, means: Floats | None = None) -> AgentProfiles:
        """The profiles of outcomes, relative to the means of their tasks or to the given ones."""
        tried = outcomes.rollouts > 0
        rates = np.where(tried, outcomes.rates, 0.0)
        if means is None:
            means = task_means(outcomes)
        deviations = np.where(tried, rates - means, 0.0)
        return cls(deviations, tried, attempt_noise(outcomes))


def task_means(outcomes: Outcomes) -> Floats:
    """The mean success rate of each task; 0 if no agent tried it."""
    tried = outcomes.rollouts > 0
    rates = np.where(tried, outcomes.rates, 0.0)
    means: Floats = rates.sum(0) / np.maximum(tried.sum(0), 1)
    return means


def attempt_noise(outcomes: Outcomes) -> Floats:
    """The mean variance of each agent's success rates that is due to few attempts.

    It is 0 for scores and for single attempts, where it is unknown. For returns, it is that of
    normalised returns, from the spreads of attempts.

    >>> attempt_noise(Outcomes([[1, 2], [0, 2]], 2)).round(2)
    array([0.12, 0.  ])
    """
    r = outcomes.rollouts.astype(np.float64)
    if outcomes.scale is not None and outcomes.return_spreads is not None:
        width = np.maximum(outcomes.scale.high - outcomes.scale.low, 1e-12)
        variance = np.square(np.nan_to_num(outcomes.return_spreads) / width) / np.maximum(r, 1)
        return np.asarray(variance.sum(1) / np.maximum((r > 0).sum(1), 1), np.float64)
    if outcomes.successes.dtype.kind == "f":
        return np.zeros(outcomes.n_agents)
    rates = np.where(r > 0, outcomes.rates, 0.0)
    noise = np.where(r > 1, rates * (1 - rates) / np.maximum(r - 1, 1), 0.0)
    mean: Floats = noise.sum(1) / np.maximum((r > 0).sum(1), 1)
    return mean


def effective_agents(outcomes: Outcomes) -> float:
    """The number of agents that differ from each other as much as all of these do.

    It is the participation ratio of the covariance of agents, (sum of the eigenvalues)^2 / sum of
    their squares: n - 1 for n agents that share nothing (one is lost to their mean), 1 for agents
    that differ in one way only, and unchanged by copies of all agents. What a finite number of
    tasks adds to it is subtracted. With single attempts, it is an upper bound: noise counts as
    difference.

    Args:
        outcomes: The results of the agents.

    Returns:
        The effective number, from 1 to the number of agents.

    >>> rng = np.random.default_rng(0)
    >>> solved = rng.integers(0, 2, (10, 400))
    >>> round(effective_agents(Outcomes(solved, 1)))
    9
    >>> round(effective_agents(Outcomes(np.repeat(solved, 3, axis=0), 1)))  # three copies of each
    9
    """
    from threadpoolctl import threadpool_limits

    profiles = AgentProfiles.of(outcomes)
    tried = profiles.tried.astype(np.float32)
    with threadpool_limits(1):  # bit-identical on any number of cores
        together = np.maximum((tried @ tried.T).astype(np.float64), 1)
        kernel = profiles.deviations @ profiles.deviations.T / together
    raw = np.diagonal(kernel).copy()
    own = np.maximum(raw - profiles.noise, 0.0)
    shared = kernel**2 - (raw[:, None] * raw - kernel**2) / together
    np.fill_diagonal(shared, own**2)
    squares = max(float(shared.sum()), float((own**2).sum()))
    ratio = own.sum() ** 2 / squares if squares > 0 else 1.0
    return float(np.clip(ratio, 1.0, outcomes.n_agents))


def covariance(one: AgentProfiles, other: AgentProfiles) -> Floats:
    """The covariance of agents (agents of `one`, agents of `other`) over all tasks.

    Pairs that were not tried count as results like the mean, so that the matrix of all agents has
    no negative eigenvalues.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return one.deviations @ other.deviations.T / one.deviations.shape[1]


def ridge(profiles: AgentProfiles) -> float:
    """What is added to the diagonal of the covariance: noise and small differences count little."""
    variance = float(np.square(profiles.deviations).mean())
    return max(RIDGE * variance, 1e-9) + float(profiles.noise.mean())
