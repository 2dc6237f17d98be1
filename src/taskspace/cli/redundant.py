"""`taskspace redundant DIR`: list tasks that measure the same thing twice."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from taskspace import checks
from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.json_output import rows
from taskspace.cli.printing import on_screen, print_note, print_table
from taskspace.cli.screen import print_columns

if TYPE_CHECKING:
    from taskspace.applications.redundancy import Redundancy
    from taskspace.runs.run import Run

THRESHOLD, LEVEL = 0.5, 0.95  # as in `redundant`


def add(commands: Any) -> None:
    """Add `redundant` to the commands of a parser."""
    examples = (
        "The output has one row per pair: first and second (the tasks), excess (agreement beyond\n"
        "what the population explains: 0 to 1), low and high (its interval), confirmed (yes if\n"
        "low is at least the threshold), group (0 if the tasks are in different groups or none),\n"
        "agreement (fraction of agents with the same result), expected (the agreement that the\n"
        "population explains), correlation, bits (mutual information), agents (that tried both),\n"
        "and the labels of the tasks. A summary is printed to standard error.\n"
        "\n"
        "examples:\n"
        "  taskspace redundant runs/course                    near-copies, in groups\n"
        "  taskspace redundant runs/course --threshold 0.8    only copies that hardly ever differ\n"
        "  taskspace redundant runs/course --out pairs.csv    write the pairs to a file\n"
        "  taskspace redundant runs/course --candidates       if none is found, what might be\n"
    )
    parser = add_command(
        commands, "redundant", _run, "list tasks that measure the same thing twice", examples
    )
    add_folder(parser)
    parser.add_argument(
        "--threshold", type=float, default=THRESHOLD, metavar="X",
        help="least excess agreement of near-copies, between 0 and 1 (default: 0.5)",
    )  # fmt: skip
    parser.add_argument(
        "--level", type=float, default=LEVEL, metavar="X",
        help="probability that all intervals hold (default: 0.95)",
    )  # fmt: skip
    parser.add_argument(
        "--candidates", action="store_true",
        help="if no pair is a near-copy, list those that would be if each were the only pair"
        " looked at",
    )  # fmt: skip
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List near-copies: pairs of tasks that measure the same thing twice.

    Two tasks are near-copies if agents' results on them differ at most half as often (with
    --threshold 0.5) as on two tasks that share nothing but the population's factors, i.e. general
    ability and a few skills. Intervals are corrected for the number of pairs looked at. If no
    pair is a near-copy, no pair is listed, unless --candidates asks for those that might be.
    """
    checks.fraction(options.threshold, "--threshold")
    checks.fraction(options.level, "--level")
    made = open_folder(options)
    found = _near_copies(made, options.threshold, options.level)
    hidden = not found.groups and not options.candidates
    hint = "; --candidates lists them" if hidden and len(found.first) else ""
    summary = f"{found.summary}{hint}."
    print_note(options, summary)
    groups = _labelled(made, found.group_columns, "keep")
    if on_screen(options):
        if found.groups:
            print_columns(groups)
        elif hidden:
            return
    pairs = found.columns
    if hidden:
        pairs = {name: values[:0] for name, values in pairs.items()}
    said = {"summary": summary, "groups": list(rows(groups)) if options.json else []}
    print_table(options, _labelled(made, pairs, "first", "second"), **said)


def _near_copies(made: Run, threshold: float, level: float) -> Redundancy:
    """Near-copies; with the default options, those that the run folder has."""
    from taskspace.applications.redundancy import Redundancy, redundant

    if (threshold, level) == (THRESHOLD, LEVEL) and isinstance(made.redundancy, Redundancy):
        return made.redundancy
    return redundant(made, threshold=threshold, level=level)


def _labelled(made: Run, columns: dict[str, Any], *tasks: str) -> dict[str, Any]:
    """The columns, and then the labels of the tasks in some of them."""
    labels = made.outcomes.task_labels
    if not labels:
        return columns
    indices = {task: [made.task_index(str(name)) for name in columns[task]] for task in tasks}
    found = {
        f"{task}:{label}": values[numbers]
        for label, values in labels.items()
        for task, numbers in indices.items()
    }
    return {**columns, **found}
