// Measures whether drawing is fast enough while the map moves. If it is not, e.g. without a
// graphics card, fewer points are drawn during the movement, and all of them afterwards.

const SLOW = 40; // milliseconds per frame
const SOME = 4; // consecutive slow frames; a single one may have other causes
const REST = 160; // milliseconds without a move

export class Pace {
  constructor(rested) {
    Object.assign(this, { rested, moving: false, slow: false, times: [] });
  }

  move() {
    this.moving = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), REST);
  }

  rest() {
    this.moving = false;
    this.times = [];
    if (this.slow) this.rested();
  }

  // Called for every frame; returns whether to draw fewer points.
  picture() {
    if (!this.moving || this.slow) return this.moving;
    const drawn = performance.now();
    requestAnimationFrame(() => this.took(performance.now() - drawn));
    return false;
  }

  took(time) {
    this.times = [...this.times, time].slice(-SOME);
    const slow = this.times.length === SOME && this.times.every((each) => each > SLOW);
    this.slow ||= slow; // permanently, because points must not flicker
  }
}
