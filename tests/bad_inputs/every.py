"""All bad inputs."""

from __future__ import annotations

from tests.bad_inputs import applications, models, outcomes, tables
from tests.bad_inputs.cases import Command

CALLS = [*tables.CALLS, *outcomes.CALLS, *models.CALLS, *applications.CALLS]
COMMANDS: list[Command] = []
