"""A small map, its page on a local server, and a browser to look at it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import Run
from taskspace.testing.browser import NoBrowser
from taskspace.testing.browser import chromium as chromium_or_none
from tests.run_folders import write_run

READY: Any = {"selector": "html[data-ready]", "state": "attached", "timeout": 60_000}
STILL = "() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 50))"
NASTY = '<img src=x onerror="window.broken=1">'  # the name of the first task


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window; where there is none, the tests are skipped."""
    with contextlib.ExitStack() as stack:
        try:
            browser = stack.enter_context(chromium_or_none())
        except NoBrowser as error:
            pytest.skip(str(error))
        yield browser


def small_map(folder: Path) -> Run:
    """The information map of `small_outcomes`."""
    outcomes, listed = small_outcomes()
    model = SuccessModel(width=16, bins=4, batch_size=32, random_state=0, progress=False)
    embedder = TaskEmbedder(3, model=model, random_state=0).fit(outcomes)
    return write_run(folder, {"environment": "MultiKeyNav"}, outcomes, embedder, listed)


def small_outcomes() -> tuple[Outcomes, dict[str, str]]:
    """160 tasks of MultiKeyNav, tried by agents that lack one of the keys, or none.

    Also returns the subpopulation of each agent.
    """
    env, rng = MultiKeyNav(), np.random.default_rng(0)
    tasks = env.sample_tasks(160, seed=0)
    missing = env.missing(tasks)
    lacking = np.array([0, 1, 2, 4, 8] * 5)  # a bit for each key
    skill = rng.uniform(0.5, 1.0, len(lacking))
    left = sum((missing >> key) & 1 for key in range(4))
    can = (missing & lacking[:, None]) == 0
    probabilities = skill[:, None] * can * 0.8**left
    agents = [f"agent {number}" for number in range(len(lacking))]
    names = [NASTY, *(f"task-{number}" for number in range(1, len(tasks)))]
    given: Any = {"agents": agents, "tasks": names, "rollouts": 10}
    columns = tuple(column.name for column in env.columns)
    successes = rng.binomial(10, probabilities)
    outcomes = Outcomes(successes, features=tasks, feature_names=columns, **given)
    kinds = {0: "complete", 1: "no A", 2: "no B", 4: "no C", 8: "no D"}
    listed = {n: kinds[bit] for n, bit in zip(agents, lacking.tolist(), strict=True)}
    return outcomes, listed


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """The app on a free port; its address."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join()
