"""Policies that the compiled engine plays: small networks, and how their outputs give actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.base import Environment, check_environment

if TYPE_CHECKING:
    import torch

_LARGEST_WEIGHT = 1e9  # the outputs of three such layers are finite in single precision
MASKED_LOGIT = -1e9  # its probability is exactly 0 in the engine


@dataclass(frozen=True)
class Categorical:
    """Discrete actions, with probabilities softmax(outputs of the network).

    Attributes:
        masked: The indices of actions that are never taken.

    Raises:
        TypeError: If `masked` is not a tuple.
        ValueError: If an index is not an integer of at least 0.

    Example:
        >>> Categorical(masked=(2, 3))
        Categorical(masked=(2, 3))
    """

    masked: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.masked, tuple):
            raise TypeError(
                f"masked must be a tuple of indices of actions, got {checks.brief(self.masked)}"
            )
        for action in self.masked:
            checks.whole(action, "a masked action")


@dataclass(frozen=True)
class Gaussian:
    """Continuous actions, normally distributed around the outputs of the network.

    Attributes:
        log_std: The logarithms of the standard deviations, one per component of an action; None if
            they are the second half of the network's outputs.
        squashed: Whether tanh maps actions into the environment's bounds; by default they are
            clipped.

    Raises:
        ValueError: If `log_std` is not a sequence of finite numbers.

    Example:
        >>> Gaussian(log_std=(0.0, 0.0))
        Gaussian(log_std=(0.0, 0.0), squashed=False)
    """

    log_std: tuple[float, ...] | None = None
    squashed: bool = False

    def __post_init__(self) -> None:
        if self.log_std is not None and checks.numbers(self.log_std, "log_std").ndim != 1:
            raise ValueError(
                "log_std must be one number per component of an action,"
                f" got {checks.brief(self.log_std)}"
            )


@dataclass(frozen=True, eq=False)
class MLPPolicy:
    """A multilayer perceptron from observations to distributions of actions.

    Attributes:
        weights: One matrix (outputs, inputs) per layer.
        biases: One vector (outputs,) per layer.
        activation: The activation of hidden layers: "relu" or "tanh".
        output: How the outputs of the network define actions.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the shapes do not match, or if numbers are not finite or too large.

    Example:
        >>> import taskspace as ts
        >>> ts.MLPPolicy.random(ts.make("MultiKeyNav"), hidden=(32, 32), seed=0)
        MLPPolicy(7-32-32-7, relu, categorical)
    """

    weights: Sequence[NDArray[Any]]
    biases: Sequence[NDArray[Any]]
    activation: str = "relu"
    output: Categorical | Gaussian = field(default_factory=Categorical)

    def __post_init__(self) -> None:
        for name, dimensions in (("weights", 2), ("biases", 1)):
            layers = getattr(self, name)
            if isinstance(layers, str) or not isinstance(layers, Iterable):
                raise TypeError(f"{name} must be a list of arrays, got {checks.brief(layers)}")
            arrays = tuple(_layer_array(layer, dimensions, name) for layer in layers)
            object.__setattr__(self, name, arrays)
        if not isinstance(self.output, (Categorical, Gaussian)):
            raise TypeError(
                f"output must be a Categorical or a Gaussian, got {checks.brief(self.output)}"
            )
        if self.activation not in ("relu", "tanh"):
            raise ValueError(
                f"activation must be 'relu' or 'tanh', got {checks.brief(self.activation)}"
            )
        if not self.weights or len(self.weights) != len(self.biases):
            raise ValueError(
                "a policy must have at least one layer with a weight matrix and a bias vector,"
                f" got {len(self.weights)} matrices and {len(self.biases)} vectors"
            )
        self._check_shapes()
        self._check_output()

    def _check_shapes(self) -> None:
        inputs = self.weights[0].shape[1]
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if weight.shape[1] != inputs or bias.shape != (weight.shape[0],):
                raise ValueError(
                    f"layer {layer} must have weights ({bias.shape[0]}, {inputs}) and biases"
                    f" ({bias.shape[0]},), got {weight.shape} and {bias.shape}"
                )
            inputs = weight.shape[0]

    def _check_output(self) -> None:
        if isinstance(self.output, Categorical):
            actions = set(range(self.sizes[-1]))
            if not actions.issuperset(self.output.masked) or not actions - {*self.output.masked}:
                raise ValueError(
                    f"masked must be some of the actions 0 to {len(actions) - 1}, but not all,"
                    f" got {self.output.masked}"
                )
        elif self.output.log_std is None and self.sizes[-1] % 2:
            raise ValueError(
                "the number of outputs must be even for means and log deviations,"
                f" got {self.sizes[-1]}"
            )
        elif self.output.log_std is not None and len(self.output.log_std) != self.sizes[-1]:
            raise ValueError(
                f"log_std must be {self.sizes[-1]} numbers, one per output of the network,"
                f" got {len(self.output.log_std)}"
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of inputs of the network, and of the outputs of each layer."""
        return (self.weights[0].shape[1], *(len(weight) for weight in self.weights))

    @property
    def actions(self) -> int:
        """The number of discrete actions, or of components of a continuous action."""
        network_gives_deviation = isinstance(self.output, Gaussian) and self.output.log_std is None
        return self.sizes[-1] // 2 if network_gives_deviation else self.sizes[-1]

    def engine_layers(self) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
        """Write masks and constant deviations into the last layer, as the engine needs them.

        Returns:
            The weights and the biases of all layers.
        """
        weights, biases = list(self.weights), list(self.biases)
        if isinstance(self.output, Categorical):
            biases[-1] = biases[-1].copy()
            biases[-1][list(self.output.masked)] = MASKED_LOGIT
        elif self.output.log_std is not None:
            weights[-1] = np.vstack([weights[-1], np.zeros_like(weights[-1])])
            biases[-1] = np.append(biases[-1], np.array(self.output.log_std, np.float32))
        return weights, biases

    @classmethod
    def random(
        cls,
        env: Environment,
        *,
        hidden: Sequence[int] = (32, 32),
        activation: str = "relu",
        seed: int | None = None,
    ) -> MLPPolicy:
        """Make an untrained policy.

        Args:
            env: The environment that the policy is for.
            hidden: The sizes of the hidden layers.
            activation: The activation of hidden layers: "relu" or "tanh".
            seed: The seed; by default every call returns a different policy.

        Returns:
            The policy.

        Raises:
            TypeError: If `env` is not an `Environment`, or `hidden` not a sequence.
            ValueError: If another argument is invalid.
        """
        check_environment(env)
        rng = np.random.default_rng(checks.seed(seed))
        if isinstance(hidden, str) or not isinstance(hidden, Sequence):
            raise TypeError(
                f"hidden must be a list of layer sizes such as (32, 32), got {checks.brief(hidden)}"
            )
        layers = [
            checks.whole(size, "the size of a hidden layer", 1, checks.WIDEST) for size in hidden
        ]
        sizes = (env.state_size, *layers, len(env.action_names))
        scales = [np.sqrt(2.0 / inputs) for inputs in sizes[:-1]]
        scales[-1] *= 0.1  # nearly uniform actions, as freshly initialized networks have
        weights = [
            np.float32(scale * rng.standard_normal((outputs, inputs)))
            for scale, inputs, outputs in zip(scales, sizes[:-1], sizes[1:], strict=True)
        ]
        biases = [np.zeros(outputs, np.float32) for outputs in sizes[1:]]
        output = Categorical() if env.discrete else Gaussian((0.0,) * sizes[-1])
        return cls(weights, biases, activation, output)

    @classmethod
    def from_torch(
        cls, module: torch.nn.Module, *, output: Categorical | Gaussian | None = None
    ) -> MLPPolicy:
        """Convert a torch module.

        Args:
            module: A `torch.nn.Sequential` of Linear layers with ReLU or with Tanh between them.
            output: How the outputs of the network define actions; by default `Categorical()`.

        Returns:
            The policy.

        Raises:
            ValueError: If the module has other layers.
        """
        import torch

        layers: list[Any] = list(_leaves(module))
        linear, between = layers[::2], {type(layer) for layer in layers[1::2]}
        known = {torch.nn.ReLU: "relu", torch.nn.Tanh: "tanh"}
        plain = all(type(layer) is torch.nn.Linear for layer in linear) and len(layers) % 2 == 1
        if not plain or len(between) > 1 or not between <= set(known):
            names = ", ".join(type(layer).__name__ for layer in layers)
            raise ValueError(
                "the module must be a Sequential of Linear layers with ReLU or with Tanh between"
                f" them, got {names}"
            )
        weights = [layer.weight.detach().cpu().numpy() for layer in linear]
        biases = [_bias_of(layer) for layer in linear]
        activation = known[between.pop()] if between else "relu"
        return cls(weights, biases, activation, output or Categorical())

    def __repr__(self) -> str:
        shape = "-".join(str(size) for size in self.sizes)
        masked = self.output.masked if isinstance(self.output, Categorical) else ()
        mask = f", masked {list(masked)}" if masked else ""
        return f"MLPPolicy({shape}, {self.activation}, {type(self.output).__name__.lower()}{mask})"


