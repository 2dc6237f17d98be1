"""What every server of the explorer responds with: pages from memory, and errors as JSON."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

_LOG = logging.getLogger(__name__)
_LONGEST_QUOTE = 100  # characters of a wrong value in an error message


def add_pages(app: FastAPI, pages: Mapping[str, tuple[str, bytes, dict[str, str]]]) -> None:
    """Serve these contents from memory, so that no request reaches a file."""
    for path, (kind, content, headers) in pages.items():
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        fixed = {"etag": tag, "cache-control": "no-cache", **headers}
        app.add_route(path, _page(kind, content, fixed), include_in_schema=False)


def _page(kind: str, content: bytes, headers: dict[str, str]) -> Callable[[Request], Response]:
    def serve(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers={"etag": headers["etag"]})
        return Response(content, media_type=kind, headers=headers)

    return serve


# -- errors ----------------------------------------------------------------------------------------


def add_errors(app: FastAPI, manual: str = "") -> None:
    """Make every error a JSON object with one sentence; `manual` is where addresses are listed."""

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> JSONResponse:
        path, method = request.url.path, request.method
        listed = manual and f"; see {manual} for a list"
        sentences = {  # in place of the framework's own
            "Not Found": f"there is no page {path} on this server{listed}",
            "Method Not Allowed": f"{path} does not accept {method}{listed}",
            "There was an error parsing the body": "the request must be valid JSON",
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
        return _error(500, "an internal error occurred; see the log of the server")


def _error(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, dict(headers or {}))


def _sentence(error: RequestValidationError) -> str:
    """The first thing that is wrong with a request, and where."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        found = f"{first['ctx']['error']} at character {first['loc'][-1]}"
        return f"the request must be valid JSON, got an error: {found}"
    part, *path = first["loc"]
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    if part == "body" and not where:
        return "the request must be a JSON object, sent as application/json"
    message = re.sub("^(Input|List|String) should", "must", str(first["msg"]))
    if message.startswith("must "):
        return f"{where.removeprefix('.')} {message}{_got(first['input'])}"
    return f"{where.removeprefix('.')}: {message[:1].lower()}{message[1:]}"


def _got(value: Any) -> str:
    """The wrong value, where it is short enough to quote."""
    text = json.dumps(value) if isinstance(value, str | float | int | None) else ""
    return f", got {text}" if 0 < len(text) <= _LONGEST_QUOTE else ""
