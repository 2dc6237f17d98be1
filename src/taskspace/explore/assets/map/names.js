// Names on the map: each stands near its tasks, where it hides few points and no other name. (Much
// as in the report: plots/names.py.)

import { svg } from "../dom.js";
import { MISSING } from "../quantities.js";

const MOST = 24; // names; more would hide the points
const LONGEST = 26; // characters
const [WIDE, HIGH] = [7.4, 17]; // pixels of a character and of a line
const EDGE = 4; // pixels
const SAMPLE = 500; // points that names should not hide; all of them would take too long
const POINT = 5; // pixels, the radius of a point
const HIDING = 300; // cost of hiding all points; that of moving a name by a line is 1
const CLOSER = 3; // cost of a position that is closer to the middle of other tasks
const DIRECTIONS = 16;
const OFFSETS = [[0, 0, 0]]; // [lines, across, down]: positions to try around the middle
for (const lines of [1.2, 2, 3, 4, 5.5, 7]) {
  for (let step = 0; step < DIRECTIONS; step++) {
    const angle = (2 * Math.PI * step) / DIRECTIONS;
    OFFSETS.push([lines, Math.cos(angle), Math.sin(angle)]);
  }
}

// What to write and where, {names: [{name, x, y}], points}: the name of most tasks first. Quantities
// without names, with too many, or that are columns of numbers have none.
export function namesOf({ key, kind, values, names }, { x, y }, shown) {
  if (kind !== "names" || !/^(cluster$|label )/.test(key)) return { names: [], points: [] };
  const members = names.map(() => []);
  for (const task of shown ?? values.keys()) members[values[task]].push(task);
  const used = [...members.entries()].filter(
    ([index, tasks]) => tasks.length && names[index] !== MISSING,
  );
  if (used.length > MOST) return { names: [], points: [] };
  used.sort((a, b) => b[1].length - a[1].length);
  const all = members.flat();
  const every = Math.max(1, Math.ceil(all.length / SAMPLE));
  return {
    names: used.map(([index, tasks]) => ({ name: names[index], ...middle(x, y, tasks) })),
    points: all.filter((_, at) => at % every === 0).map((task) => [x[task], y[task]]),
  };
}

function middle(x, y, tasks) {
  const median = (values) => {
    const sorted = tasks.map((task) => values[task]).sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  };
  return { x: median(x), y: median(y) };
}

export class MapNames {
  // `pixels(x, y)` converts a position of the view to pixels of the map.
  constructor(element, pixels) {
    Object.assign(this, { element, pixels, names: [], points: [] });
  }

  show(found) {
    if (found === this.shown) return;
    this.shown = found;
    this.points = found.points;
    this.names = found.names.map((each) => [svg("text", { text: cut(each.name) }), each]);
    this.element.replaceChildren(...this.names.map(([drawn]) => drawn));
    this.reposition();
  }

  // Move the names to the current positions of the map; one that finds no place is hidden.
  reposition() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const isInside = ([x, y]) => x > 0 && x < width && y > 0 && y < height;
    const points = this.points.map(([x, y]) => this.pixels(x, y)).filter(isInside);
    const centres = this.names.map(([, { x, y }]) => this.pixels(x, y));
    const taken = [];
    for (const [index, [drawn]] of this.names.entries()) {
      const half = (WIDE * drawn.textContent.length) / 2;
      const place = isInside(centres[index])
        ? freePlace({ index, half, width, height, points, centres, taken })
        : null;
      drawn.setAttribute("visibility", place ? "visible" : "hidden");
      if (!place) continue;
      taken.push([...place, half]);
      drawn.setAttribute("transform", `translate(${place[0]} ${place[1] + 4})`);
    }
  }
}

// The position that costs least, or null if other names take all of them.
function freePlace({ index, half, width, height, points, centres, taken }) {
  const [middleX, middleY] = centres[index];
  const within = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));
  const stretch = Math.sqrt((2 * half) / HIGH); // names are wide: beside is farther than above
  let [best, least] = [null, Infinity];
  for (const [lines, across, down] of OFFSETS) {
    if (lines >= least) break;
    const x = within(middleX + lines * HIGH * across * stretch, half + EDGE, width - half - EDGE);
    const y = within(middleY + lines * HIGH * down, HIGH, height - HIGH);
    const covers = (otherX, otherY, wide, high) =>
      Math.abs(otherX - x) < half + wide && Math.abs(otherY - y) < high;
    if (taken.some(([otherX, otherY, wide]) => covers(otherX, otherY, wide + EDGE, HIGH))) continue;
    const hidden = points.filter(([px, py]) => covers(px, py, POINT, HIGH / 2 + POINT)).length;
    const away = centres.map(([cx, cy]) => Math.hypot(cx - x, cy - y));
    const isCloser = away.indexOf(Math.min(...away)) !== index;
    const cost = lines + (HIDING * hidden) / Math.max(points.length, 1) + (isCloser ? CLOSER : 0);
    if (cost < least) [best, least] = [[x, y], cost];
  }
  return best;
}

function cut(name) {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}
