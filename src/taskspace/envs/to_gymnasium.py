"""The environments as Gymnasium ones: a single copy, and thousands stepped by one call."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.envs.base import Environment, Tasks, check_environment
from taskspace.envs.compiling import build
from taskspace.envs.lanes import (
    OUT_OF_TIME,
    RUNNING,
    SOLVED,
    empty_lanes,
    lane_functions,
)
from taskspace.envs.registry import make
from taskspace.envs.streams import seed_stream


class _Copies:
    """The state of some copies of an environment, and what makes it move."""

    def __init__(
        self,
        env: str | Environment,
        copies: int,
        tasks: ArrayLike | None,
        distribution: str,
        shaped: bool,
    ) -> None:
        self.env = make(env) if isinstance(env, str) else check_environment(env)
        if shaped and self.env.reward is None:
            raise ValueError(f"{self.env.name} has no shaped reward")
        cls = type(self.env)
        self.lanes = lane_functions(
            cls.sample, cls.step, cls.expert, cls.reward if shaped else None
        )
        self.distribution = self.env.distribution_index(distribution)
        self.table = self._task_table(tasks, distribution)
        self.states, self.streams = empty_lanes(self.env.state_size, copies)
        self.elapsed = np.zeros(copies, np.int32)
        self.status = np.full(copies, OUT_OF_TIME, np.int8)
        self.seeded = False

    def _task_table(self, tasks: ArrayLike | None, distribution: str) -> Tasks:
        """The tasks to draw from; empty where they come from the environment's sampler."""
        if tasks is not None:
            table = self.env.check_tasks(tasks)
            if not len(table):
                raise ValueError("`tasks` is empty; expected at least one task to draw from")
            return table
        known = self.env.table(distribution)
        return np.zeros((0, self.env.state_size)) if known is None else np.array(known)

    def seed(self, seeds: NDArray[np.int64], marked: NDArray[np.bool_]) -> None:
        build(_seed_factory)(self.streams, seeds, marked)
        self.seeded = True

    def reset(self, marked: NDArray[np.bool_], tasks: Tasks | None = None) -> None:
        """Start the marked copies anew, on the given tasks (a row a copy) or on drawn ones."""
        if tasks is None:
            self.lanes.reset(
                self.states, self.streams, self.elapsed, self.status, marked,
                self.table, self.distribution,
            )  # fmt: skip
        else:
            self.states[:, marked] = tasks[marked].T
            self.elapsed[marked] = 0
            self.status[marked] = RUNNING

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Observations, rewards, terminated, truncated; copies that had ended start anew."""
        copies = len(self.status)
        rewards = np.empty(copies)
        terminated, truncated = np.empty(copies, np.bool_), np.empty(copies, np.bool_)
        self.lanes.step_copies(
            self.states, actions, self.streams, self.elapsed, self.status,
            self.env.gamma, self.env.horizon, self.table, self.distribution,
            rewards, terminated, truncated,
        )  # fmt: skip
        return self.observations(), rewards, terminated, truncated

    def observations(self) -> NDArray[np.float32]:
        return self.states.T.astype(np.float32)


def _seed_factory() -> Any:
    def seed_copies(streams, seeds, marked):
        for copy in range(len(seeds)):
            if marked[copy]:
                seed_stream(streams[:, copy], seeds[copy], 0, 0, 0)

    return seed_copies


class TaskEnv(gym.Env[NDArray[np.float32], Any]):
    """One copy. `reset(options={"task": …})` starts a given task.

    `tasks` restricts the tasks drawn at reset to the rows of an array, `distribution` to one of
    the environment's named distributions. `shaped` turns on the training reward of PointMass.

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
        self._copies = _Copies(env, 1, tasks, distribution, shaped)
        self.task_environment = self._copies.env
        self.observation_space = self.task_environment.observation_space  # type: ignore[assignment]
        self.action_space = self.task_environment.action_space
        self.render_mode = render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a task: the one in `options["task"]`, or a drawn one."""
        super().reset(seed=seed)
        copies, one = self._copies, np.ones(1, np.bool_)
        task = _task_option(options, self.task_environment)
        if seed is not None or not copies.seeded:
            copies.seed(np.array([checks.seed(seed)]), one)
        copies.reset(one, task)
        return copies.observations()[0], {}

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One step; `info["is_success"]` tells a solved task from a failed one at the end."""
        copies = self._copies
        if copies.status[0] != RUNNING:
            raise gym.error.ResetNeeded("the episode is over (or has not begun); call reset()")
        if self.task_environment.discrete:
            if not self.action_space.contains(action):
                raise ValueError(f"{action!r} is not an action of {self.task_environment.name}")
            batch: NDArray[Any] = np.array([action], np.int64)
        else:
            batch = _continuous(action, self.action_space)[None]
        observations, rewards, terminated, truncated = copies.step(batch)
        status = copies.status[0]
        info = {} if status == RUNNING else {"is_success": bool(status == SOLVED)}
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> Any:
        """The present state: a picture (`rgb_array`) or a few lines of text (`ansi`)."""
        state = self._copies.states[:, 0]
        if self.render_mode == "ansi":
            return self.task_environment.text(state)
        if self.render_mode == "rgb_array":
            return _picture(self.task_environment, state)
        return None


