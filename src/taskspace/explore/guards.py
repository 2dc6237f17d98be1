"""Checks before every request (host, size, time), and security headers on every response."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Coroutine, MutableMapping
from contextvars import ContextVar
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BYTES = 1 << 20  # of a request's body
ANY_HOST = "*"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_RECEIVE: ContextVar[Receive] = ContextVar("_RECEIVE")  # of the current request
_LONGEST_HOST = 100  # characters of a wrong host that an error message quotes


class Guard:
    """Checks a request before the app sees it, and adds headers to every response.

    Requests with an unknown host name are refused. Otherwise a foreign site could make its name
    point to this machine, and its scripts could read the responses (DNS rebinding). The whole body
    is read here, so that one that is too large or too slow never reaches the app.
    """

    def __init__(self, app: App, hosts: Collection[str], seconds: float) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        started = False

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *_RAW_HEADERS]
            try:
                await send(message)
            except RuntimeError as error:
                if "closed" not in str(error):  # the client did not wait for the response
                    raise

        headers = dict(scope["headers"])
        count = [name for name, _ in scope["headers"]].count(b"host")
        if count > 1:
            sentence = f"the request must name one host, got {count} hosts"
            await refuse(send_with_headers, 400, sentence)
            return
        host = _name(headers.get(b"host", b""))
        if ANY_HOST not in self._hosts and host not in self._hosts:
            known, got = ", ".join(sorted(self._hosts)), host[:_LONGEST_HOST]
            sentence = f"the host of the request must be one of {known}, got {got!r}"
            await refuse(send_with_headers, 400, sentence)
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 20 or int(length) > MAX_BYTES:
            await refuse(send_with_headers, 413, _TOO_LARGE)
            return
        try:
            body = await self._in_time(_body(receive))
            if body is None:
                sentence = f"the request did not arrive within {self._seconds:g} seconds"
                await refuse(send_with_headers, 408, sentence)
            elif len(body) > MAX_BYTES:
                await refuse(send_with_headers, 413, _TOO_LARGE)
            else:
                _RECEIVE.set(receive)
                await self._app(scope, _replay(body, receive), send_with_headers)
        except asyncio.CancelledError:  # or the server would print tracebacks
            if not started:
                await refuse(send_with_headers, 503, "the server is shutting down")

    async def _in_time(self, body: Coroutine[Any, Any, bytes | None]) -> bytes | None:
        """The body if it arrives in time, else None; a bare timer is faster than a scope."""
        task, late = asyncio.current_task(), False
        assert task is not None

        def end() -> None:
            nonlocal late
            late = True
            task.cancel()

        timer = asyncio.get_running_loop().call_later(self._seconds, end)
        try:
            return await body
        except asyncio.CancelledError:
            if not late:  # cancelled from outside
                raise
            return None
        finally:
            timer.cancel()


_TOO_LARGE = f"the body of the request must have at most {MAX_BYTES} bytes, got more"


def _name(host: bytes) -> str:
    """The host without its port, for names and addresses, e.g. `[::1]:8000`."""
    text = host.decode("latin-1").lower()
    name, colon, port = text.rpartition(":")
    return name if colon and port.isdigit() else text


async def _body(receive: Receive) -> bytes | None:
    """The whole body, or the beginning of one that is too large."""
    parts, size, more = [], 0, True
    while more and size <= MAX_BYTES:
        message = await receive()
        if message["type"] != "http.request":  # the client has disconnected
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive function for the app: first the body, then any further messages."""
    left = [body]

    async def read() -> MutableMapping[str, Any]:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return read


async def client_gone() -> None:
    """Wait until the client of the current request disconnects."""
    receive = _RECEIVE.get()
    while (await receive())["type"] != "http.disconnect":
        pass


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Respond with an error in the form of the API, and close the connection."""
    body = json.dumps({"error": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
