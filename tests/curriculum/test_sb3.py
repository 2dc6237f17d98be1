"""The callback in real trainings of Stable-Baselines3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.to_gymnasium import TaskVectorEnv
from tests.messages import says

sb3 = pytest.importorskip("stable_baselines3")

TASKS = ts.make("MultiKeyNav").sample_tasks(50, seed=0)


def one_env() -> gym.Env[Any, Any]:
    return ts.TaskSampler(gym.make("taskspace/MultiKeyNav-v0", tasks=TASKS))


def environments(kind: str) -> Any:
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    from taskspace.training.sb3_env import SB3Env

    if kind == "ours":
        return SB3Env(ts.VectorTaskSampler(TaskVectorEnv("MultiKeyNav", 8, tasks=TASKS)), seed=0)
    wrap = DummyVecEnv if kind == "dummy" else SubprocVecEnv
    return wrap([one_env, one_env])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ours", "dummy", "subproc"])
def test_training_feeds_the_curriculum(kind: str, tmp_path: Path) -> None:
    curriculum = ts.Curriculum(TASKS, seed=0, handover=False)
    callback = ts.CurriculumCallback(curriculum, tmp_path / "c.npz")
    envs = environments(kind)
    model = sb3.PPO("MlpPolicy", envs, n_steps=128, batch_size=128, device="cpu", seed=0)
    model.learn(2048, callback=callback)
    assert curriculum.updates > 0
    waiting = sum(len(tasks) for tasks, _ in curriculum._waiting)
    assert curriculum.history.episodes + waiting > 200
    assert ts.Curriculum.load(tmp_path / "c.npz").history.episodes > 0
    envs.close()


@pytest.mark.parametrize("kind", ["ours", "dummy", "subproc"])
def test_a_curriculum_on_other_tasks_is_refused(kind: str) -> None:
    envs = environments(kind)
    model = sb3.PPO("MlpPolicy", envs, n_steps=64, batch_size=64, device="cpu", seed=0)
    others = ts.make("MultiKeyNav").sample_tasks(50, seed=1)
    for tasks, got in (
        (others, "other tasks or another order"),
        (TASKS[::-1], "another order"),
        (TASKS[:20], "20 tasks instead of 50"),
    ):
        curriculum = ts.Curriculum(tasks, seed=0)
        with pytest.raises(ValueError, match=says(f"in the same order {got}")):
            model.learn(64, callback=ts.CurriculumCallback(curriculum))
        assert curriculum.updates == 0
    envs.close()


@pytest.mark.slow
def test_weights_reach_the_environments_within_step() -> None:
    """A curriculum that wants one task only gets it, apart from the uniform share."""
    only = np.arange(50) == 9
    curriculum = ts.Curriculum(TASKS, rule=lambda now: only * 1.0, seed=0, handover=False)
    envs = environments("dummy")
    model = sb3.PPO("MlpPolicy", envs, n_steps=256, batch_size=128, device="cpu", seed=0)
    model.learn(1024, callback=ts.CurriculumCallback(curriculum))
    tried = curriculum.history.attempts.sum(0)
    assert 0.45 < tried[9] / tried.sum() < 0.65  # half, and its part of the uniform share


def test_values_are_logged_for_tensorboard() -> None:
    from stable_baselines3.common.logger import KVWriter, Logger

    callback = ts.CurriculumCallback(ts.Curriculum(TASKS, seed=0, share=0.3, handover=False))
    model = sb3.PPO("MlpPolicy", environments("dummy"), n_steps=64, batch_size=64, device="cpu")
    recorded: dict[str, float] = {}

    class Output(KVWriter):  # type: ignore[misc]
        def write(self, values: dict[str, float], *_: Any) -> None:
            recorded.update(values)

    model.set_logger(Logger(None, [Output()]))
    model.learn(64, callback=callback)
    assert recorded["curriculum/uniform_share"] == pytest.approx(0.3)


def test_environments_without_a_sampler_are_refused() -> None:
    model = sb3.PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=64, device="cpu")
    with pytest.raises(ValueError, match=says("taskspace.TaskSampler")):
        model.learn(64, callback=ts.CurriculumCallback(ts.Curriculum(TASKS, seed=0)))
    with pytest.raises(TypeError, match=says("curriculum")):
        ts.CurriculumCallback("curriculum")  # type: ignore[arg-type]
