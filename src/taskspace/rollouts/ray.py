"""Work on a Ray cluster: things are shipped once, pieces of work may be lost and done again.

A piece of work must depend on its arguments alone. Then it does not matter which worker does it,
nor how often: a worker or a node that dies costs time, and nothing else.
"""

from __future__ import annotations

import contextlib
import copyreg
import functools
import io
import logging
import os
import pickle
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import cloudpickle  # type: ignore[import-untyped]

from taskspace._version import __version__
from taskspace.envs.base import Environment

T = TypeVar("T")

_RETRIES = 20  # of a piece whose worker or node dies; after that the fault is likely its own
_UNDER_WAY = 3  # pieces for each core: one that is done, and others at hand
_HELD = 20  # times as many may wait for an earlier one that was lost and is done again
_PATIENCE = 0.05  # seconds between two looks at what is done
_KNOCKING_SECONDS = 5.0


# -- reaching a cluster ----------------------------------------------------------------------------


def import_ray() -> Any:
    """Ray, or a sentence on how to get it."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("this needs Ray: pip install 'taskspace[ray]'") from error
    return ray


def on_ray(executor: str | None, **local: Any) -> bool:
    """Whether Ray is to do it; then settings of this machine alone (`local`) make no sense."""
    if executor is None:
        return False
    if executor != "ray":
        raise ValueError(f"executor must be None (this machine) or 'ray', not {executor!r}")
    for name, value in local.items():
        if value is not None:
            raise ValueError(f"{name}= is for this machine alone; on Ray, the cluster decides")
    import_ray()
    return True


@contextlib.contextmanager
def connected(address: str | None = None) -> Iterator[None]:
    """Ray, for as long as the block runs.

    If the program is connected already, that is it. Otherwise it is the cluster at `address` or,
    without one, at RAY_ADDRESS; if neither is given, one of this machine's cores, quietly started
    and ended with the block.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield
        return
    target = address or os.environ.get("RAY_ADDRESS") or "local"
    own: dict[str, Any] = {"include_dashboard": False} if target == "local" else {}
    if target not in ("local", "auto"):
        _knock(target)
    try:
        ray.init(target, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, RuntimeError) as error:
        if "AuthenticationError" in f"{error} {error.__cause__}":
            raise ConnectionError(
                f"Ray at {target} wants a token that this program did not show; Ray's documentation"
                " on token authentication says how to give it one"
            ) from error
        raise ConnectionError(f"Ray at {target} could not be reached: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Complain within seconds where nobody answers; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"an address of Ray looks like 10.0.0.1:6379, not {address!r}")
    try:
        socket.create_connection((host, int(port)), _KNOCKING_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(
            f"there is no Ray at {address} ({error}); on its first machine,"
            " `ray start --head` prints the address"
        ) from error


def cores() -> int:
    """How many cores the cluster has at the moment."""
    return max(1, int(import_ray().cluster_resources().get("CPU", 1)))


# -- shipping --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shipped:
    """Something in the cluster's object store, to be unpacked at most once by a worker in a row."""

    reference: Any
    version: str = __version__

    def unpack(self) -> Any:
        """The thing itself, in a worker."""
        if self.version != __version__:
            raise RuntimeError(
                f"a worker of Ray has taskspace {__version__}, this machine has {self.version};"
                " they must be the same"
            )
        return _unpacked(self.reference)


@functools.lru_cache(maxsize=2)  # what is to be played, and who plays
def _unpacked(reference: Any) -> Any:
    data, buffers = import_ray().get(reference)
    return pickle.loads(data, buffers=buffers)  # sent by the user's own program, never from a file


def ship(thing: Any, what: str, *, shared: bool = False) -> Shipped:
    """Put something into the object store; `what` names it if it cannot be sent.

    With `shared`, a machine has its arrays once, for all of its workers, and read-only.
    """
    buffers: list[pickle.PickleBuffer] = []
    data = packed(thing, what, buffers.append if shared else None)
    return Shipped(import_ray().put((data, buffers)))


def packed(thing: Any, what: str, keep: Callable[[Any], None] | None = None) -> bytes:
    """The thing as bytes, functions of the user's script included."""
    stream = io.BytesIO()
    try:
        _Pickler(stream, protocol=5, buffer_callback=keep).dump(thing)
    except Exception as error:
        raise ValueError(f"{what} cannot be sent to other processes: {error}") from error
    return stream.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Leaves the compiled functions of environments behind: others find them in their own cache."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, Environment):
            state = {name: value for name, value in vars(thing).items() if name != "lanes"}
            return copyreg.__newobj__, (type(thing),), state  # type: ignore[attr-defined]
        return super().reducer_override(thing)


# -- working ---------------------------------------------------------------------------------------


def in_order(
    function: Callable[..., T], calls: Iterable[tuple[Any, ...]]
) -> Generator[T, None, None]:
    """What the function returns for each of the calls, done all over the cluster.

    The calls are taken as there are cores for them, so what is under way is bounded. What is done
    before its turn waits where it is.
    """
    ray = import_ray()
    remote = ray.remote(max_retries=_RETRIES)(function)
    waiting, more = iter(calls), True
    order: deque[Any] = deque()
    running: list[Any] = []
    done: set[Any] = set()
    try:
        while more or order:
            most = _UNDER_WAY * cores()
            while more and len(running) < most and len(order) < _HELD * most:
                call = next(waiting, None)
                if call is None:
                    more = False
                else:
                    running.append(remote.remote(*call))
                    order.append(running[-1])
            ready, running = ray.wait(running, num_returns=len(running), timeout=_PATIENCE)
            done.update(ready)
            while order and order[0] in done:
                done.remove(order[0])
                yield fetched(order.popleft())
    finally:
        for reference in running:  # after an error, or Ctrl-C
            ray.cancel(reference, force=True)


def streamed(function: Callable[..., Iterator[T]], *arguments: Any) -> Generator[T, None, None]:
    """What a function that yields does, one by one; done again after a loss, nothing comes twice.

    So it must yield the same each time.
    """
    ray = import_ray()
    references = ray.remote(max_retries=_RETRIES, num_returns="streaming")(function).remote(
        *arguments
    )
    try:
        for reference in references:
            yield fetched(reference)
    except BaseException:
        ray.cancel(references, force=True)
        raise


def fetched(reference: Any) -> Any:
    """The result of a piece of work; what it raised is raised here as if it were local."""
    ray = import_ray()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if not isinstance(error.cause, Exception):
            raise
        raise error.cause from error
    except ray.exceptions.RayError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ChildProcessError(f"Ray has given up a piece of work: {lines[0]}") from error
