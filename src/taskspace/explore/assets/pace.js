// Whether the screen keeps up while the map moves. Where it does not, as without a graphics card,
// fewer points are drawn on the way, and all of them when the hand rests.

const SLOW = 40; // milliseconds until the next picture
const SOME = 6; // pictures, of which the mean counts
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
    const sum = this.times.reduce((a, b) => a + b, 0);
    this.slow ||= sum > SOME * SLOW; // what was slow once may stay so: points must not flicker
  }
}
