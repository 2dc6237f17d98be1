// Pictures of Karel's worlds: walls dark, a diamond for markers, the agent a triangle.

import { svg } from "../dom.js";

const BLUE = "var(--blue)";
const ORANGE = "#E69F00";
const TOKENS = [
  "DEF",
  "run",
  "m(",
  "m)",
  "move",
  "turnLeft",
  "turnRight",
  "pickMarker",
  "putMarker",
  "REPEAT",
  ...Array.from({ length: 20 }, (_, times) => `R=${times}`),
  "r(",
  "r)",
  "IF",
  "IFELSE",
  "ELSE",
  "i(",
  "i)",
  "e(",
  "e)",
  "WHILE",
  "w(",
  "w)",
  "c(",
  "c)",
  "not",
  "frontIsClear",
  "leftIsClear",
  "rightIsClear",
  "markersPresent",
  "noMarkersPresent",
  "<s>",
  "<pad>",
];
const PAD = TOKENS.length - 1;

// A world: {rows, columns, wall(r, c), markers(r, c), agent: [row, column, turn in degrees]}, with
// row 0 on top, its upper left corner at (x, y), in cells of a given size.
function world(x, y, size, { rows, columns, wall, markers, agent }) {
  const parts = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [left, top] = [x + column * size, y + row * size];
      const fill = wall(row, column) ? "var(--wall)" : "var(--paper)";
      parts.push(
        svg("rect", {
          x: left,
          y: top,
          width: size,
          height: size,
          fill,
          stroke: "var(--line)",
          "stroke-width": 0.04 * size,
        }),
      );
      const count = markers(row, column);
      if (count) parts.push(...marker(left + size / 2, top + size / 2, size, count));
    }
  }
  parts.push(hero(x + (agent[1] + 0.5) * size, y + (agent[0] + 0.5) * size, size, agent[2]));
  const frame = { x, y, width: columns * size, height: rows * size };
  parts.push(
    svg("rect", { ...frame, fill: "none", stroke: "var(--ink)", "stroke-width": 0.08 * size }),
  );
  return parts;
}

function marker(x, y, size, count) {
  const half = 0.34 * size;
  const diamond = svg("path", {
    d: `M${x} ${y - half}L${x + half} ${y}L${x} ${y + half}L${x - half} ${y}Z`,
    fill: ORANGE,
  });
  if (count === 1) return [diamond];
  const given = {
    x,
    y: y + 0.15 * size,
    text: count,
    "font-size": 0.42 * size,
    "text-anchor": "middle",
  };
  return [diamond, svg("text", { ...given, fill: "#2b2f36", "font-weight": 700 })];
}

function hero(x, y, size, turn) {
  const [tip, low, wide] = [0.4 * size, 0.3 * size, 0.32 * size];
  const d = `M0 ${-tip}L${wide} ${low}L${-wide} ${low}Z`;
  const given = { transform: `translate(${x} ${y}) rotate(${turn})`, "stroke-width": 0.04 * size };
  return svg("path", { d, fill: BLUE, stroke: "var(--paper)", ...given });
}

function arrow(x, y, size) {
  const d = "M-1-.25H0V-.7L1 0L0 .7V.25H-1Z";
  const transform = `translate(${x} ${y}) scale(${size})`;
  return svg("path", { d, transform, fill: "var(--muted)" });
}

// -- BasicKarel -----------------------------------------------------------------------------------

const SIDE = 4;
const TURNS = [0, 180, 90, 270]; // north, south, east, west

export function drawGrids({ values }, small) {
  const count = (group) =>
    cells(group, SIDE * SIDE).reduce((sum, name) => sum + (values[name] > 0.5), 0);
  const change = count("postMarker") - count("marker");
  const captions = ["Pick up a marker", "Go to the goal position", "Put down a marker"];
  const caption = captions[Math.sign(change) + 1];
  const parts = [
    ...world(0, 0, 1, basicWorld(values, false)),
    arrow(4.85, 2, 0.4),
    ...world(5.7, 0, 1, basicWorld(values, true)),
  ];
  if (!small) {
    for (const [x, text] of [
      [2, "start"],
      [7.7, "goal"],
    ]) {
      parts.push(
        svg("text", {
          x,
          y: -0.25,
          text,
          "font-size": 0.5,
          "text-anchor": "middle",
          fill: "var(--muted)",
        }),
      );
    }
  }
  return { caption, box: small ? "-0.2 -0.2 10.1 4.4" : "-1.2 -0.9 12.1 5.1", parts };
}

function cells(group, size) {
  return Array.from({ length: size }, (_, cell) => `${group}${cell}`);
}

