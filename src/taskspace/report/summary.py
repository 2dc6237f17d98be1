"""The summary that a report begins with: what was learned, in words, written from the numbers.

Nothing is said that the results cannot support: on a weak or untested map, neither clusters nor
informative tasks are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.answers import Unanswered
from taskspace.applications.return_answers import difficulty_in_words
from taskspace.models.embedding import verdict
from taskspace.outcomes.labels import without_middle
from taskspace.outcomes.rates import mean_rates
from taskspace.report import examples, html
from taskspace.report.cluster_titles import cluster_titles
from taskspace.report.next_commands import next_commands
from taskspace.report.plots import COLOURS
from taskspace.report.words import count, decimals, listed, percent, sentence
from taskspace.similarity.chance import MOST_SKILLS
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.reliability import FEWEST_AGENTS

if TYPE_CHECKING:
    from taskspace.applications.redundancy import Redundancy
    from taskspace.runs.run import Run

MOST_TASKS, MOST_PAIRS = 3, 3  # hardest tasks, informative tasks and near-copies that are named
FEWEST_TRIES = 5  # agents that tried a task, for it to be called one of the hardest
LONGEST = 48  # characters of the name of a task
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
        html.Text([_learned(run), _reading(run), _skills(run)]),
        _verdict(run),
        *_clusters(run, drawn),
        *_tasks(run),
        *_near_copies(run),
        html.Commands(_next(run), heading="What to do next", paragraphs=[_HERE]),
    ]


def trusted(run: Run) -> bool:
    """Whether the map was tested, and is better than chance."""
    return run.verdict.level in (verdict.RELIABLE, verdict.CARE)


# -- what was learned ------------------------------------------------------------------------------


def _learned(run: Run) -> str:
    outcomes = run.outcomes
    agents, tasks = count(outcomes.n_agents, "agent"), count(run.learned_tasks, "task")
    told = f"This is a map of {tasks}, learned from {_attempts(run)} by {agents}."
    if run.learned_tasks > outcomes.n_tasks:
        told += f" The numbers below are about {outcomes.n_tasks:,} of these tasks."
    tried = float((outcomes.rollouts > 0).mean())
    if tried < 1:
        told += f" There are results for {percent(tried)} of the pairs of an agent and a task."
    if outcomes.scale is None:
        mean = float(np.nanmean(mean_rates(outcomes.rates, axis=0)))
        return f"{told} On average over tasks, {percent(mean)} of the attempts succeed."
    return f"{told} Results are returns, not successes."


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
        f" none. The largest accounts for {percent(found.first_factor)} of their differences beyond"
        " chance."
    )


def _verdict(run: Run) -> html.Text:
    found = run.verdict
    told = [found.reason, f"{_MEANINGS[found.level]} {found.advice}".rstrip()]
    heading = f"Can the map be trusted? It is {found.level}"
    return html.Text(told, heading=heading, mood=_MOODS[found.level])


# -- clusters --------------------------------------------------------------------------------------


def _clusters(run: Run, drawn: Mapping[str, html.Figure]) -> list[html.Section]:
    heading, names = "Clusters of tasks", cluster_titles(run)
    if run.from_table and not trusted(run):
        why = f"No clusters are described, because the map is {run.verdict.level}."
        return [html.Text([why], heading=heading)]
    shown = examples.examples(run)
    if len(shown) < 2:
        return []
    cards = [
        _card(run, cluster, task, names[cluster], drawn.get(f"{examples.FIGURES}{cluster}"))
        for cluster, task in shown.items()
    ]
    return [html.Cards(cards, _about_clusters(run, len(shown)), heading)]


def _about_clusters(run: Run, shown: int) -> list[str]:
    total = len(np.unique(run.clusters.labels))
    which = f"the {shown} largest of {total} clusters" if shown < total else f"{total} clusters"
    if run.from_table:
        told = [
            f"Here are {which} of tasks whose vectors have similar directions, each with its most"
            " typical task. Any map can be divided so: clusters are a way to read it."
        ]
        return told + [
            _by_label(name, each) for name, each in run.results.get("labels", {}).items()
        ]
    about = f"Here are {which} with an example of each. They show {run.clusters.description}."
    if "silhouette" not in run.results:
        return [about]
    apart = decimals(run.results["silhouette"])
    return [f"{about} Their silhouette on the map is {apart} (1: apart, 0: mixed as by chance)."]


def _by_label(name: str, scores: Mapping[str, Any]) -> str:
    return (
        f"The nearest neighbour of a task has the same {name} in {percent(scores['purity'])} of the"
        f" cases (by chance {percent(scores['chance'])}); the map was not told {name}."
    )


def _card(run: Run, cluster: int, task: int, name: str, picture: html.Figure | None) -> html.Card:
    inside = run.clusters.labels == cluster
    size, share = int(inside.sum()), float(inside.mean())
    text = f"{count(size, 'task')} ({percent(share)}); {_mean(run, np.flatnonzero(inside))}."
    told = examples.describe_task(run, task)
    example = f"Example: {_name(run, task)}{f', {told}' if told else ''}"
    image, alt = (None, "") if picture is None else (picture.image, picture.alt)
    return html.Card(name, text, example, COLOURS[cluster % len(COLOURS)], image, alt)


# -- tasks -----------------------------------------------------------------------------------------


def _tasks(run: Run) -> list[html.Section]:
    told = [_difficulty(run), *_unsolved(run), *_tied(run)]
    rows, columns = _rows(run, _hardest(run), "hardest"), ["task", "why", "difficulty"]
    columns += ["mean return" if run.outcomes.scale is not None else "success rate"]
    if _has_information(run) and trusted(run):
        rows += _rows(run, _informative(run), "most informative")
        columns += ["information"]
    elif _has_information(run):
        told.append(f"Informative tasks are not named, because the map is {run.verdict.level}.")
    told_about = any(row[-1] for row in rows)
    rows = rows if told_about else [row[:-1] for row in rows]
    columns += ["about the task"] if told_about else []
    informative = len(rows) > MOST_TASKS
    heading = f"The hardest {'and the most informative ' if informative else ''}tasks"
    return [html.Text(told, heading=heading), html.Numbers(rows, columns, words=True)]


def _difficulty(run: Run) -> str:
    """What difficulty is; a success model estimates it from all attempts."""
    told = f"Difficulty is {difficulty_in_words(run.outcomes.scale)}"
    if "success_model" not in run.results:
        return f"{told}."
    observed = "success rates" if run.outcomes.scale is None else "returns"
    return (
        f"{told}, as a model estimates it from the attempts at all tasks; {observed} are those"
        " observed on the task itself, and vary more."
    )


def _has_information(run: Run) -> bool:
    """Whether the squared length of a vector is information in bits."""
    return run.measure != CORRELATION and "kept_information" in run.results


def _hardest(run: Run) -> NDArray[np.int64]:
    """The hardest tasks among those that enough agents tried."""
    tried = (run.outcomes.rollouts > 0).sum(0)
    enough = np.flatnonzero(tried >= min(FEWEST_TRIES, tried.max()))
    order = np.argsort(-run.index.difficulty[enough], kind="stable")
    return enough[order[:MOST_TASKS]]


def _tied(run: Run) -> list[str]:
    """Whether more tasks are as hard as the hardest than are named."""
    hardest = _hardest(run)
    last = run.index.difficulty[hardest[-1]]
    tied = int(np.isclose(run.index.difficulty, last, rtol=0, atol=1e-9).sum())
    named = int(np.isclose(run.index.difficulty[hardest], last, rtol=0, atol=1e-9).sum())
    if tied <= named:
        return []
    return [f"{count(tied, 'task')} share the difficulty {decimals(last)}; {named} are named."]


def _informative(run: Run) -> NDArray[np.int64]:
    return np.argsort(-_information(run), kind="stable")[:MOST_TASKS]


def _information(run: Run) -> NDArray[np.float64]:
    return np.square(run.index.vectors.astype(np.float64)).sum(1)


def _rows(run: Run, tasks: NDArray[np.int64], why: str) -> list[list[str]]:
    results, bits = _results(run, tasks), _information(run)[tasks]
    return [
        [
            _name(run, task),
            why,
            decimals(run.index.difficulty[task]),
            _result(run, results[place]),
            *([f"{decimals(bits[place])} bits"] if _has_information(run) and trusted(run) else []),
            examples.describe_task(run, task),
        ]
        for place, task in enumerate(tasks.tolist())
    ]


def _unsolved(run: Run) -> list[str]:
    """How many tasks tell nothing about agents, because all or none solve them."""
    if run.outcomes.scale is not None:
        return []
    rates = mean_rates(run.outcomes.rates, axis=0)
    none, every = int((rates <= 0).sum()), int((rates >= 1).sum())
    told = [f"{count(n, 'task')} by {who}" for n, who in ((none, "no agent"), (every, "all")) if n]
    if not told:
        return []
    verb = "was" if (none or every) == 1 and len(told) == 1 else "were"
    first, *more = told
    start = first.replace(" by ", f" {verb} solved by ", 1)
    return [f"{listed([start, *more])}: such tasks tell nothing about how agents differ."]


def _results(run: Run, tasks: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean success rate or the mean return of tasks."""
    outcomes = run.outcomes
    if outcomes.scale is not None and outcomes.returns is not None:
        return mean_rates(outcomes.returns[:, tasks].astype(np.float64), axis=0)
    return mean_rates(outcomes.rates[:, tasks], axis=0)


