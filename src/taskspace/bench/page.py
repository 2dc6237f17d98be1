"""How well the explorer's page follows a hand on a map of 50,000 tasks."""

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

TASKS, CANDIDATES = 50_000, 500  # the page takes no more candidates
STEPS = {"drag": 90, "wheel": 90, "new colours": 30, "answer in the quiz": 10}
_ALL_POINTS = "explorer.map.pace.picture = () => false"
_AS_EVER = "delete explorer.map.pace.picture"

# One act for each picture of the screen, and the milliseconds from picture to picture.
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
    """How the page kept up with one kind of act."""

    mean: float  # milliseconds from picture to picture
    p95: float
    script: float  # milliseconds of the page's own work, for each act


def measure(page: Any, what: str) -> Followed:
    """Do one act again and again, and watch the pictures."""
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
    """How long the page's own thread has worked."""
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def measure_all() -> tuple[str, dict[str, Followed]]:
    """What draws the pictures, and what was found by the kind of act."""
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
    """One table, or one line where there is no browser."""
    try:
        renderer, found = measure_all()
    except NoBrowser as error:
        console.print(f"The page was not measured: {error}.")
        return
    lines: dict[str, Any] = {
        "pictures/s": lambda each: f"{1000 / each.mean:.0f}",
        "95 % of them within": lambda each: f"{each.p95:.0f} ms",
        "the page's own work": lambda each: f"{each.script:.1f} ms",
    }
    print_lines(console, f"The page with {TASKS:,} tasks", lines, found)
    console.print(
        f"Drawn by {renderer}, at most 60 pictures/s. A screen that does not keep up gets one in"
        " four points while it moves, unless the column says otherwise."
    )
