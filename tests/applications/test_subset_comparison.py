"""The comparison of short tests by left-out agents."""

from __future__ import annotations

import numpy as np

from taskspace.applications.subset_comparison import SubsetComparison, compare, steps
from taskspace.applications.subset_errors import Question
from taskspace.applications.subset_limits import Limits
from taskspace.outcomes.outcomes import Outcomes

METHODS = ["informative", "anchor points", "random"]


def made(errors: list[float], gain_error: float = 0.0, size: int = 30) -> SubsetComparison:
    values = np.array(errors)
    return SubsetComparison(
        np.array(METHODS), np.full(3, size), values, np.full(3, np.nan), np.zeros(3),
        values[2] - values, np.full(3, gain_error), 9,
    )  # fmt: skip


def test_the_best_method_has_the_smallest_error() -> None:
    assert made([0.02, 0.03, 0.04]).best(30) == "informative"
    assert made([0.03, 0.02, 0.04]).best(30) == "anchor points"
    assert made([0.03, 0.05, 0.01]).best(30) == "random"


def test_one_task_is_singular() -> None:
    assert made([0.02, 0.03, 0.04], size=1).verdict(1).startswith("1 task (informative) predicts")


def test_the_verdict_says_if_nothing_beats_random_tasks() -> None:
    assert "noise" not in made([0.02, 0.03, 0.04]).verdict(30)
    assert "not better beyond noise" in made([0.02, 0.03, 0.04], gain_error=0.011).verdict(30)
    assert "no other choice" in made([0.05, 0.05, 0.04]).verdict(30)


def test_few_agents_are_left_out_several_times() -> None:
    assert [steps(agents) for agents in (5, 20, 30, 60, 1000)] == [20, 15, 10, 5, 5]


def test_results_without_structure_are_not_claimed_to_be_predictable() -> None:
    solved = np.random.default_rng(0).integers(0, 2, size=(40, 60))
    question = Question(Limits(np.zeros(60, np.int64)), False)
    found = compare(Outcomes(solved, np.array(1)), question, [5], 0, lambda done, note="": None)
    assert not found.is_better(5)
    assert found.agents == 40
    assert set(found.columns) == {
        "tasks", "method", "error", "standard_error", "gain", "gain_standard_error",
    }  # fmt: skip
    assert list(found.curves) == found.methods.tolist()


def test_errors_by_label_have_a_column_of_their_own() -> None:
    rng = np.random.default_rng(1)
    solved = rng.normal(size=(20, 1)) > rng.normal(size=(20, 40))
    question = Question(Limits(np.arange(40) % 2, least=1), True)
    found = compare(
        Outcomes(1 * solved, np.array(1)), question, [4, 8], 0, lambda done, note="": None
    )
    assert found.labelled
    assert "label" in found.verdict(8)
    np.testing.assert_array_equal(found.columns["label_error"], found.asked)
    first, second = found.row("informative", 4), found.row("informative", 8)
    assert found.sizes[[first, second]].tolist() == [4, 8]


def test_the_verdict_on_random_tasks_compares_them_with_nothing_else() -> None:
    methods, none = np.array(["informative", "random"]), np.full(2, np.nan)
    errors, zeros = np.array([0.05, 0.04]), np.zeros(2)
    found = SubsetComparison(methods, np.full(2, 3), errors, none, none, zeros, zeros, 9)
    assert found.verdict(3).startswith("3 random tasks predict the full score")
    assert "0.040" in found.verdict(3)
