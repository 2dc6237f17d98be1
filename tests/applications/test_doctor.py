"""Diagnoses of populations of which the truth is known."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications import doctor
from taskspace.applications.diagnosis import Diagnosis
from taskspace.applications.doctor import diagnose
from taskspace.models.embedding.verdict import CARE, RELIABLE
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says
from tests.models.embedding.tables import planted, results_of

RNG = np.random.default_rng(0)


def says_something_about(found: Diagnosis, pattern: str) -> bool:
    return any(re.search(pattern, sentence) for sentence in found.advice)


def measured(outcomes: Outcomes) -> float:
    return diagnose(outcomes).reliability["correlation"].value


# -- figures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("skills", range(1, 9))
def test_skills_are_counted(skills: int) -> None:
    found = diagnose(planted(300, skills, 8).outcomes)
    assert found.skills == skills
    assert found.usable_tasks == found.sampled_tasks
    assert 0 < found.first_factor <= 1


@pytest.mark.parametrize("agents", [10, 30, 100, 500])
def test_few_agents_never_show_more_skills_than_there_are(agents: int) -> None:
    found = diagnose(planted(agents, 4, 10).outcomes)
    assert found.skills <= 4
    assert found.agents == found.distinct_agents == agents
    assert 1 <= found.effective_agents <= agents
    assert found.skills == 4 or agents < 100


def test_verdicts() -> None:
    noise = results_of(np.random.default_rng(1).integers(0, 2, (60, 40)), 1)
    populations = {
        "not tested": planted(4, 4, 10).outcomes,
        "weak: close to chance": noise,
        "usable with care": planted(60, 4, 10).outcomes,
        "reliable": planted(500, 4, 10).outcomes,
    }
    for level, outcomes in populations.items():
        found = diagnose(outcomes)
        verdict = found.verdict
        assert verdict.startswith(f"This population is {level}")
        told = f"(1 - 1 / skills) is {found.trust:.2f}"
        assert (told in verdict) == (level != "not tested")
        assert "\n" not in verdict


def test_copies_are_named_and_do_not_raise_reliability() -> None:
    solved = planted(40, 4, 40).outcomes.successes
    once = diagnose(results_of(solved, 1))
    twice = diagnose(results_of(np.concatenate([solved, solved]), 1))
    assert (once.copied_agents, twice.copied_agents) == (0, 40)
    assert twice.copies[0] == ("agent-0", "agent-40")
    assert twice.distinct_agents == 40
    for measure, found in once.reliability.items():
        assert twice.reliability[measure].value == pytest.approx(found.value, abs=0.1)
    assert says_something_about(
        twice, "40 agents are copies.*'agent-0' and 'agent-40' are the same: keep one of each"
    )
    thrice = diagnose(results_of(np.concatenate([solved, solved[:1], solved[:1]]), 1))
    assert says_something_about(thrice, "'agent-41' are all the same: keep one of them")


def test_tasks_that_say_nothing_are_counted() -> None:
    solved = planted(60, 3, 10).outcomes.successes
    table = np.hstack([solved, np.ones((60, 8), int), np.zeros((60, 4), int), solved[:, :2]])
    table[0, 30] = 0
    found = diagnose(results_of(table, 1))
    assert (found.solved_by_all, found.solved_by_none, found.unseparated_tasks) == (7, 4, 4)
    assert found.usable_tasks == 32
    assert says_something_about(found, "7 tasks are solved by all agents, and 1 more by nearly all")
    assert says_something_about(found, "4 tasks are solved by no agent: add stronger agents")
    assert says_something_about(found, "'task-0' and 'task-42'")


def test_missing_pairs_and_tasks_that_nobody_tried() -> None:
    world = planted(400, 3, 10, missing=0.4)
    counts = np.hstack([world.outcomes.rollouts, np.zeros((400, 1), int)])
    solved = np.hstack([world.outcomes.successes, np.zeros((400, 1), int)])
    found = diagnose(results_of(solved, counts))
    assert found.skills == 3
    assert np.isnan(found.success[-1])
    assert (found.usable_tasks, found.solved_by_none) == (30, 0)
    assert 0.4 < found.reliability["correlation"].value < 1


def test_a_table_of_few_shared_results_is_not_tested() -> None:
    counts = (RNG.random((40, 60)) < 0.1).astype(int)
    found = diagnose(results_of(counts * RNG.integers(0, 2, (40, 60)), counts))
    assert np.isnan(found.reliability["information"].value)
    assert "not tested" in found.verdict
    assert found.advice


def test_large_tables_are_represented_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = planted(400, 3, 20).outcomes
    whole = measured(outcomes)
    monkeypatch.setattr(doctor, "MOST_TASKS", 24)
    monkeypatch.setattr(doctor, "MOST_AGENTS", 150)
    found = diagnose(outcomes)
    assert found.reliability["correlation"].agents == 400
    assert measured(outcomes) == pytest.approx(whole, abs=0.05)
    assert (found.sampled_agents, found.sampled_tasks, found.skills) == (150, 24, 3)
    assert "150 of 400 agents" in found.sample
    assert not diagnose(planted(100, 2, 5).outcomes).sample


def test_the_same_seed_gives_the_same_diagnosis() -> None:
    outcomes = planted(50, 3, 10).outcomes
    one, same, other = (diagnose(outcomes, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.columns["value"], same.columns["value"])
    assert (one.columns["value"] != other.columns["value"]).any()


def test_the_table_and_the_curve_have_one_value_per_row() -> None:
    found = diagnose(planted(60, 3, 10).outcomes)
    assert len({len(values) for values in found.columns.values()}) == 1
    curve = found.curve
    assert list(curve) == ["agents", "information", "correlation"]
    assert (np.diff(curve["correlation"]) > 0).all()
    now = np.interp(60, curve["agents"], curve["correlation"])
    assert now == pytest.approx(found.reliability["correlation"].value, abs=0.01)


# -- advice ----------------------------------------------------------------------------------------


def test_one_skill_is_called_difficulty_only() -> None:
    found = diagnose(planted(300, 1, 40).outcomes)
    assert not found.several_abilities
    assert "no more than one ability" in found.verdict
    assert says_something_about(found, r"order tasks by difficulty only \(1 factor")


def test_the_number_of_agents_is_what_the_target_needs() -> None:
    few = diagnose(planted(60, 4, 10).outcomes)
    (number,) = re.findall(r"About (\d+) more agents", " ".join(few.advice))
    assert measured(planted(60 + int(number), 4, 10).outcomes) > 0.72
    assert not says_something_about(diagnose(planted(500, 4, 10).outcomes), "more agents")


def test_opposite_skills_ask_for_the_signed_measure() -> None:
    """Tasks of which each agent solves one kind: information cannot tell the kinds apart."""
    sign = np.where(np.arange(30) % 2, -1, 1)
    skill = RNG.normal(size=(80, 1))
    solved = RNG.random((80, 30)) < 1 / (1 + np.exp(-3 * skill * sign))
    outcomes = results_of(solved.astype(int), 1)
    found = diagnose(outcomes)
    assert found.better_measure == "correlation"
    assert says_something_about(found, r"measure='correlation'.*against")
    signed, plain = (
        diagnose(SimpleNamespace(outcomes=outcomes, measure=measure))
        for measure in ("correlation", "information")
    )
    assert not says_something_about(signed, "measure=")  # its map has this measure already
    assert plain.advice == found.advice


def test_the_most_important_comes_first() -> None:
    solved = planted(400, 4, 12).outcomes.successes
    found = diagnose(results_of(np.hstack([solved, np.ones((400, 100), int)]), 1))
    assert found.advice[0].startswith("100 tasks are solved by all agents: add weaker agents")


def test_a_good_population_needs_no_advice() -> None:
    assert not diagnose(planted(800, 4, 12).outcomes).advice


@pytest.mark.parametrize("labelled", [False, True])
def test_subpopulations_that_are_absent_are_named(labelled: bool) -> None:
    kinds = ["all-actions"] * 15 + ["no-pickKeyA"] * 5
    given: dict[str, Any] = {"agent_labels": {"subpopulation": kinds}} if labelled else {}
    table = planted(20, 3, 10).outcomes.successes
    outcomes = results_of(table, 1, info={"environment": "MultiKeyNav"}, **given)
    run = SimpleNamespace(outcomes=outcomes, subpopulations=kinds)
    found = diagnose(outcomes if labelled else run)
    assert found.absent == ("no-pickKeyB", "no-pickKeyC", "no-pickKeyD", "no-pickKey")
    assert says_something_about(found, "'no-pickKeyB' has no agent")
    assert diagnose(results_of(table, 1, **given)).absent == ()


def test_the_model_of_a_run_knows_success_rates_better_than_two_rollouts() -> None:
    rng = np.random.default_rng(0)
    skills = np.repeat(rng.normal(size=(60, 3)), 12, axis=1)
    rates = 1 / (1 + np.exp(-1.5 * skills - rng.normal(size=36)))
    played = results_of(rng.binomial(2, rates), 2)
    run = SimpleNamespace(outcomes=played, profiles=rates, from_table=False)
    known, raw = (diagnose(given).reliability["correlation"].value for given in (run, played))
    assert known > raw + 0.1
    run.from_table = True  # whose model has no more results than these
    assert diagnose(run).reliability["correlation"].value == pytest.approx(raw)


# -- what cannot be diagnosed ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "tokens"),
    [
        (None, "source Outcomes Run None"),
        (results_of([[1, 0, 1]], 1), "agents 2 1"),
        (results_of(np.ones((5, 4), int), 1), "agents 5 every solved"),
        (results_of(np.zeros((5, 4), int), 1), "agents 5 no solved"),
    ],
)
def test_bad_input_is_told_in_one_sentence(source: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ts.diagnose(source)


def test_a_bad_seed_is_refused() -> None:
    with pytest.raises(ValueError, match=says("seed -1")):
        diagnose(planted(20, 2, 5).outcomes, seed=-1)


def test_two_agents_and_one_task_that_differ_are_diagnosed() -> None:
    found = diagnose(results_of([[1], [0]], 1))
    assert (found.skills, found.usable_tasks) == (0, 1)
    assert "not tested" in found.verdict
    assert says_something_about(found, "Add agents: 2 different agents")


def test_tasks_that_nearly_all_agents_solve_are_diagnosed() -> None:
    table = np.ones((100, 12), int)
    table[np.arange(12), np.arange(12)] = 0
    found = diagnose(results_of(table, 1))
    assert found.usable_tasks == 0
    assert says_something_about(found, "12 tasks are solved by nearly all agents")


def test_agents_of_one_skill_agree_with_each_other_but_are_not_reliable() -> None:
    rng = np.random.default_rng(0)
    levels, harder = rng.normal(size=(300, 1)), np.linspace(-2, 2, 60)
    rates = 1 / (1 + np.exp(-rng.uniform(0.5, 4, 60) * (levels - harder)))
    found = diagnose(results_of(rng.binomial(1, rates), 1))
    assert found.reliability["information"].value > 0.8
    assert found.level == CARE
    assert found.trust == 0
    assert says_something_about(found, says("300 agents difficulty 1 factor"))


def test_trust_is_reliability_in_more_than_one_skill() -> None:
    found = diagnose(planted(500, 4, 10).outcomes)
    assert found.level == RELIABLE
    assert found.trust == pytest.approx(found.reliability["information"].value * 3 / 4)
    assert found.columns["value"][-1] == pytest.approx(found.trust)


def test_agents_without_results_do_not_count() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (20, 12))
    rollouts = np.ones((22, 12), int)
    rollouts[20:] = 0
    found = diagnose(Outcomes(np.vstack([solved, 0 * solved[:2]]), rollouts))
    assert (found.agents, found.distinct_agents) == (22, 20)
