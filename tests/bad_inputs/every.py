"""All bad inputs."""

from __future__ import annotations

from tests.bad_inputs.cases import Call, Command

CALLS: list[Call] = []
COMMANDS: list[Command] = []
