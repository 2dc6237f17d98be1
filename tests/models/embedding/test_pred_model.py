"""`PredModel`: it finds what transitions depend on, and sees only what it may."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import silhouette_score

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.models.embedding.pred_model import PredModel, expert_episodes, gaussian_kl
from taskspace.rollouts.trajectories import Episodes, record
from tests.messages import says

SENSE, NOISE = 1, 2  # columns
FAST: dict[str, Any] = {
    "context": (SENSE,), "hidden": (16,), "random_state": 0, "batch_size": 64, "learning_rate": 0.01
}  # fmt: skip


def sense_world(episodes: int = 200, length: int = 5, discrete: bool = True) -> Episodes:
    """A place, the sense of the actions (+1 or -1: the context), a number without meaning."""
    rng = np.random.default_rng(0)
    sense = rng.choice([-1.0, 1.0], episodes)
    noise = rng.normal(size=episodes)
    moves = rng.choice([-1.0, 1.0], (episodes, length))
    ends = np.cumsum(moves * sense[:, None], axis=1)
    places = np.column_stack([np.zeros(episodes), ends[:, :-1]])

    def states(place: Any) -> Any:
        columns = np.broadcast_arrays(place, sense[:, None], noise[:, None])
        return np.stack(columns, axis=2).reshape(-1, 3)

    rewards = np.zeros((episodes, length))
    rewards[:, -1] = 1
    actions = moves.reshape(-1)
    actions = ((actions + 1) / 2).astype(np.int64) if discrete else actions[:, None]
    starts = np.arange(episodes + 1) * length
    solved = np.ones(episodes, np.bool_)
    return Episodes(states(places), actions, states(ends), rewards.reshape(-1), solved, starts)


def first_states(episodes: Episodes) -> Any:
    return episodes.states[episodes.starts[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("discrete", [True, False])
def test_it_separates_what_transitions_depend_on(discrete: bool) -> None:
    episodes = sense_world(discrete=discrete)
    tasks = first_states(episodes)
    vectors = PredModel(2, **FAST, most_steps=400).fit(episodes).transform(tasks)
    assert silhouette_score(vectors, tasks[:, SENSE]) > 0.5
    assert silhouette_score(vectors, tasks[:, NOISE] > 0) < 0.2


@pytest.mark.slow
def test_hidden_context_can_only_be_told_by_the_vector() -> None:
    """A heavy weight on KL keeps the vectors silent."""
    episodes = sense_world()
    told, silent, seen = (
        PredModel(2, **{**FAST, "context": context}, kl_weight=weight, most_steps=500).fit(episodes)
        for context, weight in (((SENSE,), 0.01), ((SENSE,), 100.0), ((), 100.0))
    )
    assert silent.difficulty(first_states(episodes)).max() < 0.1
    errors = [model.history_["state"][-1] for model in (told, silent, seen)]
    assert max(errors[0], errors[2]) < 0.5 * errors[1]


def test_all_losses_fall() -> None:
    history = PredModel(2, **FAST, most_steps=600).fit(sense_world()).history_
    assert history["step"] == [250, 500, 600]
    for name, share in (("loss", 0.6), ("state", 0.6), ("reward", 1.0)):
        assert history[name][-1] < share * history[name][0]


def test_the_loss_is_the_weighted_sum_of_its_parts() -> None:
    weights: dict[str, Any] = {"kl_weight": 0.5, "reward_weight": 2.0, "state_weight": 3.0}
    history = PredModel(2, **FAST, **weights, most_steps=3).fit(sense_world()).history_
    kl, reward, state = (history[name][0] for name in ("kl", "reward", "state"))
    assert history["loss"][0] == pytest.approx(0.5 * kl + 2 * reward + 3 * state, rel=1e-5)


def test_kl_is_that_of_torch() -> None:
    mean, log_variance = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0))
    normal = torch.distributions.Normal
    each = torch.distributions.kl_divergence(
        normal(mean, (0.5 * log_variance).exp()), normal(torch.zeros(3), torch.ones(3))
    )
    torch.testing.assert_close(gaussian_kl(mean, log_variance), each.sum(1).mean())
    assert float(gaussian_kl(torch.zeros(4, 2), torch.zeros(4, 2))) == 0


def test_context_is_seen_in_the_first_state_only() -> None:
    episodes = sense_world()
    states, following = episodes.states.copy(), episodes.next_states.copy()
    later = np.setdiff1d(np.arange(len(states)), episodes.starts)
    states[later, SENSE], following[:, SENSE] = 99.0, -99.0
    changed = replace(episodes, states=states, next_states=following)
    one, other = (PredModel(2, **FAST, most_steps=20).fit(data) for data in (episodes, changed))
    tasks = first_states(episodes)
    np.testing.assert_array_equal(one.transform(tasks), other.transform(tasks))


def test_units_do_not_matter() -> None:
    episodes = sense_world(discrete=False)
    larger = replace(
        episodes,
        states=64 * episodes.states,
        next_states=64 * episodes.next_states,
        actions=8 * episodes.actions,
    )
    one, other = (PredModel(2, **FAST, most_steps=20).fit(data) for data in (episodes, larger))
    tasks = first_states(episodes)
    np.testing.assert_array_equal(one.transform(tasks), other.transform(64 * tasks))


def test_a_column_that_moves_only_in_next_states_is_scaled() -> None:
    history = PredModel(2, **FAST, most_steps=1).fit(sense_world(length=1)).history_
    assert history["state"][0] < 20  # places are all 0 before the only step


def test_the_same_seed_learns_the_same_bits_and_touches_nothing_global() -> None:
    episodes = sense_world()
    before = torch.get_rng_state()
    one, other = (PredModel(2, **FAST, most_steps=50).fit(episodes) for _ in "ab")
    assert torch.equal(before, torch.get_rng_state())
    tasks = first_states(episodes)
    np.testing.assert_array_equal(one.transform(tasks), other.transform(tasks))
    assert one.history_ == other.history_
    changed = PredModel(2, **{**FAST, "random_state": 1}, most_steps=50).fit(episodes)
    assert not np.allclose(one.transform(tasks), changed.transform(tasks))


def test_epochs_or_steps_end_training() -> None:
    episodes = sense_world(episodes=30, length=5)  # 150 transitions: 3 batches of 64 an epoch
    assert PredModel(2, **FAST, epochs=4).fit(episodes).history_["step"] == [12]
    assert PredModel(2, **FAST, epochs=4, most_steps=7).fit(episodes).history_["step"] == [7]


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({"n_components": 0}, "n_components 0"),
        ({"epochs": 0}, "epochs 0"),
        ({"most_steps": 0}, "most_steps 0"),
        ({"batch_size": 0.5}, "batch_size 0.5"),
        ({"hidden": (0,)}, "hidden 0"),
        ({"kl_weight": -1}, "kl_weight -1"),
        ({"reward_weight": float("nan")}, "reward_weight nan"),
        ({"learning_rate": 0}, "learning_rate 0"),
        ({"context": (3,)}, "context 3 [3]"),
        ({"context": (1, 1)}, "context 3 [1, 1]"),
        ({"context": (-1,)}, "context -1"),
        ({"context": ("sense",)}, "context 'sense'"),
        ({"context": (0, 1, 2)}, "context state"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        PredModel(**settings).fit(sense_world(episodes=5))


def test_bad_data_are_refused() -> None:
    episodes = sense_world(episodes=5)
    with pytest.raises(ValueError, match=says("episodes Episodes record ndarray")):
        PredModel().fit(episodes.states)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("rewards finite")):
        PredModel().fit(replace(episodes, rewards=episodes.rewards * np.nan))
    with pytest.raises(ValueError, match=says("states finite")):
        PredModel().fit(replace(episodes, next_states=episodes.next_states + np.inf))
    with pytest.raises(ValueError, match=says("features 1 3")):
        PredModel(2, **FAST, epochs=1).fit(episodes).transform([[1.0]])


# -- episodes of an expert -------------------------------------------------------------------------


class Few(type(ts.make("MultiKeyNav"))):  # type: ignore[misc]
    """MultiKeyNav with a hundred tasks."""

    def table(self, distribution: str) -> Any:
        return ts.make("MultiKeyNav").sample_tasks(100, seed=0)


def steer(observations: Any) -> Any:
    """Through the gate of PointMass to the goal, gently."""
    x, vx, y, vy, gate = observations[:, :5].T
    above = y > -0.2
    force_x = 6 * (np.where(above, gate, 0) - x) - 3 * vx
    force_y = np.where(above & (abs(x - gate) > 0.2), 0.5 - y, -3 - y) - 2 * vy
    return np.column_stack([force_x, force_y])


def test_there_are_exactly_as_many_episodes_as_wanted_and_all_are_solved() -> None:
    env = ts.make("MultiKeyNav")
    for n in (1, 300):
        episodes = expert_episodes(ExpertPolicy(env), env, n, seed=4)
        assert len(episodes) == n
        assert episodes.solved.all()
        assert episodes.lengths.sum() == len(episodes.states) == len(episodes.actions)
    inside = np.setdiff1d(np.arange(1, len(episodes.states)), episodes.starts)
    np.testing.assert_array_equal(episodes.states[inside], episodes.next_states[inside - 1])
    assert len(np.unique(first_states(episodes), axis=0)) == 300


def test_episodes_follow_the_seed() -> None:
    env = ts.make("CartPoleVar")
    one, same, other = (
        expert_episodes(ExpertPolicy(env), env, 20, seed=seed).states for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_an_agent_that_often_fails_plays_more_tasks() -> None:
    env = ts.make("PointMass")
    rate = record(steer, env, env.sample_tasks(500, seed=0)).solved.mean()
    assert 0.05 < rate < 0.95
    episodes = expert_episodes(steer, env, 600)
    assert len(episodes) == 600
    assert episodes.solved.all()


def test_the_reward_is_one_at_the_end_also_where_training_shapes_it() -> None:
    episodes = expert_episodes(steer, ts.make("PointMass"), 10)
    expected = np.zeros(len(episodes.states))
    expected[episodes.starts[1:] - 1] = 1
    np.testing.assert_array_equal(episodes.rewards, expected)


def test_few_tasks_are_played_repeatedly() -> None:
    env = Few()
    episodes = expert_episodes(ExpertPolicy(env), env, 250)
    assert len(episodes) == 250
    assert len(np.unique(first_states(episodes), axis=0)) <= 100


def test_hopeless_agents_and_bad_input_are_refused() -> None:
    env = ts.make("CartPoleVar")
    with pytest.raises(ValueError, match=says("expert 0 1024 CartPoleVar")):
        expert_episodes(lambda states: np.zeros(len(states), np.int64), env, 10)
    with pytest.raises(ValueError, match=says("episodes 0")):
        expert_episodes(ExpertPolicy(env), env, 0)
    with pytest.raises(ValueError, match=says("seed -1")):
        expert_episodes(ExpertPolicy(env), env, 10, seed=-1)
    with pytest.raises(TypeError, match=says("environment 'CartPoleVar'")):
        expert_episodes(ExpertPolicy(env), "CartPoleVar", 10)  # type: ignore[arg-type]
