"""Tasks that no agent separates, and copies of agents."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.applications.indistinct import agent_copies, unseparated_tasks
from taskspace.outcomes.outcomes import Outcomes
from tests.models.embedding.tables import planted, results_of


def copied(outcomes: Outcomes) -> list[set[str]]:
    return [set(group) for group in agent_copies(outcomes)]


def test_identical_agents_are_found_whatever_their_number() -> None:
    solved = planted(60, 4, 60).outcomes.successes
    table = np.concatenate([solved, solved[:3], np.repeat(solved[3:4], 15, axis=0)])
    found = copied(results_of(table, 1))
    assert found[:3] == [{f"agent-{one}", f"agent-{60 + one}"} for one in range(3)]
    assert found[3:] == [{"agent-3", *(f"agent-{63 + copy}" for copy in range(15))}]


@pytest.mark.parametrize("skills", [1, 2, 5])
@pytest.mark.parametrize("tasks", [6, 40, 160])
def test_agents_of_equal_skills_are_no_copies(skills: int, tasks: int) -> None:
    """With few tasks, many agents have the same results by chance."""
    world = planted(300, skills, -(-tasks // skills))
    assert not agent_copies(world.outcomes)


def test_agents_that_solve_everything_or_nothing_are_no_copies() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (20, 300))
    solved[:3], solved[3:6] = 1, 0
    assert not agent_copies(results_of(solved, 1))


def test_copies_are_found_despite_noise_of_attempts() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random((12, 600))
    truth[11] = truth[4]
    assert copied(results_of(rng.binomial(40, truth), 40)) == [{"agent-4", "agent-11"}]


def test_copies_are_found_in_tables_with_gaps() -> None:
    rng = np.random.default_rng(0)
    counts = (rng.random((20, 400)) < 0.6).astype(int)
    solved = rng.integers(0, 2, (20, 400))
    solved[7] = solved[2]
    assert copied(results_of(solved * counts, counts)) == [{"agent-2", "agent-7"}]


def test_tasks_with_the_same_results_are_grouped_and_their_differences_named() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (30, 6))
    table = solved[:, [0, 1, 2, 0, 4, 0, 1]]
    features = np.array([[1, 5], [1, 5], [2, 5], [1, 5], [3, 5], [1, 7], [1, 5]])
    labels = {"topic": ["sums", "sums", "", "areas", "", "sums", "sums"]}
    outcomes = results_of(table, 1, features=features, feature_names=("level", "width"),
                        task_labels=labels)  # fmt: skip
    first, second = unseparated_tasks(outcomes, np.arange(7))
    assert first.tasks == ("task-0", "task-3", "task-5")
    assert first.differ_in == ("width", "topic")
    assert (second.tasks, second.differ_in) == (("task-1", "task-6"), ())
    assert not unseparated_tasks(outcomes, np.array([0, 1, 2, 4]))


def test_a_missing_result_separates() -> None:
    counts = np.array([[1, 1], [1, 0], [1, 1]])
    outcomes = results_of(np.array([[1, 1], [0, 0], [1, 1]]), counts)
    assert not unseparated_tasks(outcomes, np.arange(2))
