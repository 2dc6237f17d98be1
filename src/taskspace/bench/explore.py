"""Predictions per second of the explorer's server, on one core."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.applications.predictor import PerformancePredictor
from taskspace.bench.printing import print_lines
from taskspace.bench.quiz import random_predictor
from taskspace.files import write_arrays
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.report.projections import PCA, TSNE
from taskspace.runs import layout
from taskspace.runs.clusters import Clusters
from taskspace.runs.layout import Part
from taskspace.runs.stages import Stages

AGENTS, TASKS, CANDIDATES = 111, 5000, 2011  # as in a run of MultiKeyNav
QUIZ, ASKED = 20, 100
BODIES = 64  # different requests, used in turn
CONNECTIONS = (1, 8, 32)
SECONDS = 8.0

# The script of wrk: it sends the bodies in a file in turn and prints percentiles in microseconds.
_SCRIPT = """
local bodies, turn = {}, 0
for line in io.lines(os.getenv("BODIES")) do bodies[#bodies + 1] = line end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  turn = turn % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[turn])
end
done = function(summary, latency)
  local wrong = summary.errors.status + summary.errors.timeout + summary.errors.read
  print(string.format("FOUND %d %d %d %d %d", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), wrong))
end
"""


@dataclass(frozen=True)
class Load:
    """The result of a load test."""

    requests: int
    seconds: float
    p50: float  # seconds
    p99: float
    cpu: float  # seconds of CPU time of the server

    @property
    def rate(self) -> float:
        return self.requests / self.seconds


def make_folder(folder: Path, tasks: int = TASKS, candidates: int = CANDIDATES) -> None:
    """Write a run folder with random data, of the size of a real one."""
    rng = np.random.default_rng(0)
    outcomes = Outcomes(rng.integers(0, 2, (AGENTS, tasks), np.uint8), np.array(1))
    view = rng.random((tasks, 2), np.float32)
    embedder = OrdinalEmbedder(6, steps=0, random_state=0).fit(outcomes)
    vectors = {
        "vectors": embedder.transform(outcomes.tasks),
        "difficulty": embedder.difficulty(outcomes.tasks),
    }
    clusters = Clusters(("all",), "nothing", np.zeros(tasks, np.int64))
    parts: dict[Part, tuple[Any, Any]] = {
        layout.OUTCOMES: (outcomes, Outcomes.save),
        layout.EMBEDDER: (embedder, OrdinalEmbedder.save),
        layout.VECTORS: (vectors, write_arrays),
        layout.CLUSTERS: (clusters, Clusters.save),
        layout.PREDICTOR: (random_predictor(tasks, candidates), PerformancePredictor.save),
        layout.LAYOUTS: ({TSNE: view, PCA: view}, write_arrays),
    }  # fmt: skip
    after = {
        layout.PREDICTOR: [layout.OUTCOMES.stage, layout.EMBEDDER.stage],
        layout.LAYOUTS: [layout.EMBEDDER.stage],
    }
    with Stages(folder, {"name": "nothing", "seed": 0}, log=lambda line: None) as stages:
        for part, (made, save) in parts.items():
            stages.stage(part, partial(_same, made), save, _same, after=after.get(part))


def _same(made: Any) -> Any:
    return made


def bodies() -> list[bytes]:
    """Requests with a quiz of 20 tasks and 100 tasks to predict."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(BODIES):
        drawn = [f"task-{number}" for number in rng.choice(TASKS, QUIZ + ASKED, replace=False)]
        right = rng.integers(0, 2, QUIZ).tolist()
        quiz = [{"task": t, "result": r} for t, r in zip(drawn[:QUIZ], right, strict=True)]
        found.append(json.dumps({"quiz": quiz, "tasks": drawn[QUIZ:]}).encode())
    return found


@contextlib.contextmanager
def server(folder: Path) -> Iterator[tuple[int, int]]:
    """Start the server as a process on one core; yields its process id and its port."""
    program = "import sys, taskspace as ts;ts.open_run(sys.argv[1]).explore(0, open_browser=False)"
    command = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            _pin(process.pid, 0)
            assert process.stdout is not None
            line = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
            if line is None:
                raise ValueError("the server did not start")
            yield process.pid, int(line[1])
        finally:
            process.terminate()


def _pin(process: int, core: int) -> None:
    """Pin a process to one core, if the operating system supports it."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(process, {cores[core % len(cores)]})


def _cpu_seconds(process: int) -> float:
    """The CPU time of a process; NaN if the operating system does not report it."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return float("nan")
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


# -- clients ---------------------------------------------------------------------------------------


