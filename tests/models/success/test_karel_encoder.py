"""`KarelEncoder`: what its codes depend on, and how it works in a `SuccessModel`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from taskspace.agents.karel.network import Encoder, Size
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.effects import NAMES
from taskspace.envs.karel.generate import generate_tasks
from taskspace.models.success.encoders import is_frozen
from taskspace.models.success.karel_encoder import KarelEncoder
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from taskspace.torch_state import torch_seed
from tests.messages import says

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-4}  # single precision
SIZE = Size(side=6, radius=3, channels=4, blocks=1, code=16)


@pytest.fixture(scope="module")
def tasks() -> KarelTasks:
    return generate_tasks(300, side=6, progress=False)[0]["training"]


@pytest.fixture(scope="module")
def synthesizer() -> Encoder:
    """As if it had been trained."""
    with torch_seed(9):
        return Encoder(SIZE)


@pytest.fixture(scope="module")
def encoder(synthesizer: Encoder, tasks: KarelTasks) -> KarelEncoder:
    return KarelEncoder(synthesizer, tasks.rows())


def codes(encoder: KarelEncoder, tasks: KarelTasks) -> torch.Tensor:
    found: torch.Tensor = encoder(torch.from_numpy(tasks.rows()))
    return found


def with_examples(tasks: KarelTasks, order: list[int]) -> KarelTasks:
    inner = (tasks.sizes, tasks.heroes, tasks.walls, tasks.markers)
    return KarelTasks(tasks.tokens, *(part[:, order] for part in inner))


# -- the codes -------------------------------------------------------------------------------------


def test_codes_are_standardized_and_frozen(encoder: KarelEncoder, tasks: KarelTasks) -> None:
    found = codes(encoder, tasks)
    assert found.shape == (len(tasks), encoder.size)
    assert encoder.size == 2 * 16 + 4 * len(NAMES)
    assert found.dtype == torch.float32
    assert found.mean(0).abs().max() < 0.3  # not 0, because the farthest are clipped
    assert found.std(0).max() < 1.1
    assert is_frozen(encoder)


def test_the_order_of_examples_does_not_matter_but_each_of_the_five_does(
    encoder: KarelEncoder, tasks: KarelTasks
) -> None:
    own = codes(encoder, tasks)
    np.testing.assert_allclose(
        codes(encoder, with_examples(tasks, [3, 1, 4, 0, 2, 5])), own, **EXACT
    )
    np.testing.assert_allclose(
        codes(encoder, with_examples(tasks, [0, 1, 2, 3, 4, 0])), own, **EXACT
    )
    assert (codes(encoder, with_examples(tasks, [5, 1, 2, 3, 4, 0])) != own).any(1).all()


def test_the_program_does_not_matter(encoder: KarelEncoder, tasks: KarelTasks) -> None:
    inner = (tasks.sizes, tasks.heroes, tasks.walls, tasks.markers)
    other = KarelTasks(tasks.tokens[::-1].copy(), *inner)
    np.testing.assert_allclose(codes(encoder, other), codes(encoder, tasks), **EXACT)


def test_the_synthesizer_is_copied(synthesizer: Encoder, tasks: KarelTasks) -> None:
    encoder = KarelEncoder(synthesizer, tasks.rows())
    assert all(parameter.requires_grad for parameter in synthesizer.parameters())
    assert encoder.encoder is not synthesizer


def test_worlds_that_are_too_large_are_refused(tasks: KarelTasks) -> None:
    with torch_seed(0):
        whole = Encoder(Size(side=4, channels=4, blocks=1, code=16))
    with pytest.raises(ValueError, match=says("side 4 6")):
        KarelEncoder(whole, tasks.rows())


# -- in a success model ----------------------------------------------------------------------------


def outcomes_of(tasks: KarelTasks) -> Outcomes:
    """Two agents solve tasks with conditionals, two the others; effects tell which these are."""
    able = tasks.kinds == np.array(["conditionals"])
    chances = 0.1 + 0.8 * np.stack([able, able, ~able, ~able])
    solved = np.random.default_rng(0).binomial(4, chances)
    return Outcomes(solved, np.array(4), features=tasks.rows())


@pytest.mark.slow
def test_a_success_model_learns_from_the_codes_and_can_be_saved(
    synthesizer: Encoder, tasks: KarelTasks, tmp_path: Path
) -> None:
    make = functools.partial(KarelEncoder, synthesizer)
    settings: dict[str, Any] = {"width": 32, "blocks": 1, "random_state": 0, "progress": False}
    model = SuccessModel(network=make, **settings).fit(outcomes_of(tasks))
    assert model.test_scores_["log_loss"] < model.test_scores_["agent_mean_log_loss"] - 0.05
    model.save(tmp_path / "model")
    again = SuccessModel.load(tmp_path / "model")
    rows = tasks.rows()[:20]
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert is_frozen(again.network_[0])
