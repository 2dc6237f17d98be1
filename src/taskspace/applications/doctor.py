"""Is a population good enough for a map? A diagnosis from the results alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.diagnosis import Diagnosis
from taskspace.applications.indistinct import agent_copies, unseparated_tasks
from taskspace.models.embedding.informative import check_agents
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.agent_kernel import effective_agents
from taskspace.similarity.chance import (
    beyond_one_ability,
    parallel_analysis,
    share_above_chance,
)
from taskspace.similarity.reliability import split_half
from taskspace.similarity.returns import statistics_of

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

EASIEST, HARDEST = 0.95, 0.05  # success rates between which a task is usable
MOST_TASKS, MOST_AGENTS = 600, 2000  # a sample of so many represents all
_TASKS_PER_BLOCK = 4096


def diagnose(source: Any, *, seed: int = 0) -> Diagnosis:
    """Say whether a population of agents is good enough for a map of tasks.

    It takes seconds: no map is made. Large tables are represented by a sample of at most 2,000
    agents and 600 usable tasks, which `sampled_agents` and `sampled_tasks` report. If outcomes are
    returns, tasks are usable if agents differ in them, and similarities are those of returns.

    Args:
        source: The outcomes, or a `Run`, whose outcomes are used; the reliability and the skills
            of a run of an environment are those of the success rates in the model of its map.
        seed: The seed of samples, splits and shuffles.

    Returns:
        The diagnosis. Figures that too few agents or tasks cannot support are NaN.

    Raises:
        ValueError: If the source has no outcomes, if there is a single agent, or if all agents
            have the same results.

    >>> rng = np.random.default_rng(0)
    >>> skills = np.repeat(rng.normal(size=(200, 3)), 10, axis=1)  # ten tasks for each of three
    >>> solved = rng.random((200, 30)) < 1 / (1 + np.exp(-2 * skills))
    >>> found = diagnose(Outcomes(solved.astype(int), 1))
    >>> found.skills, found.usable_tasks, found.copied_agents
    (3, 30, 0)
    >>> print(found.verdict[:28])
    This population is reliable.
    >>> print(diagnose(Outcomes(solved[:40].astype(int), 1)).advice[0])
    About ... more agents of the same kind would raise the reliability of similarities from ...
    """
    outcomes = source if isinstance(source, Outcomes) else getattr(source, "outcomes", None)
    if not isinstance(outcomes, Outcomes):
        raise ValueError(f"the source must be Outcomes or a Run, got {checks.brief(source)}")
    rng = np.random.default_rng(checks.seed(seed))
    check_agents(outcomes)
    success, varies = _success(outcomes)
    usable = varies
    if outcomes.scale is None:
        usable = (success >= HARDEST) & (success <= EASIEST) & varies
    unseparated = unseparated_tasks(outcomes, np.flatnonzero(varies))
    sample, rows = _sample(outcomes, np.flatnonzero(usable if usable.any() else varies), rng)
    copies = agent_copies(sample)
    distinct, kept = _without(sample, copies)
    distinct = _modelled(source, distinct, rows[kept])
    statistics, columns = statistics_of(distinct), np.arange(distinct.n_tasks)
    return Diagnosis(
        agents=outcomes.n_agents,
        tasks=outcomes.n_tasks,
        success=success,
        usable=usable,
        sampled_agents=sample.n_agents,
        sampled_tasks=sample.n_tasks,
        copies=copies,
        distinct_agents=distinct.n_agents,
        effective_agents=effective_agents(distinct),
        scree=parallel_analysis(statistics, columns, rng),
        several_abilities=beyond_one_ability(statistics, columns, rng),
        similar_pairs=share_above_chance(statistics, rng),
        reliability=split_half(statistics, rng, agents=_represented(outcomes, sample, distinct)),
        unseparated=unseparated,
        absent=_absent(source, outcomes),
        returns=outcomes.scale is not None,
        measure=getattr(source, "measure", None),
    )


def _success(outcomes: Outcomes) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean success rate of each task, NaN if nobody tried it, and whether agents differ."""
    success, varies = np.full(outcomes.n_tasks, np.nan), np.zeros(outcomes.n_tasks, bool)
    for start in range(0, outcomes.n_tasks, _TASKS_PER_BLOCK):
        some = slice(start, start + _TASKS_PER_BLOCK)
        r = outcomes.rollouts[:, some]
        tried = r > 0
        rates = outcomes.successes[:, some] / np.maximum(r, 1)
        number = tried.sum(0)
        mean = rates.sum(0) / np.maximum(number, 1)
        success[some] = np.where(number > 0, mean, np.nan)
        lowest = rates.min(0, where=tried, initial=1.0)
        varies[some] = lowest < rates.max(0, where=tried, initial=0.0)
    return success, varies


