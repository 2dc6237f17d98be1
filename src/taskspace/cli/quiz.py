"""`taskspace quiz DIR`: quiz an agent; a person or a script types the answers."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.cli.arguments import add_command, add_folder, add_out, open_folder
from taskspace.cli.json_output import rows
from taskspace.cli.printing import MOST_SHOWN, on_screen, open_output, print_table
from taskspace.cli.screen import print_columns
from taskspace.outcomes.labels import shortened

if TYPE_CHECKING:
    from taskspace.applications.quiz import Quiz
    from taskspace.runs.run import Run

_EXAMPLES = """Each question asks whether the agent solves a task. Answer with y or n, 1 or 0, or a
success rate between 0 and 1; in a run with --max-score K, with y or n or a score between 0 and K.
On a map of returns, answer with the agent's return. An empty line or the end of the input ends the
quiz.

For scripts: if the answers do not come from a terminal, each question is one line on standard
error, the name of the task and its features. Only the table goes to standard output: as CSV,
unless that is a terminal.

examples:
  taskspace quiz runs/course --at-most 10
  taskspace quiz runs/course --targets exam.csv --out predictions.csv
  taskspace quiz runs/course --aim score --width 0.1 --at-most 100
  taskspace quiz runs/course --aim labels --by topic --at-most-per-label 3
  printf 'y\\nn\\ny\\n' | taskspace quiz runs/course --at-most 3
"""
_WORDS = {"y": 1.0, "yes": 1.0, "n": 0.0, "no": 0.0}
INTERVAL = 0.9
LONGEST = 200  # characters of a label in a question
_DIGITS = 4  # of probabilities; the predictions are less precise


def add(commands: Any) -> None:
    """Add `quiz` to the commands of a parser."""
    summary = "quiz an agent and predict its success on other tasks"
    parser = add_command(commands, "quiz", _run, summary, _EXAMPLES)
    add_folder(parser)
    parser.add_argument(
        "--targets", metavar="FILE",
        help="table of the tasks to predict, with a column `task` (default: all tasks)",
    )  # fmt: skip
    parser.add_argument(
        "--at-most", type=int, default=20, metavar="N", help="most questions (default: 20)"
    )
    parser.add_argument(
        "--until", type=float, default=0.0, metavar="RATE",
        help="stop when the expected error rate on the targets is this low, e.g. 0.1 (default: 0);"
        " of returns, the expected error as a fraction of their range",
    )  # fmt: skip
    parser.add_argument(
        "--width", type=float, metavar="W",
        help="stop when the 90 %% interval of the score is at most this wide, e.g. 0.1, or in"
        " returns; with --aim labels, that of every label's score",
    )  # fmt: skip
    parser.add_argument(
        "--aim", default="tasks", choices=("tasks", "score", "labels"),
        help="what to learn: the result on every target (default), the score over all targets, or"
        " the score of each value of the label --by",
    )  # fmt: skip
    parser.add_argument(
        "--by",
        metavar="LABEL",
        help="a label of the tasks, for --aim labels or --at-most-per-label",
    )
    parser.add_argument(
        "--at-most-per-label", type=int, metavar="N",
        help="most questions with the same value of the label --by (default: no limit)",
    )  # fmt: skip
    parser.add_argument(
        "--among", type=int, default=1, metavar="N",
        help="draw each question from the N best ones, so that not every agent is asked the same;"
        " use another --seed for each agent (default: 1)",
    )  # fmt: skip
    parser.add_argument(
        "--choose", default="information", choices=("information", "uncertain", "random"),
        help="ask the most informative question (default), the most uncertain one, or a random one",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Quiz an agent with the most informative questions, then predict its success on all targets.

    The output is a table with one row per target: task, probability (predicted probability of
    success), low and high (bounds of its 90 % interval), and answer (empty if the task was not
    asked; the probability of an answered task is about further attempts). The last lines on
    standard error are the number of answers, the expected error rate, and the score with its 90 %
    interval: the mean success rate over all targets, or over those with each label if the quiz
    aims at labels. On a map of returns, the column return has the expected return in place of the
    probability, and the score is the mean return.
    """
    _check(options)
    made = open_folder(options, options.targets)
    targets = made.predictor.tasks_ if options.targets is None else _targets(options, made)
    quiz = _quiz(options, made, targets)
    if options.json:
        _ask(options, made, quiz)
        print_table(options, _predictions(quiz, targets), **_summary(quiz))
        return
    if on_screen(options):
        _ask(options, made, quiz)
        print_columns(_predictions(quiz, targets))
    else:
        with open_output(options) as writer:  # before the questions: no answers are lost
            _ask(options, made, quiz)
            writer.write(_predictions(quiz, targets))
    _summarize(quiz, by_label=options.aim == "labels")


