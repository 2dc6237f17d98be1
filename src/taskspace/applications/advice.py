"""What a diagnosis means in words: advice, each with its number, and a verdict in one line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from taskspace.models.embedding.verdict import CARE, RELIABLE, UNTESTED, WEAK
from taskspace.similarity.chance import MOST_SKILLS
from taskspace.similarity.profiles import CORRELATION, INFORMATION
from taskspace.similarity.reliability import FEWEST_AGENTS, TARGET

if TYPE_CHECKING:
    from taskspace.applications.diagnosis import Diagnosis
    from taskspace.applications.indistinct import Unseparated

_NOTICEABLE = 0.05  # share of tasks that is worth a word
_CLEAR = 0.2  # below this reliability, triplets are ordered hardly better than by chance
_MOST_NAMES = 3
_FAR = 20  # times the agents at hand: no number is worth more than that

Ranked = list[tuple[float, str]]  # how much is lost, from 0 to 1, and what to do about it


def advice(found: Diagnosis, used: str = "") -> tuple[str, ...]:
    """What would improve the population, the most important first.

    Importance is the part that is lost: of reliability, of tasks or of agents. The measure that a
    map already uses is not recommended.
    """
    ranked = [
        *_about_reliability(found, found.better_measure),
        *_about_skills(found),
        *(_about_measure(found) if used != CORRELATION else []),
        *_about_difficulty(found),
        *_about_copies(found),
        *_about_unseparated(found),
    ]
    ranked.sort(key=lambda one: -one[0])
    return tuple(text for _, text in ranked)


def advice_on_map(found: Diagnosis, measure: str) -> str:
    """What would make the similarities of a map with this measure more reliable, in a sentence."""
    ranked = [*_about_reliability(found, measure), *_about_skills(found)]
    return max(ranked)[1] if ranked else ""


def level(found: Diagnosis, measure: str | None = None) -> str:
    """How far similarities from these agents can be relied on, in the words of a map's verdict.

    Agents that differ in one skill agree with each other, but other agents would not.
    """
    best = found.reliability[measure or found.better_measure]
    if not best.known:
        return UNTESTED
    if best.value < _CLEAR or not found.skills:
        return WEAK
    return RELIABLE if best.value >= TARGET and not found.one_skill else CARE


def verdict(found: Diagnosis) -> str:
    """The judgement, and the figure to compare populations by."""
    if level(found) == UNTESTED:
        return judgement(found)
    return (
        f"{judgement(found)} Reliability (of information) × (1 - 1 / skills) is"
        f" {_decimals(found.trust)}: compare populations by it."
    )


def judgement(found: Diagnosis) -> str:
    """Whether similarities from these agents can be relied on, in the words of a map's verdict."""
    best = found.reliability[found.better_measure]
    if level(found) == UNTESTED:
        return (
            f"This population is {UNTESTED}: the reliability of similarities cannot be measured"
            f" with {_count(found.distinct_agents, 'different agent')} and"
            f" {_count(found.usable_tasks, 'usable task')}."
        )
    return (
        f"This population is {level(found)}. Similarities of"
        f" {_count(found.usable_tasks, 'usable task')} have a reliability of"
        f" {_decimals(best.value)} ± {_decimals(best.spread)} ({found.better_measure}; 0:"
        " chance, 1: more agents would change nothing), and"
        f" {_count(found.distinct_agents, 'agent')} differ in {_skills(found)}."
    )


def _about_reliability(found: Diagnosis, measure: str) -> Ranked:
    best = found.reliability[measure]
    if not best.known:
        return [(1.0, _unknown(found))]
    if best.value >= TARGET:
        return []
    lost, now = 1 - best.value / TARGET, _decimals(best.value)
    more = best.more_agents(TARGET)
    if more is None or more > _FAR * best.agents:
        text = (
            f"The similarities of these {best.agents} agents are hardly reliable ({now}): add"
            " agents that differ in which tasks they solve, or more attempts per pair, rather than"
            " more agents of the same kind."
        )
    else:
        text = (
            f"About {_rounded(more)} more agents of the same kind would raise the reliability of"
            f" similarities from {now} to {_decimals(TARGET)}."
        )
    return [(lost, text if _about_skills(found) else text + _which(found))]


def _unknown(found: Diagnosis) -> str:
    if found.distinct_agents < FEWEST_AGENTS:
        return (
            f"Add agents: {_count(found.distinct_agents, 'different agent')} cannot show whether"
            f" similarities are reliable, at least {FEWEST_AGENTS} could, and 50 or more are usual."
        )
    if found.returns:
        return (
            f"Add tasks on which agents differ: {_count(found.usable_tasks, 'task')} of"
            f" {found.tasks:,}, or too few agents that tried the same tasks, cannot show whether"
            " similarities are reliable."
        )
    return (
        f"Add tasks that some agents solve and others do not: {_count(found.usable_tasks, 'task')}"
        f" of {found.tasks:,} with a success rate from 0.05 to 0.95, or too few agents that tried"
        " the same tasks, cannot show whether similarities are reliable."
    )


