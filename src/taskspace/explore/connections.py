"""A client's connection: what comes before there is a request that the app could refuse."""

from __future__ import annotations

import asyncio
import http
import json

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from taskspace.explore.api import SECONDS
from taskspace.explore.guards import HEADERS, MOST_BYTES

# Of a head, a body in small chunks, and what may follow before the answer is there.
MOST_BEFORE_ANSWER = 8 * MOST_BYTES


class Connection(HttpToolsProtocol):
    """Waits for the head of a request, but not for ever, and answers in JSON where it is none.

    The time counts from the beginning of the connection, or the end of the last answer. A
    connection that is idle after an answer is closed sooner, by uvicorn.
    """

    seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None  # while a head is waited for
    _size = 0  # of what came since the last answer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has no end, or what comes while it is worked on."""
        self._size += len(data)
        if self._timer is not None and self._size > MOST_BYTES:
            self._refuse(431, f"the head of the request is larger than {MOST_BYTES} bytes")
        elif self._size > MOST_BEFORE_ANSWER:
            self.transport.abort()
        else:
            super().data_received(data)

    def on_headers_complete(self) -> None:
        """The head is there; the guard of the app looks after the body."""
        self._stop()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        self._size = 0
        if self.cycle.response_complete and not self.transport.is_closing():
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """For bytes that are no HTTP."""
        self._refuse(400, "this is not a request in HTTP that can be read")

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.seconds, self._late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        if self._size:
            self._refuse(408, f"the request was not there after {self.seconds:g} seconds")
        else:  # browsers open connections that they may need
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        self._stop()
        body = json.dumps({"error": sentence})
        headers = {
            "content-type": "application/json", "content-length": len(body),
            "connection": "close", **HEADERS,
        }  # fmt: skip
        lines = [f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join([*lines, "", body]).encode("ascii"))
        self.transport.close()
