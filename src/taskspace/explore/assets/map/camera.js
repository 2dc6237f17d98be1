// The visible part of a view: a range [left, right, bottom, top] of its coordinates.

import { extent } from "../quantities.js";

const ROOM = 0.05; // around all points, relative to their extent
const [CLOSEST, WIDEST] = [1e-3, 5]; // zoom, relative to the extent of all points
const [SMALLEST, FARTHEST] = [1e-7, 1000]; // ranges that an address may request

export class Camera {
  constructor() {
    Object.assign(this, { width: 1, height: 1, all: [0, 1, 0, 1], range: [0, 1, 0, 1] });
  }

  // The view's coordinates; with `equal`, both axes have the same scale.
  setView({ x, y, equal }) {
    this.equal = equal;
    this.all = [x, y].flatMap((values) => {
      const [low, high] = extent(values);
      const room = ROOM * (high - low || 1);
      return [low - room, high + room];
    });
  }

  // Show a range, or all; with equal scales, the range is extended to the shape of the window.
  look(range) {
    const given = range && this.isValid(range) ? range : this.all;
    this.range = this.equal ? fitted(given, this.width / this.height) : given;
  }

  // Whether a range, which may come from an address, is neither too small nor too far away.
  isValid([left, right, bottom, top]) {
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

  // The range after zooming by a factor around these pixels.
  zoomed(factor, across = this.width / 2, down = this.height / 2) {
    const [left, right, bottom, top] = this.range;
    const whole = this.all[1] - this.all[0];
    const by =
      Math.min(Math.max((right - left) / factor, CLOSEST * whole), WIDEST * whole) / (right - left);
    const [x, y] = this.position(across, down);
    return [x + (left - x) * by, x + (right - x) * by, y + (bottom - y) * by, y + (top - y) * by];
  }
}

// The smallest range with this aspect ratio that contains another, with the same centre.
function fitted([left, right, bottom, top], shape) {
  const [wide, high] = [right - left, top - bottom];
  const across = Math.max(wide, high * shape) / 2;
  const up = Math.max(high, wide / shape) / 2;
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return [x - across, x + across, y - up, y + up];
}
