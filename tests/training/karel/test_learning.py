"""Synthesizers learn, become a population, are written down and play."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from taskspace.agents.karel.network import Size, Synthesizer
from taskspace.agents.karel.policy import SynthesisPolicy, first_that_fits, solved
from taskspace.agents.population import Population
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grammar import random_programs
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import PAD
from taskspace.rollouts.karel import play
from taskspace.torch_state import one_thread
from taskspace.training.karel import learning
from taskspace.training.karel.learning import TrainingSettings, allowed_tokens, learn
from taskspace.training.karel.recipes import train_synthesizers
from tests.messages import says

TINY = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)
BRIEF = TrainingSettings(TINY, steps=6, batch=32, rate=3e-3, every=3, skill_tasks=20)


@pytest.fixture(scope="module")
def tasks() -> dict[str, KarelTasks]:
    return generate_tasks(200, seed=0, side=6, progress=False)[0]


def test_true_programs_solve_their_tasks(tasks: dict[str, KarelTasks]) -> None:
    training = tasks["training"]
    assert solved(training.tokens, training).all()
    wrong = np.roll(training.tokens, 1, axis=0)
    reached = run(wrong[:, None], training.inputs).reach(training.outputs)
    assert np.array_equal(solved(wrong, training), reached.all(1))
    assert solved(wrong, training).mean() < 0.2


def test_a_program_that_fails_on_the_sixth_example_alone_does_not_solve(
    tasks: dict[str, KarelTasks],
) -> None:
    one = tasks["training"][:1]
    markers = one.markers.copy()
    markers[0, 5, 1, 0] ^= 1  # another output of the sixth example
    assert not solved(one.tokens, replace(one, markers=markers))[0]


def test_allowed_tokens_allow_the_program() -> None:
    programs = random_programs(50, seed=0, longest=14)
    allowed = allowed_tokens(programs)
    taken = np.take_along_axis(allowed, programs[:, :, None].astype(np.int64), 2)
    assert taken.all()
    assert allowed[:, 0].sum(1).tolist() == [1] * 50  # DEF and nothing else


@pytest.mark.slow
def test_a_network_learns_a_few_tasks_by_heart(tasks: dict[str, KarelTasks]) -> None:
    few = tasks["training"][:100]
    settings = TrainingSettings(TINY, steps=250, batch=32, rate=6e-3, every=50)
    agents = learn("all", few, few, settings, seed=0)
    assert agents[0].step == 0
    assert agents[0].skill < 0.1
    assert agents[-1].skill > 0.5
    skills = [agent.skill for agent in agents]
    assert all(b >= a + settings.delta for a, b in itertools.pairwise(skills))


@pytest.mark.slow
def test_a_subpopulation_sees_its_kinds_only(
    tasks: dict[str, KarelTasks], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []
    batches = learning.batches

    def spy(chosen: KarelTasks, *rest: object) -> object:
        seen.append(set(chosen.kinds))
        return batches(chosen, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(learning, "batches", spy)
    for name in learning.SUBPOPULATIONS:
        learn(name, tasks["training"], tasks["validation"], replace(BRIEF, steps=1, every=1))
    kinds = [{"plain", "loops", "conditionals"}, {"plain", "conditionals"}, {"plain", "loops"}]
    assert seen == [*kinds, {"plain"}]


@pytest.mark.slow
def test_the_population_is_the_same_on_any_number_of_cores(
    tasks: dict[str, KarelTasks], tmp_path: Path
) -> None:
    files = []
    for workers in (1, 2):
        population = train_synthesizers(
            tasks["training"], tasks["validation"], settings=BRIEF, workers=workers, progress=False
        )
        population.save(tmp_path / f"{workers}.zip")
        files.append((tmp_path / f"{workers}.zip").read_bytes())
    assert files[0] == files[1]
    assert population.subpopulations == ("all", "no-loops", "no-conditionals", "neither")
    loaded = Population.load(tmp_path / "1.zip")
    outcomes = play(loaded, tasks["validation"], progress=False)
    with one_thread():
        direct = [a.policy.solves(tasks["validation"]) for a in population.agents]
    assert np.array_equal(outcomes.successes, np.stack(direct))
    assert outcomes.features is not None
    assert outcomes.features.dtype == np.uint8
    assert (outcomes.rollouts == 1).all()


def test_a_policy_keeps_its_beam_on_disk() -> None:
    torch.manual_seed(0)
    policy = SynthesisPolicy(Synthesizer(TINY), width=3)
    settings, weights = policy.to_tensors()
    again = SynthesisPolicy.from_tensors(settings, weights)
    assert again.width == 3
    grids = torch.zeros(2, 5, 2, 16, 11, 11)
    tokens = torch.full((2, 4), PAD)
    assert torch.equal(policy.network(grids, tokens), again.network(grids, tokens))


def test_unknown_training_settings_are_refused(tasks: dict[str, KarelTasks]) -> None:
    with pytest.raises(ValueError, match=says("'huge' fast small paper")):
        train_synthesizers(tasks["training"], tasks["validation"], settings="huge")


def test_nobody_to_play_is_told(tasks: dict[str, KarelTasks]) -> None:
    with pytest.raises(ValueError, match=says("agent task")):
        play({}, tasks["training"])


def test_of_a_beam_the_first_program_that_explains_the_examples_is_given(
    tasks: dict[str, KarelTasks],
) -> None:
    few = tasks["validation"][:3]
    right = few.tokens
    wrong, nothing = np.roll(right, 1, axis=0), np.full_like(right, PAD)
    candidates = np.stack([wrong, nothing, right, right], axis=1)
    np.testing.assert_array_equal(first_that_fits(candidates, few), right)
    np.testing.assert_array_equal(first_that_fits(candidates[:, :2], few), wrong)
