"""The network: an encoding that resolves lines, counts that weigh as they should, calibration."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from taskspace.models.success.network import (
    CHECKS,
    LEAST_STEPS,
    Counts,
    Encoding,
    Training,
    calibrate,
    fit_network,
    last_layer,
    logits_of,
    success_network,
)
from taskspace.torch_state import one_thread


def doubles(values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def test_columns_are_standardized_and_those_of_many_values_cut_into_bins() -> None:
    rng = np.random.default_rng(0)
    tasks = np.column_stack([rng.uniform(5, 9, 800), np.arange(800) % 2, rng.normal(size=800)])
    encoding = Encoding.of(tasks, bins=8)
    assert encoding.columns.tolist() == [0, 2]
    encoded = encoding(doubles(tasks)).numpy()
    assert encoded.shape == (800, encoding.size) == (800, 3 + 2 * 8)
    np.testing.assert_allclose(encoded[:, :3], (tasks - tasks.mean(0)) / tasks.std(0), atol=1e-5)
    assert (np.abs(encoded[:, 3:]) <= 1).all()
    # As many tasks in each bin: an eighth of them are on each ramp.
    inside = (np.abs(encoded[:, 3:]) < 1).mean(0)
    np.testing.assert_allclose(inside, 1 / 8, atol=0.01)
    # The ramps of a column add up to where a task is among all tasks.
    ranks = 2 * 8 * tasks[:, 0].argsort().argsort() / 799 - 8
    np.testing.assert_allclose(encoded[:, 3:11].sum(1), ranks, atol=0.4)


def test_tasks_beyond_those_seen_stay_at_the_end_of_the_ramps() -> None:
    encoding = Encoding.of(np.linspace(0, 1, 100)[:, None], bins=4)
    below, above = encoding(doubles([[-5.0], [5.0]])).numpy()[:, 1:]
    assert (below == -1).all()
    assert (above == 1).all()


def test_few_tasks_make_few_bins_and_few_values_none() -> None:
    assert Encoding.of(np.linspace(0, 1, 40)[:, None], bins=64).edges.shape == (1, 3)
    few_values = Encoding.of(np.arange(40.0)[:, None] % 3, bins=64)
    assert few_values(doubles([[1.0]])).shape == (1, 1)


def test_columns_that_stand_still_or_crowd_at_a_value_do_no_harm() -> None:
    crowded = np.where(np.arange(400) < 300, 0.0, np.arange(400.0))
    encoding = Encoding.of(np.column_stack([np.full(400, 7.0), crowded]), bins=8)
    encoded = encoding(doubles([[7.0, 0.0], [7.0, 300.0]])).numpy()
    assert np.isfinite(encoded).all()
    assert encoded[0, 0] == 0


def counts(tasks: object, successes: object, rollouts: object) -> Counts:
    return Counts(doubles(tasks), torch.tensor(successes), torch.tensor(rollouts))


def test_the_loss_is_that_of_binomial_counts_a_rollout() -> None:
    some = counts([[0.0], [0.0]], [[1.0, 0.0], [3.0, 0.0]], [[2.0, 0.0], [3.0, 1.0]])
    logits = torch.tensor([[0.5, 9.0], [-1.0, 2.0]])
    p = 1 / (1 + np.exp([-0.5, 1.0, -2.0]))
    nats = -(np.log(p[0]) + np.log(1 - p[0]) + 3 * np.log(p[1]) + np.log(1 - p[2]))
    assert float(some.loss(logits)) == pytest.approx(nats / 6)
    assert float(counts([[0.0]], [[0.0]], [[0.0]]).loss(torch.zeros(1, 1))) == 0


def test_learning_takes_its_passes_and_at_least_some_steps() -> None:
    assert Training(1e-3, 100, epochs=20).steps(10_001) == 20 * 101
    assert Training(1e-3, 100, epochs=1).steps(50) == LEAST_STEPS
    assert Training(1e-3, 100, epochs=0).steps(50) == 0


def test_the_best_state_is_kept_and_the_losses_on_the_way() -> None:
    torch.manual_seed(0)
    places = torch.linspace(0, 1, 60, dtype=torch.float64)[:, None]
    solved = (places > 0.5).float()
    train, validation = (Counts(places, s, torch.ones(60, 1)) for s in (solved, 1 - solved))
    network = success_network(Encoding.of(places.numpy(), 4), 4, 1, 1)
    reported: list[int] = []
    training, generator = Training(1e-3, 60, 1), torch.Generator().manual_seed(0)
    with one_thread():  # validation is the opposite: the less is learned, the better
        history = fit_network(
            network, train, validation, training, generator, lambda done, _: reported.append(done)
        )
    assert history["step"] == np.cumsum(reported).tolist()
    assert len(reported) <= CHECKS / 2  # it gave up
    assert history["loss"][-1] < history["loss"][0]
    kept = float(validation.loss(logits_of(network, places)))
    assert kept == pytest.approx(min(history["validation"]))
    assert kept == pytest.approx(history["validation"][0])


def test_without_steps_an_agent_is_at_its_mean_for_the_most_part() -> None:
    some = counts(np.zeros((50, 1)).tolist(), [[2.0, 0.0]] * 50, [[2.0, 2.0]] * 50)
    network = success_network(Encoding.of(some.tasks.numpy(), 4), 8, 0, 2)
    with torch.no_grad():
        last_layer(network).weight.zero_()
    fit_network(network, some, some, Training(1e-3, 8, 0), torch.Generator(), lambda *_: None)
    chances = torch.sigmoid(logits_of(network, some.tasks[:1]))
    np.testing.assert_allclose(chances, [[101 / 102, 1 / 102]], rtol=1e-4)


def test_calibration_finds_the_scale_and_the_shift() -> None:
    rng = np.random.default_rng(0)
    tasks = rng.normal(size=(3000, 1))
    network = torch.nn.Sequential(torch.nn.Linear(1, 2).double())
    logits = logits_of(network, doubles(tasks)).numpy()
    truth = 1 / (1 + np.exp(-(2.5 * logits - 0.7)))
    solved = rng.binomial(10, truth).astype(np.float32)
    held_out = Counts(doubles(tasks), torch.from_numpy(solved), torch.full((3000, 2), 10.0))
    found = calibrate(network, held_out)
    assert found["temperature"] == pytest.approx(1 / 2.5, rel=0.05)
    assert found["shift"] == pytest.approx(-0.7, abs=0.05)
    chances = torch.sigmoid(logits_of(network, doubles(tasks))).numpy()
    np.testing.assert_allclose(chances, truth, atol=0.02)


def test_results_that_any_scale_would_fit_leave_a_finite_one() -> None:
    network = torch.nn.Sequential(torch.nn.Linear(1, 1).double())
    tasks = doubles([[-3.0], [3.0]])
    sure = (logits_of(network, tasks) > logits_of(network, tasks).mean()).float()
    found = calibrate(network, Counts(tasks, sure, torch.ones(2, 1)))
    assert all(np.isfinite(value) for value in found.values())
