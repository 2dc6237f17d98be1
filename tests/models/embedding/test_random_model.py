"""`RandomModel`: scikit-learn manners, and random weights that follow the seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.utils.estimator_checks import parametrize_with_checks

import taskspace as ts
from taskspace.models.embedding.random_model import RandomModel
from tests.messages import says

TASKS = np.random.default_rng(0).normal(2, 3, (50, 4))


@parametrize_with_checks([RandomModel(random_state=0)])  # type: ignore
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_is_a_perceptron_on_standardized_tasks() -> None:
    model = RandomModel(3, hidden=(8, 5), random_state=0).fit(TASKS)
    layers = [layer for layer in model.network_.modules() if isinstance(layer, torch.nn.Linear)]
    assert [layer.out_features for layer in layers] == [8, 5, 3]
    values = (TASKS - TASKS.mean(0)) / TASKS.std(0)
    for index, layer in enumerate(layers):
        values = values @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
        values = np.maximum(values, 0) if index < 2 else values
    np.testing.assert_allclose(model.transform(TASKS), values)


def test_the_unit_of_the_tasks_does_not_matter() -> None:
    one, other = (RandomModel(2, random_state=0).fit(scale * TASKS) for scale in (1, 64))
    np.testing.assert_array_equal(one.transform(TASKS), other.transform(64 * TASKS))


def test_weights_follow_the_seed() -> None:
    def vectors(seed: int) -> Any:
        return RandomModel(2, random_state=seed).fit_transform(TASKS)

    np.testing.assert_array_equal(vectors(0), vectors(0))
    assert not np.allclose(vectors(0), vectors(1))


def test_global_randomness_is_not_touched() -> None:
    before = torch.get_rng_state()
    RandomModel(2).fit(TASKS)
    assert torch.equal(before, torch.get_rng_state())


def test_outcomes_hold_the_tasks() -> None:
    outcomes = ts.Outcomes(np.ones((2, 50), np.int64), 1, features=TASKS)  # type: ignore[arg-type]
    one, other = (RandomModel(2, random_state=0).fit(data) for data in (outcomes, TASKS))
    np.testing.assert_array_equal(one.transform(TASKS), other.transform(TASKS))


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({"n_components": 0}, "n_components 0"),
        ({"hidden": (3, 0)}, "hidden 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        RandomModel(**settings).fit(TASKS)
