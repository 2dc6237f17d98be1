"""Firefox without a window, driven over Marionette, the protocol that is built into it.

Playwright drives only its own build of Firefox. A message is its length, a colon, and JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("firefox-esr", "firefox")
_SECONDS = 120.0  # for the start, and for each answer
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of a reference to an element


class Firefox:
    """One page of the browser."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._number = connection, 0
        self._received()  # a greeting
        self._ask("WebDriver:NewSession")

    def open(self, url: str) -> None:
        self._ask("WebDriver:Navigate", url=url)

    def run(self, script: str) -> Any:
        """The value that the body of a function returns."""
        return self._ask("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def wait_for(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not self.run(f"return Boolean({condition});"):
            assert time.monotonic() < end, condition
            time.sleep(0.1)

    def click(self, selector: str) -> None:
        """Click as a user does: the element must be visible, and nothing may cover it."""
        found = self._ask("WebDriver:FindElement", using="css selector", value=selector)
        self._ask("WebDriver:ElementClick", id=found["value"][_ELEMENT])

    def quit(self) -> None:
        self._ask("Marionette:Quit", flags=["eForceQuit"])

    def _ask(self, command: str, **given: Any) -> Any:
        self._number += 1
        text = json.dumps([0, self._number, command, given]).encode()
        self._connection.sendall(b"%d:%b" % (len(text), text))
        _, number, error, found = self._received()
        assert number == self._number
        assert error is None, error
        return found

    def _received(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self._connection.recv(1)
        parts, left = [], int(size[:-1])
        while left:
            parts.append(self._connection.recv(left))
            left -= len(parts[-1])
        return json.loads(b"".join(parts))


@contextlib.contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Start Firefox with a profile in an empty folder; where there is none, the test is skipped."""
    named = os.environ.get("TASKSPACE_FIREFOX")
    found = named or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"there is no Firefox ({', '.join(_NAMES)}); set TASKSPACE_FIREFOX to its path")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    words = [found, "--headless", "--no-remote", "--marionette", "--profile", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with _connected(port) as connection:
                browser = Firefox(connection)
                yield browser
                browser.quit()
        finally:
            process.kill()


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + _SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=_SECONDS)
        except OSError:
            assert time.monotonic() < end, "Firefox does not start"
            time.sleep(0.2)
