"""All bad commands."""

from __future__ import annotations

from tests.bad_inputs.cases import Command
from tests.bad_inputs.fit_commands import FITS
from tests.bad_inputs.other_commands import OTHERS
from tests.bad_inputs.query_commands import QUERIES

EVERY: list[Command] = [*FITS, *QUERIES, *OTHERS]
