"""The task selection benchmark on populations whose structure is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.paper.harness import task_selection
from taskspace.paper.harness.task_selection import (
    DATA_SETS,
    HARDER,
    OPTIONS,
    QUERIES,
    Examples,
    Judge,
    Pool,
    Row,
    compare,
    state_similarity,
    trajectory_similarity,
)
from tests.messages import says

BASELINES = ["Random", "StateSim", "TrajectorySim", "OPT-50", "OPT"]


def skill_pool(tasks: int = 400, agents: int = 60, rollouts: int = 100, seed: int = 0) -> Pool:
    """A task needs one of three skills, at some level; the expert's plan is as long as it is hard.

    StateSim is fooled by a feature that means nothing, TrajectorySim is not.
    """
    rng = np.random.default_rng(seed)
    need, level = rng.integers(0, 3, tasks), rng.uniform(0.1, 0.9, tasks)
    features = np.column_stack([need, level, rng.normal(size=tasks)])
    skills = rng.uniform(0, 1, (agents, 3))
    rates = 1 / (1 + np.exp(-20 * (skills[:, need] - level)))
    truth, again = (ts.Outcomes(rng.binomial(rollouts, rates), rollouts) for _ in range(2))  # type: ignore[arg-type]
    actions = [np.full(round(30 * x), n) for n, x in zip(need, level, strict=True)]
    return Pool(truth, again, features, actions)


def judge_of(outcomes: ts.Outcomes) -> Judge:
    return Judge.by_outcomes(outcomes, range(outcomes.n_agents), range(outcomes.n_tasks))


def by_name(rows: list[Row]) -> dict[tuple[str, str], Row]:
    return {(row.query, row.method): row for row in rows}


@pytest.fixture(scope="module")
def pool() -> Pool:
    return skill_pool()


@pytest.fixture(scope="module")
def rows(pool: Pool) -> dict[tuple[str, str], Row]:
    """With a judge that is the truth itself, one that has it upside down, and one by vectors."""
    truth = judge_of(pool.truth)
    upside_down = Judge(-truth.similarity, -truth.difficulty, HARDER)
    given: dict[str, Any] = {
        "truth": truth,
        "upside down": upside_down,
        "zeros": np.zeros((pool.n_tasks, 2)),
    }
    return by_name(compare(pool, given, examples=1000))


@pytest.mark.parametrize("query", QUERIES)
def test_a_judge_that_knows_the_truth_is_always_right(rows: Any, query: str) -> None:
    row = rows[query, "truth"]
    assert (row.top1, row.top1_error, row.top3, row.top3_error) == (1, 0, 1, 0)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("method", ["Random", "zeros"])
def test_chance_has_its_closed_form(rows: Any, query: str, method: str) -> None:
    """One of ten options is right, whichever the query."""
    row, n = rows[query, method], 1000 * DATA_SETS
    assert abs(row.top1 - 0.1) < 4 * np.sqrt(0.1 * 0.9 / n)
    assert abs(row.top3 - 0.3) < 4 * np.sqrt(0.3 * 0.7 / n)


@pytest.mark.parametrize("query", QUERIES)
def test_methods_come_in_the_order_of_what_they_know(rows: Any, query: str) -> None:
    order = ["upside down", "Random", "StateSim", "OPT-50", "OPT"]
    scores = [rows[query, method].top1 for method in order]
    assert scores == sorted(scores)
    assert rows[query, "TrajectorySim"].top1 > rows[query, "Random"].top1 + 0.1
    assert rows[query, "OPT"].top1 > 0.7
    assert all(row.top3 >= row.top1 for row in rows.values())


def test_there_is_a_row_for_every_query_and_method(pool: Pool, rows: Any) -> None:
    assert len(rows) == len(QUERIES) * (len(BASELINES) + 3)
    assert {row.examples for row in rows.values()} == {1000}
    assert [row.method for row in compare(pool, {}, examples=5)] == 3 * BASELINES


def test_the_same_seed_gives_the_same_bits_and_others_do_not_matter(pool: Pool, rows: Any) -> None:
    again = compare(pool, {"zeros": np.zeros((pool.n_tasks, 2))}, examples=1000)
    assert all(row == rows[row.query, row.method] for row in again)
    other = compare(pool, {"zeros": np.zeros((pool.n_tasks, 2))}, examples=1000, seed=1)
    assert other != again


def test_errors_are_standard_errors_across_data_sets(pool: Pool) -> None:
    scores = np.array([[0.1, 0.5], [0.2, 0.5], [0.3, 0.5], [0.4, 0.5]])
    row = task_selection._row("one", "similar", 7, scores)
    assert row.top1 == pytest.approx(0.25)
    assert row.top1_error == pytest.approx(np.sqrt(0.05 / 3) / 2)
    assert (row.method, row.query, row.examples, row.top3, row.top3_error) == (
        "one", "similar", 7, 0.5, 0,
    )  # fmt: skip


# -- examples ------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", QUERIES)
def test_examples_keep_their_rules(pool: Pool, query: str) -> None:
    truth = judge_of(pool.truth)
    drawn = Examples.draw(truth, 500, query, np.random.default_rng(0))
    assert drawn.options.shape == (500, OPTIONS)
    success = pool.truth.rates.mean(axis=0)
    for reference, options in zip(drawn.reference, drawn.options, strict=True):
        assert len({reference, *options}) == OPTIONS + 1
        lower = success[reference] - success[options]
        if query != "similar":
            assert (QUERIES[query] * lower > HARDER).any()


def test_examples_cover_all_tasks_evenly(pool: Pool) -> None:
    drawn = Examples.draw(judge_of(pool.truth), 4000, "similar", np.random.default_rng(0))
    for tasks in (drawn.reference, drawn.options[:, 3]):
        counts = np.bincount(tasks, minlength=pool.n_tasks)
        expected = 4000 / pool.n_tasks
        degrees = pool.n_tasks - 1
        assert abs(((counts - expected) ** 2 / expected).sum() - degrees) < 4 * np.sqrt(2 * degrees)


@pytest.mark.parametrize("query", QUERIES)
def test_the_right_option_equals_brute_force(pool: Pool, query: str) -> None:
    truth = judge_of(pool.truth)
    drawn = Examples.draw(truth, 100, query, np.random.default_rng(1))
    right = drawn.right(truth, query)
    success = pool.truth.rates.mean(axis=0)
    for example, (reference, options) in enumerate(
        zip(drawn.reference, drawn.options, strict=True)
    ):
        fits = [o for o in options if QUERIES[query] * (success[reference] - success[o]) > HARDER]
        best = max(
            fits if QUERIES[query] else options, key=lambda o: truth.similarity[reference, o]
        )
        assert options[right[example]].tolist() == [best]


def one_example(difficulty: Any, similarity: Any) -> tuple[Examples, Judge]:
    """Task 0 is the reference; the others have this similarity to it."""
    n = len(difficulty)
    matrix = np.zeros((n, n))
    matrix[0, 1:] = similarity
    return Examples(np.array([0]), np.arange(1, n)[None]), Judge(matrix, np.array(difficulty))


def test_what_does_not_qualify_comes_last() -> None:
    example, judge = one_example([5.0, 6, 4, 7, 5, 1], [1.0, 9, 2, 8, 3])
    ties = np.zeros((1, 5))
    assert example.rank(judge, "similar", ties).tolist() == [[1, 3, 4, 2, 0]]
    assert example.rank(judge, "harder", ties).tolist() == [[2, 0, 1, 3, 4]]
    assert example.rank(judge, "easier", ties).tolist() == [[1, 4, 3, 2, 0]]
    strict = replace(judge, gap=1.0)  # now only task 3 is harder
    assert example.rank(strict, "harder", ties).tolist() == [[2, 1, 3, 4, 0]]


def test_ties_are_broken_by_the_numbers_given_and_all_tied_are_right() -> None:
    example, judge = one_example([0.0, 1, 1, 1], [2.0, 2, 1])
    assert example.rank(judge, "harder", np.array([[0.9, 0.1, 0.0]])).tolist() == [[1, 0, 2]]
    assert example.rank(judge, "harder", np.array([[0.1, 0.9, 0.0]])).tolist() == [[0, 1, 2]]
    assert example.right(judge, "harder").tolist() == [[True, True, False]]


# -- what the baselines think --------------------------------------------------------------------


def plain_edit_distance(first: list[int], second: list[int]) -> int:
    """The dynamic program of the textbooks."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def test_trajectory_similarity_is_the_negative_edit_distance() -> None:
    rng = np.random.default_rng(0)
    actions = [rng.integers(0, 3, rng.integers(0, 90)).tolist() for _ in range(20)]
    plain = [[-plain_edit_distance(a, b) for b in actions] for a in actions]
    np.testing.assert_array_equal(trajectory_similarity(actions), plain)