def _result(run: Run, value: float) -> str:
    return f"{value:.4g}".replace("-", "−") if run.outcomes.scale is not None else percent(value)


def _mean(run: Run, tasks: NDArray[np.int64]) -> str:
    """What tasks have on average; returns on tasks of different scales have no mean."""
    if run.outcomes.scale is not None:
        return f"mean difficulty {decimals(float(run.index.difficulty[tasks].mean()))}"
    return f"mean success rate {percent(float(np.nanmean(_results(run, tasks))))}"


def _name(run: Run, task: int) -> str:
    return _shorter(run.outcomes.tasks[task])


def _shorter(name: Any) -> str:
    return without_middle(" ".join(str(name).split()), LONGEST)


# -- near-copies and what to do next ---------------------------------------------------------------


def _near_copies(run: Run) -> list[html.Section]:
    """Pairs of tasks of a table that measure the same; an environment's tasks are samples."""
    heading = "Near-copies"
    if not run.from_table:
        return []
    if run.outcomes.scale is not None:
        why = "Near-copies are not looked for among returns; they need results from 0 to 1."
        return [html.Text([why], heading=heading)]
    found = run.redundancy
    if isinstance(found, Unanswered):
        why = f"Pairs that are near-copies cannot be told: {found.reason}"
        return [html.Text([why], heading=heading)]
    return [html.Text(_copies(found), heading=heading)]