def _which(found: Diagnosis) -> str:
    """A subpopulation to take them from, if one is known to be absent."""
    if found.absent:
        return f" The recipe's subpopulation {found.absent[0]!r} has no agent yet."
    return ""


def _about_skills(found: Diagnosis) -> Ranked:
    if found.skills == 0:
        return [
            (
                0.9,
                f"No skill exceeds chance: these {found.distinct_agents} agents do not show what"
                f" any of {_count(found.sampled_tasks, 'task')} have in common; add agents, or"
                " agents that lack one skill each.",
            )
        ]
    if not found.one_skill:
        return []
    text = (
        f"As far as these {found.distinct_agents:,} agents show, they order tasks by difficulty"
        " only (1 factor; a second one is no larger than chance or one ability would give): add"
        " agents that lack one skill each, e.g. with masked actions or trained on some of the"
        " tasks."
    )
    return [(0.7, text + _which(found))]


def _about_measure(found: Diagnosis) -> Ranked:
    one, other = (found.reliability[measure].order for measure in (CORRELATION, INFORMATION))
    if found.better_measure != CORRELATION or found.measure == CORRELATION:
        return []
    text = (
        "Use measure='correlation' (--measure correlation), which keeps more of the order of"
        f" similarities between halves of the agents: {_decimals(one)} against {_decimals(other)}."
    )
    return [(one - other, text)]


def _about_difficulty(found: Diagnosis) -> Ranked:
    if found.returns:
        return _about_equal_returns(found)
    easy = int((found.success > 0.5)[~found.usable].sum())
    hard = int((found.success <= 0.5)[~found.usable].sum())
    weaker = "weaker agents (earlier snapshots, masked actions, noise)"
    stronger = "stronger agents (longer training, or training on such tasks)"
    return [
        (count / found.tasks, f"{_solved(count, exactly, who, nearly)}: add {whom}.")
        for count, exactly, who, nearly, whom in (
            (easy, found.solved_by_all, "all agents", "nearly all", weaker),
            (hard, found.solved_by_none, "no agent", "hardly any", stronger),
        )
        if count >= _NOTICEABLE * found.tasks
    ]


def _about_equal_returns(found: Diagnosis) -> Ranked:
    equal = found.tasks - found.usable_tasks
    if equal < _NOTICEABLE * found.tasks:
        return []
    text = (
        f"All agents have the same return on {_count(equal, 'task')}: add weaker or stronger"
        " agents, or leave these tasks out."
    )
    return [(equal / found.tasks, text)]


def _solved(count: int, exactly: int, who: str, nearly: str) -> str:
    """How many tasks are solved by all agents and how many more by nearly all."""
    if not exactly:
        return f"{_count(count, 'task')} {_are(count)} solved by {nearly} agents"
    more = f", and {count - exactly:,} more by {nearly}" if count > exactly else ""
    return f"{_count(exactly, 'task')} {_are(exactly)} solved by {who}{more}"


def _about_copies(found: Diagnosis) -> Ranked:
    if not found.copied_agents:
        return []
    largest = max(found.copies, key=len)
    copy = "a copy" if found.copied_agents == 1 else "copies"
    same = "are the same" if len(largest) == 2 else "are all the same"
    which = "them" if len(found.copies) == 1 else "each group"
    return [
        (
            found.copied_agents / found.sampled_agents,
            f"{_count(found.copied_agents, 'agent')} {_are(found.copied_agents)} {copy} of another,"
            f" e.g. {_names(largest)} {same}: keep one of {which}.",
        )
    ]


def _about_unseparated(found: Diagnosis) -> Ranked:
    if not found.unseparated:
        return []
    count = found.unseparated_tasks
    largest = found.unseparated[0]
    return [
        (
            0.5 * count / found.tasks,
            f"{count:,} tasks have the same results as another task, e.g. {_names(largest.tasks)}"
            f"{_differences(largest)}: add agents that do well on one and not on the other, or"
            " leave all but one out.",
        )
    ]


def _differences(group: Unseparated) -> str:
    return f", which differ in {_names(group.differ_in, '')}" if group.differ_in else ""


def _names(names: tuple[str, ...], quote: str = "'") -> str:
    shown = [f"{quote}{name}{quote}" for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMES} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _skills(found: Diagnosis) -> str:
    if found.skills and found.one_skill:
        return "no more than one ability, as far as they show"
    more = " or more" if found.skills == MOST_SKILLS else ""
    return f"{found.skills}{more} skill{'' if found.skills == 1 else 's'} beyond chance"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _decimals(value: float) -> str:
    """Two decimals."""
    return f"{value:.2f}"


def _rounded(number: int) -> str:
    """Two significant digits, since no more are known."""
    if number < 10:
        return str(number)
    size = 10 ** (int(math.log10(number)) - 1)
    return f"{round(number / size) * size:,}"
