// Marks on top of the map, which move with it and are cheap to change.

import { svg } from "../dom.js";

const SHAPES = {
  chosen: "M-11 0A11 11 0 1 1 11 0A11 11 0 1 1 -11 0Z",
  near: "M-7 0A7 7 0 1 1 7 0A7 7 0 1 1 -7 0Z",
  solved: "M-7.5 0A7.5 7.5 0 1 1 7.5 0A7.5 7.5 0 1 1 -7.5 0Z",
  failed: "M-7-4L-4-7L0-3L4-7L7-4L3 0L7 4L4 7L0 3L-4 7L-7 4L-3 0Z",
  made: "M0-12L3-4L11.5-3.7L4.8 1.5L7.1 9.7L0 5L-7.1 9.7L-4.8 1.5L-11.5-3.7L-3-4Z",
};

export class Marks {
  // `pixels(x, y)` converts a position of the view to pixels of the map.
  constructor(element, pixels) {
    this.element = element;
    this.pixels = pixels;
    this.marks = [];
    this.outlines = [];
  }

  // Marks are [kind, x, y]; a lasso is a list of positions.
  show(marks, lassos) {
    const shape = ([kind, x, y]) =>
      svg("path", { d: SHAPES[kind], class: `mark ${kind}`, "data-x": x, "data-y": y });
    this.marks = marks.map((mark) => [shape(mark), mark[1], mark[2]]);
    this.outlines = lassos.map((points) => [svg("path", { class: "outline" }), points]);
    this.traced = null;
    this.element.replaceChildren(...[...this.outlines, ...this.marks].map(([drawn]) => drawn));
    this.reposition();
  }

  // A lasso that is being drawn.
  trace(points) {
    if (!this.traced) {
      this.traced = [svg("path", { class: "outline" }), points];
      this.outlines.push(this.traced);
      this.element.prepend(this.traced[0]);
    }
    this.traced[1] = points;
    this.reposition();
  }

  // Move the marks to the current positions of the map.
  reposition() {
    for (const [drawn, x, y] of this.marks) {
      const [left, top] = this.pixels(x, y);
      drawn.setAttribute("transform", `translate(${left} ${top})`);
    }
    for (const [drawn, points] of this.outlines) {
      const corners = points.map(([x, y]) => this.pixels(x, y).join(" "));
      drawn.setAttribute("d", `M${corners.join("L")}Z`);
    }
  }
}
