"""The server application of a quiz that students take alone: its page, and one kind of request.

It has no other address: neither the map, nor results of agents, nor probabilities.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

from fastapi import FastAPI
from pydantic import Field

from taskspace._version import __version__
from taskspace.explore import guards, page
from taskspace.explore.api import LOCAL_HOSTS, SECONDS
from taskspace.explore.models import MAX_QUIZ, GroupScore, Strict
from taskspace.explore.responses import add_errors, add_pages
from taskspace.explore.student_quiz import StudentQuiz
from taskspace.explore.workers import Workers

_LONGEST = 1000  # characters of an answer


class Given(Strict):
    """An answer of the student."""

    task: str
    answer: bool | Annotated[str, Field(max_length=_LONGEST)]


class Step(Strict):
    """All answers so far."""

    answers: Annotated[list[Given], Field(max_length=MAX_QUIZ)] = []


class Question(Strict):
    """A task to solve."""

    task: str
    text: str | None
    drawing: dict[str, Any] | None
    values: dict[str, float]
    row: list[int] | None


class Checked(Strict):
    """Whether an answer counted as right."""

    task: str
    right: bool


class Result(Strict):
    """What the student has reached."""

    level: float
    score: GroupScore
    warning: str | None
    by: str | None
    groups: list[GroupScore]
    answers: list[Checked]


class StepAnswer(Strict):
    """The next question, or the result."""

    title: str
    questions: int
    graded: bool
    question: Question | None
    result: Result | None


def create_quiz_app(
    quiz: StudentQuiz, *, hosts: Collection[str] = LOCAL_HOSTS, seconds: float = SECONDS
) -> FastAPI:
    """Create the server application of a quiz.

    Args:
        quiz: The quiz.
        hosts: The host names that requests may use; "*" allows any.
        seconds: The time limit for a request to arrive, and again for its computation.

    Returns:
        The application.
    """
    app = FastAPI(
        title="taskspace quiz", version=__version__, docs_url=None, redoc_url=None,
        openapi_url=None, redirect_slashes=False,
    )  # fmt: skip
    work = Workers(seconds).run

    @app.post("/step")
    async def step(asked: Step) -> StepAnswer:
        """The next question after these answers, or the result after the last one."""
        tasks = [each.task for each in asked.answers]
        found = await work(quiz.step, tasks, [each.answer for each in asked.answers])
        return StepAnswer(
            title=quiz.run.short_title, questions=quiz.questions, graded=quiz.graded, **found
        )

    add_pages(app, {
        "/": ("text/html; charset=utf-8", page.page_html("quiz.html").encode(), {}),
        **{f"/assets/{name}": (*asset, {}) for name, asset in page.assets().items()},
    })  # fmt: skip
    add_errors(app)
    app.add_middleware(guards.Guard, hosts=hosts, seconds=seconds)
    return app
