"""The section of a report that says whether the population is good enough for its map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from taskspace.applications.advice import advice, judgement
from taskspace.applications.answers import Unanswered
from taskspace.report import html
from taskspace.report.words import decimals
from taskspace.similarity.reliability import TARGET

if TYPE_CHECKING:
    from taskspace.applications.diagnosis import Diagnosis
    from taskspace.runs.run import Run

FIGURES = SCREE, NEEDED = "population-skills", "population-agents"  # names of its figures
HEADING = "Is the population good enough?"
CAPTIONS = {
    SCREE: "Skills in which the agents differ. Bars: eigenvalues of the correlations of outcomes,"
    " blue where they exceed those of shuffled results (line).",
    NEEDED: "Reliability of similarities by number of agents of the same kind, extrapolated from"
    f" halves of these. Dotted: {TARGET:g}, from which similarities are called reliable.",
}


def sections(run: Run, figures: Mapping[str, html.Figure]) -> list[html.Section]:
    """The verdict on the population and the advice in words, and two small figures by name."""
    found = run.diagnosis
    if isinstance(found, Unanswered):
        return [html.Text([found.reason], HEADING)]
    sample = [f"The figures are {found.sample}."] if found.sample else []
    told = [judgement(found), *sample, *advice(found, run.measure), *_comparison(found)]
    text = html.Text(told, HEADING)
    return [text, *(figures[name] for name in FIGURES if name in figures)]


def _comparison(found: Diagnosis) -> list[str]:
    """The figure to compare populations by; none if it is not known."""
    if not found.trust > 0:
        return []
    return [
        "To compare this population with another one for the same tasks, use reliability × (1 − 1 /"
        f" number of skills): here it is {decimals(found.trust)}; larger is better."
    ]
