"""The curriculum: planted learners, bad input, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.curriculum.curriculum import UPDATE
from taskspace.curriculum.handover import NEVER
from tests.messages import says

RNG = np.random.default_rng(0)
TASKS = RNG.uniform(size=(400, 2))


class Levels:
    """A population of agents that solve tasks below their level."""

    def predict_proba(self, tasks: Any) -> Any:
        levels = np.linspace(0, 1, 15)[:, None]
        return 1 / (1 + np.exp(-20 * (levels - np.asarray(tasks)[:, 0])))

    def similarity(self, tasks: Any, others: Any) -> Any:
        distance = np.abs(np.asarray(tasks)[:, None, 0] - np.asarray(others)[None, :, 0])
        return np.exp(-5 * distance)


def train(curriculum: ts.Curriculum, level: float, rounds: int = 20, seed: int = 0) -> None:
    """A learner that solves tasks whose first number is below its level."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        chosen = curriculum.sample(UPDATE)
        p = 1 / (1 + np.exp(-20 * (level - curriculum.tasks[chosen][:, 0])))
        curriculum.observe(chosen, rng.random(UPDATE) < p)


@pytest.mark.parametrize("model", [Levels(), None])
def test_it_finds_the_frontier(model: Any) -> None:
    curriculum = ts.Curriculum(TASKS, model, seed=0, handover=False)
    train(curriculum, 0.4)
    p = curriculum.probabilities()
    assert p[TASKS[:, 0] < 0.2].mean() > 0.85
    assert p[TASKS[:, 0] > 0.6].mean() < 0.1
    weights = curriculum.weights()
    assert weights.sum() == pytest.approx(1)
    at_frontier = np.abs(TASKS[:, 0] - 0.45) < 0.1
    assert weights[at_frontier].mean() > 1.5 * weights[~at_frontier].mean()
    assert weights.min() >= 0.5 / 400 - 1e-12  # the uniform share


def test_half_of_the_tasks_are_uniform_and_a_fifth_with_a_target() -> None:
    target = TASKS[:, 0] > 0.9
    assert ts.Curriculum(TASKS, seed=0).share == 0.5
    assert ts.Curriculum(TASKS, target=target, seed=0).share == 0.2
    assert ts.Curriculum(TASKS, target=target, share=0.3, seed=0).share == 0.3


def test_names_have_one_estimate_each() -> None:
    curriculum = ts.Curriculum(["easy", "hard"], seed=0, handover=False)
    for _ in range(5):
        chosen = curriculum.sample(UPDATE)
        curriculum.observe(chosen, chosen == 0)
    easy, hard = curriculum.probabilities()
    assert easy > 0.9
    assert hard < 0.1


def test_names_of_a_table_with_the_model_of_its_agents() -> None:
    skills = np.random.default_rng(0).uniform(size=(30, 1))
    solved = (skills > np.linspace(0, 1, 40)).astype(int)
    outcomes = ts.Outcomes(solved, np.array(1))
    model = ts.SuccessModel(random_state=0).fit(outcomes)
    curriculum = ts.Curriculum(outcomes.tasks, model, seed=0, handover=False)
    assert curriculum.basis is not None
    for _ in range(10):
        chosen = curriculum.sample(UPDATE)
        curriculum.observe(chosen, chosen < 20)  # a learner of medium skill
    p = curriculum.probabilities()
    assert p[:15].min() > 0.7
    assert p[25:].max() < 0.3
    with pytest.raises(ValueError, match=says("nothing")):
        ts.Curriculum(["nothing"], model)


def test_rules_and_functions() -> None:
    for rule in ("uniform", "learnability", "progress", lambda now: now.p):
        curriculum = ts.Curriculum(TASKS, rule=rule, seed=0, handover=False)
        train(curriculum, 0.5, rounds=3)
        assert curriculum.weights().sum() == pytest.approx(1)
    np.testing.assert_allclose(
        ts.Curriculum(TASKS, rule="uniform", seed=0).weights(), np.full(400, 1 / 400)
    )


@pytest.mark.parametrize("rule", ["proximal", "towards"])
@pytest.mark.parametrize("model", [Levels(), None])
def test_a_target_attracts(rule: str, model: Any) -> None:
    target = TASKS[:, 0] > 0.8
    curriculum = ts.Curriculum(TASKS, model, rule=rule, target=target, seed=0, handover=False)
    plain = ts.Curriculum(TASKS, model, rule="learnability", seed=0, handover=False)
    for each in (curriculum, plain):
        train(each, 0.5)
    centre, plain_centre = (c.weights() @ TASKS[:, 0] for c in (curriculum, plain))
    assert centre > plain_centre
    half = 0.5 * 0.2 * (1 / 400 + 1 / target.sum())
    assert curriculum.weights()[target].min() >= half - 1e-12


