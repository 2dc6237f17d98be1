"""`taskspace curriculum FILE`: show what a curriculum trained on when."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from taskspace.cli.arguments import add_command, add_out
from taskspace.cli.printing import print_table

_EPILOG = """The output has one row per interval: episodes (at its end), tasks (that were tried),
effective_tasks (the exponential of the entropy of attempts), success (rate of all episodes),
uniform_success (rate of uniform episodes), mean_p (predicted over all tasks), uniform_share (1 if
training was handed over to uniform tasks), and memory (of the estimates, in episodes).

examples:
  taskspace curriculum curriculum.npz
  taskspace curriculum curriculum.npz --picture curriculum.png
"""


def add(commands: Any) -> None:
    """Add `curriculum` to the commands of a parser."""
    parser = add_command(
        commands, "curriculum", _run, "show what a curriculum trained on when", _EPILOG
    )
    parser.add_argument(
        "file", metavar="FILE", help="file written by Curriculum.save or CurriculumCallback"
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="also draw it over the map of the tasks, .png or .svg"
    )
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Show what a finished or running curriculum trained on when.

    The picture shows success over time and, over the map of the tasks, what was tried and how
    often it was solved.
    """
    from taskspace.curriculum.storage import load
    from taskspace.files import check_target, write_figure
    from taskspace.outcomes.table_streams import check_out
    from taskspace.report.curriculum import curriculum_table, draw_curriculum

    check_out(options.out, options.file)
    picture = None if options.picture is None else check_target(options.picture)
    if picture is not None and picture.suffix.lower() not in (".png", ".svg"):
        raise ValueError(f"--picture must be a .png or .svg file, got {options.picture!r}")
    found = load(Path(options.file), instead="uniform")  # the rule is not shown
    print_table(options, curriculum_table(found))
    if picture is not None:
        write_figure(draw_curriculum(found), picture, dpi=150)
