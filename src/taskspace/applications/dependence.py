"""Pairs of tasks whose results agree more than the candidates explain, e.g. near-copies.

Given a candidate, the posterior treats the results of an agent as independent. Those of near-copies
are not: if an agent solves one of them, it solves the others, whatever candidate it resembles. Such
pairs show in the known agents, where their covariance exceeds that among the candidates. Only pairs
count that remain when the correlation is lowered by its standard error as often as chance requires
with this many pairs, so that in most tables there are none or few.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.success.factors import Floats, Singles

Numbers = NDArray[np.int64]

MOST_PARTNERS = 10  # per task; of more, those with the largest covariance are kept
_UNRELATED = 4  # number of agents with unrelated results that every correlation is mixed with
_MOST_SHARED = 0.95  # largest correlation of two results given the candidate
_LEAST_VARIANCE = 0.02  # of a result given the candidate
_RIDGE = 1e-3  # added to variances before they are inverted
_ARRAYS = ("dependent_pairs", "dependent_covariances", "dependent_variances")
_BLOCK = 512  # tasks, so that a tile of pairs stays in the cache
_MANY = 16  # tasks per candidate, from which on fewer coordinates save more time than they take
_LEFT_OUT = 1e-5  # variance per task that fewer coordinates may leave out


@dataclass(frozen=True, eq=False)
class Dependence:
    """The covariances of results given the candidate, where they are not 0."""

    pairs: Numbers  # (pairs, 2)
    covariances: Floats  # (pairs,)
    variances: Floats  # (tasks,): of a result

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Dependence | None:
        """The dependence in the arrays of a file, if there is any."""
        if _ARRAYS[0] not in arrays:
            return None
        return cls(*(arrays[name] for name in _ARRAYS))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a file."""
        return dict(zip(_ARRAYS, (self.pairs, self.covariances, self.variances), strict=True))

    @functools.cached_property
    def partners(self) -> dict[int, list[int]]:
        """The tasks that each task depends on."""
        found: dict[int, list[int]] = {}
        for first, second in self.pairs.tolist():
            found.setdefault(first, []).append(second)
            found.setdefault(second, []).append(first)
        return found

    @functools.cached_property
    def _values(self) -> dict[tuple[int, int], float]:
        both = np.concatenate([self.pairs, self.pairs[:, ::-1]]).tolist()
        values = np.tile(self.covariances, 2).tolist()
        return {(first, second): value for (first, second), value in zip(both, values, strict=True)}

    def after(self, answered: Numbers) -> Consequences | None:
        """What answers on different tasks imply for others, or None if nothing."""
        asked = np.array([n for n in answered.tolist() if n in self.partners], np.int64)
        if not len(asked):
            return None
        reached = {partner for task in asked.tolist() for partner in self.partners[task]}
        others = np.array(sorted(reached - set(asked.tolist())), np.int64)
        slopes, left = _condition(self._covariance([*asked, *others]), len(asked))
        return Consequences(asked, others, np.concatenate([self._again(asked), slopes]), left)

    def _covariance(self, tasks: list[int]) -> Floats:
        """The covariance (tasks, tasks) of results given the candidate."""
        table = np.array([[self._values.get((i, j), 0.0) for j in tasks] for i in tasks])
        table[np.diag_indices(len(tasks))] = self.variances[tasks]
        return table

    def _again(self, asked: Numbers) -> Floats:
        """Slopes (asked, asked) for another attempt: it agrees as much as the nearest copy does."""
        nearest = [
            max(self._values[n, other] for other in self.partners[n]) for n in asked.tolist()
        ]
        found: Floats = np.diag(np.array(nearest) / (self.variances[asked] + _RIDGE))
        return found

    def given(self, known: Consequences | None) -> tuple[Numbers, Floats]:
        """The pairs (2, pairs) and their covariances, given the answers with these consequences."""
        if known is None:
            return self.pairs.T, self.covariances
        same = ~np.isin(self.pairs, known.others).all(1)
        first, second = np.triu_indices(len(known.others), 1)
        pairs = np.concatenate([self.pairs[same].T, known.others[np.stack([first, second])]], 1)
        return pairs, np.concatenate([self.covariances[same], known.covariance[first, second]])


@dataclass(frozen=True, eq=False)
class Consequences:
    """How results differ from a candidate's, given the answers on tasks that they depend on."""

    asked: Numbers  # (asked,): the answered tasks that others depend on, in increasing order
    others: Numbers  # (others,): these others, in increasing order
    slopes: Floats  # (asked + others, asked): change per difference of answer and candidate
    covariance: Floats  # (others, others): of results, given the candidate and the answers

    @property
    def changed(self) -> Numbers:
        """The tasks of the rows of `slopes`."""
        return np.concatenate([self.asked, self.others])


def _condition(table: Floats, known: int) -> tuple[Floats, Floats]:
    """Slopes (others, known) of the others on the first variables, and their covariance given them.

    One variable after another becomes known. The table is put together from pairs, so it may not
    be a possible covariance; after each step, covariances are limited to what variances allow.
    """
    slopes = np.zeros((len(table), known))
    for number in range(known):
        column = table[:, number].copy()
        slope = column / (column[number] + _RIDGE)
        slopes += slope[:, None] * (np.eye(known)[number] - slopes[number])
        table = table - slope[:, None] * column
        table[np.diag_indices(len(table))] = np.maximum(np.diag(table), 0.0)
        deviations = np.sqrt(np.diag(table))
        limits = deviations[:, None] * deviations
        table = np.clip(table, -limits, limits)
    return slopes[known:], table[known:, known:]