function basicWorld(values, wanted) {
  const [markers, position, heading] = wanted
    ? ["postMarker", "postPosition", "postHeading"]
    : ["marker", "position", "heading"];
  const set = (group, size) => cells(group, size).findIndex((name) => values[name] > 0.5);
  const cell = Math.max(set(position, SIDE * SIDE), 0);
  return {
    rows: SIDE,
    columns: SIDE,
    wall: (row, column) => values[`wall${SIDE * row + column}`] > 0.5,
    markers: (row, column) => (values[`${markers}${SIDE * row + column}`] > 0.5 ? 1 : 0),
    agent: [Math.floor(cell / SIDE), cell % SIDE, TURNS[Math.max(set(heading, 4), 0)]],
  };
}

// -- Karel ----------------------------------------------------------------------------------------

// Where the parts of a row begin: 24 tokens, 6 sizes, 6 × 2 heroes, 6 walls (one bit per cell),
// 6 × 2 markers (half a byte per cell). Worlds have at most 16 × 16 cells; row 0 is the lowest.
const [SIZES, HEROES, WALLS, MARKERS] = [24, 36, 72, 264];

const EXAMPLES = 6; // the last one is held out: neither the agents nor the map use it

export function drawExamples({ row }, small) {
  const caption = programOf(row);
  const parts = [];
  for (let example = 0; example < (small ? 1 : 2); example++) {
    parts.push(...pair(row, example, 0, 8.6 * example));
  }
  return { caption, box: `-0.2 -0.2 19 ${small ? 8.4 : 17}`, parts, tall: !small };
}

// All worlds of a task with their numbers, before and after the program, or only before it.
export function drawWorlds(row, withOutputs) {
  const [across, wide, letters] = withOutputs ? [2, 21.5, 1.4] : [3, 10.5, 1.05];
  const parts = [];
  for (let example = 0; example < EXAMPLES; example++) {
    const [x, y] = [wide * (example % across), 11 * Math.floor(example / across)];
    const last = withOutputs && example === EXAMPLES - 1;
    const text = `world ${example + 1}${last ? " (held out)" : ""}`;
    parts.push(
      svg("text", { x, y: y - 0.5, text, "font-size": letters, fill: "var(--muted)" }),
      ...(withOutputs ? pair(row, example, x, y) : framed(karelWorld(row, example, 0), x, y)),
    );
  }
  const caption = `${EXAMPLES} worlds${withOutputs ? ", before and after the program" : ""}`;
  const box = withOutputs ? "-0.2 -2 40.6 32.2" : "-0.2 -2 29.4 21.2";
  const given = { viewBox: box, class: "worlds", role: "img", "aria-label": caption };
  return svg("svg", given, ...parts);
}

// Input, arrow, output.
function pair(row, example, x, y) {
  return [
    ...framed(karelWorld(row, example, 0), x, y),
    arrow(x + 9.3, y + 4, 0.6),
    ...framed(karelWorld(row, example, 1), x + 10.6, y),
  ];
}

// A world centred in a square of side 8.
function framed(found, x, y) {
  const size = 8 / Math.max(found.rows, found.columns);
  return world(x + (8 - size * found.columns) / 2, y + (8 - size * found.rows) / 2, size, found);
}

function karelWorld(row, example, end) {
  const [rows, columns] = [row[SIZES + 2 * example], row[SIZES + 2 * example + 1]];
  const hero = HEROES + 6 * example + 3 * end;
  const flip = (line) => rows - 1 - line;
  const bit = (cell) => (row[WALLS + 32 * example + (cell >> 3)] >> (7 - (cell & 7))) & 1;
  const half = (cell) =>
    (row[MARKERS + 256 * example + 128 * end + (cell >> 1)] >> (4 * (cell & 1))) & 15;
  return {
    rows,
    columns,
    wall: (line, column) => bit(16 * flip(line) + column),
    markers: (line, column) => half(16 * flip(line) + column),
    agent: [flip(row[hero]), row[hero + 1], 90 * row[hero + 2]],
  };
}

// The program that solves the task, in one line, without the outer brackets.
export function programOf(row) {
  const numbers = [...row.subarray(0, SIZES)].filter((token) => token < PAD);
  const inner = numbers
    .map((token) => TOKENS[token])
    .slice(3, -1)
    .join(" ");
  return inner
    .replace(/not c\( (\w+) c\)/g, "not $1")
    .replace(/c\( ([\w ]+) c\)/g, "($1)")
    .replace(/\b[riew]\( /g, "{ ")
    .replace(/ [riew]\)/g, " }");
}