def _check(options: argparse.Namespace) -> None:
    """Refuse invalid options before the run folder is opened, which takes seconds."""
    from taskspace.applications.quiz_checks import check_aim, check_until

    checks.whole(options.at_most, "--at-most")
    checks.whole(options.among, "--among", 1)
    check_until(options.until, "--until")
    if options.width is not None and not options.width > 0:
        raise ValueError(f"--width must be a positive number, got {options.width}")
    check_aim(options.aim, options.by, options.at_most_per_label, options=True)
    checks.seed(options.seed)


def _quiz(options: argparse.Namespace, made: Run, targets: NDArray[np.str_]) -> Quiz:
    from taskspace.applications.intervals import check_width
    from taskspace.applications.quiz import Quiz
    from taskspace.applications.scores import groups_by

    if options.width is not None and made.predictor.scale_ is None:
        check_width(options.width, "--width")
    groups_by(made.predictor.labels_, options.by, len(made.predictor.tasks_), "--by")
    names = ("choose", "aim", "by", "at_most_per_label", "among", "seed")
    return Quiz(made.predictor, targets, **{name: getattr(options, name) for name in names})


def _ask(options: argparse.Namespace, made: Run, quiz: Quiz) -> None:
    """Ask until the quiz or the answers end."""
    limits = {"until": options.until, "at_most": options.at_most, "width": options.width}
    for task in quiz.ask(**limits, level=INTERVAL):
        if not _answer(_question(made, task), functools.partial(_record, quiz, _most(made))):
            return


def _summary(quiz: Quiz) -> dict[str, Any]:
    """What the quiz says beside the predictions, for --json."""
    scores = quiz.score(level=INTERVAL) if quiz.has_score else None
    return {
        "answers": len(quiz.answers),
        "expected_error_rate": quiz.expected_error_rate,
        "warning": scores.warning if scores is not None and scores.unusual else None,
        "scores": [] if scores is None else list(rows(scores.columns)),
    }


def _summarize(quiz: Quiz, *, by_label: bool) -> None:
    """Print the number of answers, the expected error rate, and the score with its interval."""
    from taskspace.applications.quiz import ALL_TARGETS

    what = "expected error rate" if quiz.scale is None else "expected error in ranges of returns"
    summary = f"answers: {len(quiz.answers)}; {what}: {quiz.expected_error_rate:.0%}"
    if not quiz.has_score:
        _print(summary)
        return
    scores = quiz.score(level=INTERVAL)
    if scores.unusual:
        _print(f"warning: {scores.warning}")
    shown = "{:.0%}".format if quiz.scale is None else "{:.4g}".format
    each = zip(scores.names.tolist(), scores.scores, scores.low, scores.high, strict=True)
    texts = {
        name: f"{shown(score)} ({INTERVAL:.0%} interval: {shown(low)} to {shown(high)})"
        for name, score, low, high in each
    }
    if not by_label:
        _print(f"{summary}; score: {texts[ALL_TARGETS]}")
        return
    _print(summary)
    for name, text in texts.items():
        _print(f"score of {name}: {text}")


