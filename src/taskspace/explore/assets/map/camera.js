// What part of a view is seen: a range [left, right, bottom, top] of its coordinates.

import { extent } from "../quantities.js";

const ROOM = 0.05; // around all points, as a share of their extent
const [CLOSEST, WIDEST] = [1e-3, 5]; // that one can zoom to, as shares of all
const [SMALLEST, FARTHEST] = [1e-7, 1000]; // that an address may ask for

export class Camera {
  constructor() {
    Object.assign(this, { width: 1, height: 1, all: [0, 1, 0, 1], range: [0, 1, 0, 1] });
  }

  // The view's coordinates; `equal` ones have the same scale across and up.
  setView({ x, y, equal }) {
    this.equal = equal;
    this.all = [x, y].flatMap((values) => {
      const [low, high] = extent(values);
      const room = ROOM * (high - low || 1);
      return [low - room, high + room];
    });
  }

  // Look at a range, or at all; more is seen where the window has another shape.
  look(range) {
    const given = range && this.makesSense(range) ? range : this.all;
    this.range = this.equal ? fitted(given, this.width / this.height) : given;
  }

  // Whether a range, which may be out of an address, is neither too small nor too far away.
  makesSense([left, right, bottom, top]) {
    const [first, last, lowest, highest] = this.all;
    const near = (low, high, start, end) =>
      high - low > SMALLEST * (end - start) &&
      low > start - FARTHEST * (end - start) &&
      high < end + FARTHEST * (end - start);
    return near(left, right, first, last) && near(bottom, top, lowest, highest);
  }

  pixels(x, y) {
    const [left, right, bottom, top] = this.range;
    return [((x - left) / (right - left)) * this.width, ((top - y) / (top - bottom)) * this.height];
  }

  position(across, down) {
    const [left, right, bottom, top] = this.range;
    return [
      left + (across / this.width) * (right - left),
      top - (down / this.height) * (top - bottom),
    ];
  }

  // The range after the map has been moved by pixels.
  moved(across, down) {
    const [left, right, bottom, top] = this.range;
    const x = (across / this.width) * (right - left);
    const y = (down / this.height) * (top - bottom);
    return [left - x, right - x, bottom + y, top + y];
  }

  // The range after zooming in by a factor; what is at these pixels stays there.
  zoomed(factor, across = this.width / 2, down = this.height / 2) {
    const [left, right, bottom, top] = this.range;
    const whole = this.all[1] - this.all[0];
    const by =
      Math.min(Math.max((right - left) / factor, CLOSEST * whole), WIDEST * whole) / (right - left);
    const [x, y] = this.position(across, down);
    return [x + (left - x) * by, x + (right - x) * by, y + (bottom - y) * by, y + (top - y) * by];
  }
}

// The smallest range with this shape (width to height) that holds another, around its middle.
function fitted([left, right, bottom, top], shape) {
  const [wide, high] = [right - left, top - bottom];
  const across = Math.max(wide, high * shape) / 2;
  const up = Math.max(high, wide / shape) / 2;
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return [x - across, x + across, y - up, y + up];
}
