// Mouse and touch on the map: point, click, drag, pinch and wheel.

const STILL = 4; // pixels that the pointer may move during a click
const WHEEL = 0.0022; // zoom per pixel of the wheel
const LINE = 16; // pixels per line, for wheels that count lines

export class Gestures {
  // `handlers` has point(x, y), leave(), click(x, y, finger), move(x, y), zoom(factor, x, y), and
  // for a lasso trace(points or null) and lasso(points); x and y are pixels.
  constructor(element, mode, handlers) {
    Object.assign(this, { element, mode, handlers, down: new Map(), trail: null, dragged: false });
    const on = (name, act) => element.addEventListener(name, act.bind(this), { passive: false });
    on("pointerdown", this.press);
    on("pointermove", this.move);
    on("pointerup", this.release);
    on("pointercancel", this.cancel);
    on("lostpointercapture", this.cancel);
    on("pointerleave", () => this.handlers.leave());
    on("wheel", this.wheel);
    on("gesturestart", this.pinchTrackpad); // Safari's event for trackpads
    on("gesturechange", this.pinchTrackpad);
  }

  at(event) {
    const { left, top } = this.element.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  press(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, this.at(event));
    const first = this.down.size === 1;
    this.start = this.at(event);
    this.dragged = !first; // two fingers do not click
    this.drop();
    if (first && this.mode() === "lasso") this.trail = [this.at(event)];
  }

  move(event) {
    const now = this.at(event);
    if (event.pointerType === "mouse" && !event.buttons) this.cancel(event); // released elsewhere
    const before = this.down.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse" || event.pointerType === "pen") this.handlers.point(...now);
      return;
    }
    if (!this.dragged && apart(now, this.start) < STILL) return;
    if (!this.dragged) this.handlers.leave();
    this.dragged = true;
    if (this.down.size > 1) this.pinch(event.pointerId, before, now);
    else if (this.trail) this.trace(now);
    else this.handlers.move(now[0] - before[0], now[1] - before[1]);
    this.down.set(event.pointerId, now);
  }

  trace(now) {
    this.trail.push(now);
    this.handlers.trace(this.trail);
  }

  pinch(finger, before, now) {
    const [first, second] = [...this.down];
    if (finger !== first[0] && finger !== second[0]) return; // a third one
    const [, still] = finger === first[0] ? second : first;
    const middle = [(now[0] + still[0]) / 2, (now[1] + still[1]) / 2];
    this.handlers.move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.handlers.zoom(apart(now, still) / Math.max(apart(before, still), 1), ...middle);
  }

  release(event) {
    if (!this.down.delete(event.pointerId)) return;
    if (!this.dragged) this.handlers.click(...this.at(event), event.pointerType === "touch");
    else if (this.trail) this.handlers.lasso(this.trail);
    this.trail = null;
  }

  cancel(event) {
    if (this.down.delete(event.pointerId)) this.drop();
  }

  // Discard the lasso that is being drawn.
  drop() {
    if (this.trail) this.handlers.trace(null);
    this.trail = null;
  }

  pinchTrackpad(event) {
    event.preventDefault();
    if (event.type === "gesturechange") {
      this.handlers.zoom(event.scale / this.scale, ...this.at(event));
    }
    this.scale = event.scale;
  }

  wheel(event) {
    event.preventDefault();
    const turned = event.deltaY * (event.deltaMode ? LINE : 1) * (event.ctrlKey ? 4 : 1);
    this.handlers.leave();
    this.handlers.zoom(Math.exp(-WHEEL * turned), ...this.at(event));
  }
}

function apart([x, y], [otherX, otherY]) {
  return Math.hypot(x - otherX, y - otherY);
}