@dataclass(frozen=True)
class ExpertPolicy:
    """The expert of an environment, as a policy.

    Attributes:
        env: The environment.

    Raises:
        ValueError: If the environment has no expert.

    Example:
        >>> import taskspace as ts
        >>> env = ts.make("MultiKeyNav")
        >>> ts.evaluate(ExpertPolicy(env), env, env.sample_tasks(3, seed=0), 2).rates
        array([[1., 1., 1.]])
    """

    env: Environment

    def __post_init__(self) -> None:
        if check_environment(self.env).expert is None:
            raise ValueError(f"there is no expert in {self.env.name}")

    def act_on_states(self, states: NDArray[np.float64]) -> NDArray[np.int64]:
        """Choose actions.

        Args:
            states: The states (states, columns), in double precision.

        Returns:
            One action per state.
        """
        return self.env.expert_actions(states)


def _layer_array(values: ArrayLike, dimensions: int, name: str) -> NDArray[np.float32]:
    array = checks.numbers(values, f"the {name} of a policy")
    if array.ndim != dimensions or not array.size:
        what = "matrices" if dimensions == 2 else "vectors"
        raise ValueError(
            f"{name} must be {what} with at least one number, got an array of shape {array.shape}"
        )
    if np.abs(array).max() > _LARGEST_WEIGHT:
        raise ValueError(
            f"the {name} of a policy must be within ±{_LARGEST_WEIGHT:g} to prevent overflow,"
            f" got {array.flat[np.abs(array).argmax()]:g}"
        )
    return array.astype(np.float32)


def _leaves(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    """The layers of nested Sequentials, in order."""
    import torch

    if isinstance(module, torch.nn.Sequential):
        for part in module:
            yield from _leaves(part)
    elif not isinstance(module, torch.nn.Identity):
        yield module


def _bias_of(linear: Any) -> NDArray[np.float32]:
    if linear.bias is None:
        return np.zeros(linear.out_features, np.float32)
    bias: NDArray[np.float32] = linear.bias.detach().cpu().numpy()
    return bias
