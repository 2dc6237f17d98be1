"""`check_env` passes our environments and tells what is wrong with broken ones."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import ArrayLike, NDArray

import taskspace as ts
from taskspace.envs import multikeynav
from taskspace.envs.base import Column, Environment
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.envs.streams import uniform
from taskspace.testing import check_env
from tests.messages import says

# -- broken scalar functions -----------------------------------------------------------------------


@njit
def idle_expert(state: Any) -> int:
    return 0


@njit
def leaving_step(state: Any, action: Any, stream: Any) -> int:
    state[0] += 0.075 if action == 1 else -0.075
    return RUNNING


@njit
def nan_step(state: Any, action: Any, stream: Any) -> int:
    state[0] = np.nan
    return RUNNING


@njit
def strange_step(state: Any, action: Any, stream: Any) -> int:
    return 7


@njit
def hasty_step(state: Any, action: Any, stream: Any) -> int:
    return 3  # out of time, which is for the horizon to say


@njit
def constant_sample(task: Any, stream: Any, distribution: Any) -> None:
    task[:] = 0.0
    task[0] = 0.5


@njit
def invalid_sample(task: Any, stream: Any, distribution: Any) -> None:
    task[:] = 0.0
    task[0] = 2.0 * uniform(stream)


@njit
def coin_sample(task: Any, stream: Any, distribution: Any) -> None:
    task[0] = uniform(stream)


@njit
def coin_step(state: Any, action: Any, stream: Any) -> int:
    return SOLVED if (state[0] < 0.5) == (action == 0) else FAILED


@njit
def coin_expert(state: Any) -> int:
    return 0 if state[0] < 0.5 else 1


# -- environments that break one promise each ------------------------------------------------------


class IdleExpert(MultiKeyNav):
    expert = idle_expert


class ClusterTooMany(MultiKeyNav):
    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        return super().clusters(tasks) + 1


class OneClusterForAll(MultiKeyNav):
    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        return np.zeros(1, np.int64)


class TwoColumnsOfOneName(MultiKeyNav):
    columns = (*MultiKeyNav.columns[:-1], Column("doorBit1", 0, 1, integer=True))
    context = ("doorBit1", "doorBit1")


class UnknownContext(MultiKeyNav):
    context = ("doorBit1", "doorBit3")


class ContextChanges(MultiKeyNav):
    context = ("doorBit1", "keyA")


class NoHorizon(MultiKeyNav):
    horizon = 0


class GammaTooLarge(MultiKeyNav):
    gamma = 1.5


class LeavesItsBounds(MultiKeyNav):
    step = leaving_step


class NotFinite(MultiKeyNav):
    step = nan_step


class StrangeStatus(MultiKeyNav):
    step = strange_step


class OutOfTimeTooSoon(MultiKeyNav):
    step = hasty_step


class SeedsDoNotMatter(MultiKeyNav):
    sample = constant_sample


class SamplesInvalidTasks(MultiKeyNav):
    sample = invalid_sample


class SamplesAnew(MultiKeyNav):
    def sample_tasks(
        self, n: int, *, seed: int | None = None, distribution: str = "all"
    ) -> NDArray[np.float64]:
        return super().sample_tasks(n, distribution=distribution)


class AcceptsAnything(MultiKeyNav):
    def check_tasks(self, tasks: ArrayLike) -> NDArray[np.float64]:
        return np.atleast_2d(np.asarray(tasks, np.float64))


class Silent(MultiKeyNav):
    def text(self, state: NDArray[np.float64]) -> str:
        return " "


class DrawsNothing(MultiKeyNav):
    def draw_state(self, state: NDArray[np.float64], ax: Any) -> None:
        ax.axis("off")


class Coin(Environment):
    """The smallest environment that keeps all promises: say which half the number is in."""

    name = "Coin"
    varies_by = "reward function"
    columns = (Column("number", 0.0, 1.0),)
    context = ("number",)
    action_names = ("low", "high")
    horizon = 1
    gamma = 0.9
    cluster_names = ("low", "high")
    sample, step, expert = coin_sample, coin_step, coin_expert

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        return (np.atleast_2d(tasks)[:, 0] >= 0.5).astype(np.int64)

    def draw_state(self, state: NDArray[np.float64], ax: Any) -> None:
        ax.plot(state[0], 0, "o")

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Any) -> None:
        self.draw_state(states[0], ax)


# -- tests -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_our_environments_pass(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Gymnasium, about unbounded states
        check_env(ts.make(name))


@pytest.mark.slow
def test_an_environment_of_ones_own_passes() -> None:
    check_env(Coin())


@pytest.mark.parametrize(
    ("broken", "tokens"),
    [
        (IdleExpert, "expert tasks 99"),
        (ClusterTooMany, "clusters cluster_names"),
        (OneClusterForAll, "clusters label task"),
        (TwoColumnsOfOneName, "columns names"),
        (ContextChanges, "context columns never change keyA"),
        (UnknownContext, "context columns 'doorBit3'"),
        (NoHorizon, "horizon 0 1"),
        (GammaTooLarge, "gamma 1.5 (0, 1]"),
        (LeavesItsBounds, "states observation space"),
        (NotFinite, "states finite"),
        (StrangeStatus, "status"),
        (OutOfTimeTooSoon, "time horizon"),
        (SeedsDoNotMatter, "different seeds tasks"),
        (SamplesAnew, "equal seeds tasks"),
        (AcceptsAnything, "check_tasks NaN"),
        (Silent, "text must empty"),
        (DrawsNothing, "draw_task"),
    ],
)
def test_a_broken_promise_is_told(broken: type[Environment], tokens: str) -> None:
    with pytest.raises(AssertionError, match=says(tokens)):
        check_env(broken())


def test_sampled_tasks_that_are_invalid_are_told() -> None:
    with pytest.raises(ValueError, match=r"location.*\b1\.\d+"):
        check_env(SamplesInvalidTasks())


def test_the_broken_environments_are_right_apart_from_one_thing() -> None:
    class Renamed(MultiKeyNav):
        name = "Renamed"

    check_env(Renamed())
    assert Renamed.step is multikeynav.step
