"""Policies: what is refused, and what they say about themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import taskspace as ts
from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian
from tests.messages import says

W, B = np.zeros((3, 7)), np.zeros(3)


def make(**parts: Any) -> ts.MLPPolicy:
    return ts.MLPPolicy(**{"weights": [W], "biases": [B], **parts})


def outputs(policy: ts.MLPPolicy, observations: Any) -> Any:
    """What the network says, computed plainly."""
    values = observations
    activation = np.tanh if policy.activation == "tanh" else lambda x: np.maximum(x, 0)
    weights, biases = policy.engine_layers()
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        values = (activation(values) if layer else values) @ weight.T + bias
    return values


# -- networks --------------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"weights": [], "biases": []}, "bias weight 0"),
    ({"biases": []}, "bias weight 1 0"),
    ({"biases": [B[:2]]}, "layer 0 weights (3, 7) biases (2,)"),
    (
        {"weights": [W, np.zeros((2, 5))], "biases": [B, B[:2]]},
        "layer 1 weights (2, 5) biases (2,) (2, 3)",
    ),
    ({"weights": [B]}, "weights (3,)"),
    ({"biases": [W]}, "biases (3, 7)"),
    ({"weights": [np.zeros((0, 7))]}, "weights (0, 7)"),
    ({"weights": [W * np.nan]}, "weights finite"),
    ({"biases": [B + np.inf]}, "biases finite"),
    ({"weights": [W + 1e30]}, "weights ±1e+09 1e+30"),
    ({"activation": "gelu"}, "activation 'relu' 'tanh' 'gelu'"),
    ({"activation": None}, "activation 'relu' 'tanh' None"),
    ({"output": Categorical((3,))}, "masked 0 2 (3,)"),
    ({"output": Categorical((0, 1, 2))}, "masked 0 2 (0, 1, 2)"),
    ({"output": Gaussian()}, "means deviations outputs 3"),
    ({"output": Gaussian((0.0,))}, "log_std 1 3"),
]


@pytest.mark.parametrize(("parts", "tokens"), REFUSED)
def test_bad_networks_are_refused_in_one_sentence(parts: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)) as caught:
        make(**parts)
    assert "\n" not in str(caught.value)


UNCLEAR: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"weights": [[[1, 2], [3]]]}, ValueError, "weights"),
    ({"weights": ["x"]}, ValueError, "weights"),
    ({"weights": None}, TypeError, "weights"),
    ({"output": "categorical"}, TypeError, "output"),
    ({"output": Categorical}, TypeError, "output"),
]


@pytest.mark.parametrize(("parts", "error", "token"), UNCLEAR)
def test_more_bad_networks_are_refused_in_one_sentence(
    parts: dict[str, Any], error: type[Exception], token: str
) -> None:
    with pytest.raises(error, match=token) as caught:
        make(**parts)
    assert "inhomogeneous" not in str(caught.value)


@pytest.mark.parametrize("masked", [1, (1.0,), (True,), (-1,), [1]])
def test_bad_masks_are_refused_in_one_sentence(masked: Any) -> None:
    error = ValueError if isinstance(masked, tuple) else TypeError
    with pytest.raises(error, match="masked"):
        Categorical(masked)


@pytest.mark.parametrize("log_std", [0.5, (np.nan,), (np.inf,), ("x",)])
def test_bad_deviations_are_refused_in_one_sentence(log_std: Any) -> None:
    with pytest.raises(ValueError, match="log_std"):
        Gaussian(log_std)


def test_sizes_actions_and_repr_of_a_categorical_policy() -> None:
    policy = make(weights=[np.zeros((5, 7)), np.zeros((3, 5))], biases=[np.zeros(5), B])
    assert (policy.sizes, policy.actions) == ((7, 5, 3), 3)
    assert repr(policy) == "MLPPolicy(7-5-3, relu, categorical)"


def test_repr_tells_masks() -> None:
    policy = make(activation="tanh", output=Categorical((0, 2)))
    assert repr(policy) == "MLPPolicy(7-3, tanh, categorical, masked [0, 2])"


def test_a_network_that_gives_deviations_has_half_as_many_actions() -> None:
    policy = make(weights=[np.zeros((4, 7))], biases=[np.zeros(4)], output=Gaussian())
    assert (policy.sizes, policy.actions) == ((7, 4), 2)
    assert repr(policy) == "MLPPolicy(7-4, relu, gaussian)"


def test_arrays_are_copied() -> None:
    weights = np.ones((3, 7), np.float32)
    policy = make(weights=[weights])
    weights[:] = 5
    assert (policy.weights[0] == 1).all()
    assert policy.weights[0].dtype == np.float32


def test_masks_become_hopeless_logits_in_a_copy() -> None:
    policy = make(output=Categorical((0, 2)))
    _, biases = policy.engine_layers()
    assert biases[-1].tolist() == [-1e9, 0, -1e9]
    assert policy.biases[-1].tolist() == [0, 0, 0]


def test_constant_deviations_become_outputs_of_the_network() -> None:
    policy = make(weights=[np.ones((2, 7))], biases=[np.ones(2)], output=Gaussian((-1.0, 0.5)))
    assert policy.actions == 2
    np.testing.assert_allclose(outputs(policy, np.ones((1, 7))), [[8, 8, -1, 0.5]])


# -- untrained ones --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["MultiKeyNav", "PointMass"])
def test_random_policies_fit_and_depend_on_nothing_but_the_seed(name: str) -> None:
    env = ts.make(name)
    first, again, other = (ts.MLPPolicy.random(env, seed=seed) for seed in (0, 0, 1))
    assert (first.sizes[0], first.actions) == (env.state_size, len(env.action_names))
    assert isinstance(first.output, Categorical) == env.discrete
    for a, b, c in zip(first.weights, again.weights, other.weights, strict=True):
        assert (a == b).all()
        assert (a != c).any()


def test_random_policies_without_seed_differ() -> None:
    env = ts.make("MultiKeyNav")
    a, b = (ts.MLPPolicy.random(env) for _ in range(2))
    assert (a.weights[0] != b.weights[0]).any()


def test_random_policies_take_layers_and_activation() -> None:
    env = ts.make("MultiKeyNav")
    assert repr(ts.MLPPolicy.random(env, hidden=(4,), activation="tanh", seed=0)) == (
        "MLPPolicy(7-4-7, tanh, categorical)"
    )
    assert ts.MLPPolicy.random(env, hidden=(), seed=0).sizes == (7, 7)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "a", 2**63])
def test_random_policies_refuse_bad_seeds(seed: Any) -> None:
    with pytest.raises(ValueError, match=says(f"seed {seed!r}")):
        ts.MLPPolicy.random(ts.make("MultiKeyNav"), seed=seed)


@pytest.mark.parametrize("hidden", [(0,), (-1,), (2.5,), 32])
def test_random_policies_refuse_bad_layers(hidden: Any) -> None:
    error = ValueError if isinstance(hidden, tuple) else TypeError
    with pytest.raises(error, match="hidden"):
        ts.MLPPolicy.random(ts.make("MultiKeyNav"), hidden=hidden, seed=0)


# -- from torch ------------------------------------------------------------------------------------

MODULES = {
    "relu": nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3)),
    "tanh": nn.Sequential(nn.Linear(7, 5), nn.Tanh(), nn.Linear(5, 3)),
    "nested": nn.Sequential(
        nn.Sequential(nn.Linear(7, 5), nn.Sequential(nn.Tanh())), nn.Linear(5, 3)
    ),
    "without bias": nn.Sequential(nn.Linear(7, 5, bias=False), nn.ReLU(), nn.Linear(5, 3)),
    "one layer": nn.Linear(7, 3),
    "identity": nn.Sequential(nn.Identity(), nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3)),
    "double": nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3)).double(),
}


def assert_says_the_same(policy: ts.MLPPolicy, module: nn.Module) -> None:
    observations = np.random.default_rng(0).standard_normal((50, 7)).astype(np.float32)
    with torch.no_grad():
        expected = module.float()(torch.from_numpy(observations)).numpy()
    np.testing.assert_allclose(outputs(policy, observations), expected, atol=1e-5)


@pytest.mark.parametrize("name", MODULES)
def test_a_torch_network_says_the_same(name: str) -> None:
    assert_says_the_same(ts.MLPPolicy.from_torch(MODULES[name]), MODULES[name])


def test_a_torch_network_may_give_deviations() -> None:
    policy = ts.MLPPolicy.from_torch(nn.Linear(7, 4), output=Gaussian(squashed=True))
    assert (policy.actions, policy.output) == (2, Gaussian(squashed=True))


def test_training_on_does_not_change_the_policy() -> None:
    module = nn.Linear(7, 3)
    policy = ts.MLPPolicy.from_torch(module)
    before = policy.weights[0].copy()
    with torch.no_grad():
        module.weight += 1
    assert (policy.weights[0] == before).all()


@pytest.mark.parametrize(
    ("module", "layers"),
    [
        (nn.Sequential(nn.Linear(7, 5), nn.GELU(), nn.Linear(5, 3)), "Linear, GELU, Linear"),
        (nn.Sequential(nn.Linear(7, 3), nn.Softmax(-1)), "Linear, Softmax"),
        (nn.Sequential(nn.Linear(7, 5), nn.Dropout(), nn.Linear(5, 3)), "Linear, Dropout, Linear"),
        (
            nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 3)),
            "Linear, ReLU, Linear, Tanh, Linear",
        ),
        (nn.ReLU(), "ReLU"),
        (nn.LSTM(7, 3), "LSTM"),
    ],
)
def test_other_torch_networks_are_refused_with_their_layers(module: Any, layers: str) -> None:
    with pytest.raises(ValueError, match=f"Linear.*ReLU.*Tanh.* {layers}$"):
        ts.MLPPolicy.from_torch(module)


class _Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Linear(7, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inside(x)


_SHARED = nn.Linear(7, 7)


@pytest.mark.parametrize(
    "module",
    [
        nn.Sequential(nn.Linear(7, 5), nn.Linear(5, 3)),
        nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 5), nn.Linear(5, 3)),
        nn.Sequential(nn.Linear(7, 5), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 3)),
        nn.Sequential(nn.Linear(7, 3), nn.Tanh()),
        nn.Sequential(nn.Tanh(), nn.Linear(7, 3)),
        nn.Sequential(_SHARED, nn.ReLU(), _SHARED),
        _Residual(),
    ],
    ids=["linear", "linear at the end", "linear at the start", "after", "before", "shared", "own"],
)
def test_a_network_of_another_order_is_refused_or_says_the_same(module: nn.Module) -> None:
    try:
        policy = ts.MLPPolicy.from_torch(module)
    except ValueError:
        return
    assert_says_the_same(policy, module)


# -- experts ---------------------------------------------------------------------------------------


def test_an_environment_without_expert_is_told() -> None:
    with pytest.raises(ValueError, match=says("PointMass expert")):
        ExpertPolicy(ts.make("PointMass"))


def test_the_expert_acts_as_the_environment_says() -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(20, seed=0)
    assert (ExpertPolicy(env).act_on_states(tasks) == env.expert_actions(tasks)).all()


@pytest.mark.parametrize("env", ["MultiKeyNav", None])
def test_an_expert_needs_an_environment(env: Any) -> None:
    with pytest.raises(TypeError, match="environment"):
        ExpertPolicy(env)
