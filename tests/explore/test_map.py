"""The map as it is drawn: the points' pixels, and how they follow a hand."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.runs.run import Run
from tests.explore.browser import READY, STILL, served

pytestmark = pytest.mark.slow

WITHOUT_WEBGL = """
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === "2d" ? getContext.call(this, kind, ...rest) : null;
  };
"""
# Every shape in three sizes, once by each of the two ways to draw.
TWICE = """async (fewer) => {
  const { glPoints } = await import("/assets/map/points.js");
  const { FlatPoints } = await import("/assets/map/points-flat.js");
  const [across, up] = [7, 3];
  const all = [...Array(across * up).keys()];
  const draw = (make) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [280, 120];
    const points = make(canvas);
    const row = (n) => Math.floor(n / across);
    points.send("position", Float32Array.from(all.flatMap((n) => [n % across, row(n)])));
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
    return Array.from(context.getImageData(0, 0, 280, 120).data.filter((_, at) => at % 4 === 3));
  };
  return [draw(glPoints), draw((canvas) => new FlatPoints(canvas))];
}"""


@pytest.fixture(scope="module")
def url(keys: Run) -> Iterator[str]:
    api = pytest.importorskip("taskspace.explore.api", reason="fastapi is not installed")
    with served(api.create_app(keys)) as found:
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
    image = Image.open(io.BytesIO(page.locator("#map canvas").screenshot(scale="css")))
    return np.asarray(image.convert("RGB"))


def places(page: Any) -> NDArray[np.float64]:
    """Where on the map each task is, in pixels."""
    script = "Array.from(explorer.map.drawn.x, (_, task) => explorer.map.pixelsOf(task))"
    return np.array(page.evaluate(script))


def alone(found: NDArray[np.float64]) -> NDArray[np.int64]:
    """Tasks whose points no other one touches, and that are inside the map."""
    apart = np.linalg.norm(found[:, None] - found, axis=2)
    np.fill_diagonal(apart, np.inf)
    inside = (found > 10).all(axis=1) & (found < [800, 560]).all(axis=1)
    return np.flatnonzero((apart.min(axis=1) > 16) & inside)


def check_points(page: Any, shown: list[int] | None = None) -> None:
    """Points that stand alone have their colours, and most of the map has none."""
    seen, found = picture(page), places(page)
    painted = np.array(page.evaluate("Array.from(explorer.map.drawn.colouring.painted)"))
    wanted = 255 + 217 / 255 * (painted.reshape(-1, 4)[:, :3] - 255.0)  # over white
    lonely = np.intersect1d(alone(found), np.arange(160) if shown is None else shown)
    assert len(lonely) > (5 if shown is None else 0)
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


def test_points_follow_the_window_and_the_screen(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        before = page.evaluate("explorer.map.canvas.width")
        page.set_viewport_size({"width": 1200, "height": 760})
        check_points(page)
        wide = page.evaluate("explorer.map.canvas.width")
        assert wide < before
        sharper = {"width": 1200, "height": 760, "deviceScaleFactor": 2, "mobile": False}
        page.context.new_cdp_session(page).send("Emulation.setDeviceMetricsOverride", sharper)
        page.evaluate("explorer.map.redraw()")
        assert page.evaluate("explorer.map.canvas.width") == 2 * wide
        check_points(page)


def test_selected_points_lie_on_top(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        page.locator("#legend .chip").first.click()
        page.evaluate(STILL)
        shown = page.evaluate("explorer.map.drawn.shown")
        order = page.evaluate("Array.from(explorer.map.points.order)")
        assert 0 < len(shown) < 160
        assert sorted(order[-len(shown) :]) == shown
        check_points(page, shown)


def test_both_ways_to_draw_give_the_same_shapes(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        both, fewer = (
            np.array(page.evaluate(TWICE, few), np.float64).reshape(2, 120, 280)
            for few in (False, True)
        )
    by_card, one_by_one = both / 255
    assert np.abs(by_card - one_by_one).mean() < 0.01
    areas = by_card.reshape(3, 40, 7, 40).sum(axis=(1, 3))  # of the sizes (from below), and shapes
    disc = np.pi * np.array([24, 16, 9])[:, None] ** 2 / 4
    np.testing.assert_allclose(areas / disc, 1, atol=0.03)
    for some in fewer:  # while a slow screen moves: the 1st, 5th and so on, from below
        seen = some.reshape(3, 40, 7, 40).sum(axis=(1, 3))[::-1].ravel()
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


def fingers(page: Any) -> Callable[..., None]:
    """Puts fingers on the map, moves and lifts them."""
    corner, session = page.locator("#map").bounding_box(), page.context.new_cdp_session(page)

    def touch(kind: str, *at: tuple[float, float]) -> None:
        points = [
            {"x": corner["x"] + x, "y": corner["y"] + y, "id": n} for n, (x, y) in enumerate(at)
        ]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return touch


def test_two_fingers_zoom_and_one_chooses(browser: Any, url: str) -> None:
    with opened(browser, url, has_touch=True) as page:
        corner, before, touch = page.locator("#map").bounding_box(), places(page), fingers(page)
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
        page.evaluate("location.hash = '#view=axes&range=50,51,50,51'")
        page.wait_for_selector("#nothing:visible")
        page.fill("[aria-label='Find a task']", "task-7")
        page.keyboard.press("Enter")  # a task that is chosen comes into view
        page.wait_for_selector("#nothing", state="hidden")
        middle = page.locator("#map").bounding_box()
        np.testing.assert_allclose(places(page)[7], [middle["width"] / 2, middle["height"] / 2])
        page.evaluate("location.hash = '#view=axes&range=50,51,50,51'")
        page.click("#nothing")
        page.wait_for_selector("#nothing", state="hidden")
        check_points(page)


def test_a_link_wins_over_an_address_that_is_not_yet_written(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        page.evaluate(
            "() => { explorer.map.show([0, 1, 0, 1]); const start = performance.now();"
            " while (performance.now() < start + 400);"  # the address is due to be written
            " location.hash = '#view=axes&range=50,51,50,51'; }"
        )
        page.wait_for_selector("#nothing:visible")
        page.evaluate("location.hash = '#view=axes'")
        page.wait_for_selector("#nothing", state="hidden")
        page.go_back()
        page.wait_for_selector("#nothing:visible")
        page.go_forward()
        page.wait_for_selector("#nothing", state="hidden")


def test_a_finger_that_stays_moves_the_map_on(browser: Any, url: str) -> None:
    with opened(browser, url, has_touch=True) as page:
        touch = fingers(page)
        touch("touchStart", (300, 200))
        touch("touchStart", (300, 200), (400, 200))
        touch("touchMove", (300, 200), (440, 200))
        page.evaluate(
            "() => { const [, second] = explorer.map.gestures.down.keys();"
            " document.getElementById('map').dispatchEvent("
            "   new PointerEvent('pointerup', { pointerId: second, pointerType: 'touch' })); }"
        )
        before = places(page)
        touch("touchMove", (320, 250), (440, 200))
        touch("touchEnd")
        page.evaluate(STILL)
        np.testing.assert_allclose(places(page) - before, np.tile([20, 50], (160, 1)), atol=0.1)
        assert page.evaluate("explorer.state.now.task") is None  # that was no click


@pytest.mark.parametrize("how", ["second finger", "touchCancel", "Escape"])
def test_a_lasso_can_be_given_up(browser: Any, url: str, how: str) -> None:
    with opened(browser, url, has_touch=True) as page:
        page.click("[data-mode=lasso]")
        before, touch = places(page), fingers(page)
        touch("touchStart", (100, 100))
        for at in ((700, 100), (700, 500), (100, 500)):
            touch("touchMove", at)
        assert page.locator("#marks .outline").count() == 1
        if how == "second finger":
            touch("touchStart", (100, 500), (200, 500))
        elif how == "Escape":
            page.keyboard.press("Escape")
        touch("touchCancel" if how == "touchCancel" else "touchEnd")
        page.evaluate(STILL)
        assert page.evaluate("explorer.state.now.lassos") == []
        assert page.locator("#marks .outline").count() == 0
        np.testing.assert_allclose(places(page), before, atol=0.1)


def test_a_mouse_that_was_released_elsewhere_does_not_drag(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        corner, before = page.locator("#map").bounding_box(), places(page)
        page.mouse.move(corner["x"] + 300, corner["y"] + 100)
        page.mouse.down()
        page.evaluate(
            "document.getElementById('map').dispatchEvent(new PointerEvent('pointermove',"
            " { pointerId: 1, pointerType: 'mouse', buttons: 0, clientX: 500, clientY: 300 }))"
        )
        page.mouse.move(corner["x"] + 400, corner["y"] + 200)
        page.evaluate(STILL)
        np.testing.assert_allclose(places(page), before, atol=0.1)


def test_quick_hands_are_not_lost(browser: Any, url: str) -> None:
    with opened(browser, url) as page:
        width = "explorer.map.camera.range[1] - explorer.map.camera.range[0]"
        before = page.evaluate(width)
        page.evaluate("explorer.map.zoom(1); explorer.map.zoom(1);")  # in one picture
        assert page.evaluate(width) == pytest.approx(before / 1.5**2)


def test_only_a_screen_that_is_slow_again_and_again_is_slow(browser: Any, url: str) -> None:
    script = """async (times) => {
      const { Pace } = await import("/assets/map/pace.js");
      let rested = 0;
      const pace = new Pace(() => { rested += 1; });
      pace.move();
      for (const time of times) pace.took(time);
      const fewer = pace.picture();
      pace.rest();
      return [pace.slow, fewer, pace.picture(), rested];
    }"""
    with opened(browser, url) as page:
        assert page.evaluate(script, [300, 17, 300, 17]) == [False, False, False, 0]
        assert page.evaluate(script, [60, 60, 60]) == [False, False, False, 0]
        assert page.evaluate(script, [17, 60, 60, 60, 60]) == [True, True, False, 1]
