// Pictures of tasks, with the same content as the environments' draw_state.

import { svg } from "../dom.js";
import { drawExamples, drawGrids } from "./drawing-karel.js";

const INK = "var(--ink)";
const MUTED = "var(--muted)";
const PALE = "var(--pale)";
const PAPER = "var(--paper)";
const BLUE = "var(--blue)";
const ORANGE = "#E69F00";
const GREEN = "#009E73";
const RED = "#D55E00";

// By the kind of drawing in the data. Each takes the task, whether the picture is small, and the
// drawing's settings in the data.
const DRAWINGS = {
  keys: drawKeys,
  "cart-pole": drawCartPole,
  "point-mass": drawPointMass,
  grids: drawGrids,
  programs: drawExamples,
};

// {picture, caption} of a task, or null if it has no picture. `task` is {values, row}; a small
// picture has fewer words.
export function drawing(space, task, small = false) {
  const draw = DRAWINGS[space.drawing?.kind];
  if (!draw) return null;
  const { caption, box, parts, tall } = draw(task, small, space.drawing);
  const picture = svg(
    "svg",
    { viewBox: box, class: tall ? "drawing tall" : "drawing", role: "img", "aria-label": caption },
    ...parts,
  );
  return { picture, caption };
}

function words(x, y, text, size, given = {}) {
  return svg("text", {
    x,
    y,
    text,
    "font-size": size,
    "text-anchor": "middle",
    fill: MUTED,
    ...given,
  });
}

// -- MultiKeyNav ----------------------------------------------------------------------------------

function drawKeys({ values }, small, { doors }) {
  const door = doors[2 * Math.round(values.doorBit1) + Math.round(values.doorBit2)];
  const held = new Set([..."ABCD"].filter((key) => values[`key${key}`] > 0.5));
  const left = door.filter((key) => !held.has(key));
  const first = left.length ? `Pick ${left.join(" and ")}, then` : "All keys held:";
  const caption = `${first} open the door`;
  const parts = [svg("rect", { x: 0, y: 39.2, width: 100, height: 1.6, fill: PALE })];
  for (const [index, key] of [..."ABCD"].entries()) {
    const look = held.has(key) ? "held" : left.includes(key) ? "pick" : "unused";
    parts.push(...keyOnLine(20 * index, key, look, small));
  }
  parts.push(
    svg("rect", { x: 90, y: 38.7, width: 10, height: 2.6, fill: INK }),
    svg("rect", {
      x: 89.5,
      y: 17,
      width: 11,
      height: 22,
      rx: 1,
      fill: PALE,
      stroke: INK,
      "stroke-width": 0.7,
    }),
    ...door.map((key, index) =>
      tile(95, 28 + 9.6 * (index - door.length / 2 + 0.5), key, held.has(key) ? "held" : "absent"),
    ),
  );
  const at = 100 * values.location;
  parts.push(
    svg("circle", { cx: at, cy: 40, r: 3.6, fill: BLUE, stroke: PAPER, "stroke-width": 1 }),
  );
  if (!small) {
    parts.push(words(95, 14, "door", 4.2), words(at, 50, "agent", 4.6, { fill: BLUE }));
  }
  return { caption, box: small ? "-5 14 111 31" : "-6 8 113 46", parts };
}

function keyOnLine(start, key, look, small) {
  const colours = { held: "#7fb3d3", pick: ORANGE, unused: "var(--line)" };
  return [
    svg("rect", { x: start, y: 38.7, width: 10, height: 2.6, fill: colours[look] }),
    tile(start + 5, 29, key, look),
    ...(small ? [] : [words(start + 5, 21, look, 4.2, { fill: look === "pick" ? INK : MUTED })]),
  ];
}

function tile(x, y, letter, look) {
  const face = { held: BLUE, pick: ORANGE, unused: PALE, absent: PAPER }[look];
  const edge = { held: BLUE, pick: ORANGE, unused: "var(--line)", absent: ORANGE }[look];
  const ink = { held: "#fff", pick: "#2b2f36", unused: MUTED, absent: INK }[look];
  return svg(
    "g",
    {},
    svg("rect", {
      x: x - 4,
      y: y - 4.2,
      width: 8,
      height: 8.4,
      rx: 1.6,
      fill: face,
      stroke: edge,
      "stroke-width": 0.8,
    }),
    words(x, y + 2, letter, 5.6, { fill: ink, "font-weight": 700 }),
  );
}

// -- CartPoleVar ----------------------------------------------------------------------------------

const EXAGGERATION = 3; // of the drawn angle, which would be too small to see
const LIMIT = (12 * Math.PI) / 180;

