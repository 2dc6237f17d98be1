"""The population of synthesizers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from taskspace.agents.karel.network import Size
from taskspace.agents.population import Population
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.rollouts.karel import play
from taskspace.torch_state import one_thread
from taskspace.training.karel.learning import TrainingSettings
from taskspace.training.karel.recipes import train_synthesizers
from tests.messages import says

TINY = Size(side=6, radius=5, channels=4, blocks=1, code=32, token=16, hidden=48)
BRIEF = TrainingSettings(TINY, steps=16, batch=32, rate=3e-3, every=4, delta=-1, skill_tasks=20)


@pytest.fixture(scope="module")
def tasks() -> dict[str, KarelTasks]:
    return generate_tasks(200, seed=0, side=6, progress=False)[0]


@pytest.fixture(scope="module")
def undisturbed(tasks: dict[str, KarelTasks]) -> Population:
    return train_synthesizers(
        tasks["training"], tasks["validation"], settings=BRIEF, workers=2, progress=False
    )


@pytest.mark.slow
def test_a_population_plays_as_its_agents_solve(
    tasks: dict[str, KarelTasks], undisturbed: Population, tmp_path: Path
) -> None:
    assert undisturbed.subpopulations == ("all", "no-loops", "no-conditionals", "neither")
    undisturbed.save(tmp_path / "population.zip")
    loaded = Population.load(tmp_path / "population.zip")
    outcomes = play(loaded, tasks["validation"], progress=False)
    with one_thread():
        direct = [a.policy.solves(tasks["validation"]) for a in undisturbed.agents]
    assert np.array_equal(outcomes.successes, np.stack(direct))
    assert outcomes.features is not None
    assert outcomes.features.dtype == np.uint8
    assert (outcomes.rollouts == 1).all()


def test_unknown_training_settings_are_refused(tasks: dict[str, KarelTasks]) -> None:
    with pytest.raises(ValueError, match=says("'huge' fast small paper")):
        train_synthesizers(tasks["training"], tasks["validation"], settings="huge")


# -- kills -----------------------------------------------------------------------------------------

TRAINED = """
import sys
from pathlib import Path
from taskspace.checkpoints import Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.training.karel.recipes import train_synthesizers
from tests.training.karel.test_recipes import BRIEF

folder, workers = Path(sys.argv[1]), int(sys.argv[2])
tasks = [KarelTasks.load(folder / f"{name}.npz") for name in ("training", "validation")]
population = train_synthesizers(
    *tasks, settings=BRIEF, workers=workers, progress=False,
    checkpoints=Checkpoints(folder / "pieces", seconds=0),
)
population.save(folder / "resumed.zip")
"""


def start(folder: Path, workers: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", TRAINED, str(folder), str(workers)], stdin=subprocess.DEVNULL
    )


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 300
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.slow
def test_a_killed_training_ends_with_the_same_bits_on_any_number_of_cores(
    tasks: dict[str, KarelTasks], tmp_path: Path, undisturbed: Population
) -> None:
    """It is killed and continued on one core and on two, and ends on one."""
    undisturbed.save(tmp_path / "undisturbed.zip")
    for name, some in tasks.items():
        some.save(tmp_path / f"{name}.npz")
    # Within the first training; then, on two cores, after it and within others.
    for workers, moment in ((1, "all/8.zip"), (2, "0.zip")):
        process = start(tmp_path, workers)
        wait_for(tmp_path / "pieces" / moment, process)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not (tmp_path / "resumed.zip").exists()
    assert start(tmp_path, 1).wait() == 0
    resumed, expected = (tmp_path / f"{name}.zip" for name in ("resumed", "undisturbed"))
    assert resumed.read_bytes() == expected.read_bytes()
