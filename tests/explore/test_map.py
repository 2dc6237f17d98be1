"""The map as it is drawn: the points' pixels, and how they follow a hand."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.explore.prepared import Prepared
from taskspace.finished import FinishedMap
from tests.explore.browser import READY, STILL, served

WITHOUT_WEBGL = """
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === "2d" ? getContext.call(this, kind, ...rest) : null;
  };
"""
# Every shape in three sizes, once by each of the two ways to draw.
TWICE = """async (fewer) => {
  const { glPoints } = await import("/assets/points.js");
  const { FlatPoints } = await import("/assets/points-flat.js");
  const [across, up] = [7, 3];
  const all = [...Array(across * up).keys()];
  const draw = (make) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [280, 120];
    const points = make(canvas);
    const row = (n) => Math.floor(n / across);
    points.send("place", Float32Array.from(all.flatMap((n) => [n % across, row(n)])));
    points.send("size", Float32Array.from(all, (n) => [9, 16, 24][row(n)]));
    points.send("colour", Uint8Array.from(all.flatMap(() => [0, 114, 178, 255])));
    points.send("shape", Uint8Array.from(all, (n) => n % across));
    points.setOrder(Uint32Array.from(all));
    const range = [-0.5, 6.5, -0.5, 2.5];
    points.draw({ width: 280, height: 120, ratio: 1, range, edge: 0, fewer });
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [280, 120];
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    return Array.from(context.getImageData(0, 0, 280, 120).data);
  };
  return [draw(glPoints), draw((canvas) => new FlatPoints(canvas))];
}"""


@pytest.fixture(scope="module")
def url(keys: FinishedMap, keys_prepared: Prepared) -> Iterator[str]:
    api = pytest.importorskip("taskspace.explore.api", reason="fastapi is not installed")
    with served(api.create_app(keys, prepared=keys_prepared)) as found:
        yield found


@contextlib.contextmanager
def opened(browser: Any, url: str, script: str = "", **settings: Any) -> Iterator[Any]:
    """The page in the map's own axes, after a script of ours."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, **settings)
    context.add_init_script(script)
    page = context.new_page()
    page.goto(f"{url}#view=axes")
    page.wait_for_selector(**READY)
    yield page
    context.close()


def picture(page: Any) -> NDArray[np.uint8]:
    """The map's pixels (height, width, 3), without what lies over it."""
    from PIL import Image

    page.evaluate(STILL)
    image = Image.open(io.BytesIO(page.locator("#map canvas").screenshot()))
    return np.asarray(image.convert("RGB"))


def places(page: Any) -> NDArray[np.float64]:
    """Where on the map each task is, in pixels."""
    script = "Array.from(explorer.map.drawn.x, (_, task) => explorer.map.place(task))"
    return np.array(page.evaluate(script))


