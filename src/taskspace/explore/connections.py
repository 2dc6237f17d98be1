"""Client connections: limits that apply before a complete request reaches the app."""

from __future__ import annotations

import asyncio
import http
import json

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from taskspace.explore.api import SECONDS
from taskspace.explore.guards import HEADERS, MAX_BYTES

# For a head, a body in small chunks, and further requests sent before the response.
MAX_BEFORE_RESPONSE = 8 * MAX_BYTES


class Connection(HttpToolsProtocol):
    """Limits the time and size of a request's head, and reports invalid HTTP as JSON.

    The time counts from the start of the connection, or from the end of the last response. uvicorn
    closes connections sooner that are idle after a response.
    """

    seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None  # while waiting for a head
    _size = 0  # bytes received since the last response

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read the data, unless too much has arrived."""
        self._size += len(data)
        if self._timer is not None and self._size > MAX_BYTES:
            limit = f"at most {MAX_BYTES} bytes"
            self._refuse(431, f"the head of the request must have {limit}, got more")
        elif self._size > MAX_BEFORE_RESPONSE:
            self.transport.abort()
        else:
            super().data_received(data)

    def on_headers_complete(self) -> None:
        """Stop the timer: the app's guard limits the body."""
        self._stop()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has already arrived."""
        super().on_response_complete()
        self._size = 0
        if self.cycle.response_complete and not self.transport.is_closing():
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Respond to bytes that are not HTTP."""
        self._refuse(400, "the request must be valid HTTP")

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.seconds, self._late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        if self._size:
            self._refuse(408, f"the request did not arrive within {self.seconds:g} seconds")
        else:  # browsers open spare connections
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
