"""The benchmark of answers measures every command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from taskspace.bench.answers import BASELINE, COMMANDS, as_json, measure, measure_run, results


def test_the_time_of_a_process_is_its_own(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    taken = measure([sys.executable, "-c", busy], tmp_path, repeats=1)
    assert 0.25 < taken.cpu < 3
    assert taken.wall >= 0.25


@pytest.mark.slow
def test_every_command_is_measured() -> None:
    found = measure_run(results(20, 30, features=False), repeats=1)
    assert set(found) == {BASELINE, *COMMANDS}
    assert all(taken.cpu > 0 for taken in found.values())
    assert as_json({"run": found})["run"]["quiz"].keys() == {"cpu", "wall"}
