"""The explorer's server: it chooses a port, opens the page in a browser, and ends at Ctrl-C."""

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
from taskspace.explore.student_app import create_quiz_app

if TYPE_CHECKING:
    from taskspace.explore.student_quiz import StudentQuiz
    from taskspace.runs.run import Run

PORT = 8400
TRIED = 20  # ports, starting there, if the user names none
_PATIENCE = 2  # seconds for running requests when the server stops


def serve(
    run: Run,
    port: int | None = None,
    host: str = "127.0.0.1",
    open_browser: bool = True,
    quiz: StudentQuiz | None = None,
) -> None:
    """Serve the explorer of a run until Ctrl-C.

    Args:
        run: The run to explore.
        port: The port, by default the first free one from 8400 to 8419.
        host: The address or name of the network interface. By default, only this machine can
            reach the server; "0.0.0.0" stands for all interfaces.
        open_browser: Whether to open the page in a browser.
        quiz: A quiz of the run, to serve nothing else.

    Raises:
        TypeError: If `run` is not a `Run`.
        ValueError: If the host or the port is invalid.
        OSError: If the port is in use.
    """
    if not hasattr(run, "outcomes"):
        raise TypeError(f"run must be a Run, e.g. from open_run, got {checks.brief(run)}")
    local = is_local(host)
    with listen(host, port) as taken:
        if not local:
            warnings.warn(
                f"everyone who can reach this machine at {host} can"
                f" {'take the quiz' if quiz else 'see and query the map'};"
                " omit --host to allow this machine only",
                stacklevel=2,
            )
        url = _url(host, taken.getsockname()[1])
        hosts = _names(host, local)
        app = create_quiz_app(quiz, hosts=hosts) if quiz else create_app(run, hosts=hosts)
        what = f"a quiz of {quiz.questions} tasks" if quiz else "the map"
        manual = "" if quiz else f" (HTTP API: {url}/docs)"
        line = f"serving {what} of {run.short_title} at {url}{manual}; press Ctrl-C to stop"
        _run(app, taken, lambda: _announce(line, url, open_browser))


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server at this address.

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
    """A socket on this port, by default on the first free one from 8400 to 8419."""
    if not isinstance(host, str):
        raise ValueError(f"the host must be an address of this machine, got {checks.brief(host)}")
    if port is None:
        for number in range(PORT, PORT + TRIED):
            try:
                return _bound(host, number)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
        last = PORT + TRIED - 1
        raise OSError(f"ports {PORT} to {last} are all in use; choose another one with --port")
    number = checks.whole(port, "the port")
    if number > 65535:
        raise ValueError(f"the port must be an integer from 0 to 65535, got {port}")
    return _bound(host, number)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise ValueError(f"the host must be an address of this machine, got {host!r}") from error
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen()  # or another process might still bind the same port
    except OSError as error:
        found.close()
        reason = _REASONS.get(error.errno or 0, "cannot listen on {host}, port {port}: {error}")
        clearer = OSError(reason.format(host=host, port=port, error=error.strerror))
        clearer.errno = error.errno
        raise clearer from error
    return found


_REASONS = {
    errno.EADDRINUSE: "port {port} is in use; choose another one, or omit --port to use a free one",
    errno.EACCES: "port {port} needs administrator rights; choose a --port of at least 1024",
    errno.EADDRNOTAVAIL: "{host} is not an address of this machine; omit --host to use 127.0.0.1",
}


def _names(host: str, local: bool) -> tuple[str, ...]:
    """The host names that requests may use; any, if the server listens on all interfaces."""
    if host in ("0.0.0.0", "::", ""):
        return (ANY_HOST,)
    return LOCAL_HOSTS if local else (*LOCAL_HOSTS, _bracketed(host))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{_bracketed(shown)}:{port}"


def _announce(line: str, url: str, open_browser: bool) -> None:
    print(line)
    sys.stdout.flush()
    if open_browser and _has_windows():
        webbrowser.open(url)


def _has_windows() -> bool:
    """Whether there is a graphical browser; a text browser would take over the terminal."""
    shown = "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return shown or sys.platform in ("darwin", "win32")


def _run(app: Any, taken: socket.socket, started: Callable[[], None]) -> None:
    from threadpoolctl import threadpool_limits

    from taskspace.torch_state import one_thread

    # Clients get their own errors as responses; the app logs internal errors itself.
    config = uvicorn.Config(
        app, http=Connection, log_level="critical", access_log=False, server_header=False,
        lifespan="off", ws="none", timeout_graceful_shutdown=_PATIENCE,
    )  # fmt: skip
    try:
        # Requests run in parallel; each is too small to benefit from more than one core.
        with threadpool_limits(1), one_thread():
            _Server(config, started).run(sockets=[taken])
    except KeyboardInterrupt:  # the normal way to stop the server
        print("stopped", file=sys.stderr)


class _Server(uvicorn.Server):
    """Calls `started` as soon as it accepts connections."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()