def load(process: int, port: int, connections: int, seconds: float = SECONDS) -> Load:
    """Send requests over some connections, with wrk if it is installed, else with our client."""
    before = _cpu_seconds(process)
    ask = by_wrk if shutil.which("wrk") else by_hand
    requests, took, p50, p99 = ask(port, connections, seconds)
    return Load(requests, took, p50, p99, _cpu_seconds(process) - before)


def by_wrk(port: int, connections: int, seconds: float) -> tuple[int, float, float, float]:
    with tempfile.TemporaryDirectory() as name:
        script, lines = Path(name, "ask.lua"), Path(name, "bodies")
        script.write_text(_SCRIPT)
        lines.write_bytes(b"\n".join(bodies()))
        url = f"http://127.0.0.1:{port}/api/predict"
        command = [
            "wrk",
            "-t1",
            f"-c{connections}",
            f"-d{seconds:g}s",
            "--timeout=20s",
            "-s",
            str(script),
            url,
        ]
        with subprocess.Popen(
            command, env={**os.environ, "BODIES": str(lines)}, stdout=subprocess.PIPE, text=True
        ) as process:
            _pin(process.pid, 1)
            output, _ = process.communicate()
    found = re.search(r"FOUND (\d+) (\d+) (\d+) (\d+) (\d+)", output)
    if found is None or found[5] != "0":
        raise ValueError(f"wrk failed: {output}")
    requests, took, p50, p99 = (int(found[group]) for group in range(1, 5))
    return requests, took / 1e6, p50 / 1e6, p99 / 1e6


def by_hand(port: int, connections: int, seconds: float) -> tuple[int, float, float, float]:
    """The same with plain sockets, in a separate process."""
    program = (
        "import asyncio, json, sys; from taskspace.bench import explore;"
        "print(json.dumps(asyncio.run(explore.ask_all(*map(float, sys.argv[1:])))))"
    )
    command = [sys.executable, "-c", program, str(port), str(connections), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        _pin(process.pid, 1)
        output, _ = process.communicate()
    times: list[float] = json.loads(output)
    return len(times), seconds, *np.percentile(times, [50, 99]).tolist()


async def ask_all(port: float, connections: float, seconds: float) -> list[float]:
    """The durations of all requests."""
    asks = [_ask(int(port), first, seconds) for first in range(int(connections))]
    return [took for times in await asyncio.gather(*asks) for took in times]


async def _ask(port: int, first: int, seconds: float) -> list[float]:
    head = "POST /api/predict HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    requests = [f"{head}content-length: {len(body)}\r\n\r\n".encode() + body for body in bodies()]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times: list[float] = []
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        writer.write(requests[(first + len(times)) % len(requests)])
        answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200"):
            raise ValueError(f"the server answered {answer!r}")
        size = re.search(rb"content-length: (\d+)", answer)
        assert size is not None
        await reader.readexactly(int(size[1]))
        times.append(time.perf_counter() - start)
    writer.close()
    return times


def measure_all() -> dict[int, Load]:
    """Run the load test per number of connections."""
    with tempfile.TemporaryDirectory() as name:
        make_folder(Path(name))
        with server(Path(name)) as (process, port):
            url = f"http://127.0.0.1:{port}/api/info"
            with urllib.request.urlopen(url, timeout=60) as answer:
                assert answer.status == 200
            load(process, port, CONNECTIONS[0], 1.0)  # warm up
            return {count: load(process, port, count) for count in CONNECTIONS}


def print_report(console: Console) -> None:
    """Print a table of speed and latency by number of connections."""
    busy = os.getloadavg()[0]
    found = {
        f"{count} connection{'s' if count > 1 else ''}": each
        for count, each in measure_all().items()
    }
    lines: dict[str, Any] = {
        "requests/s": lambda each: f"{each.rate:,.0f}",
        "latency, median": lambda each: f"{1000 * each.p50:.2f} ms",
        "latency, 99th percentile": lambda each: f"{1000 * each.p99:.2f} ms",
        "requests/s of CPU time": lambda each: f"{each.requests / each.cpu:,.0f}",
    }
    title = (
        f"POST /api/predict: quiz of {QUIZ}, {ASKED} of {TASKS} tasks, {CANDIDATES} candidates;"
        " server on one core"
    )
    print_lines(console, title, lines, found)
    client = "wrk" if shutil.which("wrk") else "a Python client"
    console.print(
        f"Requests were sent by {client}. The load average before the start was {busy:.1f} on"
        f" {os.cpu_count()} cores; CPU time does not include the time of other processes."
    )