def find_dependence(rates: Floats, profiles: Singles, prior: Floats) -> Dependence | None:
    """The pairs of tasks that depend on each other, or None if there are none.

    `rates` are those of known agents (agents, tasks), NaN if not tried; `profiles` (tasks,
    candidates) and `prior` (candidates,) are those of the posterior.
    """
    weights = prior.astype(np.float32)
    known, coordinates = _Known.of(rates), _coordinates(profiles, weights)
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(profiles), _BLOCK)]
    tiles = itertools.combinations_with_replacement(blocks, 2)
    found = [known.exceeding(coordinates, *tile) for tile in tiles]
    pairs, excess = (np.concatenate(parts) for parts in zip(*found, strict=True))
    expected, means = profiles @ weights, known.means
    varied = means * (1 - means) - (np.square(profiles) @ weights - expected**2)
    variances = np.maximum(varied, _LEAST_VARIANCE)
    excess = np.minimum(excess, _MOST_SHARED * np.sqrt(variances[pairs].prod(1)))
    kept = _strongest(pairs, excess, len(profiles))
    return Dependence(pairs[kept], excess[kept], variances) if len(kept) else None


@dataclass(frozen=True, eq=False)
class _Known:
    """The results of the known agents on each task."""

    means: Floats  # (tasks,)
    deviations: Singles  # (tasks,)
    standard: Singles  # (agents, tasks): standardized results, 0 if missing
    tried: Singles | None  # (agents, tasks): 1, or 0 if missing; None if none is

    @classmethod
    def of(cls, rates: Floats) -> _Known:
        """The results with these rates (agents, tasks), NaN if not tried."""
        tried = ~np.isnan(rates)
        counts = np.maximum(tried.sum(0), 1)
        means = np.nansum(rates, 0) / counts
        apart = np.where(tried, rates - means, 0.0)
        deviations = np.sqrt((apart**2).sum(0) / counts)
        standard = (apart / np.maximum(deviations, 1e-6)).astype(np.float32)
        some = None if tried.all() else tried.astype(np.float32)
        return cls(means, deviations.astype(np.float32), standard, some)

    @property
    def chance(self) -> float:
        """The largest of the correlations of all pairs by chance, in standard errors."""
        return math.sqrt(2 * math.log(max(math.comb(len(self.means), 2), 2)))

    def exceeding(
        self, coordinates: Singles, rows: slice, columns: slice
    ) -> tuple[Numbers, Floats]:
        """Pairs in a tile whose covariance exceeds that among the candidates, and the excess.

        The lower bound of the correlation counts; it takes long, so it is computed only for pairs
        whose correlation itself is large enough.
        """
        sums, shared, correlated = self._correlated(rows, columns)
        if not correlated.any():
            return np.empty((0, 2), np.int64), np.empty(0)
        explained = coordinates[rows] @ coordinates[columns].T
        scale = np.outer(self.deviations[rows], self.deviations[columns])
        largest = np.minimum(sums, shared) / (shared + _UNRELATED) * scale
        at = np.nonzero(correlated & (largest > explained))
        together = np.broadcast_to(shared, sums.shape)[at].astype(np.float64)
        excess = self._lower_bound(sums[at], together) * scale[at] - explained[at]
        pairs = np.column_stack([rows.start + at[0], columns.start + at[1]])
        return pairs[excess > 0], excess[excess > 0]

    def _correlated(self, rows: slice, columns: slice) -> tuple[Singles, Any, NDArray[np.bool_]]:
        """For the pairs of a tile: sums of products, and numbers of agents with both results.

        Also which pairs have a correlation that is more than chance; each pair is there once.
        """
        sums = self.standard[:, rows].T @ self.standard[:, columns]
        shared: Any = np.float32(len(self.standard))
        if self.tried is not None:
            shared = self.tried[:, rows].T @ self.tried[:, columns]
        error = self.chance / np.sqrt(np.maximum(shared - 3, 1))
        correlated = sums > np.tanh(error) * (shared + _UNRELATED)
        return sums, shared, np.triu(correlated, 1) if rows == columns else correlated

    def _lower_bound(self, sums: Singles, shared: Floats) -> Floats:
        """The correlations of pairs, lowered by as many standard errors as chance requires."""
        # If results are missing, the sum over the others may exceed their number.
        correlation = np.minimum(sums, shared) / (shared + _UNRELATED)
        error = self.chance / np.sqrt(np.maximum(shared - 3, 1))
        bound: Floats = np.tanh(np.arctanh(correlation) - error)
        return bound


def _coordinates(profiles: Singles, weights: Singles) -> Singles:
    """Vectors of the tasks whose inner products are the covariances among the candidates.

    Candidates resemble one another, so that of many tasks a fraction of the coordinates is enough.
    """
    apart = profiles - (profiles @ weights)[:, None]
    apart *= np.sqrt(weights)
    if len(apart) < _MANY * len(weights):
        return apart
    values, axes = np.linalg.eigh(apart.T @ apart)
    return apart @ axes[:, np.cumsum(values) > _LEFT_OUT * len(apart)]


def _strongest(pairs: Numbers, excess: Floats, tasks: int) -> Numbers:
    """Which pairs to keep, in order: those with an excess, at most MOST_PARTNERS per task."""
    partners, kept = np.zeros(tasks, np.int64), []
    for number in np.argsort(-excess, kind="stable").tolist():
        if excess[number] <= 0:
            break
        if (partners[pairs[number]] < MOST_PARTNERS).all():
            partners[pairs[number]] += 1
            kept.append(number)
    return np.array(sorted(kept), np.int64)
