// The same points without WebGL, drawn one by one, which is slower.

import { FEWER } from "./points.js";

// Corners of the shapes relative to their centre, in radii; y points up. A circle has none.
const CORNERS = [
  null,
  [
    [-0.886, -0.886],
    [0.886, -0.886],
    [0.886, 0.886],
    [-0.886, 0.886],
  ],
  [
    [0, 1.556],
    [-1.347, -0.778],
    [1.347, -0.778],
  ],
  [
    [0, 1.253],
    [1.253, 0],
    [0, -1.253],
    [-1.253, 0],
  ],
  [
    [0, -1.556],
    [-1.347, 0.778],
    [1.347, 0.778],
  ],
  plus(0),
  plus(Math.PI / 4),
];

function plus(turn) {
  const corners = [];
  for (let arm = 0; arm < 4; arm++) {
    const angle = turn + (arm * Math.PI) / 2;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    for (const [x, y] of [
      [0.42, -0.42],
      [1.145, -0.42],
      [1.145, 0.42],
    ]) {
      corners.push([x * cos - y * sin, x * sin + y * cos]);
    }
  }
  return corners;
}

export class FlatPoints {
  constructor(canvas) {
    Object.assign(this, { context: canvas.getContext("2d"), sent: {}, order: [] });
  }

  send(name, values) {
    this.sent[name] = values;
  }

  setOrder(order) {
    this.order = order;
    this.some = order.filter((_, index) => index % FEWER === 0);
  }

  draw({ width, height, ratio, range: [left, right, bottom, top], edge, fewer }) {
    const { context } = this;
    const { position, size, colour, shape } = this.sent;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    for (const point of fewer ? this.some : this.order) {
      const x = ((position[2 * point] - left) / (right - left)) * width;
      const y = ((top - position[2 * point + 1]) / (top - bottom)) * height;
      const reach = size[point];
      if (x < -reach || y < -reach || x > width + reach || y > height + reach) continue;
      const [red, green, blue, alpha] = colour.subarray(4 * point, 4 * point + 4);
      context.fillStyle = `rgba(${red},${green},${blue},${alpha / 255})`;
      outline(context, x, y, size[point] / 2, CORNERS[shape[point]]);
      context.fill();
      if (edge) outlined(context, edge);
    }
  }
}

// The edge, darker than the inside.
function outlined(context, edge) {
  context.lineWidth = edge;
  context.strokeStyle = "rgba(0,0,0,0.25)";
  context.stroke();
}

function outline(context, x, y, radius, corners) {
  context.beginPath();
  if (!corners) context.arc(x, y, radius, 0, 2 * Math.PI);
  for (const [across, up] of corners || []) context.lineTo(x + radius * across, y - radius * up);
  context.closePath();
}
