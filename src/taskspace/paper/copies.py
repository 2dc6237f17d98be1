"""Planted copies of a question in a simulated exam: does a map find them?

Students have a general ability and one ability per topic; each one answers each question once. Some
questions are copies of the first one, so their answers agree with it except for a few percent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.information import LABEL
from taskspace.paper.study import Study, Table, mean_and_spread
from taskspace.similarity.estimates import estimates
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
TOPICS, QUESTIONS = 6, 10  # ten questions per topic
STUDENTS = 300
COPIES = 4  # the first question and three copies
TOPIC_WEIGHT = 0.6  # relative to the general ability, so that topics are not obvious
CHANGED = 0.04  # fraction of the answers to a copy that differ
TOGETHER = COPIES * (COPIES - 1) // 2  # pairs of copies
PLAIN = "plain mutual information"
NOTE = (
    f"{STUDENTS} simulated students answer {TOPICS * QUESTIONS} questions on {TOPICS} topics once;"
    f" three questions are copies of another one, with {CHANGED:.0%} of the answers changed. The"
    f" {TOGETHER} pairs of copies are ranked among all pairs of questions by similarity. same"
    " topic: probability that a pair of questions on the same topic ranks above a pair on different"
    " topics (maps: by cosine)."
)


def table(study: Study) -> Table:
    """The ranks of the copies by each method, over the seeds of the study."""
    runs = [_run(study, seed) for seed in range(study.seeds)]
    rows = []
    for same in zip(*runs, strict=True):
        worst = [max(found["ranks"]) for found in same]
        top = [sum(rank <= TOGETHER for rank in found["ranks"]) for found in same]
        rows.append(
            {"method": same[0]["method"], "worst rank of a copy": max(worst)}
            | mean_and_spread(f"copies among the top {TOGETHER}", top)
            | mean_and_spread("same topic", [found["same topic"] for found in same])
        )
    title = f"{COPIES} copies of a question among {TOPICS * QUESTIONS}"
    return Table("beyond-copies", title, rows, NOTE)


def exam(seed: int) -> Outcomes:
    """Simulated answers (students, questions); the copies are the first questions."""
    rng = np.random.default_rng(seed)
    ability, topics = rng.normal(size=(STUDENTS, 1)), rng.normal(size=(STUDENTS, TOPICS))
    difficulty = rng.normal(size=TOPICS * QUESTIONS)
    logits = ability + TOPIC_WEIGHT * np.repeat(topics, QUESTIONS, axis=1) - difficulty
    answers = rng.random(logits.shape) < 1 / (1 + np.exp(-logits))
    changed = rng.random((STUDENTS, COPIES - 1)) < CHANGED
    answers[:, 1:COPIES] = answers[:, :1] ^ changed
    return Outcomes(answers.astype(np.uint8), np.array(1))


def _run(study: Study, seed: int) -> list[dict[str, Any]]:
    steps = 50 if study.fast else OrdinalEmbedder().steps

    def run() -> list[dict[str, Any]]:
        return [
            {"method": method, "ranks": ranks(similarity), "same topic": same_topic(cosine)}
            for method, similarity, cosine in _similarities(exam(seed), seed, steps)
        ]

    return study.saved_rows(f"copies-{seed}", {"seed": seed}, run)


def _similarities(
    outcomes: Outcomes, seed: int, steps: int
) -> Iterator[tuple[str, Floats, Floats]]:
    """The similarities of all questions by each method, and what orders pairs by topic."""
    plain = estimates(SuccessStatistics.from_outcomes(outcomes))
    yield PLAIN, plain, plain
    maps: dict[str, Embedding] = {
        f"{LABEL}, automatic dimensions": TaskEmbedder(random_state=seed),
        f"{LABEL}, 6 dimensions": TaskEmbedder(6, random_state=seed),
        "ordinal map, 3 dimensions": OrdinalEmbedder(3, steps=steps, random_state=seed),
        "ordinal map, 6 dimensions": OrdinalEmbedder(6, steps=steps, random_state=seed),
    }
    for name, embedder in maps.items():
        embedder.fit(outcomes)
        directions = embedder.direction(outcomes.tasks)
        yield name, embedder.similarity(outcomes.tasks, outcomes.tasks), directions @ directions.T


def ranks(similarity: Floats) -> list[int]:
    """The ranks of the pairs of copies among all pairs, from 1.

    >>> similarity = np.zeros((6, 6))
    >>> similarity[:4, :4] = 1
    >>> ranks(similarity)
    [1, 1, 1, 1, 1, 1]
    """
    first, second = np.triu_indices(len(similarity), 1)
    values = similarity[first, second]
    return [1 + int((values > value).sum()) for value in values[second < COPIES]]


def same_topic(similarity: Floats) -> float:
    """The probability that a pair of the same topic ranks above a pair of different topics."""
    from sklearn.metrics import roc_auc_score

    first, second = np.triu_indices(len(similarity), 1)
    same = first // QUESTIONS == second // QUESTIONS
    return float(roc_auc_score(same, similarity[first, second]))
