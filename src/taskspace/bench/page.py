"""Frame rate of the explorer's page with a map of 50,000 tasks."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from taskspace.bench.explore import make_folder, server
from taskspace.bench.printing import print_lines
from taskspace.testing.browser import NoBrowser, chromium, open_page

TASKS, CANDIDATES = 50_000, 500  # the page uses at most this many candidates
STEPS = {"drag": 90, "wheel": 90, "new colours": 30, "answer in the quiz": 10}
_ALL_POINTS = "explorer.map.pace.picture = () => false"
_AS_EVER = "delete explorer.map.pace.picture"

# One action per frame; returns the milliseconds between frames.
_ACTS = """async ([what, steps, x, y]) => {
  const map = document.getElementById("map");
  const place = (step) => ({ clientX: x + 2 * step, clientY: y + step, bubbles: true });
  const mouse = { pointerId: 1, pointerType: "mouse", buttons: 1 };
  const acts = {
    drag: (step) => map.dispatchEvent(
      new PointerEvent("pointermove", { ...mouse, ...place(step) })),
    wheel: (step) => map.dispatchEvent(
      new WheelEvent("wheel", { deltaY: 2 * step < steps ? -30 : 30, ...place(0) })),
    "new colours": (step) => explorer.state.change({ colour: ["success", "cluster"][step % 2] }),
    "answer in the quiz": (step) => explorer.state.change({
      colour: "predicted", answers: [...explorer.state.now.answers, { task: step, result: 1 }],
    }),
  };
  const picture = () => new Promise(requestAnimationFrame);
  const times = [];
  let before = await picture();
  for (let step = 0; step < steps; step++) {
    acts[what](step);
    const now = await picture();
    times.push(now - before);
    before = now;
  }
  return times;
}"""
_RENDERER = """() => {
  const { gl } = explorer.map.points;
  const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  return info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "no WebGL";
}"""


@dataclass(frozen=True)
class Followed:
    """The frame times of one type of action."""

    mean: float  # milliseconds between frames
    p95: float
    script: float  # milliseconds of script per action


def measure(page: Any, what: str) -> Followed:
    """Repeat one action and measure the frame times."""
    box = page.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    if what == "drag":
        page.mouse.down()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = _busy_seconds(session)
    times = page.evaluate(_ACTS, [what, STEPS[what], x, y])
    script = 1000 * (_busy_seconds(session) - before) / STEPS[what]
    page.mouse.up()
    page.wait_for_timeout(500)
    return Followed(float(np.mean(times)), float(np.percentile(times, 95)), script)


def _busy_seconds(session: Any) -> float:
    """The busy time of the page's main thread."""
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def measure_all() -> tuple[str, dict[str, Followed]]:
    """The renderer, and the frame times by type of action."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        make_folder(Path(name), TASKS, CANDIDATES)
        with server(Path(name)) as (_, port):
            page = open_page(browser, f"http://127.0.0.1:{port}/")
            page.wait_for_timeout(1000)
            renderer = str(page.evaluate(_RENDERER))
            page.evaluate(_ALL_POINTS)
            whole = {f"{what}, all points": measure(page, what) for what in ("drag", "wheel")}
            page.evaluate(_AS_EVER)
            return renderer, {**whole, **{what: measure(page, what) for what in STEPS}}


def print_report(console: Console) -> None:
    """Print a table, or one line if there is no browser."""
    try:
        renderer, found = measure_all()
    except NoBrowser as error:
        console.print(f"The page was not measured: {error}.")
        return
    lines: dict[str, Any] = {
        "frames/s": lambda each: f"{1000 / each.mean:.0f}",
        "frame time, 95th percentile": lambda each: f"{each.p95:.0f} ms",
        "script time per action": lambda each: f"{each.script:.1f} ms",
    }
    print_lines(console, f"Explorer page with {TASKS:,} tasks", lines, found)
    console.print(
        f"Rendered by {renderer}, at most 60 frames/s. On slow displays, one in four points is"
        " drawn during movement, except in the columns with all points."
    )