def test_state_similarity_is_the_negative_standardized_distance() -> None:
    features = np.random.default_rng(0).normal(3, [1, 100, 0], (30, 3))
    scaled = features[:, :2] / features[:, :2].std(axis=0)
    plain = [[-np.sqrt(((a - b) ** 2).sum()) for b in scaled] for a in scaled]
    np.testing.assert_allclose(state_similarity(features), plain, atol=1e-12)


def test_difficulty_by_easy_tasks_is_distance_from_the_nearest() -> None:
    similarity = -np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    judge = Judge.by_easy_tasks(similarity, np.array([0, 4]))
    assert judge.difficulty.tolist() == [0, 1, 2, 1, 0, 1]


def judges_of(pool: Pool, tasks: Any, seed: int = 0) -> dict[str, Judge]:
    """What the baselines think of these tasks."""
    truth = judge_of(pool.truth).on(tasks)
    return task_selection._judges(pool, {}, tasks, truth, np.random.default_rng(seed))


def test_the_easy_tasks_of_a_data_set_are_its_five_easiest(pool: Pool) -> None:
    tasks = np.arange(100, 200)
    easiest = np.argsort(pool.truth.rates.mean(axis=0)[tasks])[-5:]
    judges = judges_of(pool, tasks)
    for method in ("StateSim", "TrajectorySim"):
        nearest = (-judges[method].similarity)[:, easiest].min(axis=1)
        np.testing.assert_allclose(judges[method].difficulty, nearest)