def alone(found: NDArray[np.float64]) -> NDArray[np.int64]:
    """Tasks whose points no other one touches, and that are inside the map."""
    apart = np.linalg.norm(found[:, None] - found, axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.flatnonzero((apart.min(axis=1) > 16) & (found[:, 1] < 560))


def check_points(page: Any) -> None:
    """Points that stand alone have their colours, and most of the map has none."""
    seen, found = picture(page), places(page)
    painted = np.array(page.evaluate("Array.from(explorer.map.drawn.colouring.painted)"))
    wanted = 255 + 217 / 255 * (painted.reshape(-1, 4)[:, :3] - 255.0)  # over white
    lonely = alone(found)
    assert len(lonely) > 5
    for task in lonely:
        across, down = found[task].astype(int)
        np.testing.assert_allclose(seen[down, across], wanted[task], atol=3)
    assert (seen == 255).all(axis=2).mean() > 0.8


# -- drawing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("script", "drawn_by"), [("", "GlPoints"), (WITHOUT_WEBGL, "FlatPoints")])
def test_points_are_on_the_screen(browser: Any, url: str, script: str, drawn_by: str) -> None:
    with opened(browser, url, script) as page:
        assert page.evaluate("explorer.map.points.constructor.name") == drawn_by
        check_points(page)


def test_points_come_back_after_the_graphics_card_forgot_them(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        page.evaluate(
            "() => new Promise((done) => {"
            " const { canvas, gl } = explorer.map.points;"
            " const card = gl.getExtension('WEBGL_lose_context');"
            " canvas.addEventListener('webglcontextlost', () => setTimeout(() => {"
            "   card.restoreContext(); setTimeout(done, 100); }, 100));"
            " card.loseContext(); })"
        )
        check_points(page)


def test_both_ways_to_draw_give_the_same_shapes(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        both, fewer = (
            np.array(page.evaluate(TWICE, few), np.float64).reshape(2, 120, 280, 4)
            for few in (False, True)
        )
    by_card, one_by_one = both[..., 3] / 255
    assert np.abs(by_card - one_by_one).mean() < 0.01
    areas = by_card.reshape(3, 40, 7, 40).sum(axis=(1, 3))  # of the sizes (from below), and shapes
    disc = np.pi * np.array([24, 16, 9])[:, None] ** 2 / 4
    np.testing.assert_allclose(areas / disc, 1, atol=0.03)
    for some in fewer[..., 3]:  # while a slow screen moves: the 1st, 5th and so on, from below
        seen = some.reshape(3, 40, 7, 40).any(axis=(1, 3))[::-1].ravel()
        assert np.flatnonzero(seen).tolist() == [0, 4, 8, 12, 16, 20]


# -- hands -----------------------------------------------------------------------------------------


def test_a_drag_moves_the_map_with_the_hand(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        corner, before = page.locator("#map").bounding_box(), places(page)
        x, y = corner["x"] + 300, corner["y"] + 100
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 40, y + 10)
        page.mouse.move(x + 60, y - 30)
        page.mouse.up()
        np.testing.assert_allclose(places(page) - before, np.tile([60, -30], (160, 1)), atol=0.1)
        check_points(page)
        page.wait_for_url("**range=**")  # when the hand has rested
        page.mouse.dblclick(x, y)
        np.testing.assert_allclose(places(page), before, atol=0.1)


def test_the_wheel_zooms_around_the_pointer(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        corner, before = page.locator("#map").bounding_box(), places(page)
        task = int(alone(before)[0])
        page.mouse.move(*(before[task] + [corner["x"], corner["y"]]))
        page.mouse.wheel(0, -300)
        page.evaluate(STILL)
        after = places(page)
        np.testing.assert_allclose(after[task], before[task], atol=1)
        apart = [np.linalg.norm(found - found[task], axis=1) for found in (before, after)]
        np.testing.assert_allclose(apart[1], apart[0] * np.exp(0.66), atol=1e-3 * apart[1].max())


def test_two_fingers_zoom_and_one_chooses(browser: Any, url: str) -> None:
    with opened(browser, url, has_touch=True) as page:
        corner, before = page.locator("#map").bounding_box(), places(page)
        fingers = page.context.new_cdp_session(page)

        def touch(kind: str, *at: tuple[float, float]) -> None:
            points = [{"x": corner["x"] + x, "y": corner["y"] + y} for x, y in at]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", (300, 200))
        touch("touchStart", (300, 200), (400, 200))
        touch("touchMove", (250, 200), (450, 200))
        touch("touchEnd")
        page.evaluate(STILL)
        after = places(page)
        np.testing.assert_allclose(after - [350, 200], 2 * (before - [350, 200]), atol=1)
        page.click("[aria-label='Show all']")
        task = int(alone(before)[0])
        page.touchscreen.tap(*(before[task] + [corner["x"], corner["y"]]))
        assert page.evaluate("explorer.state.now.task") == task


def test_nobody_is_lost_in_empty_space(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        assert not page.is_visible("#nothing")
        page.evaluate("location.hash = '#view=axes&range=900,901,900,901'")
        page.wait_for_selector("#nothing:visible")
        page.fill("[aria-label='Find a task']", "task-7")
        page.keyboard.press("Enter")  # a task that is chosen comes into view
        page.wait_for_selector("#nothing", state="hidden")
        middle = page.locator("#map").bounding_box()
        np.testing.assert_allclose(places(page)[7], [middle["width"] / 2, middle["height"] / 2])
        page.evaluate("location.hash = '#view=axes&range=900,901,900,901'")
        page.click("#nothing")
        page.wait_for_selector("#nothing", state="hidden")
        check_points(page)
