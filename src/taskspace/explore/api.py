"""The explorer's server application: the HTTP API of a run, and the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException

from taskspace._version import __version__
from taskspace.explore import guards, models, page
from taskspace.explore.data import describe, encode, explorer_data, form_kind
from taskspace.explore.manual import manual_html
from taskspace.explore.responses import add_errors, add_pages
from taskspace.explore.service import Service, Task, UnknownTask
from taskspace.explore.workers import Workers

if TYPE_CHECKING:
    from taskspace.runs.run import Run

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_MANUAL = "/docs"
PROGRAM = "program"  # the form for environments whose tasks are programs
SECONDS = 20.0  # for a request to arrive, and again for its computation
_ERRORS: dict[int | str, dict[str, Any]] = {
    422: {"model": models.Error, "description": "invalid request"},
    413: {"model": models.Error, "description": "request too large"},
    503: {"model": models.Error, "description": "computation too long, or server busy"},
}
_INTRODUCTION = (
    "A task is given by its name, or by the list of its features in the order of `columns` in"
    ' `/api/info`. Every error is a JSON object with one sentence: `{"error": "…"}`.'
)


class _Any(PathConvertor):
    """The rest of an address including line breaks, since a task may have any name."""

    regex = "(?s:.*)"


register_url_convertor("any", _Any())


def create_app(
    run: Run,
    *,
    hosts: Collection[str] = LOCAL_HOSTS,
    seconds: float = SECONDS,
) -> FastAPI:
    """Create the server application for a run: the page, its data, and the API.

    Args:
        run: The run whose map is served.
        hosts: The host names that requests may use; "*" allows any.
        seconds: The time limit for a request to arrive, and again for its computation.

    Returns:
        The application.
    """
    app = FastAPI(
        title=f"taskspace explorer: {run.short_title}", version=__version__,
        description=_INTRODUCTION, docs_url=None, redoc_url=None, redirect_slashes=False,
        responses=_ERRORS,
    )  # fmt: skip
    _add_api(app, Service(run), seconds)
    add_pages(app, {
        "/": ("text/html; charset=utf-8", page.page_html().encode(), {}),
        "/data.json.gz": (
            "application/json", encode(explorer_data(run)),
            {"content-encoding": "gzip"},
        ),
        **{f"/assets/{name}": (*asset, {}) for name, asset in page.assets().items()},
    })  # fmt: skip
    app.add_route(
        _MANUAL, lambda request: HTMLResponse(manual_html(app.openapi())), include_in_schema=False
    )
    add_errors(app, _MANUAL)
    app.add_middleware(guards.Guard, hosts=hosts, seconds=seconds)
    return app


def _add_api(app: FastAPI, service: Service, seconds: float) -> None:
    work = Workers(seconds).run

    @app.post("/api/predict")  # first, because it is used most and paths are tried in turn
    async def predict(asked: models.Predict) -> models.PredictAnswer:
        """Predict the probability that an agent solves tasks, from its answers to a quiz."""
        quiz, results = _split(asked.quiz, service)
        if asked.interval is None and service.is_fast(quiz, results, asked.tasks):
            found = service.predict(quiz, results, asked.tasks)  # faster than starting a thread
        else:
            found = await work(service.predict, quiz, results, asked.tasks, asked.interval)
        probabilities, low, high = found
        return models.PredictAnswer(
            probabilities=probabilities.round(6).tolist(),
            low=None if low is None else low.tolist(),
            high=None if high is None else high.tolist(),
        )

    @app.get("/api/info")
    async def info() -> models.Info:
        """Return information about the map, and the limits on requests."""
        return _info(service.run, seconds)

    @app.get("/api/tasks/{name:any}", responses={404: {"model": models.Error}})
    async def task(name: str) -> models.TaskAnswer:
        """Return everything known about one task of the map."""
        try:
            number = service.number(name)
        except UnknownTask as error:
            raise HTTPException(404, str(error)) from None
        return models.TaskAnswer(**service.describe(number))

    @app.post("/api/embed")
    async def embed(asked: models.Embed) -> models.EmbedAnswer:
        """Embed tasks: return their vectors, difficulties, and positions in each projection."""
        found = await work(service.embed, asked.tasks)
        return models.EmbedAnswer(tasks=[models.Embedded(**each) for each in found])

    @app.post("/api/similar")
    async def similar(asked: models.Similar) -> models.SimilarAnswer:
        """Find similar or opposite tasks of the map; optionally only harder or easier ones."""
        found = await work(
            service.similar, asked.task, asked.k, asked.harder, asked.easier, asked.opposite
        )
        return models.SimilarAnswer(tasks=[models.SimilarTask(**each) for each in found])

    @app.post("/api/select")
    async def select(asked: models.Select) -> models.SelectAnswer:
        """Select the options most similar to a task; optionally only harder or easier ones."""
        found = await work(
            service.select, asked.task, asked.options, asked.k, asked.harder, asked.easier
        )
        return models.SelectAnswer(options=[models.Option(**each) for each in found])

    @app.post("/api/quiz/next")
    async def next_question(asked: models.NextQuestion) -> models.NextAnswer:
        """Choose the most informative question to ask an agent next."""
        quiz, results = _split(asked.quiz, service)
        name, probability, error_rate = await work(
            service.next_question, quiz, results, asked.pool, asked.targets
        )
        return models.NextAnswer(task=name, probability=probability, expected_error_rate=error_rate)

    @app.post("/api/score")
    async def score(asked: models.Score) -> models.ScoreAnswer:
        """Estimate the full score of an agent from its answers to a quiz, with an interval."""
        quiz, results = _split(asked.quiz, service)
        return models.ScoreAnswer(**await work(service.score, quiz, results, asked.by, asked.level))

    _add_answers(app, service, work)
    if service.run.from_table:
        _add_table_answers(app, service, work)
    if form_kind(service.run) == PROGRAM:

        @app.post("/api/karel")
        async def karel(asked: models.Karel) -> models.KarelAnswer:
            """Embed a new task of Karel, defined by a program and the worlds of another task."""
            return models.KarelAnswer(**await work(service.karel, asked.program, asked.like))


def _add_answers(app: FastAPI, service: Service, work: Callable[..., Awaitable[Any]]) -> None:
    """The questions about the agents."""

    @app.get("/api/agents")
    async def agents() -> models.AgentsAnswer:
        """List the agents with their scores, intervals, strengths and most similar agents."""
        return models.AgentsAnswer(**await work(service.agents))

    @app.post("/api/compare")
    async def compare(asked: models.Compare) -> models.CompareAnswer:
        """Compare two agents on the tasks that both tried: by label, and task by task."""
        found = await work(service.compare, asked.first, asked.second, asked.by)
        return models.CompareAnswer(**found)

    @app.get("/api/doctor")
    async def doctor() -> models.DoctorAnswer:
        """Say whether the population is good enough for a map, and what would improve it."""
        return models.DoctorAnswer(**await work(service.doctor))


def _add_table_answers(app: FastAPI, service: Service, work: Callable[..., Awaitable[Any]]) -> None:
    """The questions about the tasks of a table."""

    @app.get("/api/redundant")
    async def redundant() -> models.RedundantAnswer:
        """List near-copies: tasks that measure the same thing twice."""
        return models.RedundantAnswer(**await work(service.redundant))

    @app.post("/api/subset")
    async def subset(asked: models.ShortTest) -> models.ShortTestAnswer:
        """Choose the tasks of a short test that predicts the full score of new agents."""
        return models.ShortTestAnswer(**await work(service.short_test, asked.k, asked.by))


def _split(quiz: list[models.QuizAnswer], service: Service) -> tuple[list[Task], list[float]]:
    """The tasks and the results; those of the other kind are refused."""
    what, other = ("return", "result") if service.returns else ("result", "return")
    results = [each.return_ if service.returns else each.result for each in quiz]
    if None in results:
        raise ValueError(f"an answer must have a {what} on this map, got a {other}")
    return [each.task for each in quiz], [float(each) for each in results if each is not None]


def _info(run: Run, seconds: float) -> models.Info:
    outcomes = run.outcomes
    return models.Info(
        title=run.short_title,
        description=describe(run),
        version=__version__,
        environment=None if run.from_table else run.name,
        tasks=outcomes.n_tasks,
        agents=outcomes.n_agents,
        dimensions=run.embedder.n_components_,
        columns=list(outcomes.feature_names),
        clusters=list(run.clusters.names),
        examples=outcomes.tasks[:3].tolist(),
        limits=models.Limits(body_bytes=guards.MAX_BYTES, seconds=seconds),
    )
