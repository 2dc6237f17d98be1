"""The library's environments for Gymnasium: a single copy, or many copies stepped together."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.copies import Copies
from taskspace.envs.lanes import RUNNING, SOLVED
from taskspace.envs.reset_options import reset_mask, task_option


class TaskEnv(gym.Env[NDArray[np.float32], Any]):
    """A Gymnasium environment that plays the tasks of an `Environment`.

    `reset(options={"task": …})` starts a given task; otherwise a task is drawn at random.

    Args:
        env: The environment, or its name.
        tasks: An array (tasks, columns) to draw tasks from; by default they are sampled.
        distribution: The name of the task distribution to sample from.
        shaped: Whether to use the shaped reward, which PointMass has; by default the reward is 1
            in the step that solves the task, and 0 otherwise.
        render_mode: None, "rgb_array" or "ansi".

    Raises:
        ValueError: If an argument is invalid.

    Example:
        >>> import gymnasium
        >>> env = gymnasium.make("taskspace/MultiKeyNav-v0")
        >>> observation, info = env.reset(options={"task": [0.95, 1, 1, 0, 0, 0, 0]})
        >>> env.step(6)[1:4]  # finish: at the door, with both keys
        (1.0, True, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 10}

    def __init__(
        self,
        env: str | Environment,
        *,
        tasks: ArrayLike | None = None,
        distribution: str = "all",
        shaped: bool = False,
        render_mode: str | None = None,
    ) -> None:
        _check_render_mode(render_mode, self.metadata["render_modes"])
        self._copies = Copies(env, 1, tasks, distribution, shaped)
        self.task_environment = self._copies.env
        self.observation_space = self.task_environment.observation_space  # type: ignore[assignment]
        self.action_space = self.task_environment.action_space
        self.render_mode = render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a task.

        Args:
            seed: The seed of this episode and those that follow.
            options: `{"task": task}` to start a given task, or `{"task_index": position}` to start
                one of `tasks`, which is not checked again.

        Returns:
            The first observation, and an empty info.

        Raises:
            ValueError: If the task is invalid.
        """
        super().reset(seed=seed)
        copies, one = self._copies, np.ones(1, np.bool_)
        task = task_option(options, copies)
        if seed is not None or not copies.seeded:
            copies.seed(np.array([checks.seed(seed)]), one)
        copies.reset(one, task)
        return copies.observations()[0], {}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take one step.

        Args:
            action: The action.

        Returns:
            The observation, the reward, whether the episode terminated, whether it was truncated,
            and an info that has "is_success" at the end of an episode.

        Raises:
            ValueError: If the action is invalid.
            gymnasium.error.ResetNeeded: If no episode is running.
        """
        copies = self._copies
        if copies.status[0] != RUNNING:
            raise gym.error.ResetNeeded("no episode is running; call reset()")
        if self.task_environment.discrete:
            if not self.action_space.contains(action):
                name, last = self.task_environment.name, len(self.task_environment.action_names) - 1
                raise ValueError(
                    f"the action in {name} must be an integer in 0 to {last},"
                    f" got {checks.brief(action)}"
                )
            batch: NDArray[Any] = np.array([action], np.int64)
        else:
            batch = _continuous(action, self.action_space)[None]
        observations, rewards, terminated, truncated = copies.step(batch)
        status = copies.status[0]
        info = {} if status == RUNNING else {"is_success": bool(status == SOLVED)}
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> Any:
        """Show the current state.

        Returns:
            A picture (`rgb_array`), a few lines of text (`ansi`), or None without a render mode.
        """
        state = self._copies.states[:, 0]
        if self.render_mode == "ansi":
            return self.task_environment.text(state)
        if self.render_mode == "rgb_array":
            return _picture(self.task_environment, state)
        return None


