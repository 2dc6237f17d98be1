"""`taskspace explore` as a process: an address, a page, an end."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from taskspace.cli import main
from taskspace.explore.guards import MAX_BYTES
from taskspace.explore.server import PORT, TRIED, is_local, listen, serve
from taskspace.runs.run import Run
from tests.messages import says

COMMAND = [sys.executable, "-m", "taskspace.cli", "explore"]


@contextlib.contextmanager
def running(*arguments: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the address that it prints."""
    words = [*COMMAND, *map(str, arguments), "--no-open"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://[\w.:\[\]]+", line)
            assert found, process.communicate()
            yield process, found[0]
        finally:
            process.kill()


@contextlib.contextmanager
def rude_clients(url: str) -> Iterator[None]:
    """One whose request never ends, and one that does not wait for its answers."""
    address = (httpx.URL(url).host, httpx.URL(url).port or 80)
    with socket.create_connection(address) as slow, socket.create_connection(address) as hasty:
        slow.sendall(b"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        hasty.sendall(b"GET /data.json.gz HTTP/1.1\r\nhost: localhost\r\n\r\n" * 2)
        hasty.close()
        time.sleep(0.2)
        yield


@pytest.mark.slow
def test_it_serves_until_it_is_interrupted(keys: Run) -> None:
    with running(keys.folder, "--port", 0) as (process, url):
        assert url.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=url) as client:  # keeps its connection while the server ends
            assert "<title>taskspace explorer</title>" in client.get("/").text
            assert client.get("/data.json.gz").json()["environment"] == "MultiKeyNav"
            assert client.get("/settings.json").status_code == 404
            assert "server" not in client.get("/api/info").headers
            assert client.get("/", headers={"x": "x" * MAX_BYTES}).status_code == 431
            with rude_clients(url):
                process.send_signal(signal.SIGINT)
                told = process.communicate(timeout=20)
        assert (process.returncode, told) == (0, ("", "stopped\n"))


def test_mistakes_are_reported_in_one_sentence(
    keys: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def error_of(*arguments: Any) -> str:
        assert main(["explore", *map(str, arguments)]) == 2
        return capsys.readouterr().err

    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = taken.getsockname()[1]
        refused = error_of(keys.folder, "--port", port)
        assert re.fullmatch(f"taskspace: {says(f'port {port} --port')}.*\n", refused)
        for host in ("0.0.0.0", "no such host", "192.0.2.1"):  # who gets nothing is not warned
            assert error_of(keys.folder, "--port", port, "--host", host).count("\n") == 1
    assert re.search(f"^taskspace: {says(str(tmp_path))}", error_of(tmp_path))


def test_a_server_for_the_network_warns(keys: Run) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=says("0.0.0.0")):
            serve(keys, 0, "0.0.0.0", open_browser=False)


def test_ports_and_hosts() -> None:
    with pytest.raises(ValueError, match=says("0 65535 70000")):
        listen("127.0.0.1", 70000)
    with pytest.raises(ValueError, match=says("0 -1")):
        listen("127.0.0.1", -1)
    with pytest.raises(ValueError, match=says("host 'no such host'")):
        listen("no such host", 0)
    with pytest.raises(OSError, match=says("192.0.2.1")):
        listen("192.0.2.1", 0)
    assert [is_local(host) for host in ("127.0.0.9", "localhost", "192.0.2.1", "name")] == [
        True, True, False, False,
    ]  # fmt: skip


@pytest.mark.skipif(os.geteuid() == 0, reason="root may use any port")
def test_ports_of_the_system() -> None:
    with pytest.raises(OSError, match=says("port 80 1024")):
        listen("127.0.0.1", 80)


def test_the_first_free_port_is_taken() -> None:
    with listen("127.0.0.1") as first, listen("127.0.0.1") as second:
        ports = [each.getsockname()[1] for each in (first, second)]
        assert PORT <= ports[0] < ports[1] < PORT + TRIED
