"""The explorer's server: a free port, the page in a browser, and an end at Ctrl-C."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
import warnings
import webbrowser
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import uvicorn

from taskspace import checks
from taskspace.explore.api import LOCAL_HOSTS, create_app
from taskspace.explore.connections import Connection
from taskspace.explore.guards import ANY_HOST

if TYPE_CHECKING:
    from taskspace.runs.run import Run

PORT = 8400
TRIED = 20  # ports from there on, where none is asked for
_PATIENCE = 2  # seconds, for requests that are under way at the end


def serve(
    run: Run,
    port: int | None = None,
    host: str = "127.0.0.1",
    open_browser: bool = True,
) -> None:
    """Serve the map of a run until Ctrl-C.

    Without a `port` it is the first free one from 8400 on. Only this machine can reach the server,
    unless `host` is the address, or the name, of another of its network interfaces (0.0.0.0 for
    all of them).
    """
    local = is_local(host)
    with listen(host, port) as taken:
        if not local:
            warnings.warn(
                f"everybody who can reach this machine at {host} can look at the map and ask it"
                " questions; without --host only this machine can",
                stacklevel=2,
            )
        url = _url(host, taken.getsockname()[1])
        app = create_app(run, hosts=_names(host, local))
        _run(app, taken, lambda: _tell(run.name, url, open_browser))


def is_local(host: str) -> bool:
    """Whether only this machine can reach servers at an address.

    >>> is_local("localhost"), is_local("::1"), is_local("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int | None = None) -> socket.socket:
    """A socket on this port, or on the first free one from 8400 on."""
    if port is None:
        for number in range(PORT, PORT + TRIED):
            try:
                return _bound(host, number)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
        raise OSError(f"ports {PORT} to {PORT + TRIED - 1} are all in use; give another as --port")
    number = checks.whole(port, "the port")
    if number > 65535:
        raise ValueError(f"the port must be a number from 0 to 65535, not {port}")
    return _bound(host, number)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise ValueError(f"there is no host {host!r}; expected an address of this machine") from (
            error
        )
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen()  # or another process might still bind the same port
    except OSError as error:
        found.close()
        told = OSError(_WHY.get(error.errno or 0, "cannot listen on {host}, port {port}: {error}")
                       .format(host=host, port=port, error=error.strerror))  # fmt: skip
        told.errno = error.errno
        raise told from error
    return found


_WHY = {
    errno.EADDRINUSE: "port {port} is in use; give another as --port, or none to have one chosen",
    errno.EACCES: "port {port} is not for everybody; give one from 1024 on as --port",
    errno.EADDRNOTAVAIL: "{host} is no address of this machine; leave --host away to use 127.0.0.1",
}


def _names(host: str, local: bool) -> tuple[str, ...]:
    """Under which names the server answers: of an address for all interfaces, under any."""
    if host in ("0.0.0.0", "::", ""):
        return (ANY_HOST,)
    return LOCAL_HOSTS if local else (*LOCAL_HOSTS, _bracketed(host))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{_bracketed(shown)}:{port}"


def _tell(name: str, url: str, open_browser: bool) -> None:
    print(f"the map of {name} is at {url} (Ctrl-C ends it); for other programs: {url}/docs")
    sys.stdout.flush()
    if open_browser and _has_windows():
        webbrowser.open(url)


def _has_windows() -> bool:
    """A text browser would take the terminal away."""
    shown = "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return shown or sys.platform in ("darwin", "win32")


def _run(app: Any, taken: socket.socket, started: Callable[[], None]) -> None:
    from threadpoolctl import threadpool_limits

    from taskspace.torch_state import one_thread

    # What clients do wrong is told to them; where the app fails, it logs that itself.
    config = uvicorn.Config(
        app, http=Connection, log_level="critical", access_log=False, server_header=False,
        lifespan="off", ws="none", timeout_graceful_shutdown=_PATIENCE,
    )  # fmt: skip
    try:
        # Requests share the cores among them; each is too small to gain by more than one.
        with threadpool_limits(1), one_thread():
            _Server(config, started).run(sockets=[taken])
    except KeyboardInterrupt:  # by which a server is meant to end
        print("stopped", file=sys.stderr)


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()
