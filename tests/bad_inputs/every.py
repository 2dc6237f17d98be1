"""All bad inputs."""

from __future__ import annotations

from tests.bad_inputs.cases import Call, Command
from tests.bad_inputs.commands import EVERY

CALLS: list[Call] = []
COMMANDS: list[Command] = EVERY