function drawCartPole({ values }, small) {
  const pull = values.F * (1 - 2 * values.TaskType);
  const sides = pull > 0 ? ["left", "right"] : ["right", "left"];
  const kind = values.TaskType > 0.5 ? "Push" : "Pull";
  const force = `${values.F > 0 ? "+" : "−"}${Math.abs(values.F).toFixed(1)} N`;
  const moves = `action 0 moves the cart ${sides[0]}, action 1 ${sides[1]}`;
  const caption = `${kind} with F = ${force}: ${moves}`;
  const x = Math.min(Math.max(values.x, -2.52), 2.52);
  const parts = [
    svg("path", { d: "M-2.4 0H2.4", stroke: MUTED, "stroke-width": 0.07 }),
    svg("path", { d: "M-2.4-.2V.2M2.4-.2V.2", stroke: RED, "stroke-width": 0.09 }),
    ...cart(x, values.theta),
    ...[0, 1].flatMap((action) => push(x, action, pull, small)),
  ];
  if (!small) parts.push(words(0, 0.85, `angles drawn ×${EXAGGERATION}`, 0.3));
  return { caption, box: small ? "-3.1 -3.3 6.2 3.7" : "-3.6 -3.4 7.2 4.5", parts };
}

function cart(x, theta) {
  const end = (angle, reach) => `${x + reach * Math.sin(angle)} ${-0.65 - reach * Math.cos(angle)}`;
  const drawn = Math.min(Math.max(EXAGGERATION * theta, -Math.PI / 2), Math.PI / 2);
  const cone = EXAGGERATION * LIMIT;
  return [
    svg("path", {
      d: `M${x} -.65L${end(-cone, 2.5)}A2.5 2.5 0 0 1 ${end(cone, 2.5)}Z`,
      fill: GREEN,
      opacity: 0.15,
    }),
    svg("path", {
      d: `M${x} -.65L${end(drawn, 2.35)}`,
      stroke: Math.abs(theta) > LIMIT ? RED : INK,
      "stroke-width": 0.13,
      "stroke-linecap": "round",
    }),
    svg("rect", { x: x - 0.5, y: -0.65, width: 1, height: 0.5, rx: 0.1, fill: INK }),
    ...[-0.28, 0.28].map((side) =>
      svg("circle", {
        cx: x + side,
        cy: -0.12,
        r: 0.11,
        fill: MUTED,
        stroke: PAPER,
        "stroke-width": 0.04,
      }),
    ),
    svg("circle", { cx: x, cy: -0.65, r: 0.12, fill: PAPER, stroke: INK, "stroke-width": 0.06 }),
  ];
}

// Action 0 acts on the left of the cart, 1 on its right; a positive pull draws it there.
function push(x, action, pull, small) {
  const side = action === 0 ? -1 : 1;
  const near = x + 0.6 * side;
  const far = near + (0.3 + Math.abs(pull) / 15) * side;
  const [tail, head] = pull > 0 ? [near, far] : [far, near];
  const back = head - 0.28 * Math.sign(head - tail);
  const colour = action === 0 ? ORANGE : BLUE;
  const arrow = `M${tail} -.47H${back}V-.62L${head} -.4L${back} -.18V-.33H${tail}Z`;
  return [
    svg("path", { d: arrow, fill: colour }),
    ...(small ? [] : [words((near + far) / 2, -0.8, `action ${action}`, 0.3, { fill: INK })]),
  ];
}

// -- PointMass ------------------------------------------------------------------------------------

function drawPointMass({ values }, small) {
  const { gatePosition: gate, gateWidth: width, friction } = values;
  const clip = (value) => Math.min(Math.max(value, -4), 4);
  const [left, right] = [clip(gate - width / 2), clip(gate + width / 2)];
  const aside = gate + width / 2 < 0 ? "to the left" : gate - width / 2 > 0 ? "to the right" : null;
  const where = `gate ${aside || "straight ahead"}, ${width.toFixed(1)} wide`;
  const caption = `Reach the goal: ${where}, friction ${friction.toFixed(1)}`;
  const parts = [
    svg("rect", {
      x: -4,
      y: -4,
      width: 8,
      height: 8,
      fill: "#c9ab6a",
      opacity: 0.06 + (0.45 * friction) / 4,
    }),
    svg("rect", {
      x: -4,
      y: -4,
      width: 8,
      height: 8,
      fill: "none",
      stroke: INK,
      "stroke-width": 0.14,
    }),
    svg("path", { d: `M-4 0H${left}M${right} 0H4`, stroke: INK, "stroke-width": 0.4 }),
    svg("path", {
      d: `M${left} 0H${right}`,
      stroke: GREEN,
      "stroke-width": 0.1,
      "stroke-dasharray": "0.2 0.2",
    }),
    svg("circle", { cx: 0, cy: 3, r: 0.3, fill: GREEN }),
    svg("circle", {
      cx: values.x,
      cy: -values.y,
      r: 0.34,
      fill: BLUE,
      stroke: PAPER,
      "stroke-width": 0.1,
    }),
  ];
  if (!small) {
    const label = { "text-anchor": "start", "font-weight": 700 };
    parts.push(words(0.55, -2.82, "start", 0.52, { ...label, fill: BLUE }));
    parts.push(words(0.55, 3.18, "goal", 0.52, { ...label, fill: GREEN }));
    parts.push(
      words(Math.min(Math.max((left + right) / 2, -3.3), 3.3), -0.4, "gate", 0.52, {
        fill: GREEN,
        "font-weight": 700,
      }),
    );
  }
  return { caption, box: small ? "-4.2 -4.2 8.4 8.4" : "-6.6 -4.2 13.2 8.4", parts };
}
