"""The guard around the server, without a network."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from taskspace.explore.guards import HEADERS, MAX_BYTES, Guard, client_gone

Headers = list[tuple[bytes, bytes]]
HOST: Headers = [(b"host", b"localhost")]


class Echo:
    """An app that answers with the body it was sent, and remembers what it got."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.scopes: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope["type"])
        if scope["type"] != "http":
            return
        message = await receive()
        assert not message["more_body"]
        self.bodies.append(message["body"])
        own = [(b"x-own", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": own})
        await send({"type": "http.response.body", "body": message["body"]})


def ask(
    app: Any,
    headers: Headers = HOST,
    parts: tuple[bytes, ...] = (b"",),
    hosts: tuple[str, ...] = ("localhost", "[::1]"),
    seconds: float = 10,
    ends: bool = True,
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body; where a request does not end, its last part never comes."""
    sent: list[Any] = []
    left = [
        {"type": "http.request", "body": part, "more_body": n + 1 < len(parts) or not ends}
        for n, part in enumerate(parts)
    ]

    async def receive() -> Any:
        if left:
            return left.pop(0)
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "headers": headers}
    asyncio.run(Guard(app, hosts, seconds)(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, sent[1]["body"]


def test_every_answer_has_the_headers() -> None:
    for headers, status in ((HOST, 200), ([(b"host", b"evil.example")], 400)):
        found = ask(Echo(), headers)
        assert found[0] == status
        assert HEADERS.items() <= found[1].items()
    assert ask(Echo())[1]["x-own"] == "1"


def test_the_app_gets_the_body_whole() -> None:
    app = Echo()
    assert ask(app, parts=(b"a", b"", b"bc"))[2] == b"abc"
    assert app.bodies == [b"abc"]


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"localhost", 200), (b"LOCALHOST:8400", 200), (b"[::1]:8400", 200), (b"[::1]", 200),
        (b"localhost:x", 400), (b"localhost.evil.example", 400), (b"", 400), (b"\xff", 400),
    ],
)  # fmt: skip
def test_hosts_are_compared_without_their_port(host: bytes, status: int) -> None:
    app = Echo()
    assert ask(app, [(b"host", host)])[0] == status
    assert len(app.bodies) == (status == 200)


def test_any_host_may_be_allowed_but_only_one() -> None:
    assert ask(Echo(), [(b"host", b"any.example")], hosts=("*",))[0] == 200
    assert ask(Echo(), [], hosts=("*",))[0] == 200
    assert ask(Echo(), [*HOST, *HOST], hosts=("*",))[0] == 400


@pytest.mark.parametrize("length", [str(MAX_BYTES + 1), "-1", "many", "9" * 30])
def test_lengths_that_are_too_large_are_refused_unread(length: str) -> None:
    app = Echo()
    headers = [*HOST, (b"content-length", length.encode())]
    assert ask(app, headers, parts=(), ends=False)[0] == 413
    assert app.bodies == []


def test_bodies_of_unknown_length_are_counted() -> None:
    app, half = Echo(), b"x" * (MAX_BYTES // 2)
    assert ask(app, parts=(half, half))[0] == 200
    status, headers, body = ask(app, parts=(half, half, b"x"), ends=False)
    assert (status, headers["connection"]) == (413, "close")
    assert str(MAX_BYTES) in json.loads(body)["error"]
    assert len(app.bodies) == 1


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    app = Echo()
    status, _, body = ask(app, parts=(b"x",), seconds=0.05, ends=False)
    assert (status, app.bodies) == (408, [])
    assert "0.05" in json.loads(body)["error"]


def test_other_kinds_of_connections_go_to_the_app() -> None:
    app = Echo()
    asyncio.run(Guard(app, ["localhost"], 1)({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert app.scopes == ["lifespan"]


def test_an_app_can_wait_for_its_client_to_leave() -> None:
    left = [{"type": "http.request", "body": b""}, {"type": "http.request"}]
    gone: list[bool] = []

    async def receive() -> Any:
        return left.pop(0) if left else {"type": "http.disconnect"}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await client_gone()
        gone.append(True)

    async def send(message: Any) -> None:
        raise AssertionError("nobody is there")

    asyncio.run(Guard(app, ["localhost"], 1)({"type": "http", "headers": HOST}, receive, send))
    assert gone == [True]


@pytest.mark.parametrize("known", [True, False])
def test_an_answer_to_a_closed_connection_is_no_error(known: bool) -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        raise RuntimeError("the connection is closed" if known else "something else")

    guard = Guard(Echo(), ["localhost"], 1)
    whole = guard({"type": "http", "headers": HOST}, receive, send)
    if known:
        asyncio.run(whole)  # type: ignore[arg-type]
    else:
        with pytest.raises(RuntimeError, match="something else"):
            asyncio.run(whole)  # type: ignore[arg-type]