def _targets(options: argparse.Namespace, made: Run) -> NDArray[np.str_]:
    from taskspace.outcomes import tables
    from taskspace.outcomes.columns import name_column

    columns = tables.read(options.targets)
    name = name_column(columns, "task") or "task"
    tables.require(columns, [name])
    indices = [made.task_index(str(task)) for task in columns[name].to_pylist()]
    return made.outcomes.tasks[indices]


def _question(made: Run, task: str) -> str:
    """A prompt for a person; for a program, one line that is easy to parse."""
    shown, task = _features(made, task), " ".join(task.splitlines())  # one line per question
    if not _typed():
        return f"{task}: {shown}\n" if shown else f"{task}\n"
    told = ", ".join(part for part in (shown, *_labels(made, task)) if part)
    about = f"{task} ({told})" if told else task
    if made.predictor.scale_ is not None:
        low, high = made.predictor.range_of(task)
        return f"Return of the agent on {about}? [about {low:.4g} to {high:.4g}; Enter ends] "
    what = _rate(_most(made), "from", "to")
    return f"Does the agent solve {about}? [y/n, or {what}; Enter ends] "


def _most(made: Run) -> float:
    """The highest score in the run, by which typed answers are divided."""
    from taskspace.outcomes.result_tables import max_score_of

    return max_score_of(made.outcomes.info)


def _rate(most: float, *between: str) -> str:
    what = "a success rate" if most == 1 else "a score"
    return f"{what} {between[0]} 0 {between[1]} {most:g}"


def _features(made: Run, task: str) -> str:
    outcomes = made.outcomes
    if outcomes.features is None or len(outcomes.feature_names) > MOST_SHOWN:
        return ""
    values = outcomes.features[made.task_index(task)]
    return ", ".join(f"{n} {v:.4g}" for n, v in zip(outcomes.feature_names, values, strict=True))


def _labels(made: Run, task: str) -> list[str]:
    """What the labels say about a task, e.g. the text of a question."""
    index = made.task_index(task)
    labels = made.outcomes.task_labels.items()
    return [f"{name}: {shortened(str(values[index]), LONGEST)}" for name, values in labels]


def _typed() -> bool:
    """Whether answers are typed at a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def _answer(question: str, record: Callable[[str], None]) -> bool:
    """Ask, and record the answer; False at the end. Invalid answers are asked again."""
    while True:
        _print(question, end="")
        line = _line()
        if not line:
            return False
        try:
            record(line)
            return True
        except ValueError as error:
            _print(str(error))


def _record(quiz: Quiz, most: float, line: str) -> None:
    if quiz.scale is not None:
        _record_return(quiz, line)
    else:
        _record_rate(quiz, most, line)


def _record_rate(quiz: Quiz, most: float, line: str) -> None:
    try:
        value = _WORDS[line] if line in _WORDS else float(line) / most
    except ValueError:
        value = np.nan
    if not 0 <= value <= 1:
        words = "y or n, 1 or 0" if most == 1 else "y or n"
        raise ValueError(
            f"an answer must be {words}, or {_rate(most, 'between', 'and')}, got {line!r}"
        )
    quiz.answer(value)


def _record_return(quiz: Quiz, line: str) -> None:
    try:
        value = float(line)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise ValueError(f"an answer must be a return, a number, got {line!r}")
    quiz.answer(value)


def _line() -> str:
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
    except UnicodeDecodeError:
        return "binary data"
    if not line and _typed():
        _print("")  # Ctrl-D leaves the cursor in the line of the question
    return line.strip().lower()


def _print(text: str, end: str = "\n") -> None:
    """Print to standard error, apart from the table."""
    print(text, end=end, file=sys.stderr, flush=True)


def _predictions(quiz: Quiz, targets: NDArray[np.str_]) -> dict[str, Any]:
    low, high = quiz.interval(INTERVAL)
    given = dict(quiz.answers)
    answers = np.array([given.get(task) for task in targets.tolist()], object)
    return {
        "task": targets,
        "probability" if quiz.scale is None else "return": quiz.predict().round(_DIGITS),
        "low": low.round(_DIGITS),
        "high": high.round(_DIGITS),
        "answer": answers,
    }
