"""All bad inputs."""

from __future__ import annotations

from tests.bad_inputs import applications, environments, measures, models, outcomes, runs, tables
from tests.bad_inputs.cases import Command
from tests.bad_inputs.commands import EVERY

CALLS = [
    *tables.CALLS, *outcomes.CALLS, *models.CALLS, *applications.CALLS, *environments.CALLS,
    *runs.CALLS, *measures.CALLS,
]  # fmt: skip
COMMANDS: list[Command] = EVERY