def test_episodes_wait_for_an_update() -> None:
    curriculum = ts.Curriculum(TASKS, seed=0)
    before = curriculum.weights()
    curriculum.observe(np.arange(UPDATE - 1), np.ones(UPDATE - 1, np.bool_))
    assert curriculum.updates == 0
    assert (curriculum.weights() == before).all()
    curriculum.observe([0], [True])
    assert curriculum.updates == 1
    assert curriculum.log()["episodes"] == UPDATE
    assert repr(curriculum) == f"Curriculum(400 tasks, frontier, {UPDATE} episodes)"


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        ({"tasks": []}, "tasks"),
        ({"rule": "fancy"}, "rule 'fancy'"),
        ({"rule": "proximal"}, "target proximal None"),
        ({"share": 0}, "share 0"),
        ({"model": "ours"}, "model"),
        ({"target": [True]}, "target"),
        ({"seed": -1}, "seed"),
        ({"handover": "no"}, "handover"),
        ({"handover": 1.5}, "handover 1.5"),
        ({"handover": 0.0}, "handover 0.0"),
        ({"rule": lambda now: "x"}, "rule"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens.replace("'", ""))):
        ts.Curriculum(**{"tasks": TASKS, **arguments})


def test_bad_episodes_and_rules() -> None:
    curriculum = ts.Curriculum(TASKS, seed=0)
    with pytest.raises(ValueError, match=says("tasks 400")):
        curriculum.observe([400], [True])
    for successes in ([True, False], [0.5], "yes", [None]):
        with pytest.raises(ValueError, match=says("successes")):
            curriculum.observe([1], successes)
    with pytest.raises(ValueError, match=says("n")):
        curriculum.sample(0)
    with pytest.raises(ValueError, match=says("rule")):
        ts.Curriculum(TASKS, rule=lambda now: -now.p, seed=0)


@pytest.mark.parametrize("tasks", [TASKS, [f"task-{index}" for index in range(400)]])
def test_a_saved_curriculum_goes_on_as_if_not_interrupted(tmp_path: Path, tasks: Any) -> None:
    rng = np.random.default_rng(0)
    curriculum = ts.Curriculum(tasks, seed=0)

    def play(rounds: int, each: ts.Curriculum, rng: np.random.Generator) -> None:
        for _ in range(rounds):
            each.observe(each.sample(150), rng.random(150) < 0.3)

    play(25, curriculum, rng)
    curriculum.save(tmp_path / "c.npz")
    again = ts.Curriculum.load(tmp_path / "c.npz")
    assert again.log() == curriculum.log()
    for each in (curriculum, again):
        play(25, each, np.random.default_rng(1))
    assert (again.weights() == curriculum.weights()).all()
    assert (again.sample(50) == curriculum.sample(50)).all()
    assert again.history.records == curriculum.history.records


def test_a_target_and_a_model_are_saved(tmp_path: Path) -> None:
    curriculum = ts.Curriculum(
        TASKS, Levels(), rule="proximal", target=TASKS[:, 0] > 0.4, handover=False, seed=0
    )
    train(curriculum, 0.5, rounds=3)
    curriculum.save(tmp_path / "c.npz")
    again = ts.Curriculum.load(tmp_path / "c.npz")
    assert again.handover == NEVER
    assert (again.weights() == curriculum.weights()).all()


def test_functions_are_given_again(tmp_path: Path) -> None:
    rule = lambda now: now.p  # noqa: E731
    ts.Curriculum(TASKS, rule=rule, seed=0).save(tmp_path / "c.npz")
    with pytest.raises(ValueError, match=says("rule None")):
        ts.Curriculum.load(tmp_path / "c.npz")
    assert ts.Curriculum.load(tmp_path / "c.npz", rule=rule).rule is rule
    ts.Curriculum(TASKS, seed=0).save(tmp_path / "named.npz")
    with pytest.raises(ValueError, match=says("rule None named.npz frontier")):
        ts.Curriculum.load(tmp_path / "named.npz", rule=rule)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=says("nothing.npz")):
        ts.Curriculum.load(tmp_path / "nothing.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ValueError, match=says("text.npz curriculum")):
        ts.Curriculum.load(tmp_path / "text.npz")
    ts.Curriculum(TASKS, seed=0).save(tmp_path / "c.npz")
    damaged = bytearray((tmp_path / "c.npz").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "c.npz").write_bytes(damaged)
    with pytest.raises(ValueError, match=says("c.npz checksum")):
        ts.Curriculum.load(tmp_path / "c.npz")
