"""Connections whose clients send slowly, too much, nothing, or what is not HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from taskspace.explore.connections import Connection
from taskspace.explore.guards import MAX_BYTES
from tests.messages import says

pytestmark = pytest.mark.slow

SECONDS = 1.0
WHOLE = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]


class Hasty(Connection):
    """Has less patience."""

    seconds = SECONDS


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers something small, and leaves the connection open."""
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


def talk(what: Talk) -> Any:
    """What comes of a talk with a server."""

    async def whole() -> Any:
        config, state = uvicorn.Config(app, log_level="critical", ws="none"), ServerState()
        server = await asyncio.get_running_loop().create_server(
            lambda: Hasty(config, state, {}), "127.0.0.1", 0
        )
        async with server:
            address = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(*address)
            try:
                return await asyncio.wait_for(what(reader, writer), 60)
            finally:
                writer.close()

    return asyncio.run(whole())


def error(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert "content-type: application/json" in lines
    assert "x-content-type-options: nosniff" in lines
    assert f"content-length: {len(body)}" in lines
    return int(lines[0].split()[1]), json.loads(body)["error"]


@pytest.mark.parametrize(
    ("after", "drop"),
    [(b"", b"x"), (WHOLE, b"x"), (WHOLE, b"\r\n")],  # empty lines may come before a request
)
def test_a_head_that_drips_is_cut_off(after: bytes, drop: bytes) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(after)
        if after:
            assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writer.write(b"" if drop == b"\r\n" else b"GET / HTTP/1.1\r\nhost: ")
        answer = asyncio.ensure_future(reader.read())
        while not answer.done():
            writer.write(drop)
            await asyncio.sleep(SECONDS / 10)
        return answer.result()

    status, told = error(talk(drip))
    assert status == 408
    assert re.search(says(f"{SECONDS:g}"), told)


def test_a_connection_on_which_nothing_comes_is_closed() -> None:
    assert talk(lambda reader, writer: reader.read()) == b""


def test_requests_in_time_are_answered_for_as_long_as_they_come() -> None:
    async def often(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        for count in range(12):  # together longer than the limit
            writer.write(WHOLE[:20])
            await asyncio.sleep(SECONDS / 10)
            writer.write(WHOLE[20:] + WHOLE * (count % 2))  # at times the next one at once
            for _ in range(1 + count % 2):
                await reader.readuntil(b"ok")
        return count

    assert talk(often) == 11


@pytest.mark.parametrize("junk", [b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n"])
def test_invalid_http_is_reported_as_json(junk: bytes) -> None:
    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(junk)
        return await reader.read()

    status, told = error(talk(send))
    assert (status, "HTTP" in told) == (400, True)


def test_a_head_without_end_is_cut_off() -> None:
    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"GET / HTTP/1.1\r\nx: " + b"x" * MAX_BYTES)
        return await reader.read()

    status, told = error(talk(flood))
    assert (status, str(MAX_BYTES) in told) == (431, True)
