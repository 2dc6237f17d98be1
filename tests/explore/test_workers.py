"""Requests that take long: a queue with an end, a limit of work, and clients that go away."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message

from taskspace.explore.guards import Guard
from taskspace.explore.workers import FULL, RETRY, WAITING, Workers
from tests.messages import says

pytestmark = pytest.mark.slow


class Gate:
    """Work that lasts until it is let through, and counts how often it was begun."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = 0

    def work(self, answer: int = 0) -> int:
        self.begun += 1
        assert self.open.wait(10)
        return answer


class Client:
    """Asks workers by way of the guard, and may hang up."""

    def __init__(self, workers: Workers, gate: Gate, answer: int = 0) -> None:
        self._gone = asyncio.Event()
        self.sent: list[Message] = []
        self._left = [{"type": "http.request", "body": b""}]
        self.task = asyncio.ensure_future(self._ask(workers, gate, answer))

    async def _ask(self, workers: Workers, gate: Gate, answer: int) -> Any:
        found: list[Any] = []

        async def app(*_: Any) -> None:
            try:
                found.append(await workers.run(gate.work, answer))
            except HTTPException as error:
                found.append(error)

        scope = {"type": "http", "headers": [(b"host", b"localhost")]}
        await Guard(app, ["localhost"], 10)(scope, self._receive, self._send)
        return found[0] if found else self.sent[0]["status"]

    async def _receive(self) -> Message:
        if self._left:
            return self._left.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)

    def hang_up(self) -> None:
        self._gone.set()


async def settled(gate: Gate, begun: int) -> None:
    """Wait until threads have begun so much work, and the others have got as far as they can."""
    for _ in range(10_000):  # a busy machine may start a thread late
        if gate.begun >= begun:
            break
        await asyncio.sleep(0.001)
    for _ in range(20):
        await asyncio.sleep(0.001)


def test_a_full_queue_is_reported_at_once_and_the_others_have_their_turn() -> None:
    async def check() -> None:
        workers, gate = Workers(10, threads=2), Gate()
        clients = [Client(workers, gate, number) for number in range(2 + WAITING)]
        await settled(gate, 2)
        refused = await asyncio.wait_for(Client(workers, gate).task, 10)
        assert (refused.status_code, refused.detail) == (503, FULL)
        assert refused.headers == {"retry-after": str(RETRY)}
        assert gate.begun == 2
        gate.open.set()
        answers = await asyncio.gather(*(client.task for client in clients))
        assert answers == [*range(2 + WAITING)]

    asyncio.run(check())


def test_a_client_that_hangs_up_in_the_queue_costs_no_work_and_no_place() -> None:
    async def check() -> None:
        workers, gate = Workers(10, threads=1), Gate()
        clients = [Client(workers, gate, number) for number in range(1 + WAITING)]
        await settled(gate, 1)
        for client in clients[1:-1]:
            client.hang_up()
        await settled(gate, 1)
        late = Client(workers, gate, -1)
        assert all(client.task.done() for client in clients[1:-1])
        gate.open.set()
        assert [await each.task for each in (clients[0], clients[-1], late)] == [0, WAITING, -1]
        assert gate.begun == 3
        assert await Client(workers, gate, 7).task == 7  # the thread is free again

    asyncio.run(check())


def test_the_limit_counts_work_alone_and_work_keeps_its_thread_to_the_end() -> None:
    async def check() -> None:
        workers, gate = Workers(0.5, threads=1), Gate()
        slow, waiting = Client(workers, gate), Client(workers, gate, 5)
        told = await slow.task
        assert (told.status_code, told.headers) == (503, None)
        assert re.search(says("0.5"), told.detail)
        await asyncio.sleep(0.6)  # by now both have been here for longer than the limit
        assert gate.begun == 1
        assert not waiting.task.done()
        gate.open.set()
        assert await waiting.task == 5

    asyncio.run(check())


def test_a_request_that_is_ended_leaves_its_place() -> None:
    """As the server does to all of them when it ends."""

    async def check() -> None:
        workers, gate = Workers(10, threads=1), Gate()
        first, ended, last = (Client(workers, gate, number) for number in range(3))
        await settled(gate, 1)
        ended.task.cancel()
        first.task.cancel()
        assert [await first.task, await ended.task] == [503, 503]
        assert gate.begun == 1
        gate.open.set()
        assert await last.task == 2
        assert gate.begun == 2

    asyncio.run(check())


def test_mistakes_in_the_work_are_those_of_the_request() -> None:
    async def check() -> None:
        workers = Workers(10, threads=1)
        for _ in range(3):
            with pytest.raises(json.JSONDecodeError):
                await workers.run(json.loads, "no")

    asyncio.run(check())
