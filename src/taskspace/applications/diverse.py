"""Few agents that show what many do: a population built for diversity.

A map reads the covariances of tasks over agents: which tasks the same agents solve. So the agents
to keep are those whose covariances agree with those of all candidates. Agents that only repeat what
others show are not needed for that, while agents that lack a skill of their own are. A large
determinant of the agents' kernel is another aim; it prefers the most unusual agents, and as more
of them are kept, their covariances agree less with those of all candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.agents.population import Population
from taskspace.envs.base import Environment
from taskspace.models.embedding.informative import check_agents
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.similarity.agent_kernel import AgentProfiles, covariance
from taskspace.training.recipes import Recipe, train_population

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

TASKS, ROLLOUTS = 200, 10  # on which the candidates of `train_diverse` are compared
_LEAST = 1e-9  # relative variance below which agents do not differ


@dataclass(frozen=True, eq=False)
class DiverseAgents:
    """Agents in the order in which they were chosen; see `choose_diverse`.

    Attributes:
        agents: The names of the agents. The first two are chosen together, as a pair.
        agreement: How well the covariances of tasks agree with those of all candidates once the
            agent is added: their cosine, from 0 to 1.
    """

    agents: NDArray[np.str_]
    agreement: Floats

    @property
    def gains(self) -> Floats:
        """What each agent adds to the agreement; one that only makes up the number may lower it."""
        return np.diff(self.agreement, prepend=0.0)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of agents: its columns by name."""
        return {"agent": self.agents, "agreement": self.agreement, "gain": self.gains}


def choose_diverse(outcomes: Outcomes, k: int) -> DiverseAgents:
    """Choose the agents that together show best what all candidates show about tasks.

    They are chosen one after the other, each time the one after which the covariances of tasks
    agree best with those of all candidates. The first agents of a larger choice are therefore
    those of a smaller one.

    Args:
        outcomes: The results of all candidates, e.g. snapshots of several trainings, on a sample of
            tasks. A few hundred tasks suffice, and agents may have tried them once or several
            times.
        k: The number of agents to choose.

    Returns:
        The agents in the order chosen, and how well the first ones agree with all.

    Raises:
        ValueError: If these are no outcomes, if all agents have the same results, or if `k` is not
            an integer from 2 to the number of agents.

    >>> lacks_a, lacks_b, good = [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]
    >>> pool = Outcomes([good, good, lacks_a, good, lacks_a, lacks_b], 1)
    >>> chosen = choose_diverse(pool, 3)
    >>> sorted(pool.rates[np.isin(pool.agents, chosen.agents)].tolist())  # one of each
    [[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]
    """
    if not isinstance(outcomes, Outcomes):
        raise ValueError(f"outcomes must be Outcomes, got {checks.brief(outcomes)}")
    check_agents(outcomes)
    count = checks.whole(k, "k", 2, outcomes.n_agents)
    profiles = AgentProfiles.of(outcomes)
    order, agreement = _choose(covariance(profiles, profiles), count)
    return DiverseAgents(outcomes.agents[order], agreement)


def train_diverse(
    env: Environment,
    k: int,
    *,
    seed: int = 0,
    recipe: str | Recipe = "paper",
    fast: bool = False,
    workers: int | None = None,
    progress: bool | None = None,
) -> Population:
    """Train a population, and keep the agents that together show best what all of them show.

    The candidates are the snapshots of all subpopulations of the recipe, compared on 200 tasks. A
    smaller population makes all that follows cheaper: rollouts, maps and predictions.

    Args:
        env: The environment.
        k: The number of agents to keep.
        seed: The seed.
        recipe: The recipe of `train_population`.
        fast: Whether to shorten the training, for a first look.
        workers: The number of subpopulations that train in parallel; by default one per core.
        progress: Whether to show a progress bar; by default only on a terminal.

    Returns:
        The population of the agents that were kept, in the order of training.

    Raises:
        ValueError: If an argument is invalid, or if fewer than `k` agents were trained.

    >>> import taskspace as ts
    >>> train_diverse(ts.make("MultiKeyNav"), 8, fast=True)
    Population(8 agents of MultiKeyNav in ... subpopulations)
    """
    checks.whole(k, "k", 2)
    trained = train_population(
        env, seed=seed, recipe=recipe, fast=fast, workers=workers, progress=progress
    )
    tasks = env.sample_tasks(TASKS, seed=seed)
    outcomes = evaluate(trained, env, tasks, ROLLOUTS, seed=seed, progress=progress)
    kept = set(choose_diverse(outcomes, k).agents.tolist())
    return Population([agent for agent in trained.agents if agent.name in kept], env.name)


def _choose(kernel: Floats, count: int) -> tuple[Numbers, Floats]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # bit-identical on any number of cores
        order = list(_first_pair(kernel))
        agreement = [0.0, float(_agreement(kernel, order[:1])[order[1]])]
        while len(order) < count:
            scores = _agreement(kernel, order)
            scores[order] = -np.inf
            best = int(scores.argmax())
            order.append(best)
            agreement.append(float(scores[best]))
    return np.array(order, np.int64), np.clip(agreement, 0.0, 1.0)


def _first_pair(kernel: Floats) -> tuple[int, int]:
    """The two agents whose difference d is most typical: the largest d'Cd / d'd."""
    own, spread = np.diagonal(kernel), kernel @ kernel
    all_of = np.diagonal(spread)
    size = own[:, None] + own - 2 * kernel
    typical = all_of[:, None] + all_of - 2 * spread
    known = size > _LEAST * own.mean()
    scores = np.where(known, typical / np.where(known, size, 1.0), -np.inf)
    first, second = np.unravel_index(_round(scores).argmax(), scores.shape)
    return int(first), int(second)


def _agreement(kernel: Floats, chosen: list[int]) -> Floats:
    """The agreement with all candidates of the chosen agents and one more, for each candidate.

    The covariance of tasks over agents with the rates X and the weights w, X'(diag(w) - ww')X, is
    compared with that of all agents by inner products. Both follow from the kernel alone.
    """
    t = len(chosen) + 1
    squares = np.square(kernel)
    own, own_squares = np.diagonal(kernel), np.diagonal(squares)
    sums, sums_of_squares = kernel[chosen].sum(0), squares[chosen].sum(0)
    mixed = np.square(sums[:, None] + kernel)  # (agents, candidates)
    diagonal = sums_of_squares[chosen].sum() + 2 * sums_of_squares + own_squares
    between = mixed[chosen].sum(0) + np.diagonal(mixed)
    whole = sums[chosen].sum() + 2 * sums + own
    size = diagonal / t**2 - 2 * between / t**3 + np.square(whole) / t**4
    shared = (squares[chosen].mean(1).sum() + squares.mean(1)) / t - mixed.mean(0) / t**2
    known = size > _LEAST * squares.mean()
    found = np.where(known, shared / np.sqrt(np.where(known, size, 1.0)), 0.0)
    return _round(found / np.sqrt(squares.mean()))


def _round(scores: Floats) -> Floats:
    """Rounding errors must not decide between equal agents."""
    return scores.round(10)
