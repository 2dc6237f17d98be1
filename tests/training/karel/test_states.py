"""A training of a synthesizer that was interrupted continues with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from taskspace.agents.karel.network import Size
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.training.karel import learning
from taskspace.training.karel.learning import TrainingSettings, learn
from taskspace.training.karel.states import TrainingState
from taskspace.training.workers import save_agents

TINY = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)
# With a negative delta, every measurement of skill gives a snapshot.
SETTINGS = TrainingSettings(
    TINY, steps=9, batch=32, rate=3e-3, final_rate_fraction=0.1, every=2, delta=-1, skill_tasks=20
)


class KilledError(Exception):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def tasks() -> dict[str, KarelTasks]:
    return generate_tasks(200, seed=0, side=6, progress=False)[0]


@pytest.fixture
def train(tasks: dict[str, KarelTasks], tmp_path: Path) -> Callable[..., bytes]:
    """A training as the bytes of its population; `until` ends it after this many steps."""
    few = tasks["validation"][:20]

    def run(checkpoints: Checkpoints, until: int = SETTINGS.steps) -> bytes:
        done = 0

        def report(steps: int) -> None:
            nonlocal done
            done += steps
            if until <= done < SETTINGS.steps:
                raise KilledError

        agents = learn(
            "all", tasks["training"], few, SETTINGS,
            seed=1, report=report, checkpoints=checkpoints,
        )  # fmt: skip
        assert done == SETTINGS.steps  # the progress bar is full
        save_agents(agents, tmp_path / "agents.zip")
        return (tmp_path / "agents.zip").read_bytes()

    return run


@pytest.fixture
def steps_taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for every training step that is computed."""
    taken: list[int] = []
    step = learning._step

    def spy(state: TrainingState, *batch: object) -> None:
        step(state, *batch)  # type: ignore[arg-type]
        taken.append(state.steps)

    monkeypatch.setattr(learning, "_step", spy)
    return taken


def test_an_interrupted_training_continues_with_the_same_bits(
    train: Callable[..., bytes], tmp_path: Path, steps_taken: list[int]
) -> None:
    whole = train(NONE)
    steps_taken.clear()
    store = Checkpoints(tmp_path / "pieces", seconds=0)
    for until in (2, 6):
        with pytest.raises(KilledError):
            train(store, until)
    assert train(store) == whole
    # The last step before an interruption was not stored yet, because its report came first.
    assert steps_taken == [1, 2, 2, 3, 4, 5, 6, 6, 7, 8, 9]


def test_a_finished_training_is_not_repeated(
    train: Callable[..., bytes], tmp_path: Path, steps_taken: list[int]
) -> None:
    store = Checkpoints(tmp_path / "pieces", seconds=0)
    whole = train(store)
    steps_taken.clear()
    assert train(store) == whole
    assert steps_taken == []


def test_nothing_is_stored_before_its_time(train: Callable[..., bytes], tmp_path: Path) -> None:
    train(Checkpoints(tmp_path / "pieces", seconds=3600))
    assert not (tmp_path / "pieces").exists()


@pytest.mark.parametrize("name", ["state.npz", "2.zip"])
def test_damage_costs_time_only(
    train: Callable[..., bytes], tmp_path: Path, steps_taken: list[int], name: str
) -> None:
    whole = train(NONE)
    store = Checkpoints(tmp_path / "pieces", seconds=0)
    with pytest.raises(KilledError):
        train(store, 6)
    content = bytearray((tmp_path / "pieces" / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "pieces" / name).write_bytes(content)
    steps_taken.clear()
    assert train(store) == whole
    assert steps_taken == list(range(1, 10))
