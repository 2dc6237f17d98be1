"""Peaks are measured in a process of its own: this one may use memory again that it has freed."""

from __future__ import annotations

import json
import subprocess
import sys

STEPS = """
import json
import numpy as np
from taskspace.bench.clock import Clock
clock = Clock()
block = clock("make", lambda: np.ones(6_000_000))
clock("use", lambda: block[:10].sum())
print(json.dumps([step.peak for step in clock.steps.values()]))
"""


def test_peaks_are_of_the_step_alone() -> None:
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True)
    made, used = json.loads(done.stdout)
    assert 40e6 < made < 80e6  # 48 MB
    assert used < 20e6
