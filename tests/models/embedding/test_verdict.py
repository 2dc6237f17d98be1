"""The verdict on a map: what is called weak, usable and reliable, and in which words."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.verdict import (
    CARE,
    RELIABLE,
    UNTESTED,
    WEAK,
    Evidence,
    PopulationEvidence,
    WeakMapWarning,
    judge,
    warn_if_weak,
)
from tests.messages import says

HALVES = Evidence(300, 40, 2, accuracy=0.74, pairs=780, plain=0.74)
NEW_TASKS = Evidence(100, 5000, 6, accuracy=0.92, pairs=124_750, ceiling=0.94, stability=0.99)

GOOD = PopulationEvidence(RELIABLE, 0.9, 0.9)
POOR = PopulationEvidence(CARE, 0.44, 0.73, "About 200 more agents would help.")


def coins(agents: int, tasks: int, seed: int) -> ts.Outcomes:
    """Results that say nothing about tasks."""
    rng = np.random.default_rng(seed)
    return ts.Outcomes(rng.integers(0, 2, (agents, tasks)), np.array(1))


def two_topics(agents: int = 300, tasks: int = 24, seed: int = 0) -> ts.Outcomes:
    rng = np.random.default_rng(seed)
    skills = np.tile(rng.normal(size=(agents, 2)), tasks // 2)
    return ts.Outcomes(
        1 * (rng.random((agents, tasks)) < 1 / (1 + np.exp(-2 * skills))), np.array(1)
    )


@pytest.mark.parametrize(
    ("evidence", "level"),
    [
        (HALVES, RELIABLE),
        (replace(HALVES, accuracy=0.56), CARE),
        (replace(HALVES, accuracy=0.587, agents=60), CARE),  # both halves are noisy, but still
        (replace(HALVES, accuracy=0.62, population=GOOD), CARE),
        (replace(HALVES, accuracy=0.72, population=GOOD), RELIABLE),
        (replace(HALVES, population=POOR), CARE),
        (replace(NEW_TASKS, population=GOOD), RELIABLE),
        (replace(NEW_TASKS, population=POOR), CARE),
        (replace(NEW_TASKS, population=replace(POOR, level=WEAK)), CARE),
        (replace(NEW_TASKS, population=replace(POOR, level=UNTESTED)), RELIABLE),
        (replace(HALVES, accuracy=0.52), WEAK),
        (replace(HALVES, accuracy=0.58, pairs=10), WEAK),  # 5 tasks reach this by luck
        (replace(HALVES, dimensions=1), CARE),
        (replace(HALVES, stability=0.5), CARE),
        (replace(HALVES, stability=math.nan), CARE),
        (replace(HALVES, accuracy=None), UNTESTED),
        (replace(HALVES, pairs=0), UNTESTED),
        (NEW_TASKS, RELIABLE),
        (replace(NEW_TASKS, accuracy=0.7), CARE),
        (replace(NEW_TASKS, accuracy=0.57), WEAK),  # far below the ceiling
        (replace(NEW_TASKS, accuracy=0.57, ceiling=0.58), RELIABLE),
        (replace(NEW_TASKS, accuracy=0.51, ceiling=0.5), WEAK),
        (replace(NEW_TASKS, ceiling=None), RELIABLE),
        (replace(NEW_TASKS, ceiling=None, accuracy=0.65), CARE),
    ],
)
def test_levels(evidence: Evidence, level: str) -> None:
    found = judge(evidence)
    assert found.level == level
    assert found.weak == (level == WEAK)
    assert level in str(found)
    assert "\n" not in str(found)
    assert bool(found.advice) == (level not in (RELIABLE, UNTESTED))


@pytest.mark.parametrize(
    ("evidence", "tokens"),
    [
        (HALVES, "half 74.0% chance 50%"),
        (NEW_TASKS, "held-out 92.0% chance 50% ceiling 94.0%"),
        (replace(HALVES, accuracy=0.52, agents=30), "52.0% agents 30"),
        (replace(HALVES, accuracy=0.52, tasks=12), "52.0% tasks 12"),
        (replace(HALVES, accuracy=0.52), "52.0% agents differ"),
        (replace(HALVES, stability=0.5), "seed 0.50 attempts"),
        (replace(HALVES, dimensions=1), "one dimension clusters"),
        (replace(HALVES, population=POOR), "74.0% chance 50% 300 73% reliability 0.44 200"),
        (replace(NEW_TASKS, population=POOR), "92.0% ceiling 94.0% 73% reliability 0.44 200"),
        (replace(NEW_TASKS, population=GOOD), "92.0% ceiling 94.0% 90% reliability 0.90"),
        (replace(NEW_TASKS, accuracy=0.6, ceiling=0.7), "70.0% attempts"),
        (replace(NEW_TASKS, accuracy=0.6), "94.0% tasks"),
        (replace(HALVES, accuracy=None, needs="at least 16 agents"), "tested requires 16 agents"),
        (replace(HALVES, pairs=0, needs="at least 30 tasks"), "74.0% not held out 30 tasks"),
    ],
)
def test_it_gives_the_numbers_and_what_would_help(evidence: Evidence, tokens: str) -> None:
    assert re.search(says(tokens), str(judge(evidence)))


def test_results_of_a_run_are_the_same_evidence() -> None:
    results = {
        "agents": 100, "tasks": 5000, "dimensions": 6, "triplet_accuracy": 0.92,
        "noise_ceiling": 0.94, "tested_pairs": 124_750, "stability": {"similarity": 0.99},
    }  # fmt: skip
    assert Evidence.from_results(results) == NEW_TASKS
    population = {"level": CARE, "reliability": 0.44, "accuracy": 0.73, "advice": POOR.advice}
    found = Evidence.from_results({**results, "population": population})
    assert found == replace(NEW_TASKS, population=POOR)
    table = {**results, "plain_triplet_accuracy": 0.6, "test_needs": "agents"}
    assert Evidence.from_results(table).by_half
    assert judge(Evidence.from_results({})).level == UNTESTED


def test_only_weak_maps_are_warned_about() -> None:
    weak = judge(replace(HALVES, accuracy=0.5))
    with pytest.warns(WeakMapWarning) as caught:
        warn_if_weak(weak)
    assert str(caught[0].message) == str(weak)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_weak(judge(HALVES))
        warn_if_weak(judge(replace(HALVES, accuracy=None)))


def test_maps_of_noise_are_weak_and_maps_of_topics_are_not() -> None:
    called = []
    for seed in range(12):
        noise = coins(40, 20, seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            embedder = ts.TaskEmbedder(random_state=seed).fit(noise)
        verdict = judge(embedder.evidence(40, 20))
        said = [str(w.message) for w in caught if w.category is WeakMapWarning]
        assert said == ([str(verdict)] if verdict.weak else [])
        called.append(verdict.weak)
    assert np.mean(called) > 0.8
    with warnings.catch_warnings():
        warnings.simplefilter("error", WeakMapWarning)
        embedder = ts.TaskEmbedder(random_state=0).fit(two_topics())
    assert judge(embedder.evidence(300, 24)).level == RELIABLE


def test_few_agents_or_tasks_are_not_tested() -> None:
    few = ts.TaskEmbedder(random_state=0).fit(coins(12, 10, 0))
    assert re.search(says("12 agents 16 agents"), str(judge(few.evidence(12, 10))))
    ordinal = ts.OrdinalEmbedder(2, steps=5, random_state=0, progress=False)
    known = ordinal.fit(coins(30, 20, 0))
    assert re.search(says("not held out 30 tasks"), str(judge(known.evidence(30, 20))))
    described = ordinal.fit(
        np.random.default_rng(0).normal(size=(50, 2)), outcomes=coins(30, 50, 0)
    )
    assert re.search(says("not held out 100 tasks"), str(judge(described.evidence(30, 50))))


def test_an_untrained_ordinal_map_is_weak() -> None:
    untrained = ts.OrdinalEmbedder(2, steps=0, random_state=0, progress=False)
    with pytest.warns(WeakMapWarning):
        untrained.fit(coins(100, 40, 0))
    pairs, _ = untrained._tested(100, 40)
    assert 0 < pairs < math.comb(40, 2)


def test_a_map_that_is_worse_than_the_table_says_so() -> None:
    lost = "without a map, the similarities of single pairs order 80.0% so"
    assert lost in judge(replace(HALVES, plain=0.8)).reason
    assert "single pairs" not in judge(replace(HALVES, plain=0.75)).reason
    assert "single pairs" not in judge(replace(HALVES, plain=0.6)).reason
