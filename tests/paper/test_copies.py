"""Planted copies of a question: the exam, the ranks, and what finds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.paper import copies
from taskspace.paper.study import Study


def test_copies_agree_with_the_first_question_and_others_do_not() -> None:
    answers = copies.exam(3).successes
    assert answers.shape == (copies.STUDENTS, copies.TOPICS * copies.QUESTIONS)
    agree = (answers[:, 1:] == answers[:, :1]).mean(0)
    assert agree[: copies.COPIES - 1].min() > 0.9
    assert agree[copies.COPIES :].max() < 0.85


def test_ranks_count_the_pairs_that_are_more_similar() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(8, 8))
    similarity = table + table.T
    pairs = [(i, j) for i in range(8) for j in range(i + 1, 8)]
    ordered = sorted(pairs, key=lambda pair: -similarity[pair])
    expected = [1 + ordered.index((i, j)) for i, j in pairs if j < copies.COPIES]
    assert copies.ranks(similarity) == expected


def test_topics_are_ranked_from_chance_to_certainty() -> None:
    topics = np.arange(copies.TOPICS * copies.QUESTIONS) // copies.QUESTIONS
    same = (topics[:, None] == topics).astype(np.float64)
    assert copies.same_topic(same) == 1
    assert copies.same_topic(-same) == 0
    assert copies.same_topic(np.zeros_like(same)) == 0.5


@pytest.mark.slow
def test_the_information_map_has_the_copies_on_top(tmp_path: Path) -> None:
    table = copies.table(Study(tmp_path, seeds=1, preset="fast", log=lambda line: None))
    plain, auto, six, *ordinal = table.rows
    for row in (plain, auto, six):
        assert row["worst rank of a copy"] == copies.TOGETHER
    assert len(ordinal) == 2
    assert min(auto["same topic"], six["same topic"]) > 0.55
