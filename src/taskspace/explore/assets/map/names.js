// Names on the map: each stands above the tasks that have it, or among them if they are far apart.

import { svg } from "../dom.js";
import { MISSING } from "../quantities.js";

const MOST = 24; // names; more would hide the points
const LONGEST = 26; // characters
const [WIDE, HIGH] = [7.2, 17]; // pixels of a character and of a line
const MOVES = [0, -18, 18, -36, 36]; // by which a name gives way to others, in pixels
const EDGE = 4; // pixels
const REACH = 0.95; // of the tasks lie below the upper end
const [ABOVE, NEAR] = [16, 80]; // pixels: a name stands above its tasks if their end is near

// What to write and where: [{name, x, y}], the name of most tasks first. Quantities without names,
// with too many, or that are columns of numbers have none.
export function namesOf({ key, kind, values, names }, { x, y }, shown) {
  if (kind !== "names" || !/^(cluster$|label )/.test(key)) return [];
  const members = names.map(() => []);
  for (const task of shown ?? values.keys()) members[values[task]].push(task);
  const used = [...members.entries()].filter(
    ([index, tasks]) => tasks.length && names[index] !== MISSING,
  );
  if (used.length > MOST) return [];
  used.sort((a, b) => b[1].length - a[1].length);
  return used.map(([index, tasks]) => ({ name: names[index], ...middle(x, y, tasks) }));
}

// The position of the task nearest to the medians, and how far up its tasks reach.
function middle(x, y, tasks) {
  const sorted = (values) => tasks.map((task) => values[task]).sort((a, b) => a - b);
  const half = tasks.length >> 1;
  const rows = sorted(y);
  const [across, up] = [sorted(x)[half], rows[half]];
  const away = (task) => (x[task] - across) ** 2 + (y[task] - up) ** 2;
  const nearest = tasks.reduce((best, task) => (away(task) < away(best) ? task : best));
  return { x: x[nearest], y: y[nearest], top: rows[Math.ceil(REACH * (rows.length - 1))] };
}

export class MapNames {
  // `pixels(x, y)` converts a position of the view to pixels of the map.
  constructor(element, pixels) {
    Object.assign(this, { element, pixels, names: [] });
  }

  show(names) {
    if (names === this.shown) return;
    this.shown = names;
    this.names = names.map((each) => [svg("text", { text: cut(each.name) }), each]);
    this.element.replaceChildren(...this.names.map(([drawn]) => drawn));
    this.reposition();
  }

  // Move the names to the current positions of the map; one that would cover others gives way.
  reposition() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const taken = [];
    for (const [drawn, { x, y, top: end }] of this.names) {
      const [left, centre] = this.pixels(x, y);
      const [, upper] = this.pixels(x, end);
      const top = centre - upper < NEAR ? Math.max(upper - ABOVE, HIGH) : centre;
      const half = (WIDE * drawn.textContent.length) / 2;
      const inside = left > 0 && left < width && centre > 0 && centre < height;
      const across = Math.min(Math.max(left, half + EDGE), width - half - EDGE);
      const isFree = (move) =>
        taken.every(
          ([other, level, wide]) =>
            Math.abs(across - other) > half + wide || Math.abs(top + move - level) > HIGH,
        );
      const move = inside ? MOVES.find(isFree) : undefined;
      drawn.setAttribute("visibility", move === undefined ? "hidden" : "visible");
      if (move === undefined) continue;
      taken.push([across, top + move, half]);
      drawn.setAttribute("transform", `translate(${across} ${top + move + 4})`);
    }
  }
}

function cut(name) {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}
