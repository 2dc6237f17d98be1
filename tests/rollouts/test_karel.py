"""How synthesizers do on Karel tasks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from taskspace.agents.karel.network import Size, Synthesizer
from taskspace.agents.karel.policy import SynthesisPolicy
from taskspace.checkpoints import Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.rollouts import karel
from taskspace.rollouts.karel import play
from taskspace.torch_state import one_thread, torch_seed
from tests.messages import says


@pytest.fixture(scope="module")
def tasks() -> dict[str, KarelTasks]:
    return generate_tasks(200, seed=0, side=6, progress=False)[0]


def test_nobody_to_play_is_told(tasks: dict[str, KarelTasks]) -> None:
    with pytest.raises(ValueError, match=says("agent task")):
        play({}, tasks["training"])


def test_every_agent_plays_every_task_once(tasks: dict[str, KarelTasks]) -> None:
    few = tasks["validation"][:5]
    size = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)
    with torch_seed(0):
        population = {name: SynthesisPolicy(Synthesizer(size)) for name in ("a", "b")}
    threads = torch.get_num_threads()
    outcomes = play(population, few, progress=False)
    assert torch.get_num_threads() == threads
    assert outcomes.agents.tolist() == ["a", "b"]
    assert (outcomes.rollouts == 1).all()
    assert outcomes.info["environment"] == "Karel"
    np.testing.assert_array_equal(np.asarray(outcomes.features), few.rows())
    with one_thread():
        solved = [policy.solves(few) for policy in population.values()]
    np.testing.assert_array_equal(outcomes.successes, solved)


def test_finished_pieces_are_not_played_again(
    tasks: dict[str, KarelTasks], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(karel, "BLOCK", 4)
    few = tasks["validation"][:10]
    size = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)
    with torch_seed(0):
        population = {name: SynthesisPolicy(Synthesizer(size)) for name in ("a", "b")}
    played: list[int] = []
    solves = SynthesisPolicy.solves

    def spy(policy: SynthesisPolicy, some: KarelTasks) -> object:
        played.append(len(some))
        if len(played) == 5:
            raise InterruptedError
        return solves(policy, some)

    monkeypatch.setattr(SynthesisPolicy, "solves", spy)
    monkeypatch.setattr(karel, "available_cores", lambda: 1)
    store = Checkpoints(tmp_path)
    with pytest.raises(InterruptedError):
        play(population, few, progress=False, checkpoints=store)
    assert len(list(tmp_path.iterdir())) == 4
    first = tmp_path / "0-0.npz"
    first.write_bytes(first.read_bytes()[:-1])  # damaged: it is played again
    again = play(population, few, progress=False, checkpoints=store)
    assert sorted(played[-3:]) == [2, 4, 4]
    whole = play(population, few, progress=False)
    np.testing.assert_array_equal(again.successes, whole.successes)
