"""None of the bad inputs gives a wrong answer, a traceback or an unclear message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.cases import Call, Command
from tests.bad_inputs.every import CALLS, COMMANDS
from tests.commands import in_a_process

# A process takes seconds. The last cases are refused by more than the parser of arguments.
ONE_PER_VERB = list({case.verb: case for case in COMMANDS}.values())


@pytest.mark.parametrize("case", CALLS, ids=[case.name for case in CALLS])
def test_a_function_refuses_a_bad_input(case: Call, tmp_path: Path) -> None:
    assert case.fault(tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize("case", COMMANDS, ids=[case.name for case in COMMANDS])
def test_a_command_refuses_a_bad_input(case: Command, tmp_path: Path) -> None:
    assert case.fault(tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize("case", ONE_PER_VERB, ids=[case.verb for case in ONE_PER_VERB])
def test_a_process_refuses_a_bad_input(case: Command, tmp_path: Path) -> None:
    assert case.fault(tmp_path, in_a_process) is None


def test_there_are_enough_inputs_with_different_names() -> None:
    names = [case.name for case in CALLS] + [case.name for case in COMMANDS]
    assert len(set(names)) == len(names)
    assert len(names) >= 300
