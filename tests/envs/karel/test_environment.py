"""Karel as an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.language import PAD
from tests.messages import says


@pytest.fixture(scope="module")
def env() -> Karel:
    found = generate_tasks(200, seed=0, side=6, progress=False)[0]
    return Karel(found["training"], found["validation"])


def test_tasks_are_rows_that_stand_for_themselves(env: Karel) -> None:
    rows = env.sample_tasks(30, seed=0)
    assert rows.dtype == np.uint8
    assert rows.shape == (30, env.state_size)
    assert len({row.tobytes() for row in rows}) == 30
    assert np.array_equal(KarelTasks.from_rows(rows).rows(), rows)
    assert np.array_equal(env.check_tasks(rows.astype(float)), rows)


def test_distributions_do_not_overlap(env: Karel) -> None:
    seen = {row.tobytes() for row in env.table("all")}
    assert not seen & {row.tobytes() for row in env.table("validation")}
    drawn = env.sample_tasks(10, seed=1, distribution="validation")
    assert not seen & {row.tobytes() for row in drawn}


def test_clusters_are_the_kinds_of_programs(env: Karel) -> None:
    rows = env.table("all")
    names = [env.cluster_names[number] for number in env.clusters(rows)]
    assert names == env.training.kinds.tolist()
    assert set(names) == {"plain", "loops", "conditionals"}


def test_a_task_is_drawn_with_its_program(env: Karel, tmp_path: Path) -> None:
    row = env.sample_tasks(1, seed=0)[0]
    ax = env.draw_task(row)
    assert len(ax.child_axes) == 4
    assert "DEF run" in env.text(row)
    figure: Any = ax.figure
    figure.savefig(tmp_path / "task.png")
    assert (tmp_path / "task.png").stat().st_size > 5000


def test_what_is_no_task_is_refused(env: Karel) -> None:
    row = env.sample_tasks(1, seed=0)[0]
    with pytest.raises(ValueError, match=says("Karel 1800 (1, 1799)")):
        env.check_tasks(row[:-1])
    with pytest.raises(ValueError, match=says("Karel 0 255")):
        env.check_tasks(row + 0.5)
    with pytest.raises(ValueError, match=says("Karel 0 255")):
        env.check_tasks(np.full(1800, np.nan))
    broken = row.copy()
    broken[3] = PAD
    with pytest.raises(ValueError, match=says("program 0")):
        env.check_tasks(broken)
    with pytest.raises(ValueError, match=says("training validation")):
        Karel(env.training)


def test_it_is_made_by_name_but_has_no_steps() -> None:
    made = ts.make("karel")
    assert made.name == "Karel"
    with pytest.raises(ValueError, match=says("Karel steps")):
        _ = made.lanes