class TaskVectorEnv(VectorEnv[NDArray[np.float32], Any, NDArray[Any]]):
    """Many copies stepped by one compiled call; each may be given its own task.

    `reset(options={"task": array})` takes a row for every copy, and `options["reset_mask"]` marks
    the copies to reset. A copy that ended starts a new task at the next step, whose action is
    ignored (Gymnasium's `NEXT_STEP` mode). Copy i of `reset(seed=s)` goes the same way, number
    for number, as a single environment after `reset(seed=s + i)`.

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
        checks.whole(num_envs, "num_envs", 1)
        self._copies = _Copies(env, num_envs, tasks, distribution, shaped)
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
        """Reset all copies, or those in `options["reset_mask"]`."""
        copies = self._copies
        marked = _reset_mask(options, self.num_envs)
        tasks = _task_option(options, self.task_environment, self.num_envs)
        if seed is not None or not copies.seeded:
            seeds, given = self._seeds(seed)
            # At first every copy gets a stream, also one that is not reset or brings no seed.
            copies.seed(seeds, marked & given if copies.seeded else np.ones_like(marked))
        copies.reset(marked, tasks)
        return copies.observations(), {}

    def _seeds(self, seed: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """A seed for each copy, and which copies are to be seeded."""
        if isinstance(seed, (int, np.integer)):
            seeds = checks.seed(seed) + np.arange(self.num_envs)
            return seeds, np.ones(self.num_envs, np.bool_)
        given = [None] * self.num_envs if seed is None else list(seed)
        if len(given) != self.num_envs:
            raise ValueError(f"{len(given)} seeds for {self.num_envs} copies")
        return np.array([checks.seed(one) for one in given]), np.array(
            [s is not None for s in given]
        )

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One step of every copy; `infos["is_success"]` says which solved their task just now."""
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
                f"expected {self.num_envs} whole numbers from 0 to {count - 1};"
                f" got {values.dtype} of shape {values.shape}"
            )
        batch = np.ascontiguousarray(values, np.int64)
        if batch.view(np.uint64).max() >= count:  # a negative number is a huge one without sign
            raise ValueError(
                f"expected whole numbers from 0 to {count - 1};"
                f" got {values.min()} to {values.max()}"
            )
        return batch

    def render(self) -> Any:
        """A picture of every copy."""
        if self.render_mode is None:
            return None
        states = self._copies.states
        return tuple(_picture(self.task_environment, states[:, i]) for i in range(self.num_envs))


def _check_render_mode(render_mode: str | None, known: list[str]) -> None:
    if render_mode not in (None, *known):
        names = " or ".join(repr(mode) for mode in known)
        raise ValueError(f"render_mode is None, {names}, not {render_mode!r}")


def _continuous(values: Any, space: gym.Space[Any]) -> NDArray[np.float64]:
    """Continuous actions as the compiled step takes them; the environment clips them itself."""
    actions = checks.numbers(values, "actions")
    if actions.shape != space.shape:
        raise ValueError(f"expected actions of shape {space.shape}; got shape {actions.shape}")
    return actions


def _task_option(
    options: dict[str, Any] | None, env: Environment, copies: int | None = None
) -> Tasks | None:
    """The checked task or tasks from the reset options."""
    if options is None or options.get("task") is None:
        return None
    tasks = env.check_tasks(options["task"])
    if copies is not None and len(tasks) == 1:
        tasks = np.repeat(tasks, copies, axis=0)
    if len(tasks) != (copies or 1):
        raise ValueError(f"{len(tasks)} tasks for {copies or 1} copies of {env.name}")
    return tasks


def _reset_mask(options: dict[str, Any] | None, copies: int) -> NDArray[np.bool_]:
    mask = None if options is None else options.get("reset_mask")
    if mask is None:
        return np.ones(copies, np.bool_)
    mask = np.asarray(mask)
    if mask.shape != (copies,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(
            f"reset_mask must be {copies} booleans, at least one of them true;"
            f" got {mask.dtype} of shape {mask.shape}"
        )
    return mask


def _picture(env: Environment, state: NDArray[np.float64]) -> NDArray[np.uint8]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas = FigureCanvasAgg(Figure(figsize=(4, 3), dpi=100, layout="constrained"))
    env.draw_state(state, canvas.figure.add_subplot())
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
