// The map: every task is a point.

import { el, svg } from "../dom.js";
import { meanOf } from "../quantities.js";
import { axes } from "./axes.js";
import { Camera } from "./camera.js";
import { Gestures } from "./gestures.js";
import { Pace } from "./pace.js";
import { FlatPoints } from "./points-flat.js";
import { glPoints } from "./points.js";

const ZOOM = 1.5; // factor per button click or key press
const MANY = 2000; // tasks; more have points without edges, which would hide the points below
const EDGE = 0.7; // pixels
const REACH = 14; // maximum distance from pointer to point in pixels
const FINGER = 24; // the same for a finger
const SHARPEST = 2; // device pixels per page pixel; more make no visible difference
const CORNERS = 60; // maximum number of points of a lasso, which must fit in an address
const PALE = 64; // opacity of 255 for points that are not selected

export class TaskMap {
  // `mode()` is "pan" or "lasso"; `handlers` has hover(task), leave(), click(task), trace(points),
  // lasso(points), range(range) and moved().
  constructor(element, space, mode, handlers) {
    Object.assign(this, { element, space, handlers, drawn: {}, waiting: null, hovered: null });
    this.lines = svg("svg", { class: "lines", "aria-hidden": "true" });
    this.figures = svg("svg", { class: "figures", "aria-hidden": "true" });
    this.canvas = el("canvas");
    this.points = glPoints(this.canvas);
    if (!this.points) {
      this.canvas = el("canvas"); // a canvas cannot change its context
      this.points = new FlatPoints(this.canvas);
    }
    element.append(this.lines, this.canvas, this.figures);
    this.sizes = sizesOf(space);
    this.bySize = new Uint32Array(space.count).map((_, task) => task); // smaller points on top
    this.bySize.sort((a, b) => this.sizes[b] - this.sizes[a]);
    this.points.send("size", this.sizes);
    this.camera = new Camera();
    this.pace = new Pace(() => this.redraw());
    this.gestures = new Gestures(element, mode, this.gestureHandlers());
    element.addEventListener("dblclick", () => this.show(null));
    this.canvas.addEventListener("webglcontextrestored", () => this.redraw());
    new ResizeObserver(() => this.resize()).observe(element);
    this.watchSharpness();
  }

  gestureHandlers() {
    return {
      point: (x, y) => this.point(x, y),
      leave: () => this.leave(),
      click: (x, y, finger) => this.click(x, y, finger),
      move: (x, y) => this.look(this.camera.moved(x, y)),
      zoom: (factor, x, y) => this.look(this.camera.zoomed(factor, x, y)),
      trace: (trail) => this.handlers.trace(trail && this.positionsOf(trail)),
      lasso: (trail) => this.handlers.lasso(this.positionsOf(thinned(trail))),
    };
  }

  // Pixels in the view's coordinates, to a tenth of a pixel.
  positionsOf(trail) {
    const {
      range: [left, right],
      width,
    } = this.camera;
    const digits = Math.min(Math.max(0, Math.ceil(Math.log10((10 * width) / (right - left)))), 12);
    const short = (value) => Number(value.toFixed(digits));
    return trail.map(([x, y]) => this.camera.position(x, y).map(short));
  }

  // -- drawing -----------------------------------------------------------------------------------

  // Draw a scene: {x, y, titles, equal, range, colouring, shown, pale}. Several calls before the
  // next frame are drawn once.
  draw(scene) {
    const before = this.scene || {};
    const anew = (...parts) => parts.some((part) => before[part] !== scene[part]);
    const view = anew("x", "y", "equal");
    this.scene = scene;
    if (view) this.camera.setView(scene);
    if (!before.x) this.measure();
    if (view || anew("range")) {
      this.camera.look(scene.range); // at once, because the next gesture starts from there
      this.leave();
    }
    return this.redraw();
  }

  redraw() {
    this.waiting ??= new Promise((done) => requestAnimationFrame(() => done(this.drawNow())));
    return this.waiting;
  }

  drawNow() {
    const { camera, drawn, scene } = this;
    this.waiting = null;
    const anew = (...parts) => parts.some((part) => drawn[part] !== scene[part]);
    if (this.ratio !== ratioNow()) this.measure();
    if (anew("x", "y")) this.points.send("position", interleaved(scene.x, scene.y));
    if (anew("colouring", "shown", "pale")) this.paint(scene);
    this.drawn = scene;
    const many = this.space.count > MANY;
    this.points.draw({
      ...camera,
      ratio: this.ratio,
      edge: many ? 0 : EDGE,
      fewer: many && this.pace.picture(),
    });
    const { lines, figures } = axes(camera, scene.titles);
    this.lines.replaceChildren(...lines);
    this.figures.replaceChildren(...figures);
    this.handlers.moved();
  }

  paint({ colouring, shown, pale }) {
    const { painted, shapes } = colouring;
    this.points.send("shape", shapes);
    this.points.send("colour", shown ? faded(painted, shown, pale) : painted);
    this.points.setOrder(shown ? onTop(this.bySize, shown) : this.bySize);
  }