def _sample(
    outcomes: Outcomes, tasks: Numbers, rng: np.random.Generator
) -> tuple[Outcomes, Numbers]:
    """Results on some of these tasks of some agents that tried them, and the rows of the agents.

    If there are many, they are those with most results; ties are broken at random.
    """
    columns = _most(np.count_nonzero(outcomes.rollouts, axis=0)[tasks], MOST_TASKS, rng)
    chosen = tasks[columns]
    rollouts = outcomes.rollouts[:, chosen]
    tried = np.count_nonzero(rollouts, axis=1)
    rows = _most(tried, MOST_AGENTS, rng)
    rows = rows[tried[rows] > 0]
    chosen = chosen[rollouts[rows].any(0)]
    part = outcomes.of_tasks(outcomes.tasks[chosen].tolist())
    return part.of_agents(outcomes.agents[rows].tolist()), rows


def _represented(outcomes: Outcomes, sample: Outcomes, distinct: Outcomes) -> int:
    """The number of agents that the different agents of a sample stand for.

    Agents count by their results on the sampled tasks: a sample prefers agents with many.
    """
    if sample.n_agents == outcomes.n_agents:
        return distinct.n_agents
    columns = np.isin(outcomes.tasks, sample.tasks)
    results = np.count_nonzero(outcomes.rollouts[:, columns])
    return round(distinct.n_agents * results / np.count_nonzero(sample.rollouts))


def _most(counts: NDArray[Any], most: int, rng: np.random.Generator) -> Numbers:
    order = rng.permutation(len(counts))
    order = order[np.argsort(-counts[order], kind="stable")]
    return np.sort(order[:most])


def _without(
    outcomes: Outcomes, copies: Sequence[Sequence[str]]
) -> tuple[Outcomes, NDArray[np.bool_]]:
    """The outcomes of the first agent of each group only, and which agents are left."""
    left_out = {name for group in copies for name in group[1:]}
    kept = np.array([name not in left_out for name in outcomes.agents.tolist()])
    return outcomes.of_agents(outcomes.agents[kept].tolist()), kept


def _modelled(source: Any, part: Outcomes, rows: Numbers) -> Outcomes:
    """The success rates of the same agents and tasks according to the model of a run.

    A run of an environment has few rollouts on very many tasks. From all of them, the model of its
    map knows success rates better than they are known from the rollouts on a single task.
    """
    profiles = None if getattr(source, "from_table", True) else getattr(source, "profiles", None)
    if profiles is None:
        return part
    place = {name: column for column, name in enumerate(source.outcomes.tasks.tolist())}
    columns = np.array([place[name] for name in part.tasks.tolist()], np.int64)
    rates = np.asarray(profiles, np.float64)[np.ix_(rows, columns)]
    return replace(part, successes=rates, rollouts=np.ones(rates.shape, np.int64))


def _absent(source: Any, outcomes: Outcomes) -> tuple[str, ...]:
    """The subpopulations of the paper's recipe for this environment that have no agent.

    Subpopulations are those of a run, or the label of this name.
    """
    if outcomes.info.get("environment") is None:
        return ()
    from taskspace.training.recipes import PAPER  # imports Numba, which tables do not need

    recipe = PAPER.get(str(outcomes.info["environment"]))
    names = getattr(source, "subpopulations", None)
    if names is None:
        names = outcomes.agent_labels.get("subpopulation")
    if recipe is None or names is None:
        return ()
    return tuple(s.name for s in recipe.subpopulations if s.name not in set(names))
