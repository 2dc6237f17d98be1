"""The explorer's HTTP API: typed questions to a finished map, and the page beside them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from taskspace._version import __version__
from taskspace.explore import guards, models, page
from taskspace.explore.data import encode, explorer_data, form_kind, told
from taskspace.explore.manual import manual_html
from taskspace.explore.service import Answers, Task, UnknownTask
from taskspace.explore.workers import Workers

if TYPE_CHECKING:
    from taskspace.runs.run import Run

_LOG = logging.getLogger(__name__)
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
PROGRAM = "program"  # the form in which a new task is a program
SECONDS = 20.0  # for a request to arrive, and then for the work on it
_ERRORS: dict[int | str, dict[str, Any]] = {
    422: {"model": models.Error, "description": "the request is not understood"},
    413: {"model": models.Error, "description": "it is too large"},
    503: {"model": models.Error, "description": "it takes too long, or too many others ask"},
}
_INTRODUCTION = (
    "A task is its name, or a list of its features in the order of `columns` of `/api/info`."
    ' Every error is an object with one sentence: {"error": "…"}.'
)


class _Any(PathConvertor):
    """The rest of an address, line breaks and all: a task may have any name."""

    regex = "(?s:.*)"


register_url_convertor("any", _Any())


def create_app(
    run: Run,
    *,
    hosts: Collection[str] = LOCAL_HOSTS,
    seconds: float = SECONDS,
) -> FastAPI:
    """The server's application: the page of this map, its data, and the API.

    `hosts` are the names under which it answers ("*" for any), `seconds` the time that a request
    may take to arrive, and then to be worked on.
    """
    app = FastAPI(
        title=f"taskspace explorer: {run.name}", version=__version__,
        description=_INTRODUCTION, docs_url=None, redoc_url=None, redirect_slashes=False,
        responses=_ERRORS,
    )  # fmt: skip
    _add_questions(app, Answers(run), seconds)
    _add_pages(app, {
        "/": ("text/html; charset=utf-8", page.page_html().encode(), {}),
        "/data.json.gz": (
            "application/json", encode(explorer_data(run)),
            {"content-encoding": "gzip"},
        ),
        **{f"/assets/{name}": (*asset, {}) for name, asset in page.assets().items()},
    })  # fmt: skip
    _add_errors(app)
    app.add_middleware(guards.Guard, hosts=hosts, seconds=seconds)
    return app


def _add_questions(app: FastAPI, answers: Answers, seconds: float) -> None:
    work = Workers(seconds).run

    @app.post("/api/predict")  # first, since it is asked for most: paths are tried in turn
    async def predict(asked: models.Predict) -> models.PredictAnswer:
        """The chances of an agent on tasks, from its answers to a quiz."""
        quiz, results = _split(asked.quiz)
        if asked.interval is None and answers.quick(quiz, results, asked.tasks):
            found = answers.predict(quiz, results, asked.tasks)  # a thread would cost more
        else:
            found = await work(answers.predict, quiz, results, asked.tasks, asked.interval)
        chances, low, high = found
        return models.PredictAnswer(
            chances=chances.round(6).tolist(),
            low=None if low is None else low.tolist(),
            high=None if high is None else high.tolist(),
        )

    @app.get("/api/info")
    async def info() -> models.Info:
        """What map this is, and how much a request may ask."""
        return _info(answers.run, seconds)

    @app.get("/api/tasks/{name:any}", responses={404: {"model": models.Error}})
    async def task(name: str) -> models.TaskAnswer:
        """All about one task of the map."""
        try:
            place = answers.place(name)
        except UnknownTask as error:
            raise HTTPException(404, str(error)) from None
        return models.TaskAnswer(**answers.about(place))

    @app.post("/api/embed")
    async def embed(asked: models.Embed) -> models.EmbedAnswer:
        """Where tasks lie on the map: vector, difficulty, and place in each view."""
        found = await work(answers.embed, asked.tasks)
        return models.EmbedAnswer(tasks=[models.Embedded(**each) for each in found])

    @app.post("/api/similar")
    async def similar(asked: models.Similar) -> models.SimilarAnswer:
        """The tasks of the map that are most like one, harder or easier ones if so wished."""
        found = await work(answers.similar, asked.task, asked.k, asked.harder, asked.easier)
        return models.SimilarAnswer(tasks=[models.Alike(**each) for each in found])

    @app.post("/api/select")
    async def select(asked: models.Select) -> models.SelectAnswer:
        """Which of several options are most like a task, harder or easier if so wished."""
        found = await work(
            answers.select, asked.task, asked.options, asked.k, asked.harder, asked.easier
        )
        return models.SelectAnswer(options=[models.Option(**each) for each in found])

    @app.post("/api/quiz/next")
    async def next_question(asked: models.NextQuestion) -> models.NextAnswer:
        """The task whose result would tell most about what the agent can do."""
        quiz, results = _split(asked.quiz)
        best, chance, doubt = await work(
            answers.next_question, quiz, results, asked.pool, asked.targets
        )
        name = str(answers.run.outcomes.tasks[best])
        return models.NextAnswer(task=name, chance=chance, doubt=doubt)

    if form_kind(answers.run) == PROGRAM:

        @app.post("/api/karel")
        async def karel(asked: models.Karel) -> models.KarelAnswer:
            """Where a new task of Karel lies: what a program does in the worlds of another task."""
            return models.KarelAnswer(**await work(answers.karel, asked.program, asked.like))


def _split(quiz: list[models.QuizAnswer]) -> tuple[list[Task], list[float]]:
    return [each.task for each in quiz], [float(each.result) for each in quiz]


def _info(run: Run, seconds: float) -> models.Info:
    outcomes = run.outcomes
    return models.Info(
        title=run.name,
        told=told(run),
        version=__version__,
        environment=None if run.from_table else run.name,
        tasks=outcomes.n_tasks,
        agents=outcomes.n_agents,
        dimensions=run.embedder.n_components_,
        columns=list(outcomes.feature_names),
        clusters=list(run.clusters.names),
        examples=outcomes.tasks[:3].tolist(),
        limits=models.Limits(body_bytes=guards.MOST_BYTES, seconds=seconds),
    )


def _add_pages(app: FastAPI, pages: Mapping[str, tuple[str, bytes, dict[str, str]]]) -> None:
    """Serve what is in memory, under exactly these paths: no request ever reaches a file."""
    for path, (kind, content, headers) in pages.items():
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        fixed = {"etag": tag, "cache-control": "no-cache", **headers}
        app.add_route(path, _page(kind, content, fixed), include_in_schema=False)
    app.add_route(
        "/docs", lambda request: HTMLResponse(manual_html(app.openapi())), include_in_schema=False
    )


def _page(kind: str, content: bytes, headers: dict[str, str]) -> Callable[[Request], Response]:
    def serve(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers={"etag": headers["etag"]})
        return Response(content, media_type=kind, headers=headers)

    return serve


# -- errors ----------------------------------------------------------------------------------------


def _add_errors(app: FastAPI) -> None:
    """Every error is JSON with one sentence."""

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> JSONResponse:
        path, method = request.url.path, request.method
        sentences = {  # for those of the framework
            "Not Found": f"there is nothing at {path}; /docs lists what there is",
            "Method Not Allowed": f"{path} does not take {method}; /docs says what it takes",
            "There was an error parsing the body": "the request is not JSON that can be read",
        }
        status = 422 if error.status_code == 400 else error.status_code
        return _error(status, sentences.get(error.detail, error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return _error(422, _sentence(error))

    @app.exception_handler(ValueError)
    async def wrong(request: Request, error: ValueError) -> JSONResponse:
        return _error(422, str(error))

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _error(500, "the server failed at this request; its log says why")


def _error(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, dict(headers or {}))


def _sentence(error: RequestValidationError) -> str:
    """What is wrong with a request, and where: the first fault that was found."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return f"the request is not JSON: {first['ctx']['error']} at character {first['loc'][-1]}"
    place, *path = first["loc"]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    message = str(first["msg"])
    if place == "body" and not where:
        return "the request must be a JSON object, sent as application/json"
    return f"{where.removeprefix('.')}: {message[:1].lower()}{message[1:]}"
