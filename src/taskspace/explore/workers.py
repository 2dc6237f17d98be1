"""Threads for slow requests, with a queue of limited length."""

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
THREADS = max(1, min(4, available_cores() - 1))  # one core is left for fast requests
WAITING = 64  # requests in the queue; further ones are refused
RETRY = 5  # seconds, after which most of them should be done
FULL = f"the server is busy: {WAITING} requests are waiting; try again in {RETRY} seconds"


class Workers:
    """Runs functions in threads, with a time limit, so that fast requests need not wait.

    A thread cannot be stopped. After the time limit, it still counts as busy until it ends, so that
    there are never more threads than allowed.
    """

    def __init__(self, seconds: float, threads: int = THREADS) -> None:
        self._seconds = seconds
        self._free = threads
        self._queue: deque[asyncio.Future[None]] = deque()

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return the function's result; the time limit does not include the wait in the queue."""
        await self._turn()
        work = asyncio.wrap_future(_started(function, *arguments))
        work.add_done_callback(self._ended)
        done, _ = await asyncio.wait([work], timeout=self._seconds)
        if not done:
            sentence = f"the computation took more than {self._seconds:g} seconds; request less"
            raise HTTPException(503, sentence)
        return work.result()

    async def _turn(self) -> None:
        """Wait for a free thread, until the client disconnects."""
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
                gone.result()  # raises if watching the client failed
                raise HTTPException(503, "the client has disconnected")
        except BaseException:  # including cancellation when the server stops
            if turn.done():
                self._pass_on()
            else:
                self._queue.remove(turn)
            raise
        finally:
            gone.cancel()

    def _ended(self, work: asyncio.Future[Any]) -> None:
        if not work.cancelled():
            work.exception()  # marked as retrieved, even if no client waits for it
        self._pass_on()

    def _pass_on(self) -> None:
        """Give the free thread to the request that has waited longest."""
        if self._queue:
            self._queue.popleft().set_result(None)
        else:
            self._free += 1


def _started(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Run a function in a new daemon thread, which does not keep the program alive."""
    work: Future[T] = Future()

    def run() -> None:
        try:
            work.set_result(function(*arguments))
        except BaseException as error:
            work.set_exception(error)

    Thread(target=run, daemon=True).start()
    return work
