"""A quiz that a student takes alone: questions one by one, and the result at the end.

The server of the quiz hands out only what is in these answers: the name of a task, the label that
is its text and its picture while it is asked, and the scores of the student at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from taskspace import checks
from taskspace.applications.scores import LEAST_AGENTS
from taskspace.explore.models import MAX_QUIZ
from taskspace.explore.service import Service
from taskspace.outcomes.labels import divides, value_text

if TYPE_CHECKING:
    from taskspace.runs.run import Run

QUESTIONS = 10  # by default
LEVEL = 0.9  # of the interval of the score
Answer = bool | str  # whether the student says that he can solve the task, or his answer to it


class StudentQuiz:
    """Questions of an adaptive quiz, for any number of students at once.

    It has no memory: each step is given all answers so far.

    Args:
        run: The run whose tasks are asked.
        questions: The number of questions; by default 10, or all if there are fewer tasks.
        text: The label that is the text of a question; by default, only names are shown.
        key: The label that is the right answer. Without it, students say themselves whether they
            can solve a task.

    Raises:
        ValueError: If the run is one of returns or has too few agents or tasks, or if there is no
            such label.
    """

    def __init__(
        self, run: Run, questions: int | None = None, text: str | None = None,
        key: str | None = None,
    ) -> None:  # fmt: skip
        outcomes = run.outcomes
        if outcomes.scale is not None:
            raise ValueError("a quiz for students must be of successes, got a map of returns")
        if outcomes.n_agents < LEAST_AGENTS:
            raise ValueError(
                f"a quiz must be based on at least {LEAST_AGENTS} agents, got {outcomes.n_agents}"
            )
        most = min(len(run.predictor.tasks_), MAX_QUIZ)
        count = min(QUESTIONS, most) if questions is None else questions
        if checks.whole(count, "--questions", 1) > most:
            raise ValueError(f"--questions must be at most {most}, got {questions}")
        self.run, self.questions, self.graded = run, count, key is not None
        self._service = Service(run)
        self._texts = _label(run, text, "--text")
        self._right = _label(run, key, "--key")
        if key is not None:
            _check_complete(self._right, outcomes.tasks.tolist(), key)
        # The names of groups are shown at the end, so the right answers must not be groups.
        others = (name for name in outcomes.task_labels if name not in (text, key))
        self._by = next((name for name in others if divides(outcomes.task_labels[name])), None)

    def step(self, tasks: Sequence[str], answers: Sequence[Answer]) -> dict[str, Any]:
        """The next question, or the result after the last one.

        Args:
            tasks: The tasks so far.
            answers: The answer to each of them: a text if there is a key, or else whether the
                student says that he can solve it.

        Returns:
            Either a `question` or a `result`; the other one is None.

        Raises:
            ValueError: If a task is unknown or was asked twice, or if there are too many answers.
        """
        if len(tasks) > self.questions:
            raise ValueError(f"a quiz must have {self.questions} answers, got {len(tasks)}")
        results = [self._result(task, given) for task, given in zip(tasks, answers, strict=True)]
        if len(tasks) == self.questions:
            return {"question": None, "result": self._end(tasks, results)}
        name, *_ = self._service.next_question(list(tasks), results)
        return {"question": self._question(name), "result": None}

    def _result(self, task: str, given: Answer) -> float:
        number = self._service.number(task)
        if isinstance(given, bool) == self.graded:
            wanted = "a text" if self.graded else "true or false"
            raise ValueError(f"an answer must be {wanted}, got {checks.brief(given)}")
        return (
            float(given) if isinstance(given, bool) else float(is_right(given, self._right[number]))
        )

    def _question(self, name: str) -> dict[str, Any]:
        number, run = self._service.number(name), self.run
        features = run.outcomes.features
        columns = {each: column[number].item() for each, column in run.feature_columns.items()}
        packed = features is not None and not columns  # a row of bytes that only a drawing reads
        drawn = None if run.from_table else run.environment.page_drawing
        return {
            "task": name,
            "text": self._texts[number] if self._texts else None,
            "drawing": drawn,
            "values": columns if drawn else {},
            "row": features[number].tolist() if drawn and packed and features is not None else None,
        }

    def _end(self, tasks: Sequence[str], results: Sequence[float]) -> dict[str, Any]:
        """The full score with its interval, the same by label, and which answers count as right."""
        found = self._service.score(tasks, results, None, LEVEL)
        by_label = self._service.score(tasks, results, self._by, LEVEL) if self._by else None
        return {
            "level": LEVEL,
            "score": found["groups"][0],
            "warning": found["warning"],
            "by": self._by,
            "groups": by_label["groups"] if by_label else [],
            "answers": [
                {"task": task, "right": bool(result)}
                for task, result in zip(tasks, results, strict=True)
            ],
        }


def is_right(given: str, right: str) -> bool:
    """Whether an answer is right: case and spaces do not matter, nor how a number is written.

    >>> is_right(" The  Moon", "the moon"), is_right("0,50", "0.5"), is_right("1/2", "0.5")
    (True, True, False)
    >>> is_right("1,000", "1000"), is_right("1,000", "1")
    (True, False)
    """
    one, other = (" ".join(text.casefold().split()) for text in (given, right))
    if one == other:
        return True
    try:
        return _number(one) == _number(other)
    except ValueError:
        return False


def _number(text: str) -> float:
    """A number with a point or a comma before its decimals, or with commas between thousands."""
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", text):
        return float(text.replace(",", ""))
    return float(text.replace(",", "."))


def _label(run: Run, name: str | None, option: str) -> list[str]:
    """The label of each task as text; nothing without a name."""
    labels = run.outcomes.task_labels
    if name is None:
        return []
    if name not in labels:
        known = ", ".join(labels) or "no label"
        raise ValueError(f"{option} must be a label of the tasks ({known}), got {name!r}")
    # A missing number is NaN, which alone differs from itself.
    return [value_text(value) if value == value else "" for value in labels[name].tolist()]


def _check_complete(right: Sequence[str], tasks: Sequence[str], key: str) -> None:
    missing = [task for task, answer in zip(tasks, right, strict=True) if not answer.strip()]
    if missing:
        raise ValueError(
            f"--key must have the right answer to every task, got no {key} for {missing[0]!r}"
        )
