"""Work on a Ray cluster: objects are sent once, and lost pieces of work are repeated.

A piece of work must depend on its arguments alone. Then it does not matter which worker does it, or
how often, and the loss of a worker or a node costs nothing but time.
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

from taskspace import checks
from taskspace._version import __version__
from taskspace.envs.base import Environment

T = TypeVar("T")

_RETRIES = 20  # per piece of work; after that the piece itself is likely at fault
_UNDER_WAY = 3  # pieces per core: one at work, and others ready to start
_HELD = 20  # times as many may wait for an earlier piece that is being repeated
_PATIENCE = 0.05  # seconds between two checks for finished pieces
_CONNECTION_SECONDS = 5.0


# -- reaching a cluster ----------------------------------------------------------------------------


def import_ray() -> Any:
    """Import Ray, or raise an error that says how to install it."""
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "executor='ray' needs Ray; install it with: pip install 'taskspace[ray]'"
        ) from error
    return ray


def on_ray(executor: str | None, **local: Any) -> bool:
    """Whether to run on Ray; settings for this machine (`local`) are then not allowed."""
    if executor is None:
        return False
    if executor != "ray":
        raise ValueError(
            f"executor must be None (this machine) or 'ray', got {checks.brief(executor)}"
        )
    for name, value in local.items():
        if value is not None:
            raise ValueError(
                f"{name} must be None on Ray, which uses all cores of the cluster, got"
                f" {value!r}; leave out {name}="
            )
    import_ray()
    return True


@contextlib.contextmanager
def connected(address: str | None = None) -> Iterator[None]:
    """Connect to Ray for the duration of the block.

    An existing connection of the program is used. Otherwise the cluster is the one at `address` or
    at RAY_ADDRESS; if neither is given, a cluster of this machine's cores is started and, at the
    end of the block, stopped.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield
        return
    target = address or os.environ.get("RAY_ADDRESS") or "local"
    own: dict[str, Any] = {"include_dashboard": False} if target == "local" else {}
    if target not in ("local", "auto"):
        _check_reachable(target)
    try:
        ray.init(target, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, RuntimeError) as error:
        if "AuthenticationError" in f"{error} {error.__cause__}":
            raise ConnectionError(
                f"Ray at {target} requires a token, got none; see Ray's documentation on token"
                " authentication"
            ) from error
        raise ConnectionError(f"cannot connect to Ray at {target}: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raise an error within seconds if there is no answer; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(
            f"the address of Ray must be like 10.0.0.1:6379, got {checks.brief(address)}"
        )
    try:
        socket.create_connection((host, int(port)), _CONNECTION_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(
            f"there is no Ray at {address} ({error}); on the first machine of the cluster,"
            " `ray start --head` prints the address"
        ) from error


def cores() -> int:
    """The number of cores that the cluster has at the moment."""
    return max(1, int(import_ray().cluster_resources().get("CPU", 1)))


# -- sending objects -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shipped:
    """An object in the cluster's object store; a worker that uses it repeatedly unpacks it once."""

    reference: Any
    version: str = __version__

    def unpack(self) -> Any:
        """The object itself, in a worker."""
        if self.version != __version__:
            raise RuntimeError(
                f"the taskspace of Ray's workers must be version {self.version} as on this machine,"
                f" got {__version__}"
            )
        return _unpacked(self.reference)


@functools.lru_cache(maxsize=2)  # the tasks and the agents
def _unpacked(reference: Any) -> Any:
    data, buffers = import_ray().get(reference)
    return pickle.loads(data, buffers=buffers)  # sent by the user's own program, never from a file


def ship(thing: Any, what: str, *, shared: bool = False) -> Shipped:
    """Put an object into the object store; `what` is its name in error messages.

    With `shared`, all workers of a machine share one read-only copy of its arrays.
    """
    buffers: list[pickle.PickleBuffer] = []
    data = packed(thing, what, buffers.append if shared else None)
    return Shipped(import_ray().put((data, buffers)))


def packed(thing: Any, what: str, keep: Callable[[Any], None] | None = None) -> bytes:
    """Pickle an object, including functions of the user's script."""
    stream = io.BytesIO()
    try:
        _Pickler(stream, protocol=5, buffer_callback=keep).dump(thing)
    except Exception as error:
        raise ValueError(
            f"{what} must be picklable to be sent to other processes, got an error: {error}"
        ) from error
    return stream.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Omits the compiled functions of environments, which other processes have in their cache."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, Environment):
            state = {name: value for name, value in vars(thing).items() if name != "lanes"}
            return copyreg.__newobj__, (type(thing),), state  # type: ignore[attr-defined]
        return super().reducer_override(thing)


# -- working ---------------------------------------------------------------------------------------


def in_order(
    function: Callable[..., T], calls: Iterable[tuple[Any, ...]]
) -> Generator[T, None, None]:
    """Call the function on the cluster, and yield its results in the order of the calls.

    Calls are taken when there are cores for them, so the amount of work under way is bounded.
    Results that are early wait in the object store.
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
    """Call a generator function on the cluster, and yield its items one by one.

    After a loss it runs again, without repeating items, so it must always yield the same items.
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
    """The result of a piece of work; its errors are raised here as if it had run locally."""
    ray = import_ray()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if not isinstance(error.cause, Exception):
            raise
        raise error.cause from error
    except ray.exceptions.RayError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ChildProcessError(f"Ray could not complete a piece of work: {lines[0]}") from error