class TaskVectorEnv(VectorEnv[NDArray[np.float32], Any, NDArray[Any]]):
    """Many copies of an environment, which one compiled call steps; each may have its own task.

    A copy that has ended starts a new task at the next step, whose action is ignored (Gymnasium's
    `NEXT_STEP` mode). After `reset(seed=s)`, copy i is bit-identical to a single environment
    after `reset(seed=s + i)`.

    Args:
        env: The environment, or its name.
        num_envs: The number of copies.
        tasks: An array (tasks, columns) to draw tasks from; by default they are sampled.
        distribution: The name of the task distribution to sample from.
        shaped: Whether to use the shaped reward, which PointMass has; by default the reward is 1
            in the step that solves the task, and 0 otherwise.
        render_mode: None or "rgb_array".

    Raises:
        ValueError: If an argument is invalid.

    Example:
        >>> import gymnasium
        >>> envs = gymnasium.make_vec("taskspace/CartPoleVar-v0", num_envs=1000)
        >>> observations, infos = envs.reset(seed=0)
        >>> observations.shape
        (1000, 7)
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        env: str | Environment,
        num_envs: int = 1,
        *,
        tasks: ArrayLike | None = None,
        distribution: str = "all",
        shaped: bool = False,
        render_mode: str | None = None,
    ) -> None:
        _check_render_mode(render_mode, self.metadata["render_modes"])
        checks.whole(num_envs, "num_envs", 1, checks.LARGEST_BATCH)
        self._copies = Copies(env, num_envs, tasks, distribution, shaped)
        self.task_environment = self._copies.env
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = self.task_environment.observation_space
        self.single_action_space = self.task_environment.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a task in all copies, or in some of them.

        Args:
            seed: The seed of the first copy (copy i has `seed + i`), or one seed per copy.
            options: `{"task": tasks}` with one task, or one per copy, or `{"task_index": …}` with
                positions in `tasks`, which are not checked again; `{"reset_mask": mask}` with the
                copies to reset.

        Returns:
            The observations of all copies, and empty infos.

        Raises:
            ValueError: If the tasks, the seeds or the mask are invalid.
        """
        copies = self._copies
        marked = reset_mask(options, self.num_envs)
        tasks = task_option(options, copies)
        if seed is not None or not copies.seeded:
            seeds, given = self._seeds(seed)
            # The first time, every copy gets a stream, even without a reset or a seed of its own.
            copies.seed(seeds, marked & given if copies.seeded else np.ones_like(marked))
        copies.reset(marked, tasks)
        return copies.observations(), {}

    def _seeds(self, seed: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The seed of each copy, and which copies to seed."""
        if isinstance(seed, (int, np.integer)):
            seeds = checks.seed(seed) + np.arange(self.num_envs)
            return seeds, np.ones(self.num_envs, np.bool_)
        given = [None] * self.num_envs if seed is None else list(seed)
        if len(given) != self.num_envs:
            raise ValueError(
                f"seed must be one seed or {self.num_envs} seeds, got {len(given)} seeds"
            )
        seeds = np.array([checks.seed(one) for one in given])
        return seeds, np.array([one is not None for one in given])

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Take one step in every copy.

        Args:
            actions: One action per copy.

        Returns:
            The observations, the rewards, which episodes terminated, which were truncated, and
            infos that have "is_success" in steps in which episodes end.

        Raises:
            ValueError: If an action is invalid.
            gymnasium.error.ResetNeeded: If there was no reset yet.
        """
        copies = self._copies
        if not copies.seeded:
            raise gym.error.ResetNeeded("call reset() before the first step")
        observations, rewards, terminated, truncated = copies.step(self._checked_actions(actions))
        infos: dict[str, Any] = {}
        finished = terminated | truncated
        if finished.any():
            infos = {"is_success": copies.status == SOLVED, "_is_success": finished}
        return observations, rewards, terminated, truncated, infos

    def _checked_actions(self, actions: Any) -> NDArray[Any]:
        if not self.task_environment.discrete:
            return _continuous(actions, self.action_space)
        values = np.asarray(actions)
        count = len(self.task_environment.action_names)
        if values.shape != (self.num_envs,) or values.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_envs} integers in 0 to {count - 1},"
                f" got {values.dtype} of shape {values.shape}"
            )
        batch = np.ascontiguousarray(values, np.int64)
        if batch.view(np.uint64).max() >= count:  # unsigned, so that negative numbers are large
            raise ValueError(
                f"actions must be integers in 0 to {count - 1},"
                f" got {values.min()} to {values.max()}"
            )
        return batch

    def render(self) -> Any:
        """Show the current states.

        Returns:
            One picture per copy, or None without a render mode.
        """
        if self.render_mode is None:
            return None
        states = self._copies.states
        return tuple(_picture(self.task_environment, states[:, i]) for i in range(self.num_envs))


def task_table(env: Any) -> Tasks:
    """The tasks that an environment of this library draws from, which were checked.

    They are none in environments that sample their own tasks, and in those of others.

    >>> task_table(TaskEnv("MultiKeyNav", tasks=[[0.95, 1, 1, 0, 0, 0, 0]])).shape
    (1, 7)
    """
    inner = getattr(env, "unwrapped", None)
    if not isinstance(inner, (TaskEnv, TaskVectorEnv)):
        return np.zeros((0, 0))
    return inner._copies.table


def _check_render_mode(render_mode: str | None, known: list[str]) -> None:
    if render_mode not in (None, *known):
        names = " or ".join(repr(mode) for mode in known)
        raise ValueError(f"render_mode must be None, {names}, got {checks.brief(render_mode)}")


def _continuous(values: Any, space: gym.Space[Any]) -> NDArray[np.float64]:
    """Continuous actions for the compiled step, which clips them to the bounds."""
    actions = checks.numbers(values, "actions")
    if actions.shape != space.shape:
        raise ValueError(f"actions must have shape {space.shape}, got shape {actions.shape}")
    return actions


def _picture(env: Environment, state: NDArray[np.float64]) -> NDArray[np.uint8]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas = FigureCanvasAgg(Figure(figsize=(4, 3), dpi=100, layout="constrained"))
    env.draw_state(state, canvas.figure.add_subplot())
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
