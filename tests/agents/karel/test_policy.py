"""Synthesizers as agents: the programs that they write, and their form on disk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from taskspace.agents.karel.network import Size, Synthesizer
from taskspace.agents.karel.policy import SynthesisPolicy, first_that_fits, solved
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import PAD

TINY = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)


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


def test_a_policy_keeps_its_beam_on_disk() -> None:
    torch.manual_seed(0)
    policy = SynthesisPolicy(Synthesizer(TINY), width=3)
    settings, weights = policy.to_tensors()
    again = SynthesisPolicy.from_tensors(settings, weights)
    assert again.width == 3
    grids = torch.zeros(2, 5, 2, 16, 11, 11)
    tokens = torch.full((2, 4), PAD)
    assert torch.equal(policy.network(grids, tokens), again.network(grids, tokens))


def test_of_a_beam_the_first_program_that_explains_the_examples_is_given(
    tasks: dict[str, KarelTasks],
) -> None:
    few = tasks["validation"][:3]
    right = few.tokens
    wrong, nothing = np.roll(right, 1, axis=0), np.full_like(right, PAD)
    candidates = np.stack([wrong, nothing, right, right], axis=1)
    np.testing.assert_array_equal(first_that_fits(candidates, few), right)
    np.testing.assert_array_equal(first_that_fits(candidates[:, :2], few), wrong)
