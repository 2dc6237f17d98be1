"""The sections of a report that answer questions about a table.

Which tasks measure the same, which few would do, what a new agent scores in full, which question
it should be asked next, and what each agent can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.abilities import Abilities
from taskspace.applications.answers import Unanswered, note_on_test, size_of_test
from taskspace.applications.redundancy import Redundancy
from taskspace.applications.subset import Subset
from taskspace.applications.subset_errors import PLAIN_RANDOM, RANDOM
from taskspace.outcomes.labels import shortened
from taskspace.report import html
from taskspace.report.words import decimals

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_GROUPS, MOST_PAIRS = 20, 10  # rows of the tables of near-copies
MOST_AGENTS = 30  # in the figure and the table of agents
FIGURES = SHORT_TEST, AGENTS = "short-test", "agents"  # names of the figures of these sections
METHODS = (
    "Informative: the tasks that tell most about the score under a model of the agents. Half"
    " random: half as many of these, and as many random ones. Most disputed: the success rate is"
    " closest to a half. Anchor points: centres of clusters of tasks."
    " Scores are estimated by the same model, except where a plain mean or weights of clusters are"
    " named, the usual and simpler estimates."
)
LONGEST = 60  # characters of the name of a task or agent
_SCORE_COMMAND = "taskspace score . answers.csv"
_HERE = "In the folder of this report, the command computes it:"
_NEAR_COPIES = (
    "Near-copies are tasks that measure the same thing twice: agents' results on them differ at"
    " most half as often as results on two tasks that share only general ability and a few skills."
)
_ABILITIES = (
    "The score of an agent is its mean success rate over all tasks; on tasks that it did not try,"
    " the success probability that its ability predicts counts. The interval is for its mean"
    " success rate on many tasks of the same kind."
)
_SHORT_TEST = (
    "A short test is a fixed selection of tasks from which the full score of a new agent, its mean"
    " success rate on all tasks, is estimated."
)
_SCORE = (
    "The full score of a new agent, with an interval, is estimated from its answers to any of the"
    " tasks."
)
_QUIZ = (
    "A quiz asks the questions itself: each is the one whose answer says most about the score,"
    " given all answers so far. It ends when the interval is as narrow as --width says:"
)


def sections(run: Run, figures: Mapping[str, html.Figure]) -> list[html.Section]:
    """The answers about a table, each with the command that gives more; `figures` by name.

    Of a table of returns, only new agents are spoken of: the other questions are about successes.
    """
    if run.outcomes.scale is not None:
        return _new_agents("")
    error = _error_of_random(run.short_test)
    return [
        *_redundant(run), *_short(run, figures), *_new_agents(error), *_agents(run, figures),
    ]  # fmt: skip


def _redundant(run: Run) -> list[html.Section]:
    found, heading = run.redundancy, "Redundant tasks"
    command = "taskspace redundant ."
    if isinstance(found, Unanswered):
        return [html.Text([_NEAR_COPIES, found.reason, _HERE], heading, command)]
    parts: list[html.Section] = [html.Text([_NEAR_COPIES, f"{found.summary}."], heading)]
    if found.groups:  # without any, the pairs are candidates that may be noise
        parts += [_groups(found), _pairs(found)]
    more = (
        "In the folder of this report, this command lists all pairs; a lower --threshold"
        " (0.5 by default) also counts pairs that agree less:"
    )
    return [*parts, html.Text([more], command=command)]


def _groups(found: Redundancy) -> html.Numbers:
    columns = found.group_columns
    rows = [
        (number, _short_name(keep), shortened(others, 3 * LONGEST))
        for number, keep, others in zip(*(columns[name].tolist() for name in columns), strict=True)
    ]
    left = f" The first {MOST_GROUPS} of {len(rows)} groups." if len(rows) > MOST_GROUPS else ""
    return html.Numbers(
        rows[:MOST_GROUPS],
        ("group", "keep", "could be left out"),
        caption="All tasks of a group are near-copies of each other; of each group, the task that"
        f" most agents tried is kept, or of several, the one that tells most about them.{left}",
        words=True,
    )


def _pairs(found: Redundancy) -> html.Numbers:
    rows = [
        (
            f"{_short_name(found.first[pair])} and {_short_name(found.second[pair])}",
            f"{found.agreement[pair]:.1%}",
            f"{found.expected[pair]:.1%}",
            f"{decimals(found.excess[pair])} ({decimals(found.low[pair])} to"
            f" {decimals(found.high[pair])})",
            decimals(found.correlation[pair]),
            decimals(found.bits[pair]),
            found.agents[pair],
            "yes" if found.confirmed[pair] else "unsure",
        )
        for pair in range(min(MOST_PAIRS, len(found.first)))
    ]
    names = "pair", "agreement", "expected", "excess", "correlation", "bits", "agents", "near-copy"
    return html.Numbers(
        rows,
        names,
        caption=f"The surest {len(rows)} of {len(found.first):,} pairs. Agreement: the fraction of"
        " agents with the same result on both tasks. Expected: the agreement of two tasks that"
        " share only the skills of the population. Excess: 0 if the agreement is as expected, 1 if"
        f" it is complete, with an interval that holds for all pairs at once ({found.level:.0%});"
        f" pairs whose lower bound is at least {found.threshold:g} are near-copies. Correlation"
        " and bits (mutual information): of the results. Agents: those that tried both tasks.",
    )


def _short(run: Run, figures: Mapping[str, html.Figure]) -> list[html.Section]:
    found, heading = run.short_test, "A short test"
    if isinstance(found, Unanswered):
        command = f"taskspace subset . -k {size_of_test(run.outcomes.n_tasks)}"
        return [html.Text([_SHORT_TEST, found.reason, _HERE], heading, command)]
    more = (
        "In the folder of this report, this command writes the test and its formula to a file; -k"
        " is the number of tasks, and --by LABEL also asks for the score on each value"
        " of a label:"
    )
    return [
        html.Text([_SHORT_TEST, f"{found.verdict} {note_on_test(run.outcomes)}".strip()], heading),
        figures[SHORT_TEST],
        _sizes(found),
        _chosen(found),
        html.Text([more], command=f"taskspace subset . -k {len(found.tasks)} --out short-test.csv"),
    ]


def _sizes(found: Subset) -> html.Numbers:
    comparison = found.comparison
    rows = [
        (method, *(f"{error:.3f}" for error in errors))
        for method, (errors, _) in comparison.curves.items()
    ]
    return html.Numbers(
        rows,
        ("tasks", *(f"{size:,}" for size in np.unique(comparison.sizes))),
        caption="Mean absolute error of the full score, for agents that took no part in the choice"
        f" ({comparison.agents:,} agents, left out in turn): 0.03 means that the estimate is"
        " 3 percentage points off on average.",
    )


def _chosen(found: Subset) -> html.Numbers:
    rows = [
        (_short_name(task), f"{success:.1%}", f"{weight:.4f}".replace("-", "−"))
        for task, success, weight in zip(found.tasks, found.success, found.weights[0], strict=True)
    ]
    result = "1 if solved, 0 if not" if found.max_score == 1 else found.range_of_results
    return html.Numbers(
        rows,
        ("task", "success rate", "weight"),
        caption=f"The {len(rows)} chosen tasks. The estimated score is {found.intercepts[0]:.4f}"
        f" plus the sum of weight × result ({result}).",
        folded=f"The {len(rows)} tasks of the test",
    )


def _new_agents(error: str) -> list[html.Section]:
    width = " --width 0.1" if error else ""  # of returns, nobody knows what is narrow
    more = "In the folder of this report, with a table of the tasks and their results:"
    return [
        html.Text([_SCORE, *([error] if error else []), more], "New agents", _SCORE_COMMAND),
        html.Text([_QUIZ], command=f"taskspace quiz . --aim score{width}"),
    ]


def _error_of_random(found: Subset | Unanswered) -> str:
    """How far off the score of a left-out agent is after random answers."""
    if isinstance(found, Unanswered):
        return ""
    comparison, size = found.comparison, len(found.tasks)
    ours, plain = (comparison.errors[comparison.row(m, size)] for m in (RANDOM, PLAIN_RANDOM))
    answers = "answer to a random task" if size == 1 else "answers to random tasks"
    return (
        f"After {size} {answers}, the estimate for a left-out agent is off by"
        f" {ours:.3f} on average, and the plain mean of the answers by {plain:.3f}."
    )


def _agents(run: Run, figures: Mapping[str, html.Figure]) -> list[html.Section]:
    found, heading, command = run.abilities, "Agents", "taskspace agents ."
    if isinstance(found, Unanswered):
        return [html.Text([_ABILITIES, found.reason, _HERE], heading, command)]
    more = (
        "In the folder of this report, this command lists all agents with their scores on each"
        " group of tasks; --by LABEL groups the tasks by another label:"
    )
    return [
        html.Text([_ABILITIES, f"{found.summary}."], heading),
        figures[AGENTS],
        _strengths(found),
        html.Text([more], command=command),
    ]


def shown_agents(found: Abilities) -> tuple[dict[str, NDArray[Any]], str]:
    """The columns of the agents that are shown, the highest score first, and which they are."""
    columns, count = found.columns, len(found.agents)
    known = ~np.isnan(columns["score"])
    columns = {name: column[known] for name, column in columns.items()}
    if known.sum() <= MOST_AGENTS:
        return (
            columns,
            f"All {known.sum():,} agents." if known.all() else "All agents with results.",
        )
    some = np.linspace(0, known.sum() - 1, MOST_AGENTS).round().astype(np.int64)
    which = (
        f"{MOST_AGENTS} of {count:,} agents, evenly spaced from the highest score to the lowest."
    )
    return {name: column[some] for name, column in columns.items()}, which


def _strengths(found: Abilities) -> html.Numbers:
    columns, which = shown_agents(found)
    names = ["agent", "score", "interval", "tried"]
    cells = [
        [_short_name(name) for name in columns["agent"]],
        [f"{score:.1%}" for score in columns["score"]],
        [
            f"{low:.1%} to {high:.1%}".replace(" ", "\N{NO-BREAK SPACE}")
            for low, high in zip(columns["low"], columns["high"], strict=True)
        ],
        columns["tried"].tolist(),
    ]
    if found.by:
        names += ["strengths", "weaknesses"]
        cells += [[_list(text) for text in columns[name]] for name in ("strengths", "weaknesses")]
    names.append("most similar")
    cells.append([
        f"{_short_name(other)} ({decimals(near)})" if other else "–"
        for other, near in zip(columns["most_similar"], columns["correlation"], strict=True)
    ])  # fmt: skip
    return html.Numbers(
        list(zip(*cells, strict=True)),
        names,
        caption=f"{which} {_strengths_by(found)}Most similar: the agent whose results are most"
        " similar beyond what both scores predict, with the correlation of what they do not"
        " predict. Tried: the number of tasks that the agent tried.",
        words=True,
    )


def _strengths_by(found: Abilities) -> str:
    if not found.by:
        return "The tasks have no labels to show strengths by. "
    return (
        f"Strengths and weaknesses: values of {found.by} on whose tasks the agent's success rate"
        " differs from what its score predicts by more than chance (corrected for the number of"
        " agents and values). "
    )


def _list(text: str) -> str:
    return shortened(text, LONGEST) if text else "–"


def _short_name(name: Any) -> str:
    return shortened(str(name), LONGEST)
