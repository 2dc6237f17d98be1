"""Tasks that no agent separates, and agents that are copies of each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.agent_kernel import attempt_noise, task_means

Floats = NDArray[np.float64]

COPY = 0.02  # copies differ by less than this fraction of what agents of equal skills differ
_SKILLS = 5  # that agents may share without being copies, beside how many tasks they solve
_ERRORS = 2  # standard errors of the difference, which noise of attempts causes
_ERROR = 0.01  # probability that agents that are no copies are called so, in a whole table
_TASKS_PER_BLOCK = 4096


@dataclass(frozen=True)
class Unseparated:
    """Tasks on which every agent has the same result.

    Attributes:
        tasks: The names of the tasks.
        differ_in: The features and labels of tasks in which they differ.
    """

    tasks: tuple[str, ...]
    differ_in: tuple[str, ...]


def unseparated_tasks(outcomes: Outcomes, tasks: NDArray[np.int64]) -> tuple[Unseparated, ...]:
    """Groups of tasks that no agent separates, the largest first.

    All agents have the same success rate on the tasks of a group, and have tried all or none.

    Args:
        outcomes: The results of the agents.
        tasks: The indices of the tasks to look at.

    Returns:
        The groups of at least two tasks.

    >>> outcomes = Outcomes([[1, 0, 1], [0, 1, 0]], 1, features=[[3, 1], [3, 2], [4, 1]])
    >>> unseparated_tasks(outcomes, np.arange(3))
    (Unseparated(tasks=('task-0', 'task-2'), differ_in=('x0',)),)
    """
    found: dict[bytes, list[int]] = {}
    for start in range(0, len(tasks), _TASKS_PER_BLOCK):
        some = tasks[start : start + _TASKS_PER_BLOCK]
        s, r = outcomes.successes[:, some], outcomes.rollouts[:, some]
        rates = np.where(r > 0, s / np.maximum(r, 1), -1.0).T.astype(np.float32, order="C")
        for task, row in zip(some.tolist(), rates, strict=True):
            found.setdefault(row.tobytes(), []).append(task)
    groups = [group for group in found.values() if len(group) > 1]
    return tuple(
        Unseparated(tuple(outcomes.tasks[group].tolist()), _differences(outcomes, group))
        for group in sorted(groups, key=len, reverse=True)
    )


def _differences(outcomes: Outcomes, group: list[int]) -> tuple[str, ...]:
    columns: dict[str, NDArray[Any]] = {}
    if outcomes.features is not None:
        columns = dict(zip(outcomes.feature_names, outcomes.features.T, strict=True))
    columns |= outcomes.task_labels
    return tuple(name for name, values in columns.items() if len(set(values[group].tolist())) > 1)


def agent_copies(outcomes: Outcomes) -> tuple[tuple[str, ...], ...]:
    """Groups of agents that are copies: their results hardly differ.

    Two agents are copies if their results differ less than a fiftieth as much as those of two
    agents that share nothing but a few skills, and if that can hardly be by chance.
    So two agents that solve all tasks, or a few tasks in the same way, are no copies. Noise of
    attempts is subtracted where agents tried tasks several times; copies are missed if it is too
    large to tell.

    Args:
        outcomes: The results of the agents.

    Returns:
        The groups of at least two agents; the others of a group are copies of its first agent.

    >>> solved = np.random.default_rng(0).integers(0, 2, (4, 100))
    >>> solved[3] = solved[1]
    >>> agent_copies(Outcomes(solved, 1))
    (('agent-1', 'agent-3'),)
    """
    copies = _are_copies(outcomes)
    taken = np.zeros(outcomes.n_agents, bool)
    groups = []
    for agent in range(outcomes.n_agents):
        group = np.flatnonzero(copies[agent] & ~taken)
        group = group[group > agent]
        if not taken[agent] and len(group):
            taken[group] = True
            groups.append((str(outcomes.agents[agent]), *outcomes.agents[group].tolist()))
    return tuple(groups)


def _are_copies(outcomes: Outcomes) -> NDArray[np.bool_]:
    """Which pairs of agents are copies (agents, agents)."""
    from threadpoolctl import threadpool_limits

    tried = (outcomes.rollouts > 0).astype(np.float64)
    rates = np.where(tried > 0, outcomes.rates, 0.0)
    noise = attempt_noise(outcomes)
    with threadpool_limits(1):  # bit-identical on any number of cores
        expected = _expected_difference(rates, tried, task_means(outcomes), noise)
        together = tried @ tried.T
        squares = (rates**2) @ tried.T
        apart = squares + squares.T - 2 * rates @ rates.T
    noise_of_pair = noise[:, None] + noise
    apart = np.maximum(apart - noise_of_pair * together, 0.0)
    apart += _ERRORS * noise_of_pair * np.sqrt(2 * together)
    part = apart / np.maximum(expected, 1e-12)
    x = np.clip(part, 1e-12, 1.0)
    # Chernoff's bound of the probability that a sum of numbers from 0 to 1 is so small by chance
    surprise = expected * (1 - x + x * np.log(x))
    pairs = max(math.comb(outcomes.n_agents, 2), 1)
    found: NDArray[np.bool_] = (part < COPY) & (surprise > math.log(pairs / _ERROR))
    return found


def _expected_difference(rates: Floats, tried: Floats, means: Floats, noise: Floats) -> Floats:
    """The sum over tasks of squared differences (agents, agents) of agents that share skills only.

    For single attempts, it is the expected number of tasks on which their results differ. Success
    rates of several attempts vary less than single ones, by the same factor for all pairs.
    """
    by_skills = tried * _by_skills(rates, tried, means)
    solved = by_skills @ tried.T
    expected = solved + solved.T - 2 * by_skills @ by_skills.T
    single = (by_skills * (tried - by_skills)).sum()
    left = (tried * (rates - by_skills) ** 2).sum() - (noise * tried.sum(1)).sum()
    shrunk: Floats = expected * np.clip(left / max(float(single), 1e-12), 0.0, 1.0)
    return shrunk


def _by_skills(rates: Floats, tried: Floats, means: Floats) -> Floats:
    """Success probabilities (agents, tasks) if agents differ only in a few skills.

    First, what their scores predict (`by_score`); the main components of what that leaves are
    other skills. Agents with the same results count once, so that copies are no skill of their own.
    """
    expected = by_score(rates, tried, means)
    left = tried * (rates - expected)
    once = left[np.unique(rates, axis=0, return_index=True)[1]]
    count = min(_SKILLS, len(once) // 4, left.shape[1] // 4)
    axes = np.linalg.eigh(once.T @ once)[1][:, left.shape[1] - count :]
    by_skills: Floats = np.clip(expected + left @ axes @ axes.T, 0.0, 1.0)
    return by_skills


def by_score(rates: Floats, tried: Floats, means: Floats) -> Floats:
    """Success probabilities (agents, tasks) if agents differ only in how many tasks they solve.

    The odds of success are those of the task, given by the `means`, times a factor of the agent.
    """
    score = rates.sum(1) / np.maximum(tried.sum(1), 1)
    usual = (tried * means).sum(1) / np.maximum(tried.sum(1), 1)  # on the tasks it tried
    solve = means * (score * (1 - usual))[:, None]
    fail = (1 - means) * ((1 - score) * usual)[:, None]
    found: Floats = solve / np.maximum(solve + fail, 1e-12)
    return found
