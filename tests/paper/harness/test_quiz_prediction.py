"""The benchmark of prediction, on populations whose right answers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.soft_neighbours import mean_squared_distance
from taskspace.outcomes.outcomes import Outcomes
from taskspace.paper.harness.quiz_prediction import (
    EXAMPLES,
    FOLDS,
    MULTIPLES,
    Examples,
    PredictionScore,
    benchmark_prediction,
    draw_datasets,
    other_rates,
    tune_beta,
)

CLUSTERS = np.arange(120) % 4
# Every way to solve some of the four clusters: 16 agents x 120 tasks.
SOLVED = ((np.arange(16)[:, None] >> CLUSTERS) & 1).astype(bool)
SEPARATE = np.eye(4)[CLUSTERS]  # a corner for each cluster
NOISE = np.random.default_rng(0).normal(size=(120, 3))


def played(solved: NDArray[np.bool_], truth: NDArray[np.bool_] | None = None) -> Outcomes:
    """Eleven rollouts that all go the same way, except that the first is the truth if given."""
    results = np.repeat(solved[:, :, None], 11, axis=2)
    if truth is not None:
        results[:, :, 0] = truth
    return outcomes_of(results)


def outcomes_of(results: NDArray[np.bool_]) -> Outcomes:
    return Outcomes(results.sum(2), np.array(results.shape[2]), results=results)


def accuracies(scores: list[PredictionScore], size: int) -> dict[str, float]:
    return {score.method: score.accuracy for score in scores if score.quiz_size == size}


KNOWN = benchmark_prediction(
    played(SOLVED), {"separate": SEPARATE, "noise": NOISE}, quiz_sizes=[1, 20]
)


# -- known answers -----------------------------------------------------------------------------


def test_vectors_that_separate_what_agents_can_do_reach_the_oracle() -> None:
    many = accuracies(KNOWN, 20)
    assert many["OPT"] == 1.0
    assert many["separate"] > 0.99  # a quiz of 20 misses a cluster once in 300 times
    assert many["noise"] < 0.8


def test_one_quiz_task_tells_what_it_must() -> None:
    # The next task is of its cluster (29 of 119), or of another, where half the agents agree.
    expected = 29 / 119 + 90 / 119 / 2
    one = accuracies(KNOWN, 1)
    assert abs(one["separate"] - expected) < 0.025
    assert one["separate"] == one["noise"]  # one vote decides, wherever it lies


def test_baselines_know_what_they_should() -> None:
    many = accuracies(KNOWN, 20)
    assert abs(many["Random"] - 0.5) < 0.025
    assert abs(many["IgnoreAgent"] - 0.5) < 0.025  # half the agents solve each task
    # Of 4 clusters, agents solve 0 (1 agent), 1 (4), 2 (6), 3 (4) or 4 (1).
    assert abs(many["IgnoreTask"] - (2 * 1 + 8 * 0.75 + 6 * 0.5) / 16) < 0.025


def test_ignoring_the_agent_works_where_agents_do_not_differ() -> None:
    solved = np.tile(CLUSTERS < 2, (16, 1))
    found = accuracies(benchmark_prediction(played(solved), {}, quiz_sizes=[3]), 3)
    assert found["IgnoreAgent"] == found["OPT"] == 1.0
    assert abs(found["IgnoreTask"] - 0.5) < 0.025


def test_ignoring_the_task_works_where_tasks_do_not_differ() -> None:
    solved = np.tile((np.arange(16) < 8)[:, None], (1, 120))
    found = accuracies(benchmark_prediction(played(solved), {"noise": NOISE}, quiz_sizes=[3]), 3)
    assert found["IgnoreTask"] == found["OPT"] == found["noise"] == 1.0


def test_the_oracles_never_see_the_truth() -> None:
    scores = benchmark_prediction(played(SOLVED, truth=~SOLVED), {}, quiz_sizes=[3])
    assert accuracies(scores, 3)["OPT"] == 0.0
    alike = np.ones_like(SOLVED)
    scores = benchmark_prediction(played(alike, truth=~alike), {}, quiz_sizes=[3])
    found = accuracies(scores, 3)
    assert found["IgnoreTask"] == found["IgnoreAgent"] == found["OPT"] == 0.0


def test_quizzes_see_nothing_but_the_truth() -> None:
    """Answers and truth are both of rollout 0, whatever the other rollouts say."""
    scores = benchmark_prediction(
        played(~SOLVED, truth=SOLVED), {"separate": SEPARATE}, quiz_sizes=[20]
    )
    assert accuracies(scores, 20)["separate"] == accuracies(KNOWN, 20)["separate"]


def test_true_rates_serve_as_vectors() -> None:
    rng = np.random.default_rng(0)
    results = rng.random((16, 120, 11)) < np.where(SOLVED, 0.9, 0.1)[:, :, None]
    outcomes = outcomes_of(results)
    rates = other_rates(outcomes)
    np.testing.assert_allclose(rates, results[:, :, 1:].mean(2))
    found = accuracies(benchmark_prediction(outcomes, {"rates": rates.T}, quiz_sizes=[20]), 20)
    assert abs(found["OPT"] - (results[:, :, 0] == SOLVED).mean()) < 0.02
    assert found["OPT"] - 0.05 < found["rates"] <= found["OPT"] + 0.01


# -- rows and reproducibility ------------------------------------------------------------------


def test_there_is_a_row_for_each_method_and_size() -> None:
    methods = ["Random", "IgnoreTask", "IgnoreAgent", "OPT", "separate", "noise"]
    expected = [(method, size) for size in (1, 20) for method in methods]
    assert [(score.method, score.quiz_size) for score in KNOWN] == expected
    for score in KNOWN:
        assert (score.beta is None) == (score.method not in ("separate", "noise"))


def test_standard_errors_are_those_of_the_folds() -> None:
    """Guessing is right half the time: the squared error of the mean is 1/4 / 5000."""
    scores = benchmark_prediction(played(SOLVED), {})
    random = [score.standard_error for score in scores if score.method == "Random"]
    assert len(random) == 20
    assert 0.7 < np.mean(np.square(random)) / (0.25 / EXAMPLES) < 1.3
    assert all(score.standard_error == 0 for score in KNOWN if score.method == "OPT")
    assert EXAMPLES % FOLDS == 0


def test_the_same_seed_gives_the_same_scores_whatever_else_is_asked() -> None:
    outcomes = played(SOLVED)
    again = benchmark_prediction(outcomes, {"noise": NOISE}, quiz_sizes=[20])
    assert again == [s for s in KNOWN if s.quiz_size == 20 and s.method != "separate"]
    other = benchmark_prediction(outcomes, {"noise": NOISE}, quiz_sizes=[20], seed=1)
    assert other != again


# -- examples ----------------------------------------------------------------------------------


def test_examples_to_tune_and_to_test_on_differ() -> None:
    train, test = draw_datasets(16, 120, 5, np.random.default_rng(0))
    rows = {(*quiz, task) for quiz, task in zip(train.quiz.tolist(), train.task, strict=True)}
    repeated = [
        (*quiz, task) in rows for quiz, task in zip(test.quiz.tolist(), test.task, strict=True)
    ]
    assert len(repeated) == EXAMPLES
    assert np.mean(repeated) < 0.01
    assert (train.agent != test.agent).mean() > 0.9


@pytest.mark.parametrize(("tasks", "size"), [(120, 5), (21, 20), (2, 1)])
def test_tasks_of_an_example_differ_and_are_equally_likely(tasks: int, size: int) -> None:
    for examples in draw_datasets(16, tasks, size, np.random.default_rng(1)):
        rows = np.column_stack([examples.quiz, examples.task])
        assert rows.shape == (EXAMPLES, size + 1)
        assert (np.diff(np.sort(rows, axis=1), axis=1) > 0).all()
        for drawn, count in [(column, tasks) for column in rows.T] + [(examples.agent, 16)]:
            found = np.bincount(drawn, minlength=count)
            assert len(found) == count
            deviation = (found - EXAMPLES / count) / np.sqrt(EXAMPLES / count)
            assert np.abs(deviation).max() < 5


# -- tuning ------------------------------------------------------------------------------------


def reference(vectors: Any, solved: Any, examples: Examples, multiple: float) -> float:
    """Accuracy of one beta, example by example."""
    beta, right = multiple / mean_squared_distance(vectors), 0
    for quiz, task, agent in zip(examples.quiz, examples.task, examples.agent, strict=True):
        weights = np.exp(-beta * ((vectors[quiz] - vectors[task]) ** 2).sum(1))
        vote = (weights * solved[agent, quiz]).sum() / weights.sum()
        right += (vote > 0.5) == solved[agent, task]
    return right / len(examples.task)


def test_the_tuned_beta_is_the_best_of_those_tried() -> None:
    rng = np.random.default_rng(0)
    solved = SOLVED ^ (rng.random(SOLVED.shape) < 0.2)  # one result alone is not to be trusted
    vectors = SEPARATE + 0.3 * rng.normal(size=SEPARATE.shape)
    train, _ = draw_datasets(16, 120, 12, rng)
    few = Examples(train.quiz[:500], train.task[:500], train.agent[:500])
    beta, at_edge = tune_beta(vectors, solved, few, MULTIPLES)
    tried = MULTIPLES[MULTIPLES < 100]  # beyond, the plain formula is 0 / 0
    best = max(reference(vectors, solved, few, multiple) for multiple in tried)
    chosen = reference(vectors, solved, few, beta * mean_squared_distance(vectors))
    assert chosen == best
    assert not at_edge


def test_tuning_follows_the_scale_of_the_map() -> None:
    train, _ = draw_datasets(16, 120, 12, np.random.default_rng(0))
    beta, _ = tune_beta(NOISE, SOLVED, train, MULTIPLES)
    scaled, _ = tune_beta(NOISE * 1024, SOLVED, train, MULTIPLES)
    assert scaled == pytest.approx(beta / 1024**2)


def test_an_optimum_at_the_edge_is_told() -> None:
    train, _ = draw_datasets(16, 120, 12, np.random.default_rng(0))
    assert not tune_beta(SEPARATE, SOLVED, train, MULTIPLES)[1]
    assert tune_beta(SEPARATE, SOLVED, train, np.array([0.01, 0.1, 1.0]))[1]


def test_vectors_in_one_place_tell_nothing_and_break_nothing() -> None:
    scores = benchmark_prediction(played(SOLVED), {"point": np.ones((120, 2))}, quiz_sizes=[5])
    assert np.isfinite(scores[-1].accuracy)
    assert not scores[-1].at_edge


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vectors", "token"),
    [
        ({"map": NOISE[:7]}, r"map.*120 tasks.*\(7, 3\)"),
        ({"map": NOISE[:, 0]}, "120 tasks"),
        ({"map": NOISE * np.nan}, "map.*finite"),
        ({"OPT": NOISE}, "OPT.*baseline"),
    ],
)
def test_bad_vectors_are_refused(vectors: Any, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        benchmark_prediction(played(SOLVED), vectors)


def test_outcomes_without_single_results_are_refused() -> None:
    counts = Outcomes(SOLVED.astype(np.uint8), np.array(11))
    for outcomes in (counts, outcomes_of(SOLVED[:, :, None])):
        with pytest.raises(ValueError, match="keep_results=True"):
            benchmark_prediction(outcomes, {})


@pytest.mark.parametrize(
    ("size", "token"),
    [(0, "quiz size"), (120, "120 tasks")],
)
def test_impossible_quiz_sizes_are_refused(size: int, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        benchmark_prediction(played(SOLVED), {}, quiz_sizes=[5, size])
