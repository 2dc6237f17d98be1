"""Full scores: exact where they are known, near and covered where they are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.scores import estimate_scores, groups_by
from taskspace.files import read_arrays, seal, write_arrays
from taskspace.models.linear_population import LinearPopulation
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

RNG = np.random.default_rng(0)
TOPICS = np.array(["sums", "areas"] * 30, object)
GROUPS = (TOPICS == "sums").astype(int)  # areas first, as in alphabetical order
NAMES = np.array(["areas", "sums"])


def table(successes: Any, rollouts: Any = 1, **more: Any) -> Outcomes:
    """Outcomes of any numbers."""
    return Outcomes(successes, rollouts, **more)


def solve(agents: int, rng: np.random.Generator = RNG) -> Any:
    """Results (agents, 60): each topic needs a skill of its own, and both share one."""
    level = np.random.default_rng(1).normal(size=60)
    skill = rng.normal(size=(agents, 1)) + rng.normal(size=(agents, 2))[:, GROUPS]
    return (rng.random((agents, 60)) < 1 / (1 + np.exp(level - skill))) * 1


KNOWN = table(solve(50), 1, task_labels={"topic": TOPICS, "number": np.arange(60)})
PREDICTOR = PerformancePredictor().fit(KNOWN)


def test_scores_are_near_and_intervals_cover() -> None:
    rng = np.random.default_rng(2)
    population, rows = PREDICTOR.population_, []
    assert population is not None
    for results in solve(300, rng):
        quiz = rng.permutation(60)[:16]
        told = estimate_scores(population, quiz, results[quiz] * 1.0, NAMES, GROUPS, 0.9)
        truth = np.array([results[number == GROUPS].mean() for number in (0, 1)])
        inside = (told.low <= truth) & (truth <= told.high)
        rows.append([np.abs(told.scores - truth), np.abs(told.plain - truth), inside])
    ours, plain, covered = np.mean(rows, axis=(0, 2))
    assert ours < 0.92 * plain
    assert 0.86 < covered < 0.95


def test_a_group_answered_completely_is_exact() -> None:
    results = solve(1)[0]
    quiz = np.append(np.flatnonzero(GROUPS == 1), [1, 3, 5])
    told = PREDICTOR.score(quiz, results[quiz], by="topic")
    assert told.names.tolist() == ["areas", "sums"]
    exact = results[GROUPS == 1].mean()
    assert (told.scores[1], told.low[1], told.high[1]) == pytest.approx((exact,) * 3)
    assert told.answered.tolist() == [3, 30]
    assert told.tasks.tolist() == [30, 30]
    assert told.low[0] < told.scores[0] < told.high[0]
    assert told.plain.tolist() == pytest.approx([results[[1, 3, 5]].mean(), exact])
    assert PREDICTOR.answers_needed(quiz, results[quiz], 0.9, by="topic")[1] == 0


def test_bounds_are_possible_scores() -> None:
    quiz = np.arange(50)
    for result in (0.0, 1.0):
        told = PREDICTOR.score(quiz, np.full(50, result), level=0.999)
        assert told.low[0] >= 50 * result / 60 - 1e-9
        assert told.high[0] <= (50 * result + 10) / 60 + 1e-9


def test_without_answers_it_is_the_mean_agent() -> None:
    told = PREDICTOR.score([], [])
    assert told.names.tolist() == ["all tasks"]
    assert told.scores == pytest.approx(KNOWN.rates.mean(), abs=1e-6)
    assert np.isnan(told.plain).all()
    skipped = PREDICTOR.score([3, 4], [np.nan, np.nan])
    assert skipped.scores == told.scores
    assert skipped.answered.tolist() == [0]


def test_more_answers_make_narrower_intervals() -> None:
    results = solve(1)[0]
    quiz = RNG.permutation(60)
    widths = []
    for size in (4, 12, 36):
        told = PREDICTOR.score(quiz[:size], results[quiz[:size]])
        widths.append(float(told.high[0] - told.low[0]))
    assert widths == sorted(widths, reverse=True)
    few, many = quiz[:4], quiz[:36]
    more = int(PREDICTOR.answers_needed(few, results[few], widths[1] - 1e-9)[0])
    assert 2 <= more <= 20
    assert PREDICTOR.answers_needed(many, results[many], widths[1]).tolist() == [0]
    assert PREDICTOR.answers_needed(few, results[few], 1e-6).tolist() == [56]


def test_a_higher_level_is_wider() -> None:
    narrow, wide = (PREDICTOR.score([0, 1], [1, 0], level=level) for level in (0.5, 0.95))
    assert narrow.scores == wide.scores
    assert wide.low[0] < narrow.low[0] < narrow.high[0] < wide.high[0]
    assert wide.level == 0.95


def test_the_table_has_one_row_per_group() -> None:
    columns = PREDICTOR.score(["task-0"], [1], by="topic").columns
    assert list(columns) == ["group", "score", "low", "high", "answered", "tasks", "plain"]
    assert {len(values) for values in columns.values()} == {2}


def test_tasks_without_a_value_are_in_no_group() -> None:
    labels = {"size": np.array([2.0, np.nan, 1.0])}
    names, groups = groups_by(labels, "size", 3)
    assert names.tolist() == ["1", "2"]
    assert groups.tolist() == [1, -1, 0]
    told = estimate_scores(
        LinearPopulation.from_rates(RNG.random((5, 3)), None, 0),
        np.array([1]), np.array([1.0]), names, groups, 0.9,
    )  # fmt: skip
    assert told.answered.tolist() == [0, 0]
    assert told.tasks.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        ({"quiz": ["task-0", "task-0"], "results": [1, 0]}, "quiz once 'task-0'"),
        ({"quiz": ["none"], "results": [1]}, "quiz known 'none'"),
        ({"quiz": ["task-0"], "results": [7]}, "results 7"),
        ({"by": "colour"}, "by label 'colour' 'topic'"),
        ({"by": ["topic"]}, "by label 'topic'"),
        ({"level": 90}, "level 0 1 90"),
    ],
)
def test_bad_input_is_told_in_one_sentence(arguments: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        PREDICTOR.score(**{"quiz": ["task-0"], "results": [1], **arguments})


def test_a_width_must_be_possible() -> None:
    for width in (0, 1.1, -0.1, "wide"):
        with pytest.raises(ValueError, match=says("width")):
            PREDICTOR.answers_needed([], [], width)  # type: ignore[arg-type]


def test_a_saved_predictor_tells_the_same(tmp_path: Path) -> None:
    path = tmp_path / "predictor.npz"
    tried = RNG.random((50, 60)) < 0.9
    labels = {"topic": TOPICS}
    partly = table(KNOWN.successes * tried, tried * 1, task_labels=labels)
    for predictor in (PREDICTOR, PerformancePredictor().fit(partly)):
        predictor.save(path)
        loaded = PerformancePredictor.load(path)
        quiz, results = [0, 3, 9], [1, 0, 1]
        one, other = (p.score(quiz, results, by="topic") for p in (predictor, loaded))
        for name, values in one.columns.items():
            np.testing.assert_array_equal(other.columns[name], values)
        assert loaded.linear_share_ == predictor.linear_share_
        np.testing.assert_array_equal(
            loaded.predict_proba(quiz, results, [5]), predictor.predict_proba(quiz, results, [5])
        )


def test_a_predictor_of_an_earlier_version_has_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "predictor.npz"
    PREDICTOR.save(path)
    new = {"rates", "tried", "variances", "labels", "linear_share"}
    arrays = {name: array for name, array in read_arrays(path).items() if name not in new}
    write_arrays(arrays, path)
    seal(path)
    old = PerformancePredictor.load(path)
    assert old.linear_share_ == 0
    with pytest.raises(ValueError, match=says("score() fit again")):
        old.score(["task-0"], [1])


def test_single_attempts_make_wider_intervals_than_rates() -> None:
    rng = np.random.default_rng(5)
    truth = np.clip(rng.beta(2, 2, (40, 1)) + rng.normal(0, 0.1, (40, 60)), 0.02, 0.98)
    predictor = PerformancePredictor().fit(table(rng.binomial(50, truth), 50))
    quiz = np.arange(0, 60, 6)
    rates = predictor.score(quiz, truth[0, quiz])
    attempts = predictor.score(quiz, (rng.random(10) < truth[0, quiz]) * 1)
    assert (attempts.high - attempts.low)[0] > 1.5 * (rates.high - rates.low)[0]


def test_answers_unlike_all_known_agents_make_wide_intervals() -> None:
    easy = np.ones((50, 12), int)
    known = table(np.hstack([KNOWN.successes, easy]), 1)
    predictor = PerformancePredictor().fit(known)
    usual, unusual = predictor.score([60], [1]), predictor.score([60], [0])
    assert not usual.unusual
    assert usual.warning == ""
    assert unusual.unusual
    assert "unlike those of every known agent" in unusual.warning
    assert (unusual.high - unusual.low)[0] > 0.5
    assert unusual.low[0] <= unusual.scores[0] <= unusual.high[0]
    solved = PerformancePredictor().fit(table(np.ones((20, 10), int), 1)).score([0], [0])
    assert (solved.high - solved.low)[0] > 0.5


def test_few_agents_have_wide_enough_intervals() -> None:
    rng, inside = np.random.default_rng(8), []
    for _ in range(60):
        known, new = np.split(solve(9, rng) * 1.0, [5])
        population = LinearPopulation.from_rates(known, None, 0)
        for results in new:
            quiz, one = rng.permutation(60)[:10], np.zeros(60, int)
            told = estimate_scores(population, quiz, results[quiz], NAMES[:1], one, 0.9)
            inside.append(told.low[0] <= results.mean() <= told.high[0])
    assert 0.84 < np.mean(inside) < 0.96


def test_fewer_than_five_agents_have_no_score() -> None:
    predictor = PerformancePredictor().fit(table(KNOWN.successes[:4], 1))
    with pytest.raises(ValueError, match=says("score() at least 5 agents 4")):
        predictor.score([0], [1])


def test_a_label_without_values_is_refused() -> None:
    with pytest.raises(ValueError, match=says("by label values 'none'")):
        groups_by({"none": np.array(["", ""], object)}, "none", 2)
