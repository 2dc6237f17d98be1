"""An environment and a callback for Stable-Baselines3. Needs the `rl` extra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv


class SB3Env(VecEnv):
    """Copies that one compiled call steps; a copy that ends starts a new task in the same step.

    Its last observation is in `infos[copy]["terminal_observation"]`, and whether it was solved in
    `infos[copy]["is_success"]`. With `survival` the reward is 1 per step, as in Gymnasium's cart
    pole. The copies may be wrapped in a `VectorTaskSampler`, whose methods `env_method` calls.
    """

    def __init__(
        self, copies: VectorEnv[Any, Any, Any], seed: int, *, survival: bool = False
    ) -> None:
        self.copies, self.survival = copies, survival
        self._actions: Any = None
        super().__init__(
            copies.num_envs, copies.single_observation_space, copies.single_action_space
        )
        self.seed(seed)

    def reset(self) -> NDArray[np.float32]:
        """Start all copies; the seeds are used only in the first reset after `seed`."""
        observations, _ = self.copies.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions; `step_wait` takes the step."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Observations, rewards, which copies ended, and one info per copy."""
        observations, rewards, terminated, truncated, found = self.copies.step(self._actions)
        if self.survival:
            rewards = np.ones_like(rewards)
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            for copy in np.flatnonzero(ended):
                infos[copy]["terminal_observation"] = observations[copy]
                infos[copy]["TimeLimit.truncated"] = bool(truncated[copy])
                infos[copy]["is_success"] = bool(found["is_success"][copy])
                if "task" in found:
                    infos[copy]["task"] = int(found["task"][copy])
            observations, _ = self.copies.reset(options={"reset_mask": ended})
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, which is the same for each copy."""
        return [getattr(self.copies, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an error: the copies share everything but their state."""
        raise NotImplementedError("there are no attributes in single copies")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of all copies together; its result is the same for each copy."""
        method = getattr(self.copies, method_name)
        return [method(*method_args, **method_kwargs)] * len(self._chosen(indices))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No copy is wrapped."""
        return [False] * len(self._chosen(indices))

    def _chosen(self, indices: Any) -> Sequence[int]:
        return list(self._get_indices(indices))


class PeriodicCallback(BaseCallback):
    """Calls `visit(steps)` before the training, at regular steps during it, and after it.

    A call comes between two updates, when the policy has learned from all steps so far.
    """

    def __init__(self, every: int, visit: Callable[[int], None]) -> None:
        super().__init__()
        self.every, self.visit, self.last = every, visit, -every

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps - self.last >= self.every:
            self.last = self.num_timesteps
            self.visit(self.num_timesteps)

    def _on_training_end(self) -> None:
        if self.num_timesteps > self.last:
            self.visit(self.num_timesteps)