def test_opt_knows_a_second_estimate_of_all_agents(pool: Pool) -> None:
    tasks = np.arange(50, 150)
    found, expected = judges_of(pool, tasks)["OPT"], judge_of(pool.again).on(tasks)
    np.testing.assert_allclose(found.similarity, expected.similarity, atol=1e-5)
    np.testing.assert_allclose(found.difficulty, expected.difficulty)


def test_opt_50_knows_half_of_the_agents_drawn_anew() -> None:
    """Agent i solves task i alone, so that a task's difficulty tells whether the agent is there."""
    outcomes = ts.Outcomes(np.eye(60, dtype=np.int64), 1)  # type: ignore[arg-type]
    pool = Pool(outcomes, outcomes, np.zeros((60, 1)), [[0]] * 60)
    there = [judges_of(pool, np.arange(60), seed)["OPT-50"].difficulty < 1 for seed in range(2)]
    assert [half.sum() for half in there] == [30, 30]
    assert (there[0] != there[1]).any()


def test_vectors_are_judged_by_inner_product_and_length() -> None:
    judge = Judge.by_vectors(np.array([[3.0, 4.0], [1.0, 0.0]]))
    assert judge.similarity.tolist() == [[25, 3], [3, 1]]
    assert judge.difficulty.tolist() == [5, 1]


def test_a_judge_on_some_tasks_in_another_order(pool: Pool) -> None:
    whole, tasks = judge_of(pool.truth), np.array([7, 3, 5])
    part = Judge.by_outcomes(pool.truth, range(60), tasks)
    np.testing.assert_allclose(whole.on(tasks).similarity, part.similarity, atol=1e-5)
    np.testing.assert_allclose(whole.on(tasks).difficulty, part.difficulty)
    assert whole.on(tasks).gap == HARDER


# -- bad input -----------------------------------------------------------------------------------


def test_bad_pools_are_refused(pool: Pool) -> None:
    small = skill_pool(tasks=40 + OPTIONS)
    with pytest.raises(ValueError, match=says("truth again tasks")):
        replace(pool, again=small.again)
    with pytest.raises(ValueError, match=says("truth again agents")):
        replace(pool, again=skill_pool(agents=7).again)
    with pytest.raises(ValueError, match=says("pool 43 44")):
        skill_pool(tasks=43)
    with pytest.raises(ValueError, match=says("features 400 (399, 3)")):
        replace(pool, features=pool.features[:-1])
    with pytest.raises(ValueError, match=says("actions 399 400")):
        replace(pool, actions=pool.actions[1:])
    for bad in ([0.5], [-1], [[1, 2]], ["left"]):
        with pytest.raises(ValueError, match=says("actions 0")):
            replace(pool, actions=[bad, *pool.actions[1:]])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("embeddings", "options", "tokens"),
    [
        ({"OPT": np.zeros((400, 2))}, {}, "'OPT' baseline"),
        ({"map": np.zeros((399, 2))}, {}, "map 400 (399, 2)"),
        ({"map": np.zeros(400)}, {}, "map 400 (400,)"),
        ({"map": np.full((400, 2), np.nan)}, {}, "map finite"),
        ({"map": Judge(np.zeros((3, 3)), np.zeros(3))}, {}, "map 400 (3, 3)"),
        ({}, {"examples": 0}, "examples 0"),
        ({}, {"seed": -1}, "seed -1"),
    ],
)
def test_bad_arguments_get_a_sentence(
    pool: Pool, embeddings: Any, options: Any, tokens: str
) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        compare(pool, embeddings, **options)


@pytest.mark.parametrize(
    ("similarity", "difficulty"),
    [(np.zeros((3, 2)), np.zeros(3)), (np.zeros((3, 3)), np.zeros((3, 1))), (np.zeros(3), 0.0)],
)
def test_judges_of_the_wrong_shape_are_refused(similarity: Any, difficulty: Any) -> None:
    with pytest.raises(ValueError, match=says("similarity difficulty")):
        Judge(similarity, difficulty)


def test_tasks_of_one_difficulty_are_refused() -> None:
    same = Judge(np.zeros((20, 20)), np.zeros(20), HARDER)
    with pytest.raises(ValueError, match=says("0.01")):
        Examples.draw(same, 10, "harder", np.random.default_rng(0))
