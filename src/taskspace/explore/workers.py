"""Threads for requests that take long, and before them a queue that has an end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

from starlette.exceptions import HTTPException

from taskspace.explore.guards import client_gone
from taskspace.rollouts.cores import available_cores

T = TypeVar("T")
THREADS = max(1, min(4, available_cores() - 1))  # a core is left for what is quick
WAITING = 64  # requests; others are sent away
RETRY = 5  # seconds, in which most of them are worked off
FULL = f"{WAITING} requests wait for their turn already; ask again in {RETRY} seconds"


class Workers:
    """Work in threads, that others are served meanwhile, and not for ever.

    A thread cannot be stopped. One that takes too long for its client keeps its place until it
    ends, so that abandoned work never takes the cores from other requests.
    """

    def __init__(self, seconds: float, threads: int = THREADS) -> None:
        self._seconds = seconds
        self._free = threads
        self._queue: deque[asyncio.Future[None]] = deque()

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """What the function returns; only the work has a time limit, not the wait for a turn."""
        await self._turn()
        work = asyncio.wrap_future(_started(function, *arguments))
        work.add_done_callback(self._ended)
        done, _ = await asyncio.wait([work], timeout=self._seconds)
        if not done:
            told = f"no answer after {self._seconds:g} seconds of work; ask for less"
            raise HTTPException(503, told)
        return work.result()

    async def _turn(self) -> None:
        """Wait for a thread, as long as the client does."""
        if self._free:
            self._free -= 1
            return
        if len(self._queue) >= WAITING:
            raise HTTPException(503, FULL, {"retry-after": str(RETRY)})
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        gone = asyncio.ensure_future(client_gone())
        try:
            await asyncio.wait([turn, gone], return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                gone.result()  # or what went wrong in looking
                raise HTTPException(503, "the client has gone")
        except BaseException:  # also where the server ends
            if turn.done():
                self._pass_on()
            else:
                self._queue.remove(turn)
            raise
        finally:
            gone.cancel()

    def _ended(self, work: asyncio.Future[Any]) -> None:
        if not work.cancelled():
            work.exception()  # seen, where the client no longer waits for it
        self._pass_on()

    def _pass_on(self) -> None:
        """Give a thread to the request that waits longest."""
        if self._queue:
            self._queue.popleft().set_result(None)
        else:
            self._free += 1


def _started(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Work in a thread of its own, which does not keep the program from ending."""
    work: Future[T] = Future()

    def run() -> None:
        try:
            work.set_result(function(*arguments))
        except BaseException as error:
            work.set_exception(error)

    Thread(target=run, daemon=True).start()
    return work
