"""Copies of a Gymnasium environment, in this process or in several.

A lane is one copy. Gymnasium's `SyncVectorEnv` bundles lanes; with worker processes there is one
bundle per process, in an `AsyncVectorEnv`. The lanes do not depend on the number of processes, and
every episode gets the seeds for all of its randomness.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from taskspace.envs.from_gymnasium import GymEnvironment, Spaces, Task
from taskspace.envs.success_rules import EpisodeSummary


@dataclass(frozen=True)
class EpisodeStart:
    """An episode to play: its task, and the seeds of the environment and of the agent."""

    task: Task
    seed: int
    agent_seed: int


@dataclass(frozen=True)
class EpisodeResult:
    """The result of an episode; `error` and `trace` describe an error, if there was one."""

    solved: bool = False
    length: int = 0
    total_reward: float = 0.0
    keys: frozenset[str] = frozenset()  # of the infos
    error: str = ""
    trace: str = ""


def failed_episode(error: Exception) -> EpisodeResult:
    """The result of an episode with an error, as text, because not every error can be pickled."""
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return EpisodeResult(error=f"{type(error).__name__}: {error}", trace=trace)


class Lane(gym.Env[Any, Any]):
    """One copy, which plays the episodes that `reset` gives it, and does nothing between them.

    Errors of the environment end the episode instead of being raised, so that the other lanes
    continue. `info["result"]` of the last step is the result of the episode.
    """

    def __init__(self, environment: GymEnvironment, spaces: Spaces, index: int) -> None:
        self.environment, self.spaces, self.index = environment, spaces, index
        self.observation_space, self.action_space = spaces.observation_space, spaces.action_space
        self.observation: Any = spaces.observation_space.sample()  # until the first reset
        self._env: gym.Env[Any, Any] | None = None
        self._checked: gym.Env[Any, Any] | None = None  # the last copy with the right spaces
        self._task: Task | None = None
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the episode in `options` for this lane, if there is one."""
        assert options is not None
        before = self.observation
        try:
            env = self.begin(options[str(self.index)])
            if env is not self._checked:
                self._check_spaces(env)
        except Exception as error:
            self._running, self.observation = False, before
            return before, {"result": failed_episode(error)}
        return self.observation, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step if an episode is running."""
        if not self._running:
            return self.observation, 0.0, False, False, {}
        try:
            result = self.advance(action)
        except Exception as error:
            self._running, result = False, failed_episode(error)
        # Never terminated: otherwise Gymnasium would reset a lane that has nothing left to play.
        return self.observation, 0.0, False, False, {} if result is None else {"result": result}

    def begin(self, start: EpisodeStart) -> gym.Env[Any, Any]:
        """Set the task, in a new copy if necessary; returns the copy."""
        if self._env is None or (
            self.environment.set_task == "constructor" and start.task != self._task
        ):
            self.close()
            self._env = self.environment.make_env(start.task)
        self._task = start.task
        self.observation, _ = self.environment.begin(self._env, start.task, start.seed)
        self._rewards: list[float] = []
        self._noticed, self._keys, self._running = False, set[str](), True
        return self._env

    def advance(self, action: Any) -> EpisodeResult | None:
        """Take one step; returns the result at the end of the episode."""
        assert self._env is not None
        assert self._task is not None
        rule = self.environment.rule
        self.observation, reward, terminated, truncated, info = self._env.step(action)
        self._rewards.append(float(reward))
        self._noticed = rule.noticed(info, self._noticed)
        self._keys.update(info)
        truncated = bool(truncated) or len(self._rewards) >= self.spaces.max_steps
        if not (terminated or truncated):
            return None
        self._running = False
        rewards = np.array(self._rewards)
        episode = EpisodeSummary(
            self._task, rewards, self.observation, info, bool(terminated), truncated
        )
        solved = rule.solved(episode, self._noticed)
        return EpisodeResult(
            solved, episode.length, episode.total_reward, frozenset(map(str, self._keys))
        )

    def play_episode(self, agent: Any, start: EpisodeStart) -> EpisodeResult:
        """Play a whole episode of an `EpisodeAgent`."""
        try:
            act = agent.start(self.begin(start), start.agent_seed)
            while True:
                result = self.advance(act(self.observation))
                if result is not None:
                    return result
        except Exception as error:
            return failed_episode(error)

    def _check_spaces(self, env: gym.Env[Any, Any]) -> None:
        for what in ("observation_space", "action_space"):
            if getattr(env, what) != getattr(self.spaces, what):
                raise ValueError(
                    f"the {what} must be {getattr(self.spaces, what)} for all tasks,"
                    f" got {getattr(env, what)}"
                )
        self._checked = env

    def close(self) -> None:
        """Close the copy."""
        if self._env is not None:
            self._env.close()
        self._env = None


class _Anything(gym.Space[Any]):
    """The space of batches, which Gymnasium passes on unchanged."""

    def contains(self, x: Any) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Anything)

    def __hash__(self) -> int:
        return 0


class Bundle(gym.Env[Any, Any]):
    """Several lanes of one process; its observations and actions are batches."""

    def __init__(self, environment: GymEnvironment, spaces: Spaces, lanes: Sequence[int]) -> None:
        self.lanes = lanes
        self.observation_space = self.action_space = _Anything()
        makers = [partial(Lane, environment, spaces, lane) for lane in lanes]
        self._envs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.DISABLED)
        self._observations: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the episodes in `options`, by lane."""
        mask = np.array([str(lane) in (options or {}) for lane in self.lanes])
        if not mask.any():
            return self._observations, {"ended": ()}
        masked = {**(options or {}), "reset_mask": mask}
        self._observations, infos = self._envs.reset(options=masked)
        return self._observations, {"ended": self._ended(infos)}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step in every lane."""
        self._observations, _, _, _, infos = self._envs.step(action)
        return self._observations, 0.0, False, False, {"ended": self._ended(infos)}

    def play_episodes(
        self, agent: bytes, shares: Mapping[int, Sequence[EpisodeStart]]
    ) -> list[EpisodeResult]:
        """Play episodes of an `EpisodeAgent`, one after the other."""
        import cloudpickle  # type: ignore[import-untyped]

        lane: Any = self._envs.envs[0]
        own = cloudpickle.loads(agent)  # sent by the parent process, never from a file
        return [lane.play_episode(own, start) for start in shares[self.lanes[0]]]

    def _ended(self, infos: dict[str, Any]) -> tuple[tuple[int, EpisodeResult], ...]:
        pairs = zip(self.lanes, infos.get("result", ()), strict=False)
        return tuple((lane, result) for lane, result in pairs if result is not None)

    def close(self) -> None:
        """Close the lanes."""
        self._envs.close()


class EnvPool(Protocol):
    """Copies of the environment, one per lane."""

    def begin(
        self, starts: Mapping[int, EpisodeStart]
    ) -> tuple[Any, list[tuple[int, EpisodeResult]]]:
        """Begin episodes, by lane; returns all observations and the episodes with errors."""

    def step(self, actions: NDArray[Any]) -> tuple[Any, list[tuple[int, EpisodeResult]]]:
        """Take one step in all lanes; returns all observations and the episodes that ended."""

    def play_episodes(self, agent: Any, starts: Sequence[EpisodeStart]) -> list[EpisodeResult]:
        """Play whole episodes of an `EpisodeAgent`."""

    def close(self, force: bool = False) -> None:
        """Close all copies."""


class _LocalPool:
    """All lanes in this process."""

    def __init__(self, environment: GymEnvironment, spaces: Spaces, lanes: int) -> None:
        self._bundle = Bundle(environment, spaces, range(lanes))
        self._alone = Lane(environment, spaces, 0)

    def begin(
        self, starts: Mapping[int, EpisodeStart]
    ) -> tuple[Any, list[tuple[int, EpisodeResult]]]:
        observations, infos = self._bundle.reset(options=_options(starts))
        return observations, list(infos["ended"])

    def step(self, actions: NDArray[Any]) -> tuple[Any, list[tuple[int, EpisodeResult]]]:
        observations, _, _, _, infos = self._bundle.step(actions)
        return observations, list(infos["ended"])

    def play_episodes(self, agent: Any, starts: Sequence[EpisodeStart]) -> list[EpisodeResult]:
        return [self._alone.play_episode(agent, start) for start in starts]

    def close(self, force: bool = False) -> None:
        self._bundle.close()
        self._alone.close()


class _ProcessPool:
    """Lanes in several processes; each process has consecutive lanes."""

    def __init__(
        self, environment: GymEnvironment, spaces: Spaces, lanes: int, processes: int
    ) -> None:
        self._shares = [part.tolist() for part in np.array_split(np.arange(lanes), processes)]
        self._ends = np.cumsum([len(share) for share in self._shares])[:-1]
        self._alone = Lane(environment, spaces, 0)  # for agents that cannot be pickled
        makers = [partial(Bundle, environment, spaces, share) for share in self._shares]
        # Fork where that is the default: other methods run the caller's script a second time.
        context = "fork" if sys.platform == "linux" else None
        self._envs = AsyncVectorEnv(
            makers, shared_memory=False, copy=False, context=context,
            autoreset_mode=AutoresetMode.DISABLED,
        )  # fmt: skip

    def begin(
        self, starts: Mapping[int, EpisodeStart]
    ) -> tuple[Any, list[tuple[int, EpisodeResult]]]:
        observations, infos = self._envs.reset(options=_options(starts))
        return join(observations), [pair for pairs in infos["ended"] for pair in pairs]

    def step(self, actions: NDArray[Any]) -> tuple[Any, list[tuple[int, EpisodeResult]]]:
        shares = tuple(np.split(actions, self._ends))
        observations, _, _, _, infos = self._envs.step(shares)
        return join(observations), [pair for pairs in infos["ended"] for pair in pairs]

    def play_episodes(self, agent: Any, starts: Sequence[EpisodeStart]) -> list[EpisodeResult]:
        import cloudpickle  # type: ignore[import-untyped]

        try:
            sent = cloudpickle.dumps(agent)
        except Exception:
            return [self._alone.play_episode(agent, start) for start in starts]
        count = len(self._shares)
        parts = {share[0]: starts[index::count] for index, share in enumerate(self._shares)}
        results = self._envs.call("play_episodes", sent, parts)
        return [results[index % count][index // count] for index in range(len(starts))]

    def close(self, force: bool = False) -> None:
        self._alone.close()
        if force:  # after an error, the processes might not answer
            for process in self._envs.processes:
                process.terminate()
                process.join()
            self._envs.closed = True
        self._envs.close()


def _options(starts: Mapping[int, EpisodeStart]) -> dict[str, EpisodeStart]:
    return {str(lane): start for lane, start in starts.items()}


def join(batches: Sequence[Any]) -> Any:
    """Concatenate batches of observations, which may be arrays, dicts or tuples."""
    first = batches[0]
    if isinstance(first, Mapping):
        return {key: join([batch[key] for batch in batches]) for key in first}
    if isinstance(first, np.ndarray):
        return np.concatenate(batches)
    return tuple(item for batch in batches for item in batch)


def local_pool(environment: GymEnvironment, spaces: Spaces, lanes: int) -> EnvPool:
    """Lanes in this process."""
    return _LocalPool(environment, spaces, lanes)


@contextlib.contextmanager
def env_pool(
    environment: GymEnvironment, spaces: Spaces, lanes: int, processes: int
) -> Iterator[EnvPool]:
    """Lanes in one or several processes, which are closed at the end."""
    pool: EnvPool
    if processes == 1:
        pool = _LocalPool(environment, spaces, lanes)
    else:
        pool = _ProcessPool(environment, spaces, lanes, min(processes, lanes))
    try:
        yield pool
    except (EOFError, BrokenPipeError, ConnectionResetError) as error:
        pool.close(force=True)
        raise ChildProcessError(
            f"a worker process of {spaces.name} died; use workers=1 to play without processes"
        ) from error
    except BaseException:
        pool.close(force=True)
        raise
    pool.close()
