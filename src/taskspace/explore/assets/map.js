// The map: every task a point, drawn by plotly in WebGL.

import { extent, meanOf } from "./quantities.js";

const CONFIG = { displayModeBar: false, scrollZoom: true, doubleClick: false, responsive: false };
const DRAWN = ["x", "y", "colouring", "shown", "look"]; // what points must be drawn anew for
const ZOOM = 1.5; // by a button or a key
const MANY = 8000; // tasks, whose points have no edges
const CORNERS = 60; // of a lasso, at the most: it must fit in an address

// Plotly's WebGL needs the browser's, and makes functions from text: a browser or a policy that
// has or allows neither gets slower points.
function pointType() {
  try {
    new Function("");
    return document.createElement("canvas").getContext("webgl") ? "scattergl" : "scatter";
  } catch {
    return "scatter";
  }
}

export class TaskMap {
  // `told` has hover(task), leave(), click(task), lasso(points or null), range(range), moved().
  constructor(element, space, told) {
    this.element = element;
    this.space = space;
    this.type = pointType();
    this.sizes = sizesOf(space);
    this.told = told;
    this.drawn = this.waiting = this.range = null;
    this.dragging = "pan";
  }

  // Draw a scene: {x, y, titles, equal, range, colouring, shown, mode, look}. Several calls before
  // the next picture of the screen are one.
  draw(scene) {
    this.scene = scene;
    this.waiting ??= new Promise((done) => requestAnimationFrame(() => done(this.drawNow())));
    return this.waiting;
  }

  async drawNow() {
    const { element, scene } = this;
    this.waiting = null;
    const first = !this.drawn;
    if (first || DRAWN.some((part) => this.drawn[part] !== scene[part])) {
      await window.Plotly.react(
        element,
        [this.points(scene)],
        layout(scene, this.dragging),
        CONFIG,
      );
    } else if (String(scene.range) !== String(this.range)) {
      await this.show(scene.range);
    }
    [this.drawn, this.range] = [scene, scene.range];
    if (first) this.listen();
    if (this.dragging !== scene.mode) { // react would not get the points ready for a lasso
      this.dragging = scene.mode;
      await window.Plotly.relayout(element, { dragmode: scene.mode });
    }
    this.told.moved();
    element.dataset.drawn = String(Number(element.dataset.drawn || 0) + 1);
  }

  points({ x, y, colouring, shown, look }) {
    return {
      type: this.type,
      mode: "markers",
      x,
      y,
      hoverinfo: "none", // events, but no box: the page has its own
      marker: {
        size: this.sizes,
        color: colouring.values,
        cmin: colouring.least,
        cmax: colouring.high,
        colorscale: colouring.scale,
        symbol: colouring.symbols,
        opacity: 0.85,
        line: { width: this.space.count > MANY ? 0 : 0.6, color: look.ground },
      },
      selectedpoints: shown,
      selected: { marker: { opacity: 0.9 } },
      unselected: { marker: { opacity: 0.25, color: look.line } },
    };
  }

  listen() {
    const { element, told } = this;
    element.on("plotly_hover", ({ points }) => told.hover(points[0].pointNumber));
    element.on("plotly_unhover", () => told.leave());
    element.on("plotly_click", ({ points }) => told.click(points[0].pointNumber));
    element.on(
      "plotly_selected",
      (event) => event?.lassoPoints && told.lasso(corners(event.lassoPoints)),
    );
    element.on("plotly_deselect", () => {
      this.drawn = { ...this.drawn, shown: undefined }; // plotly has changed the points itself
      told.lasso(null);
    });
    element.on("plotly_doubleclick", () => this.show(null));
    element.on("plotly_relayouting", () => told.moved());
    element.on("plotly_relayout", (event) => this.relaid(event));
    new ResizeObserver(() => window.Plotly.Plots.resize(element).then(told.moved)).observe(element);
  }

  relaid(event) {
    if ("xaxis.range[0]" in event || "xaxis.range" in event) this.note(this.rangeNow());
    this.told.moved();
  }