def _copies(found: Redundancy) -> list[str]:
    sure = np.flatnonzero(found.confirmed)
    if not len(sure):
        return [f"No pair of tasks could be shown to be near-copies. {_undecided(found)}".strip()]
    pairs = [
        f"{_shorter(found.first[pair])} and {_shorter(found.second[pair])} (the same result for"
        f" {percent(found.agreement[pair])} of the agents, expected {percent(found.expected[pair])})"
        for pair in sure[:MOST_PAIRS]
    ]
    are = "pair of tasks is" if len(sure) == 1 else "pairs of tasks are"
    surest = ", the surest" if len(sure) > len(pairs) else ""
    told = (
        f"{len(sure):,} {are} near-copies{surest}: {listed(pairs)}. Expected is what tasks would"
        " have that share only the skills of the agents."
    )
    cost = (
        f"Without the {count(len(found.left_out), 'task')} that could be left out, the agents'"
        f" scores change by {100 * found.mean_change:.1f} percentage points on average."
    )
    return [f"{told} {_undecided(found)}".strip(), *([cost] if len(found.left_out) else [])]


def _undecided(found: Redundancy) -> str:
    """How many pairs the results cannot decide on."""
    left = found.n_pairs - found.n_showable
    if not left:
        return ""
    if not found.n_showable:
        return (
            f"These results cannot decide on any of {count(found.n_pairs, 'pair')}: too few agents"
            " tried both tasks, or nearly all have the same result."
        )
    return (
        f"Of {count(found.n_pairs, 'pair')}, these results can decide on {found.n_showable:,}: on"
        " the others, too few agents tried both tasks, or nearly all have the same result."
    )


def _next(run: Run) -> dict[str, str]:
    """Commands for the folder of the report, with what they do."""
    commands = {command: sentence(what) for command, what in next_commands(run, ".").items()}
    if run.from_table and run.outcomes.scale is None:
        commands["taskspace redundant ."] = "List all pairs of near-copies."
        commands["taskspace agents ."] = "List what each agent can do."
    return commands
