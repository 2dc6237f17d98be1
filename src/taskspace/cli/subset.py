"""`taskspace subset DIR -k 30`: choose a short test that predicts the full score."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace import checks
from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import print_note, print_table
from taskspace.files import check_target, write_figure

if TYPE_CHECKING:
    from taskspace.applications.subset import Subset
    from taskspace.applications.subset_comparison import SubsetComparison
    from taskspace.runs.run import Run

_IMAGES = (".png", ".svg")


def add(commands: Any) -> None:
    """Add `subset` to the commands of a parser."""
    examples = (
        "The output has one row per chosen task: task, success (mean success rate of the agents)\n"
        "and weight. The first row is the intercept. The full score of an agent is estimated by\n"
        "the intercept plus the sum of weight x result; below 0 it counts as 0, above 1 as 1.\n"
        "Results are those of the table, e.g. from 0 to K in a run with --max-score K; the score,\n"
        "like success, is from 0 to 1.\n"
        "With --by, the score on the tasks of each value of a label has a column of weights of\n"
        "its own. Labels of the tasks, e.g. their text, come last.\n"
        "\n"
        "With --compare, the output has one row per number of tasks and method: error (mean\n"
        "absolute error of the full score of left-out agents), label_error (of the scores by\n"
        "label), standard_error, gain (over random tasks) and gain_standard_error.\n"
        "\n"
        "examples:\n"
        "  taskspace subset runs/course -k 30                    30 tasks and their weights\n"
        "  taskspace subset runs/course -k 30 --by topic         for the score on each topic, too\n"
        "  taskspace subset runs/course -k 30 --compare          errors of this and other choices\n"
        "  taskspace subset runs/course -k 30 --plot errors.png  the same as a figure\n"
    )
    parser = add_command(
        commands, "subset", _run, "choose a short test that predicts the full score", examples
    )
    add_folder(parser)
    parser.add_argument(
        "-k", type=int, default=30, metavar="N", help="number of tasks (default: 30)"
    )
    parser.add_argument("--by", metavar="LABEL", help="predict the score on each value of a label")
    parser.add_argument(
        "--at-least", type=int, metavar="N",
        help="least number of tasks per value of the label --by (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--compare", action="store_true", help="print the errors of ways to choose tasks instead"
    )
    parser.add_argument("--plot", metavar="FILE", help="plot the errors, e.g. to errors.png")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed (default: 0)")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Choose a fixed short test: tasks from which the full score of new agents is predicted best.

    The tasks are chosen for what they tell about the score under a model of the population, and
    compared with random tasks, the most disputed tasks and anchor points, on agents that are left
    out of the choice in turn. The verdict is printed to standard error.
    """
    from taskspace.applications.subset import check_least, check_size

    checks.whole(options.k, "-k", 1)
    check_least(options.at_least, options.by, options=True)
    checks.seed(options.seed)
    _check_plot(options.plot)
    made = open_folder(options)
    check_size(made.outcomes, options.k, options.by, options.at_least, options=True)
    found = _short_test(made, options)
    columns = found.comparison.columns if options.compare else _labelled(made, found)
    copies = [list(map(str, pair)) for pair in found.near_copies]
    print_table(options, columns, verdict=found.verdict, near_copies=copies)
    print_note(options, found.verdict)
    for pair in copies:
        print_note(options, "These tasks may be near-copies: {}, {}.".format(*pair))
    if options.plot is not None:
        _plot(found.comparison, Path(options.plot))


def _short_test(made: Run, options: argparse.Namespace) -> Subset:
    """The short test; if the run folder has one with the same options, that one."""
    from taskspace.applications.answers import agents_of_test, size_of_test
    from taskspace.applications.subset import Subset, choose_subset

    outcomes, plain = made.outcomes, options.by is None and options.at_least is None
    same = (options.k, options.seed) == (size_of_test(outcomes.n_tasks), made.settings.get("seed"))
    if plain and same and agents_of_test(outcomes) >= outcomes.n_agents:
        known = made.short_test
        if isinstance(known, Subset):
            return known
    return choose_subset(
        made, options.k, by=options.by, at_least=options.at_least, seed=options.seed
    )


def _labelled(made: Run, found: Subset) -> dict[str, Any]:
    """The formula with the labels of the tasks, e.g. the text of a question."""
    from taskspace.outcomes.labels import LABEL
    from taskspace.runs.task_tables import beside

    chosen = [made.task_index(str(task)) for task in found.tasks]
    labels = {
        name: np.append(np.nan if values.dtype.kind == "f" else "", values[chosen])  # the intercept
        for name, values in made.outcomes.task_labels.items()
    }
    return beside(found.columns, labels, LABEL)


def _check_plot(path: str | None) -> None:
    """Refuse a figure that cannot be written, before any work."""
    if path is None:
        return
    if Path(path).suffix.lower() not in _IMAGES:
        raise ValueError(f"--plot must be a file ending in {' or '.join(_IMAGES)}, got {path!r}")
    check_target(path)


def _plot(comparison: SubsetComparison, path: Path) -> None:
    from taskspace.report.plots import plot_errors

    axes: Any = plot_errors(np.unique(comparison.sizes), comparison.curves)
    write_figure(axes.figure, path, dpi=150)