  measure() {
    const { width, height } = this.element.getBoundingClientRect();
    this.ratio = ratioNow();
    Object.assign(this.camera, { width: Math.max(width, 1), height: Math.max(height, 1) });
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  resize() {
    if (!this.scene) return; // nothing is drawn yet
    this.measure();
    this.camera.look(this.scene.range);
    this.leave();
    this.drawNow(); // at once, because resizing clears the canvas
  }

  // A window may move to a screen of higher resolution without changing its size.
  watchSharpness() {
    const screen = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = () => {
      this.resize();
      this.watchSharpness();
    };
    screen.addEventListener("change", changed, { once: true });
  }

  // -- positions ---------------------------------------------------------------------------------

  // A position of the view in pixels from the corner of the map.
  pixels(x, y) {
    return this.camera.pixels(x, y);
  }

  pixelsOf(task) {
    return this.pixels(this.scene.x[task], this.scene.y[task]);
  }

  // The task whose point is nearest to a pixel, if it is within reach.
  nearest(across, down, reach) {
    const { x, y } = this.scene;
    const [left, top] = this.camera.position(across, down);
    const [right, bottom] = this.camera.position(across + 1, down + 1);
    const [wide, high] = [right - left, top - bottom]; // of a pixel
    let [best, least] = [null, reach * reach];
    for (let task = 0; task < x.length; task++) {
      const aside = ((x[task] - left) / wide) ** 2 + ((y[task] - top) / high) ** 2;
      if (aside < least) [best, least] = [task, aside];
    }
    return best;
  }

  // The nearest task in a direction on the screen: "ArrowLeft" and so on.
  beside(task, key) {
    const [x, y] = this.pixelsOf(task);
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    let [best, least] = [null, Infinity];
    for (let other = 0; other < this.space.count; other++) {
      const [right, down] = this.pixelsOf(other);
      const ahead = sign * (across ? right - x : down - y);
      const aside = Math.abs(across ? down - y : right - x);
      const cost = ahead + 2 * aside;
      if (ahead > 0.5 && aside <= ahead && cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  // -- moving ------------------------------------------------------------------------------------

  // Show a range during a gesture.
  look(range) {
    this.camera.look(range);
    this.handlers.range(this.camera.range);
    this.scene = { ...this.scene, range: this.camera.range };
    this.pace.move();
    this.redraw();
  }

  // Go to a range, or to all tasks.
  show(range) {
    this.handlers.range(range);
    return this.draw({ ...this.scene, range });
  }

  // Move the map so that a task is visible.
  reveal(task) {
    const { camera } = this;
    const [x, y] = this.pixelsOf(task);
    const seen = x > 0 && y > 0 && x < camera.width && y < camera.height;
    if (!seen) this.show(camera.moved(camera.width / 2 - x, camera.height / 2 - y));
  }

  // Whether any task is visible.
  any() {
    const [left, right, bottom, top] = this.camera.range;
    const { x, y } = this.scene;
    const within = (value, task) =>
      value > left && value < right && y[task] > bottom && y[task] < top;
    return x.some(within);
  }

  zoom(direction) {
    return this.show(this.camera.zoomed(direction > 0 ? ZOOM : 1 / ZOOM));
  }

  // -- pointing ----------------------------------------------------------------------------------

  point(x, y) {
    const task = this.nearest(x, y, REACH);
    if (task === null) this.leave();
    else if (task !== this.hovered) this.handlers.hover(task);
    this.hovered = task;
  }

  leave() {
    this.hovered = null;
    this.handlers.leave();
  }

  click(x, y, finger) {
    const task = this.nearest(x, y, finger ? FINGER : REACH);
    if (task !== null) this.handlers.click(task);
  }
}

function ratioNow() {
  return Math.min(window.devicePixelRatio || 1, SHARPEST);
}

function interleaved(x, y) {
  const positions = new Float32Array(2 * x.length);
  for (let task = 0; task < x.length; task++) {
    positions[2 * task] = x[task];
    positions[2 * task + 1] = y[task];
  }
  return positions;
}

// Colours in which only the tasks shown stand out.
function faded(colours, shown, [red, green, blue]) {
  const result = new Uint8Array(colours.length);
  for (let at = 0; at < result.length; at += 4) result.set([red, green, blue, PALE], at);
  for (const task of shown) result.set(colours.subarray(4 * task, 4 * task + 4), 4 * task);
  return result;
}

// An order in which the tasks shown come last and are drawn on top.
function onTop(order, shown) {
  const above = new Uint8Array(order.length);
  for (const task of shown) above[task] = 1;
  const below = order.filter((task) => !above[task]);
  const result = new Uint32Array(order.length);
  result.set(below);
  result.set(
    order.filter((task) => above[task]),
    below.length,
  );
  return result;
}

function thinned(trail) {
  const step = Math.max(1, Math.ceil(trail.length / CORNERS));
  return trail.filter((_, at) => at % step === 0);
}

// The area of a point is proportional to the difficulty; maps with more tasks have smaller points.
function sizesOf({ difficulty, count }) {
  const base = Math.min(11, 42 / count ** 0.22);
  const mean = meanOf(difficulty, difficulty.keys()) || 1;
  return Float32Array.from(difficulty, (value) => base * Math.sqrt(Math.max(value / mean, 0.12)));
}
