"""Run all bad inputs, and print how many were answered as expected."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import cast

from taskspace.progress import progress_bar
from tests.bad_inputs.cases import Call, Command
from tests.bad_inputs.every import CALLS, COMMANDS


def main() -> int:
    """Print the faults and the counts; the result is the number of faults."""
    faults, cases = [], cast("list[Call | Command]", [*CALLS, *COMMANDS])
    with progress_bar("Bad inputs", len(cases)) as advance:
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                fault = case.fault(Path(folder))
            if fault is not None:
                faults.append(f"{case.name}: {fault}")
            advance(1)
    print("\n".join(faults))
    silent = sum("SILENT" in fault for fault in faults)
    print(
        f"{len(CALLS)} calls and {len(COMMANDS)} commands: {len(cases) - len(faults)} answered as"
        f" expected, {len(faults)} not, {silent} of them silently wrong"
    )
    return len(faults)


if __name__ == "__main__":
    raise SystemExit(min(main(), 1))
