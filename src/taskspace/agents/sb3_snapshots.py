"""`SnapshotCallback`: a population from the training of one Stable-Baselines3 model."""

from __future__ import annotations

try:
    from stable_baselines3.common.callbacks import BaseCallback
except ImportError as error:
    raise ImportError(
        "SnapshotCallback needs Stable-Baselines3; install it with: pip install 'taskspace[rl]'"
    ) from error

from taskspace import checks
from taskspace.agents.agent import Agent
from taskspace.agents.population import Population
from taskspace.agents.sb3 import frozen


class SnapshotCallback(BaseCallback):  # type: ignore[misc]
    """A Stable-Baselines3 callback that takes snapshots of a model during its training.

    The first snapshot is the untrained model and the last one the trained model.

    Args:
        every: The number of training steps between snapshots.
        name: The name of the subpopulation; the agents are called `<name>-<step>`.

    Attributes:
        agents: The snapshots so far, in order.

    Raises:
        TypeError: If `name` is not a string.
        ValueError: If `every` is not a positive integer.

    Example:
        >>> from stable_baselines3 import PPO
        >>> snapshots = SnapshotCallback(every=32, name="ppo")
        >>> model = PPO(
        ...     "MlpPolicy", "CartPole-v1", n_steps=32, batch_size=32, seed=0, device="cpu"
        ... )
        >>> _ = model.learn(64, callback=snapshots)
        >>> list(snapshots.population)
        ['ppo-0', 'ppo-32', 'ppo-64']
    """

    def __init__(self, every: int, name: str = "agent") -> None:
        super().__init__()
        self.every = checks.whole(every, "every", 1)
        if not isinstance(name, str):
            raise TypeError(f"name must be a string, got {checks.brief(name)}")
        self.name = name
        self.agents: list[Agent] = []

    @property
    def population(self) -> Population:
        """The snapshots so far, in order, as a population."""
        return Population(self.agents)

    def _on_training_start(self) -> None:
        self._keep()

    def _on_step(self) -> bool:
        if self.num_timesteps >= self.agents[-1].step + self.every:
            self._keep()
        return True

    def _on_training_end(self) -> None:
        self._keep()

    def _keep(self) -> None:
        step = int(self.model.num_timesteps)
        if self.agents and self.agents[-1].step == step:
            return
        name = f"{self.name}-{step}"
        self.agents.append(Agent(name, frozen(self.model), self.name, step))
