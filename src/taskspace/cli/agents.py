"""`taskspace agents DIR`: scores of the agents, their strengths, and the most similar agents."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from taskspace import checks
from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import on_screen, print_note, print_table
from taskspace.cli.screen import first_rows, print_columns

if TYPE_CHECKING:
    from taskspace.applications.abilities import Abilities
    from taskspace.runs.run import Run

LEVEL = 0.9  # as in `abilities`


def add(commands: Any) -> None:
    """Add `agents` to the commands of a parser."""
    examples = (
        "The output has one row per agent: score (mean success rate over all tasks; on tasks that\n"
        "it did not try, the predicted probability counts), low and high (for the mean success\n"
        "rate on many tasks of the same kind), tried (number of tasks), strengths and weaknesses\n"
        "(values of the label), most_similar (the agent whose results are most similar beyond\n"
        "what the scores predict) with the correlation, and the score on each value of the label.\n"
        "A summary is printed to standard error.\n"
        "\n"
        "examples:\n"
        "  taskspace agents runs/course                      by the first label, or by cluster\n"
        "  taskspace agents runs/course --by topic           strengths by the label `topic`\n"
        "  taskspace agents runs/course --out agents.csv     write the table to a file\n"
        "  taskspace agents runs/course --compare Ada Ben    where two agents differ\n"
    )
    parser = add_command(
        commands, "agents", _run, "list the agents with scores, intervals and strengths", examples
    )
    add_folder(parser)
    parser.add_argument(
        "--by", metavar="LABEL",
        help="label of the tasks, or `cluster` for those of the map (default: the first label of"
        " texts that divides the tasks into groups, or else cluster)",
    )  # fmt: skip
    parser.add_argument(
        "--level", type=float, default=LEVEL, metavar="X",
        help="probability of the intervals, between 0 and 1 (default: 0.9)",
    )  # fmt: skip
    parser.add_argument(
        "--compare", nargs=2, metavar=("FIRST", "SECOND"),
        help="compare two agents on the tasks that both tried, by label: mean results, and which is"
        " better by more than chance",
    )  # fmt: skip
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List the agents, the highest score first, with intervals, strengths and weaknesses.

    A group of tasks is a strength or a weakness if the agent's score on it differs from what its
    overall score predicts by more than chance, corrected for the number of agents and groups.
    """
    from taskspace.applications.abilities import Abilities, groups_of
    from taskspace.applications.agent_comparison import AgentComparison, compare_agents
    from taskspace.applications.scores import unlabelled

    checks.fraction(options.level, "--level")
    made = open_folder(options)
    by, _, groups = groups_of(made, made.outcomes, options.by, "--by")
    found: Abilities | AgentComparison
    if options.compare is None:
        found = _abilities(made, options.by, options.level)
    else:
        found = compare_agents(made, *options.compare, by=options.by)
    summary = f"{found.summary}. {unlabelled(by, groups) if by else ''}".strip()
    if on_screen(options) and isinstance(found, Abilities):
        print_columns(first_rows(_for_screen(found.columns)), len(found.agents))
    else:
        print_table(options, found.columns, summary=summary)
    print_note(options, summary)


def _for_screen(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns that tell most first, since not all of them fit on a screen."""
    first = ("agent", "score", "low", "high", "most_similar", "strengths", "weaknesses")
    return {name: columns[name] for name in first if name in columns} | columns


def _abilities(made: Run, by: str | None, level: float) -> Abilities:
    """Scores and strengths; with the default options, those that the run folder has."""
    from taskspace.applications.abilities import Abilities, abilities

    if by is None and level == LEVEL and isinstance(made.abilities, Abilities):
        return made.abilities
    return abilities(made, by=by, level=level)