  note(range) {
    this.range = range;
    this.told.range(range);
  }

  // -- where things are --------------------------------------------------------------------------

  // Where a place of the view is, in pixels from the corner of the map, also while it moves.
  pixels(x, y) {
    const { xaxis, yaxis } = this.element._fullLayout;
    const along = (
      { range: [low, high], _length }, value
    ) => ((value - low) / (high - low)) * _length;
    return [xaxis._offset + along(xaxis, x), yaxis._offset + yaxis._length - along(yaxis, y)];
  }

  place(task) {
    return this.pixels(this.scene.x[task], this.scene.y[task]);
  }

  rangeNow() {
    const { xaxis, yaxis } = this.element._fullLayout;
    return [...xaxis.range, ...yaxis.range];
  }

  // Move to a range, or to all tasks.
  async show(range) {
    const [left, right, bottom, top] = range || everything(this.scene);
    const axes = { "xaxis.range": [left, right], "yaxis.range": [bottom, top] };
    await window.Plotly.relayout(this.element, axes);
    if (!range) this.note(null);
  }

  zoom(direction) {
    const [left, right, bottom, top] = this.rangeNow();
    const by = direction > 0 ? 1 / ZOOM : ZOOM;
    const around = (low, high) => {
      const half = ((high - low) / 2) * by;
      return [(low + high) / 2 - half, (low + high) / 2 + half];
    };
    return this.show([...around(left, right), ...around(bottom, top)]);
  }

  // The nearest task in a direction on the screen: "ArrowLeft" and so on.
  beside(task, key) {
    const [x, y] = this.place(task);
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    let [best, least] = [null, Infinity];
    for (let other = 0; other < this.space.count; other++) {
      const [right, down] = this.place(other);
      const ahead = sign * (across ? right - x : down - y);
      const aside = Math.abs(across ? down - y : right - x);
      const cost = ahead + 2 * aside;
      if (ahead > 0.5 && aside <= ahead && cost < least) [best, least] = [other, cost];
    }
    return best;
  }
}

// The range that holds all points. Plotly finds it only where it draws all points anew.
function everything({ x, y }) {
  return [x, y].flatMap((values) => {
    const [low, high] = extent(values);
    const room = 0.05 * (high - low || 1);
    return [low - room, high + room];
  });
}

function layout(scene, dragmode) {
  const { look, titles, equal } = scene;
  const range = scene.range || everything(scene);
  const axis = (title) => ({
    visible: Boolean(title),
    title: title && { text: title, font: { size: 12 }, standoff: 6 },
    gridcolor: look.grid,
    zerolinecolor: look.line,
    color: look.muted,
    tickfont: { size: 11 },
    nticks: 7,
  });
  const x = axis(titles && titles[0]);
  const y = { ...axis(titles && titles[1]), ...(equal && { scaleanchor: "x" }) };
  return {
    xaxis: { ...x, range: range.slice(0, 2) },
    yaxis: { ...y, range: range.slice(2) },
    selections: [], // our own outline stays, plotly's goes
    margin: { l: titles && titles[1] ? 48 : 12, r: 12, t: 12, b: titles ? 40 : 12 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "inherit", color: look.ink },
    dragmode,
    hovermode: "closest",
    hoverdistance: 14,
    showlegend: false,
    newselection: { line: { color: look.accent, width: 2, dash: "solid" } },
  };
}

function corners({ x, y }) {
  const step = Math.max(1, Math.ceil(x.length / CORNERS));
  const short = (value) => Number(value.toPrecision(4));
  return x.map((value, at) => [short(value), short(y[at])]).filter((_, at) => at % step === 0);
}

// The area of a point is in proportion to the difficulty; more tasks have smaller points.
function sizesOf({ difficulty, count }) {
  const base = Math.min(11, 42 / count ** 0.22);
  const mean = meanOf(difficulty, difficulty.keys()) || 1;
  return Float32Array.from(difficulty, (value) => base * Math.sqrt(Math.max(value / mean, 0.12)));
}
