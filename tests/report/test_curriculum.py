"""Tables and pictures of curricula."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.report.curriculum import PANELS, curriculum_table, draw_curriculum
from tests.messages import says


def trained(tasks: object, rounds: int = 30) -> ts.Curriculum:
    rng, curriculum = np.random.default_rng(0), ts.Curriculum(tasks, seed=0)
    for _ in range(rounds):
        chosen = curriculum.sample(200)
        curriculum.observe(chosen, rng.random(200) < 0.25)
    return curriculum


def test_the_table_follows_the_history() -> None:
    curriculum = trained(np.random.default_rng(1).normal(size=(100, 3)))
    table = curriculum_table(curriculum)
    assert table["episodes"][-1] == 6000
    history = curriculum.history
    np.testing.assert_allclose(table["success"], history.successes.sum(1) / history.attempts.sum(1))
    assert (table["effective_tasks"] <= table["tasks"] + 1e-9).all()
    shares = np.array([row[3] for row in history.records])
    assert shares.min() - 1e-9 <= table["uniform_share"].min()
    assert table["uniform_share"].max() <= shares.max() + 1e-9


@pytest.mark.parametrize("mapped", [True, False])
def test_pictures_have_a_map_where_there_is_one(mapped: bool) -> None:
    tasks = np.random.default_rng(1).normal(size=(60, 3)) if mapped else list("abcdefgh")
    figure = draw_curriculum(trained(tasks))
    scales = ["attempts per task", "success rate"] if mapped else []
    assert len(figure.axes) == 1 + len(scales) * (PANELS + 1)
    assert [ax.get_ylabel() for ax in figure.axes if ax.get_label() == "<colorbar>"] == scales


def test_without_episodes_there_is_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match=says("episodes")):
        draw_curriculum(ts.Curriculum(["a", "b"], seed=0))
