"""Success probabilities of known agents on known tasks, from a table with missing pairs.

Two sources are combined. A logistic low-rank model (`factors.py`) predicts a pair from the agent's
results on other tasks and from other agents' results on this task. The prediction is then combined
with the results of the pair itself as if it came from `strength` attempts, so that one attempt has
little influence and twenty attempts dominate. An attempt whose normalised return varies less than a
success does counts as several attempts (`dispersion.py`). If the tasks are few, the low-rank model
is fitted by marginal likelihood (`marginal.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.success.dispersion import dispersion_of
from taskspace.models.success.factors import Factors, Floats, fit_factors
from taskspace.models.success.marginal import refine
from taskspace.outcomes.outcomes import Outcomes

RANKS = (1, 2, 4, 8)
SPREADS = (0.05, 0.5)
RETURN_WEIGHTS = (1.0, 5.0, 25.0)  # a return can tell more than a success or failure
STRENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
HELD_OUT = 0.15  # fraction of the pairs on which settings are compared
MOST_AGENTS, MOST_TASKS = 2000, 500  # on which settings are compared; then all are fitted
# Where marginal likelihood is used. Measured on simulated tables of rank 3: with 16 tasks it is
# better from 200 agents on, whatever the rank; with 20 it is for up to 4 dimensions; with 25 it is
# worse with 4 dimensions of wide spread.
FEW_TASKS, ENOUGH_AGENTS = 20, 200
_ENOUGH_PAIRS = 20_000  # for a single split; smaller tables are split up to
_MOST_DIVISIONS = 4  # times


@dataclass(frozen=True)
class Settings:
    """Settings that are chosen by held-out results."""

    rank: int  # dimensions of the low-rank model
    least_spread: float  # the narrowest prior of the loadings; see `fit_factors`
    strength: float  # number of successes and failures that the low-rank prediction is worth
    weight: float = 1.0  # number of successes and failures that an attempt is worth in the fit

    @property
    def of_fit(self) -> tuple[int, float, float]:
        """The settings of `fit`, in order."""
        return self.rank, self.least_spread, self.weight


@dataclass(frozen=True, eq=False)
class LowRankModel:
    """A fitted model of all agents and tasks of some outcomes."""

    factors: Factors
    settings: Settings
    profiles: Floats  # (agents, tasks): success probabilities, prediction and results combined
    dispersion: float | None = None  # of attempts, relative to successes, if these are returns


def fit_low_rank(
    outcomes: Outcomes,
    *,
    settings: Settings | None = None,
    seed: int = 0,
    dispersion: float | None = None,
) -> LowRankModel:
    """Learn every agent's success probability on every task.

    By default, the settings are those under which held-out pairs are most likely, and the
    dispersion is that of the outcomes. `seed` determines only which pairs are held out.

    >>> rng = np.random.default_rng(0)
    >>> skill, level = rng.normal(size=(40, 1)), rng.normal(size=30)
    >>> truth = 1 / (1 + np.exp(level - skill))
    >>> tried = rng.random(truth.shape) < 0.7
    >>> outcomes = Outcomes(rng.binomial(1, truth) * tried, tried * 1)
    >>> model = fit_low_rank(outcomes)
    >>> bool(np.abs(model.profiles - truth).mean() < 0.15)
    True
    """
    from threadpoolctl import threadpool_limits

    key = checks.seed(seed)
    successes = outcomes.successes.astype(np.float64)
    attempts = outcomes.rollouts.astype(np.float64)
    if dispersion is None and outcomes.scale is not None:
        dispersion = dispersion_of(outcomes) or 1.0
    with threadpool_limits(1):  # bit-identical, and faster for small matrices
        factors, settings = learn(successes, attempts, settings, key, dispersion)
        predicted = factors.probabilities()
    strength = settings.strength * (dispersion or 1.0)
    profiles = blend(predicted, successes, attempts, strength)
    return LowRankModel(factors, settings, profiles, dispersion)


def learn(
    successes: Floats,
    attempts: Floats,
    settings: Settings | None,
    seed: int,
    dispersion: float | None = None,
) -> tuple[Factors, Settings]:
    """The factors of tables (agents, tasks), and their settings, which are chosen if None.

    `dispersion` is that of attempts if these are returns; 1 if it is unknown.
    """
    if not attempts.any():
        raise ValueError("outcomes must have at least one rollout, got empty outcomes")
    if settings is None:
        rng = np.random.default_rng(seed)
        settings = choose_settings(successes, attempts, rng, dispersion)
    return fit(successes, attempts, *settings.of_fit), settings


def fit(
    successes: Floats, attempts: Floats, rank: int, least_spread: float, weight: float = 1.0
) -> Factors:
    """Fit the factors as in `fit_factors`, and by marginal likelihood if the tasks are few."""
    successes, attempts = weight * successes, weight * attempts
    factors, (agents, tasks) = fit_factors(successes, attempts, rank, least_spread), attempts.shape
    if tasks <= FEW_TASKS and agents >= ENOUGH_AGENTS:
        return refine(factors, successes, attempts, least_spread)
    return factors


def blend(predicted: Floats, successes: Floats, attempts: Floats, strength: float) -> Floats:
    """Shrink success rates towards predictions that are worth `strength` attempts.

    >>> blend(np.array(0.5), np.array([0.0, 1.0, 20.0]), np.array([0.0, 1.0, 20.0]), 4.0)
    array([0.5       , 0.6       , 0.91666667])
    """
    return (strength * predicted + successes) / (strength + attempts)


def choose_settings(
    successes: Floats,
    attempts: Floats,
    rng: np.random.Generator,
    dispersion: float | None = None,
) -> Settings:
    """The settings under which held-out pairs are most likely."""
    if len(successes) > MOST_AGENTS:
        agents = np.sort(rng.permutation(len(successes))[:MOST_AGENTS])
        successes, attempts = successes[agents], attempts[agents]
    tasks = rng.permutation(successes.shape[1])[:MOST_TASKS]
    successes, attempts = successes[:, tasks], attempts[:, tasks]
    weights = (1.0,) if dispersion is None else RETURN_WEIGHTS
    candidates = [
        Settings(rank, spread, 0.0, weight)
        for rank, spread, weight in product(RANKS, SPREADS, weights)
        if rank <= min(successes.shape)
    ]
    guesses: list[list[Floats]] = [[] for _ in candidates]
    results: list[Floats] = []
    for hidden in _divisions(attempts, rng):
        seen, solved = np.where(hidden, 0.0, attempts), np.where(hidden, 0.0, successes)
        results.append(np.stack([successes[hidden], attempts[hidden]]))
        for guess, candidate in zip(guesses, candidates, strict=True):
            guess.append(fit(solved, seen, *candidate.of_fit).probabilities()[hidden])
    truth = np.concatenate(results, axis=1)
    losses = [log_loss(np.concatenate(guess), *truth) for guess in guesses]
    best = int(np.argmin(losses))
    strength = _strength(np.concatenate(guesses[best]), truth[0], truth[1], dispersion or 1.0)
    return replace(candidates[best], strength=strength)


def _divisions(attempts: Floats, rng: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Masks (agents, tasks) of held-out pairs, one or several."""
    tried = attempts > 0
    count = min(max(round(_ENOUGH_PAIRS / tried.sum()), 1), _MOST_DIVISIONS)
    for _ in range(count):
        yield tried & (rng.random(tried.shape) < HELD_OUT)


def log_loss(predicted: Floats, successes: Floats, attempts: Floats) -> float:
    """Total log loss in nats of all results.

    >>> round(log_loss(np.array([0.5]), np.array([1.0]), np.array([1.0])), 4)
    0.6931
    """
    p = np.clip(predicted, 1e-6, 1 - 1e-6)
    return -float((successes * np.log(p) + (attempts - successes) * np.log1p(-p)).sum())


def _strength(predicted: Floats, successes: Floats, attempts: Floats, dispersion: float) -> float:
    """The number of attempts that predictions are worth, by maximum likelihood.

    The success rates of pairs have Beta distributions around the predictions, so counts are
    beta-binomial. Pairs with a single attempt are uninformative; if there are no others, the
    largest strength is used.
    """
    from scipy.special import betaln

    several = attempts > 1
    p = np.clip(predicted, 1e-4, 1 - 1e-4)[several]
    s, n = successes[several] / dispersion, attempts[several] / dispersion
    fits = [
        (betaln(s + k * p, n - s + k * (1 - p)) - betaln(k * p, k * (1 - p))).sum()
        for k in STRENGTHS
    ]
    return STRENGTHS[int(np.argmax(fits))] if several.any() else STRENGTHS[-1]
