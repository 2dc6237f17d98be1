"""The terms of a report with their definitions and what chance would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskspace.applications.return_answers import difficulty_in_words
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.reliability import TARGET

if TYPE_CHECKING:
    from taskspace.runs.run import Run

_TERMS = {
    "triplet accuracy": "How often the map is right about which of two tasks is more similar to a"
    " third. By chance 50%, at best 100%.",
    "triplet": "Three tasks, and the question which of two of them is more similar to the third.",
    "difficulty-pair accuracy": "How often the map is right about which of two tasks is harder. By"
    " chance 50%.",
    "noise ceiling": "The triplet accuracy of an independent re-evaluation of the same agents. No"
    " map can be expected to do better.",
    "reliability": "How far similarities would stay the same with other agents of the same kind,"
    " estimated from halves of the agents: 0 by chance, 1 if more agents would change nothing."
    f" From {TARGET:g} on, similarities are called reliable.",
    "silhouette": "How far clusters lie apart on the map, from −1 to 1: near 1 if each lies by"
    " itself, about 0 if they are mixed as by chance.",
    "skill": "A kind of skill is a way in which agents differ: a factor of their results that is"
    " larger than in shuffled results (parallel analysis). By chance, there is none.",
    "near-copies": "Two tasks that measure the same thing twice: agents' results on them differ at"
    " most half as often as results on two tasks that share only general ability and a few skills.",
    "stability across seeds": "The rank correlation (Spearman) between this map and one that was"
    " learned with another random seed: 0 by chance, 1 if both give the same order.",
    "parallel analysis": "A comparison of the factors of the results with those of results that"
    " were shuffled within each task.",
    "shuffled results": "The same results, but within each task they were given to the agents at"
    " random, so that tasks no longer have anything in common.",
    "t-SNE projection": "A picture of the map in two dimensions that keeps close tasks close. How"
    " far apart distant groups lie, and which way is up, means nothing.",
    "PCA projection": "A picture of the map in the two directions in which tasks differ most; other"
    " directions are not seen in it.",
    "error of similarities": "How far similarities on the map are from those that were measured on"
    " newly sampled tasks (root mean square). 0 at best; compare it with the scale of the picture"
    " of similarities.",
    "dimension": "Each task is described by so many numbers, its vector; the map keeps as many as"
    " carry information beyond chance, or as many as were asked for.",
    "held-out": "Not used for learning the map, so that the map cannot have memorised it.",
    "interval": "A range that holds the true value with the probability that is stated beside it.",
}


def terms_of(run: Run) -> dict[str, str]:
    """The terms that the report of a run may use, by name."""
    return {**_TERMS, **_of_measure(run), "difficulty": _difficulty(run), "cluster": _cluster(run)}


def _of_measure(run: Run) -> dict[str, str]:
    what = "success" if run.outcomes.scale is None else "the return"
    of = "success" if run.outcomes.scale is None else "the ranks of the agents"
    if run.measure == CORRELATION:
        return {
            "correlation": f"How {of} on two tasks goes together: 1 if always, 0 if not at all (by"
            " chance), −1 if agents that are good at one are bad at the other.",
        }
    return {
        "similarity": f"What {what} on one task tells about {what} on another, in bits: 0 if"
        " nothing (chance); larger values mean more.",
        "bits": "The unit of information: one bit is what one learns from the answer to a question"
        " for which yes and no are equally likely.",
        "information": "What an attempt at a task tells about an agent: what two attempts by the"
        " same agent share, in bits. 0 by chance; a task that nearly all agents solve, or nearly"
        " none, tells little.",
    }


def _difficulty(run: Run) -> str:
    scale = run.outcomes.scale
    ends = "" if scale is not None else ": 0 if every attempt succeeds, 1 if none does"
    told = f"The difficulty of a task is {difficulty_in_words(scale)}{ends}."
    if "norm_difficulty_rank_correlation" in run.results:
        return f"{told} On this map, harder tasks have longer vectors and larger points."
    return told


def _cluster(run: Run) -> str:
    if run.from_table:
        return (
            "Tasks whose vectors on the map have similar directions. Any map can be divided into"
            " clusters, so they help to read it, but are no discovery by themselves."
        )
    return f"Tasks of one kind; the clusters show {run.clusters.description}."
