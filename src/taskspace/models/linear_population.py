"""The linear population model: a new agent as a weighted mean of the known agents.

Results are taken as jointly Gaussian: every task has a mean over the agents, and the covariance of
two tasks is that of the known agents, shrunk. The conditional mean of a new agent's results, given
some of them, is then a weighted mean of the known agents plus a multiple of one common factor, by
which all tasks become easier or harder in proportion to their variance. The weights come from a
ridge regression on the answered tasks, so that no matrix is larger than agents x agents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.success.low_rank import fit_low_rank
from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

MOST_AGENTS = 500  # that new agents are compared with; of more, some are drawn
_PRIOR_AGENTS = 4  # number of agents that the mean variance of all tasks is worth, for one task
_LEAST_VARIANCE = 1e-4  # of a task that all agents solve equally well
_GROUP_AGENTS = 12  # number of agents that the scores in groups are worth, for results on one task


@dataclass(frozen=True)
class Shrinkage:
    """Settings of the regression; see `Regression`."""

    noise: float = 1.0  # variance of a result around the weighted mean, relative to its covariance
    common: float = 0.02  # variance of the multiple of the common factor


@dataclass(frozen=True, eq=False)
class Regression:
    """Regression of a new agent on the known agents and the common factor, on answered tasks.

    The weights of the known agents add up to 1, so that without answers they are all the same.
    """

    scaled: Floats  # (rows, answered): deviations from the means, in standard deviations
    means: Floats  # (answered,)
    deviations: Floats  # (answered,): standard deviations
    covariance: Floats  # (rows, rows) of the weights, given the answers
    start: Floats  # (rows,): the weights without any answer
    noise: float  # variance of a result around the weighted mean, in variances of its task

    def weights(self, results: Floats) -> Floats:
        """The weights (rows,) of the known agents and the common factor, given results."""
        standard = (results - self.means) / self.deviations
        found: Floats = self.covariance @ (self.scaled @ standard) + self.start
        return found

    def without(self, agent: int) -> Regression:
        """The regression on the other agents: this one has the weight 0.

        Removing a row is a rank-one change of the inverse.
        """
        row = self.covariance[agent] / self.covariance[agent, agent]
        covariance = self.covariance - np.outer(row, self.covariance[agent])
        return replace(self, covariance=covariance, start=self.start - row * self.start[agent])

    def left_out(self, results: Floats) -> Floats:
        """The weights (agents, rows) for each known agent, as if it were new, given its results.

        Row for row, they are those of `without`.
        """
        agents = len(results)
        standard = (results - self.means) / self.deviations
        # In this order, no product is of two matrices of agents x agents.
        found = standard @ (self.scaled.T @ self.covariance) + self.start
        own = np.diagonal(found) / np.diagonal(self.covariance)[:agents]
        found -= own[:, None] * self.covariance[:agents]
        found[np.arange(agents), np.arange(agents)] = 0.0  # exactly
        return found


@dataclass(frozen=True, eq=False)
class Drawn:
    """How far results of known agents are drawn towards their scores in groups of tasks."""

    groups: Numbers  # the group of each task
    levels: Floats  # (agents, groups): scores minus their mean, in multiples of the common factor
    sums: Floats  # (groups, rows of the regression): over all tasks of each group
    weight: float  # 0: not at all, 1: only the scores count


@dataclass(frozen=True, eq=False)
class LinearPopulation:
    """The results of known agents, as a Gaussian distribution of the results of a new agent.

    Attributes:
        rates: The success rates (agents, tasks); those of pairs that were never tried are
            predicted by a low-rank model.
        tried: Whether the agent has tried the task (agents, tasks); None if every pair was tried.
        variances: The variance of the results on each task, shrunk to the mean of all tasks.
        unit: How large differences between results are, relative to those of success rates.
        drawn: How far results are drawn towards scores, see `towards`; None if they are not.

    >>> outcomes = Outcomes([[1, 1, 0, 0]] * 9 + [[0, 0, 1, 1]] * 9, 1)
    >>> population = LinearPopulation.fit(outcomes)
    >>> population.predict([0], [1.0]).round(1)
    array([0.8, 0.8, 0.3, 0.3])
    >>> population.covariance([0], [np.array([1]), np.array([2])]).round(2)
    array([[ 0.2 , -0.06],
           [-0.06,  0.22]])
    """

    rates: NDArray[np.float32]
    tried: NDArray[np.bool_] | None
    variances: Floats
    unit: float = 1.0
    drawn: Drawn | None = None

    @classmethod
    def fit(cls, outcomes: Outcomes, *, seed: int = 0) -> LinearPopulation:
        """Learn from the outcomes of agents.

        Args:
            outcomes: The outcomes of at least two agents; pairs may be missing.
            seed: The seed of the draw of 500 agents, if there are more.

        Returns:
            The fitted model.

        Raises:
            TypeError: If `outcomes` are not `Outcomes`.
            ValueError: If there are fewer than two agents.
        """
        if not isinstance(outcomes, Outcomes):
            raise TypeError(f"outcomes must be Outcomes, got {type(outcomes).__name__}")
        key = checks.seed(seed)
        if (outcomes.rollouts > 0).all():
            return cls.from_rates(outcomes.rates, None, key)
        return cls.from_rates(outcomes.rates, fit_low_rank(outcomes, seed=key).profiles, key)

    @classmethod
    def from_rates(cls, rates: Floats, predicted: Floats | None, seed: int) -> LinearPopulation:
        """Learn from success rates (agents, tasks), of which those that are NaN are `predicted`."""
        agents = len(rates)
        if agents < 2:
            raise ValueError(f"outcomes must have at least 2 agents, got {agents}")
        if not np.isnan(rates).any():
            predicted = None
        if agents > MOST_AGENTS:
            some = np.sort(np.random.default_rng(seed).permutation(agents)[:MOST_AGENTS])
            rates, predicted = rates[some], None if predicted is None else predicted[some]
        tried = ~np.isnan(rates)
        filled = rates if predicted is None else np.where(tried, rates, predicted)
        every = None if predicted is None else tried
        return cls(filled.astype(np.float32), every, _variances(rates, tried))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The model as arrays, for a file."""
        return {
            "rates": self.rates,
            "variances": self.variances,
            **({} if self.tried is None else {"tried": self.tried}),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LinearPopulation | None:
        """The model from what `arrays` returned; None if it is not among the arrays."""
        if "rates" not in arrays:
            return None
        return cls(arrays["rates"], arrays.get("tried"), arrays["variances"])

    @property
    def common(self) -> Floats:
        """How much each task follows the common factor (tasks,); one unit on average."""
        return self.unit * self.variances / self.variances.mean()

    @property
    def cautious(self) -> Floats:
        """The variances, at least those of the rule of succession (tasks,).

        That all agents do equally well on a task does not mean that the next one will: it counts
        like two more agents, one of which solves the task and one of which does not.
        """
        means = self.rates.mean(0, dtype=np.float64)
        floor = self.unit**2 * (means**2 + (1 - means) ** 2) / (len(self.rates) + 2)
        return np.maximum(self.variances, floor)

    def towards(self, groups: Numbers) -> LinearPopulation:
        """The same agents, with results drawn towards their scores in groups of tasks.

        Which of a few agents solve a task is partly chance, but their scores in a group of tasks
        are known well. So part of what an agent does better or worse than others on a task is
        replaced by its share of the score, if tasks follow a score in proportion to their variance.
        Scores stay the same. Tasks of no group, -1, count as a group.
        """
        own = np.where(groups < 0, groups.max(initial=-1) + 1, groups)
        factors = np.bincount(own, self.common)
        sums = np.stack([np.bincount(own, row) for row in self.rates])
        levels = (sums - sums.mean(0)) / np.where(factors > 0, factors, 1.0)
        weight = _GROUP_AGENTS / (_GROUP_AGENTS + len(self.rates))
        rows = np.concatenate([sums, factors[None]]).T
        return replace(self, drawn=Drawn(own, levels, rows, weight))

    def known(self, tasks: Numbers) -> Floats:
        """The results (agents, tasks) on which new agents are regressed."""
        found = self.rates[:, tasks].astype(np.float64)
        if self.drawn is None:
            return found
        scores = self.drawn.levels[:, self.drawn.groups[tasks]] * self.common[tasks]
        return (1 - self.drawn.weight) * found + self.drawn.weight * (found.mean(0) + scores)

    def regression(self, answered: Numbers, shrinkage: Shrinkage) -> Regression:
        """The regression of a new agent on the known agents, on these tasks."""
        known, count = self.known(answered), len(self.rates)
        means, deviations = known.mean(0), np.sqrt(self.variances[answered])
        rows = np.concatenate([known - means, self.common[None, answered]]) / deviations
        prior = np.append(np.full(count, 1 / (shrinkage.noise * count)), shrinkage.common)
        covariance = _posterior_covariance(prior, rows)
        # The weights of the agents add up to 1: the direction of their sum is taken out.
        towards = covariance[:, :count].sum(1)
        start = towards / towards[:count].sum()
        noise = shrinkage.noise / (1 + shrinkage.noise)
        constrained = covariance - np.outer(start, towards)
        return Regression(rows, means, deviations, constrained, start, noise)

    def sums(self, tasks: Numbers) -> Floats:
        """The sum over tasks of each row of the regression: the known agents, the common factor."""
        known, common = self.rates[:, tasks].sum(1, dtype=np.float64), self.common[tasks]
        if self.drawn is not None:
            own = np.bincount(self.drawn.groups[tasks], common, self.drawn.levels.shape[1])
            scores = known.mean() + self.drawn.levels @ own
            known = (1 - self.drawn.weight) * known + self.drawn.weight * scores
        return np.append(known, common.sum())

    def weights(
        self, answered: Numbers, results: Floats, shrinkage: Shrinkage, without: int | None = None
    ) -> Floats:
        """The weights of the rows as in `Regression`, by way of a matrix as small as possible.

        A known agent that is predicted from the others, `without` itself, has the weight 0.
        """
        count = len(self.rates)
        if len(answered) >= count:
            found = self.regression(answered, shrinkage)
            return (found if without is None else found.without(without)).weights(results)
        start = np.append(np.ones(count), 0.0)
        prior = np.append(np.full(count, 1 / (shrinkage.noise * count)), shrinkage.common)
        if without is not None:
            start[without] = prior[without] = 0.0
        start /= start.sum()
        known, deviations = self.known(answered), np.sqrt(self.variances[answered])
        means = start[:-1] @ known
        rows = np.concatenate([known - means, self.common[None, answered]]) / deviations
        covariance = (rows.T * prior) @ rows + np.eye(len(answered))
        standard = np.linalg.solve(covariance, (results - means) / deviations)
        return start + prior * (rows @ standard)

    def predict(
        self,
        answered: Numbers,
        results: Floats,
        tasks: Numbers | None = None,
        shrinkage: Shrinkage | None = None,
    ) -> Floats:
        """Predict the results of a new agent.

        Args:
            answered: The indices of the tasks that it has answered.
            results: Its results on them, from 0 to 1.
            tasks: The indices of the tasks to predict; all tasks by default.
            shrinkage: Settings of the regression.

        Returns:
            The conditional mean for each task, which may be a little below 0 or above 1.

        Raises:
            ValueError: If there is no such task, if a task is answered twice, or if the results
                are not one number from 0 to 1 per answered task.
        """
        from threadpoolctl import threadpool_limits

        asked, given = self._different(answered, "answered"), checks.numbers(results, "results")
        if given.shape != asked.shape or not ((given >= 0) & (given <= 1)).all():
            raise ValueError(
                f"results must be one number from 0 to 1 for each of {len(asked)} answered tasks,"
                f" got {checks.brief(results)}"
            )
        count = self.rates.shape[1]
        wanted = slice(None) if tasks is None else checks.indices(tasks, count, "tasks")
        with threadpool_limits(1):  # bit-identical on any number of cores
            weights = self.weights(asked, given, shrinkage or Shrinkage())
            return self.weighted(weights, wanted)

    def weighted(self, weights: Floats, tasks: Numbers | slice) -> Floats:
        """The weighted sum of the rows of the regression, on each of the tasks."""
        agents, common = weights[:-1], weights[-1]
        if self.drawn is not None:
            common = (
                common + self.drawn.weight * (agents @ self.drawn.levels)[self.drawn.groups[tasks]]
            )
            agents = (1 - self.drawn.weight) * agents + self.drawn.weight * agents.mean()
        found: Floats = (agents.astype(np.float32) @ self.rates[:, tasks]).astype(np.float64)
        return found + common * self.common[tasks]

    def predict_each(self, results: Floats) -> Floats:
        """Predict many new agents (agents, tasks) from results, which are NaN where not answered.

        This takes a matrix of tasks x tasks, so it is for few tasks.
        """
        shrinkage, known = Shrinkage(), self.rates.astype(np.float64)
        means = known.mean(0)
        apart = (known - means) / np.sqrt(shrinkage.noise * len(known))
        covariance = apart.T @ apart + shrinkage.common * np.outer(self.common, self.common)
        found = np.tile(means, (len(results), 1))
        for row, given in zip(found, results, strict=True):
            asked = np.flatnonzero(~np.isnan(given))
            own = covariance[np.ix_(asked, asked)] + np.diag(self.variances[asked])
            row += covariance[:, asked] @ np.linalg.solve(own, given[asked] - means[asked])
        return found

    def covariance(
        self, answered: Numbers, groups: list[Numbers], shrinkage: Shrinkage | None = None
    ) -> Floats:
        """The covariance of a new agent's mean results over groups of tasks, given some answers.

        Args:
            answered: The indices of the tasks that it has answered.
            groups: The indices of the tasks of each group, none of which may be answered.
            shrinkage: Settings of the regression.

        Returns:
            The covariance (groups, groups), which depends on the tasks but not on the results.

        Raises:
            ValueError: If there is no such task, or if a task is repeated or both answered and in
                a group.
        """
        asked = self._different(answered, "answered")
        parts = [self._different(tasks, "each of groups") for tasks in groups]
        both = np.intersect1d(asked, np.concatenate([asked[:0], *parts]))
        if len(both):
            raise ValueError(f"groups must have no answered tasks, got {both[0]}")
        found = self.regression(asked, shrinkage or Shrinkage())
        return self.group_covariance(found, parts)

    def _different(self, tasks: Any, what: str) -> Numbers:
        """Check indices of different tasks."""
        found = checks.indices(tasks, self.rates.shape[1], what)
        numbers, counts = np.unique(found, return_counts=True)
        if len(numbers) < len(found):
            raise ValueError(f"{what} must have each task once, got {numbers[counts > 1][0]} again")
        return found

    def group_covariance(self, regression: Regression, groups: list[Numbers]) -> Floats:
        """The covariance as in `covariance`, from the regression on the answered tasks."""
        means = np.stack([self.sums(tasks) / max(len(tasks), 1) for tasks in groups])
        own = [self.variances[tasks].sum() / max(len(tasks), 1) ** 2 for tasks in groups]
        found: Floats = means @ regression.covariance @ means.T + np.diag(own)
        return regression.noise * found


def _posterior_covariance(prior: Floats, rows: Floats) -> Floats:
    """The inverse of diag(1 / prior) + rows @ rows.T, by way of a matrix as small as possible."""
    if rows.shape[1] >= len(rows):
        return np.asarray(np.linalg.inv(np.diag(1 / prior) + rows @ rows.T), np.float64)
    scaled = prior[:, None] * rows  # Woodbury's identity
    small = np.eye(rows.shape[1]) + rows.T @ scaled
    return np.asarray(np.diag(prior) - scaled @ np.linalg.solve(small, scaled.T), np.float64)


def _variances(rates: Floats, tried: NDArray[np.bool_]) -> Floats:
    """The variance of each task between agents, shrunk to the mean of all tasks."""
    counts = tried.sum(0)
    means = np.where(tried, rates, 0.0).sum(0) / np.maximum(counts, 1)
    squares = np.where(tried, (rates - means) ** 2, 0.0).sum(0)
    typical = squares.sum() / max((counts - (counts > 0)).sum(), 1)
    found: Floats = (squares + _PRIOR_AGENTS * typical) / (
        np.maximum(counts - 1, 0) + _PRIOR_AGENTS
    )
    return np.maximum(found, _LEAST_VARIANCE)
