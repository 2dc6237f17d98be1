// The form of a BasicKarel task: two grids to click on instead of 88 switches.

import { arrowKeys, button, el } from "../dom.js";
import { solvable } from "./solvable.js";
import { ValuesPanel } from "./values-form.js";

const SIDE = 4;
const CELLS = SIDE * SIDE;
const TOOLS = [
  ["wall", "Wall"],
  ["marker", "Marker"],
  ["agent", "Agent"],
];
const HEADINGS = ["north", "south", "east", "west"];
const ARROWS = ["▲", "▼", "▶", "◀"];
const TURNED = [2, 3, 1, 0]; // the heading after a turn to the right

export class GridPanel extends ValuesPanel {
  makeFields(form) {
    return gridForm(
      form,
      () => this.now(),
      (values) => this.set(values),
    );
  }

  checkTask(values) {
    return checkGrids(values);
  }
}

// {elements, set}; `now` returns the values in the order of the form, `change` sets new ones.
function gridForm(form, now, change) {
  const indices = Object.fromEntries(form.map(({ name }, at) => [name, at]));
  const grids = [
    grid("start", ["marker", "position", "heading"]),
    grid("goal", ["postMarker", "postPosition", "postHeading"]),
  ];
  let tool = "wall";
  const tools = TOOLS.map(([key, text]) =>
    button(text, () => choose(key), { "aria-pressed": String(key === tool), "data-tool": key }),
  );

  function choose(key) {
    tool = key;
    for (const one of tools) one.setAttribute("aria-pressed", String(one.dataset.tool === key));
  }

  function grid(title, [markers, position, heading]) {
    const cells = Array.from({ length: CELLS }, (_, cell) =>
      button("", () => click(cell, markers, position, heading), {
        class: "cell",
        "data-cell": `${title} ${cell}`,
      }),
    );
    const board = el("div", { class: "board", role: "group", "aria-label": title }, ...cells);
    arrowKeys(board, SIDE);
    return {
      title,
      markers,
      position,
      heading,
      cells,
      element: el("div", {}, el("p", { class: "quiet", text: title }), board),
    };
  }

  function click(cell, markers, position, heading) {
    const values = [...now()];
    const at = (name) => indices[name];
    const flip = (name) => (values[at(name)] = values[at(name)] > 0.5 ? 0 : 1);
    if (tool === "wall") flip(`wall${cell}`);
    else if (tool === "marker") flip(`${markers}${cell}`);
    else if (values[at(`${position}${cell}`)] > 0.5) turn(values, heading);
    else stand(values, position, cell);
    change(values);
  }

  function stand(values, position, cell) {
    for (let other = 0; other < CELLS; other++) {
      values[indices[`${position}${other}`]] = Number(other === cell);
    }
  }

  function turn(values, heading) {
    const facing = HEADINGS.findIndex((_, h) => values[indices[`${heading}${h}`]] > 0.5);
    for (let h = 0; h < 4; h++)
      values[indices[`${heading}${h}`]] = Number(h === TURNED[Math.max(facing, 0)]);
  }

  function set(values) {
    const is = (name) => values[indices[name]] > 0.5;
    for (const { title, markers, position, heading, cells } of grids) {
      const facing = Math.max(
        HEADINGS.findIndex((_, h) => is(`${heading}${h}`)),
        0,
      );
      for (const [cell, shown] of cells.entries()) {
        const [wall, marker, agent] = [
          is(`wall${cell}`),
          is(`${markers}${cell}`),
          is(`${position}${cell}`),
        ];
        shown.className = `cell${wall ? " wall" : ""}${marker ? " marker" : ""}`;
        shown.textContent = agent ? ARROWS[facing] : marker ? "◆" : "";
        const held = [
          wall && "wall",
          marker && "marker",
          agent && `agent facing ${HEADINGS[facing]}`,
        ].filter(Boolean);
        const where = `${title}, row ${Math.floor(cell / SIDE) + 1}, column ${(cell % SIDE) + 1}`;
        shown.setAttribute("aria-label", `${where}: ${held.join(", ") || "empty"}`);
      }
    }
  }

  const elements = [
    el("div", { class: "row", role: "group", "aria-label": "What a click draws" }, ...tools),
    el("div", { class: "boards" }, ...grids.map(({ element }) => element)),
    el("p", { class: "quiet", text: "Click the agent to turn it. Walls are in both grids." }),
  ];
  return { elements, set };
}

// {fault}: what is wrong with the grids; or {note}: the length of the shortest solution.
export function checkGrids(values) {
  const set = (group, size) => Array.from({ length: size }, (_, n) => values[`${group}${n}`] > 0.5);
  for (const [group, size] of [
    ["position", CELLS],
    ["postPosition", CELLS],
    ["heading", 4],
    ["postHeading", 4],
  ]) {
    if (set(group, size).filter(Boolean).length !== 1) {
      return { fault: "Each grid must have one agent with one heading." };
    }
  }
  const walls = set("wall", CELLS);
  const held = ["marker", "postMarker", "position", "postPosition"].map((g) => set(g, CELLS));
  if (walls.some((wall, cell) => wall && held.some((group) => group[cell]))) {
    return { fault: "Markers and agents must not be on walls." };
  }
  return solvable(values);
}
