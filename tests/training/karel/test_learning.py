"""Synthesizers learn, become a population, are written down and play."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from taskspace.agents.karel.network import Size
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.grammar import random_programs
from taskspace.training.karel import learning
from taskspace.training.karel.learning import TrainingSettings, allowed_tokens, learn

TINY = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)
BRIEF = TrainingSettings(TINY, steps=6, batch=32, rate=3e-3, every=3, skill_tasks=20)


@pytest.fixture(scope="module")
def tasks() -> dict[str, KarelTasks]:
    return generate_tasks(200, seed=0, side=6, progress=False)[0]


def test_allowed_tokens_allow_the_program() -> None:
    programs = random_programs(50, seed=0, longest=14)
    allowed = allowed_tokens(programs)
    taken = np.take_along_axis(allowed, programs[:, :, None].astype(np.int64), 2)
    assert taken.all()
    assert allowed[:, 0].sum(1).tolist() == [1] * 50  # DEF and nothing else


@pytest.mark.slow
def test_a_network_learns_a_few_tasks_by_heart(tasks: dict[str, KarelTasks]) -> None:
    few = tasks["training"][:100]
    settings = TrainingSettings(TINY, steps=250, batch=32, rate=6e-3, every=50)
    agents = learn("all", few, few, settings, seed=0)
    assert agents[0].step == 0
    assert agents[0].skill < 0.1
    assert agents[-1].skill > 0.5
    skills = [agent.skill for agent in agents]
    assert all(b >= a + settings.delta for a, b in itertools.pairwise(skills))


@pytest.mark.slow
def test_a_subpopulation_sees_its_kinds_only(
    tasks: dict[str, KarelTasks], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []
    batches = learning.batches

    def spy(chosen: KarelTasks, *rest: object) -> object:
        seen.append(set(chosen.kinds))
        return batches(chosen, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(learning, "batches", spy)
    for name in learning.SUBPOPULATIONS:
        learn(name, tasks["training"], tasks["validation"], replace(BRIEF, steps=1, every=1))
    kinds = [{"plain", "loops", "conditionals"}, {"plain", "conditionals"}, {"plain", "loops"}]
    assert seen == [*kinds, {"plain"}]
