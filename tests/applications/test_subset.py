"""`choose_subset`: a short test, its formula, and its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.subset import INTERCEPT, Subset, choose_subset
from tests.messages import says

RNG = np.random.default_rng(0)
AGENTS, TASKS = 60, 80
SKILLS = RNG.normal(size=(AGENTS, 2))
SOLVED = SKILLS[:, np.arange(TASKS) % 2] > RNG.normal(size=TASKS) + RNG.normal(size=(AGENTS, TASKS))
TOPICS = np.array(["sums", "areas"])[np.arange(TASKS) % 2]


def outcomes(solved: np.ndarray = SOLVED, **more: Any) -> ts.Outcomes:
    return ts.Outcomes(1 * solved, np.array(1), **more)


@pytest.fixture(scope="module")
def by_topic() -> Subset:
    labels = {"topic": [*TOPICS[:-1], ""]}
    return choose_subset(outcomes(task_labels=labels), 10, by="topic", at_least=4)


def test_the_score_is_the_intercept_and_a_weighted_sum(by_topic: Subset) -> None:
    results = np.random.default_rng(1).random(10)
    columns = by_topic.columns
    assert columns["task"][0] == INTERCEPT
    for name, score in zip(by_topic.names, by_topic.estimate(results), strict=True):
        weights = columns["weight" if name == "all tasks" else f"weight:{name}"]
        assert score == pytest.approx(weights @ np.append(1.0, results))


def test_each_label_has_a_score_and_its_least_number_of_tasks(by_topic: Subset) -> None:
    assert by_topic.names.tolist() == ["all tasks", "areas", "sums"]
    assert len(set(by_topic.tasks.tolist())) == 10
    counts = dict(zip(*np.unique(by_topic.labels, return_counts=True), strict=True))
    assert min(counts["areas"], counts["sums"]) >= 4
    assert "label" in by_topic.verdict
    assert "below 0 count as 0, above 1 as 1" in by_topic.verdict
    assert by_topic.comparison.sizes.min() == 8  # four of each label


def test_it_predicts_new_agents_better_than_the_plain_mean() -> None:
    known, new = outcomes(SOLVED[:45]), SOLVED[45:] * 1.0
    found = choose_subset(known, 12)
    at = [int(name.removeprefix("task-")) for name in found.tasks]
    predicted = np.array([found.estimate(row)[0] for row in new[:, at]])
    plain = new[:, at].mean(1)
    assert np.abs(predicted - new.mean(1)).mean() < np.abs(plain - new.mean(1)).mean()


def test_it_is_deterministic_and_does_not_depend_on_the_names() -> None:
    one, same = (choose_subset(outcomes(), 7, seed=3) for _ in range(2))
    assert one.tasks.tolist() == same.tasks.tolist()
    np.testing.assert_array_equal(one.weights, same.weights)
    renamed = choose_subset(outcomes(tasks=[f"q{i}" for i in range(TASKS)]), 7, seed=3)
    assert [f"task-{name[1:]}" for name in renamed.tasks] == one.tasks.tolist()


def test_near_copies_are_not_chosen_together_unless_it_says_so() -> None:
    many = np.random.default_rng(2)
    skill = many.normal(size=(120, 1))
    solved = skill > many.normal(size=10) + 0.8 * many.normal(size=(120, 10))
    copied = np.concatenate([solved, solved], axis=1)  # each task twice
    found = choose_subset(outcomes(copied), 8)
    assert len({int(name.removeprefix("task-")) % 10 for name in found.tasks}) == 8
    assert found.near_copies == ()
    more = choose_subset(outcomes(copied), 12)
    assert len(more.near_copies) == 2


def test_missing_pairs_and_agents_without_results() -> None:
    solved = SOLVED[:30, :30]
    tried = np.random.default_rng(3).random(solved.shape) < 0.8
    tried[4] = False
    found = choose_subset(ts.Outcomes(1 * (solved & tried), tried.astype(np.uint8)), 6)
    assert found.comparison.agents == 29
    assert np.isfinite(found.weights).all()
    assert np.isfinite(found.comparison.errors).all()


@pytest.mark.parametrize("k", [1, TASKS - 1])
def test_the_smallest_and_the_largest_test(k: int) -> None:
    found = choose_subset(outcomes(), k)
    assert len(set(found.tasks.tolist())) == k
    assert found.comparison.sizes.max() < TASKS


@pytest.mark.parametrize(
    ("call", "tokens"),
    [
        (lambda: choose_subset(outcomes(), 0), "k positive 0"),
        (lambda: choose_subset(outcomes(), TASKS), "k 80"),
        (lambda: choose_subset(outcomes(), 5, by="topic"), "by 'topic'"),
        (
            lambda: choose_subset(
                outcomes(task_labels={"topic": ["all tasks", "sums"] * 40}), 5, by="topic"
            ),
            "'all tasks' 'topic'",
        ),
        (lambda: choose_subset(outcomes(SOLVED[:4]), 5), "agents 5 4"),
        (lambda: choose_subset(outcomes(), 5, seed=-1), "seed -1"),
        (
            lambda: choose_subset(
                outcomes(task_labels={"topic": TOPICS}), 5, by="topic", at_least=3
            ),
            "k 6 'topic' 5 at_least",
        ),
        (lambda: choose_subset(outcomes(), 5, at_least=3), "by label at_least None"),
        (
            lambda: choose_subset(
                outcomes(task_labels={"topic": ["all tasks", *TOPICS[1:]]}), 5, by="topic"
            ),
            "label 'topic' 'all tasks' rename",
        ),
    ],
)
def test_bad_arguments_are_told_in_one_sentence(call: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        call()


def test_bad_results_are_refused(by_topic: Subset) -> None:
    with pytest.raises(ValueError, match=says("results 10 (2,)")):
        by_topic.estimate([1, 0])
    with pytest.raises(ValueError, match=says("results 1.5")):
        by_topic.estimate([1.5] * 10)
    with pytest.raises(TypeError, match=says("Outcomes 5")):
        choose_subset(5, 3)
