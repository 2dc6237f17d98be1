"""None of the bad inputs gives a wrong answer, a traceback or an unclear message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.cases import Call, Command
from tests.bad_inputs.every import CALLS, COMMANDS


@pytest.mark.parametrize("case", CALLS, ids=[case.name for case in CALLS])
def test_a_function_refuses_a_bad_input(case: Call, tmp_path: Path) -> None:
    assert case.fault(tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize("case", COMMANDS, ids=[case.name for case in COMMANDS])
def test_a_command_refuses_a_bad_input(case: Command, tmp_path: Path) -> None:
    assert case.fault(tmp_path) is None


def test_there_are_enough_inputs_with_different_names() -> None:
    names = [case.name for case in CALLS] + [case.name for case in COMMANDS]
    assert len(set(names)) == len(names)
    assert len(names) >= 300
