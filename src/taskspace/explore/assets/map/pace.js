// Whether the screen keeps up while the map moves. Where it does not, as without a graphics card,
// fewer points are drawn on the way, and all of them when the hand rests.

const SLOW = 40; // milliseconds until the next picture
const SOME = 4; // pictures in a row: one alone may have other reasons
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

  // A picture is drawn; says whether fewer points do.
  picture() {
    if (!this.moving || this.slow) return this.moving;
    const drawn = performance.now();
    requestAnimationFrame(() => this.took(performance.now() - drawn));
    return false;
  }

  took(time) {
    this.times = [...this.times, time].slice(-SOME);
    const slow = this.times.length === SOME && this.times.every((each) => each > SLOW);
    this.slow ||= slow; // and stays so: points must not flicker
  }
}
