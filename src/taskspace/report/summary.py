"""The summary that a report begins with: what was learned, in words, written from the numbers.

Nothing is said that the results cannot support: on a weak or untested map, neither clusters nor
informative tasks are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from taskspace.applications.answers import Unanswered
from taskspace.models.embedding import verdict
from taskspace.outcomes.rates import mean_rates
from taskspace.report import cluster_cards, html, notable_tasks
from taskspace.report.next_commands import next_commands
from taskspace.report.words import count, percent, sentence
from taskspace.similarity.chance import MOST_SKILLS
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.reliability import FEWEST_AGENTS

if TYPE_CHECKING:
    from taskspace.runs.run import Run

_MOODS = {
    verdict.RELIABLE: html.GOOD,
    verdict.CARE: html.CARE,
    verdict.WEAK: html.BAD,
    verdict.UNTESTED: html.UNKNOWN,
}
_MEANINGS = {
    verdict.RELIABLE: "Tasks that lie close together can be treated as similar.",
    verdict.CARE: "Use the map for orientation; before you act on a single pair of tasks, compare"
    " their results.",
    verdict.WEAK: "Positions, clusters and neighbours on it are mostly noise; do not act on them."
    " Success rates do not depend on the map.",
    verdict.UNTESTED: "Nothing shows that it is better than chance, so do not act on it.",
}
_HERE = "Open a terminal in the folder of this report, and paste:"


def sections(run: Run, drawn: Mapping[str, html.Figure]) -> list[html.Section]:
    """The summary of a run; `drawn` are its figures by name."""
    return [
        html.Text([_learned(run), *_goal(run), _reading(run), _skills(run)]),
        _verdict(run),
        *cluster_cards.sections(run, drawn),
        *notable_tasks.sections(run),
        html.Commands(_next(run), heading="What to do next", paragraphs=[_HERE]),
    ]


def _learned(run: Run) -> str:
    outcomes = run.outcomes
    agents, tasks = count(outcomes.n_agents, "agent"), count(run.learned_tasks, "task")
    told = f"This is a map of {tasks}, learned from {_attempts(run)} by {agents}."
    if run.learned_tasks > outcomes.n_tasks:
        told += f" The numbers below describe {outcomes.n_tasks:,} of these tasks."
    tried = float((outcomes.rollouts > 0).mean())
    if tried < 1:
        told += f" There are results for {percent(tried)} of the pairs of an agent and a task."
    if outcomes.scale is None:
        mean = float(np.nanmean(mean_rates(outcomes.rates, axis=0)))
        return f"{told} On average over tasks, {percent(mean)} of the attempts succeed."
    return f"{told} Results are returns, not successes."


def _goal(run: Run) -> list[str]:
    """What agents have to do, if the environment says it."""
    if run.from_table or not run.environment.goal:
        return []
    return [f"The task: {run.environment.goal}"]


def _attempts(run: Run) -> str:
    """The number of attempts that the map was learned from."""
    here = int(run.outcomes.rollouts.sum(dtype=np.int64))
    return count(round(here * run.learned_tasks / run.outcomes.n_tasks), "attempt")


def _reading(run: Run) -> str:
    why = "the same agents solve them"
    if run.outcomes.scale is not None:
        why = "they put the agents in the same order"
    told = f"Tasks lie close together on the map if {why}."
    if run.measure == CORRELATION:
        return f"{told} Tasks that opposite agents are good at lie in opposite directions."
    return told


def _skills(run: Run) -> str:
    found = run.diagnosis
    if isinstance(found, Unanswered):
        return f"In how many kinds of skill the agents differ cannot be said: {found.reason}"
    if found.distinct_agents < FEWEST_AGENTS:
        return (
            f"With {count(found.distinct_agents, 'different agent')}, the number of kinds of skill"
            " in which agents differ cannot be said."
        )
    if not found.skills:
        return (
            "The agents differ in no kinds of skill that exceed chance: what tasks have in common"
            " cannot be told from shuffled results."
        )
    if found.one_skill:
        opposite = ", or in the opposite direction" if run.measure == CORRELATION else ""
        return (
            "As far as these results show, the agents differ in one kind of skill only; tasks"
            f" differ in how hard they are, and in how well they measure it{opposite}."
        )
    more = " or more" if found.skills == MOST_SKILLS else ""
    return (
        f"The agents differ in {found.skills}{more} kinds of skill; shuffled results would show"
        f" none. The largest one accounts for {percent(found.first_factor)} of the differences"
        " between agents beyond chance."
    )


def _verdict(run: Run) -> html.Text:
    found = run.verdict
    told = [found.reason, f"{_MEANINGS[found.level]} {found.advice}".rstrip()]
    heading = f"Can the map be trusted? It is {found.level}"
    return html.Text(told, heading=heading, mood=_MOODS[found.level])


def _next(run: Run) -> dict[str, str]:
    """Commands for the folder of the report, with what they do."""
    commands = {command: sentence(what) for command, what in next_commands(run, ".").items()}
    if run.from_table and run.outcomes.scale is None:
        commands["taskspace redundant ."] = "List all pairs of near-copies."
        commands["taskspace agents ."] = "List what each agent can do."
    return commands
