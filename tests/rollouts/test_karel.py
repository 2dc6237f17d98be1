"""How synthesizers do on Karel tasks."""

from __future__ import annotations

import pytest

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.rollouts.karel import play
from tests.messages import says


@pytest.fixture(scope="module")
def tasks() -> dict[str, KarelTasks]:
    return generate_tasks(200, seed=0, side=6, progress=False)[0]


def test_nobody_to_play_is_told(tasks: dict[str, KarelTasks]) -> None:
    with pytest.raises(ValueError, match=says("agent task")):
        play({}, tasks["training"])
