"""Around the whole server: who may ask, how much may be sent, and what browsers are told."""

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

MOST_BYTES = 1 << 20  # of a request's body
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
_RECEIVE: ContextVar[Receive] = ContextVar("_RECEIVE")  # of the request that is served


class Guard:
    """Checks a request before the app sees it, and puts headers on every answer.

    Requests under a name that is not ours are refused: the name of a foreign site may be made to
    point to this machine, and its scripts could read the answers. A body is read here, whole, so
    that one that is too large or too slow never reaches the app.
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

        begun = False

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", ()), *_RAW_HEADERS]
            try:
                await send(message)
            except RuntimeError as error:
                if "closed" not in str(error):  # by a client that did not wait for its answer
                    raise

        headers = dict(scope["headers"])
        if [name for name, _ in scope["headers"]].count(b"host") > 1:
            await refuse(send_with_headers, 400, "the request names two hosts; expected one")
            return
        if ANY_HOST not in self._hosts and _name(headers.get(b"host", b"")) not in self._hosts:
            named = ", ".join(sorted(self._hosts))
            await refuse(send_with_headers, 400, f"this server answers to {named} alone")
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 20 or int(length) > MOST_BYTES:
            await refuse(send_with_headers, 413, _TOO_LARGE)
            return
        try:
            body = await self._in_time(_body(receive))
            if body is None:
                told = f"the request was not there after {self._seconds:g} seconds"
                await refuse(send_with_headers, 408, told)
            elif len(body) > MOST_BYTES:
                await refuse(send_with_headers, 413, _TOO_LARGE)
            else:
                _RECEIVE.set(receive)
                await self._app(scope, _replay(body, receive), send_with_headers)
        except asyncio.CancelledError:  # the server would print where each request was
            if not begun:
                await refuse(send_with_headers, 503, "the server ends")

    async def _in_time(self, body: Coroutine[Any, Any, bytes | None]) -> bytes | None:
        """What comes in time, else None; by a bare timer, which costs a tenth of a scope."""
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
            if not late:  # somebody else ends this request
                raise
            return None
        finally:
            timer.cancel()


_TOO_LARGE = f"the request is too large; at most {MOST_BYTES} bytes are read"


def _name(host: bytes) -> str:
    """Without the port: of `localhost:8000` and of `[::1]:8000`."""
    text = host.decode("latin-1").lower()
    name, colon, port = text.rpartition(":")
    return name if colon and port.isdigit() else text


async def _body(receive: Receive) -> bytes | None:
    """All of it, or the beginning of one that is too large."""
    parts, size, more = [], 0, True
    while more and size <= MOST_BYTES:
        message = await receive()
        if message["type"] != "http.request":  # the client has gone
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """What the app reads: the body at once, and then whatever else comes."""
    left = [body]

    async def read() -> MutableMapping[str, Any]:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return read


async def client_gone() -> None:
    """Wait until the client of the request that is served here has hung up."""
    receive = _RECEIVE.get()
    while (await receive())["type"] != "http.disconnect":
        pass


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answer with an error, as the API does, and end the connection: more may be on its way."""
    body = json.dumps({"error": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
