"""`taskspace quiz DIR`: the map asks, a person or a script answers."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace import checks
from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import MOST_SHOWN

if TYPE_CHECKING:
    from taskspace.applications.quiz import Quiz
    from taskspace.runs.run import Run

_EXAMPLES = """You are asked whether the agent solves a task. An answer is a line: y or n, 1 or 0,
or a success rate between them. An empty line or the end of the input ends the quiz. Then comes a
table: task, probability of success, and bounds of it that hold in nine cases of ten.

Where answers do not come from a terminal, a question is a line of its own on standard error: the
name of a task, and its features. The table alone goes to standard output.

examples:
  taskspace quiz runs/course --at-most 10
  taskspace quiz runs/course --targets exam.csv --out chances.csv
  printf 'y\\nn\\ny\\n' | taskspace quiz runs/course --at-most 3
"""
_WORDS = {"y": 1.0, "yes": 1.0, "n": 0.0, "no": 0.0}
INTERVAL = 0.9
_DIGITS = 4  # of a chance; what is told by answers is less exact than that


def add(commands: Any) -> None:
    """Add `quiz` to the commands of a parser."""
    told = "quiz an agent, and say what else it can do"
    parser = add_command(commands, "quiz", _run, told, _EXAMPLES)
    add_folder(parser)
    parser.add_argument("--targets", metavar="FILE", help="tasks to know about (all), by `task`")
    parser.add_argument("--at-most", type=int, default=20, metavar="N", help="questions (20)")
    parser.add_argument(
        "--until", type=float, default=0.0, metavar="SHARE",
        help="stop when so few of the targets would be guessed wrong, 0.1 say (0)",
    )  # fmt: skip
    parser.add_argument(
        "--choose", default="information", choices=("information", "uncertain", "random"),
        help="how questions are chosen (information)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of a random choice (0)")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Ask an agent about the tasks that tell most, then list its chances on the others."""
    from taskspace.applications.quiz import Quiz
    from taskspace.outcomes.table_streams import open_writer

    checks.whole(options.at_most, "--at-most")
    checks.seed(options.seed)
    made = open_folder(options, options.targets)
    targets = (
        np.arange(made.outcomes.n_tasks) if options.targets is None else _targets(options, made)
    )
    with open_writer(options.out) as writer:  # before the questions: answers are not asked twice
        quiz = Quiz(made.predictor, targets, choose=options.choose, seed=options.seed)
        for task in quiz.ask(until=options.until, at_most=options.at_most):
            answer = _answer(_question(made, task))
            if answer is None:
                break
            quiz.answer(answer)
        wrong = f"{quiz.uncertainty:.0%} of the targets may be guessed wrong"
        _say(f"answers: {len(quiz.answers)}; {wrong}")
        writer.write(_chances(quiz, made, targets))


def _targets(options: argparse.Namespace, made: Run) -> Any:
    from taskspace.outcomes import tables

    columns = tables.read(options.targets)
    tables.require(columns, ["task"])
    return np.array([made.task_index(str(name)) for name in columns["task"].to_pylist()])


def _question(made: Run, task: str) -> str:
    """A prompt for a person; for a program the task itself, as a line that is easily read."""
    shown = _features(made, task)
    if not _typed():
        return f"{task}: {shown}\n" if shown else f"{task}\n"
    about = f"{task} ({shown})" if shown else task
    return f"Does the agent solve {about}? [y/n, or a rate from 0 to 1; Enter ends] "


def _features(made: Run, task: str) -> str:
    outcomes = made.outcomes
    if outcomes.features is None or len(outcomes.feature_names) > MOST_SHOWN:
        return ""
    values = outcomes.features[made.task_index(task)]
    return ", ".join(f"{n} {v:.4g}" for n, v in zip(outcomes.feature_names, values, strict=True))


def _typed() -> bool:
    """Whether answers are typed at a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def _answer(question: str) -> float | None:
    """The result that is typed, or None at the end; what is not understood is asked again."""
    while True:
        _say(question, end="")
        line = _line()
        if not line:
            return None
        try:
            value = _WORDS[line] if line in _WORDS else float(line)
        except ValueError:
            value = np.nan
        if 0 <= value <= 1:
            return value
        _say(f"{line!r} is no answer; expected y or n, 1 or 0, or a rate between them")


def _line() -> str:
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
    except UnicodeDecodeError:
        return "what is no text"
    if not line and _typed():
        _say("")  # Ctrl-D leaves the cursor behind the question
    return line.strip().lower()


def _say(text: str, end: str = "\n") -> None:
    """Questions go where they do not mix with the table."""
    print(text, end=end, file=sys.stderr, flush=True)


def _chances(quiz: Quiz, made: Run, targets: Any) -> dict[str, Any]:
    low, high = quiz.interval(INTERVAL)
    return {
        "task": made.outcomes.tasks[targets],
        "probability": quiz.chances().round(_DIGITS),
        "low": low.round(_DIGITS),
        "high": high.round(_DIGITS),
    }
