// The legend of the colours. Its names are also buttons that filter the map.

import { arrowKeys, button, el, figure, percent } from "../dom.js";
import { fits } from "../selection.js";
import { GREY } from "../quantities.js";
import { UNKNOWN, colourOfName, shapeOfName } from "./colours.js";

export function showLegend(container, app, quantity, colouring) {
  const focused = container.contains(document.activeElement) && document.activeElement.dataset.name;
  const shown = quantity.kind === "names" ? names(app, quantity) : scale(quantity, colouring);
  container.replaceChildren(...shown);
  const chips = [...container.querySelectorAll(".chip")];
  chips.find((chip) => chip.dataset.name === focused)?.focus(); // the focused element was replaced
}

function names({ state }, quantity) {
  const filter = filterOn(state, quantity);
  const used = new Set(quantity.values);
  const items = [...quantity.names.keys()]
    .filter((index) => used.has(index))
    .map((index) => {
      const colour = quantity.palette ? quantity.palette[index] : index;
      const on = Boolean(filter) && filter.among.includes(quantity.names[index]);
      const dot = el("span", { class: `dot ${shapeOfName(colour)}` });
      dot.style.background = colourOfName(colour, quantity.muted);
      const chip = button("", () => flip(state, quantity, quantity.names[index]), {
        class: "chip",
        "aria-pressed": String(on),
        "data-name": quantity.names[index],
        title: on ? "Show all tasks" : "Show only these tasks",
      });
      chip.append(dot, el("span", { text: quantity.names[index] }));
      return chip;
    });
  const list = el(
    "div",
    { class: "chips", role: "group", "aria-label": `Filter by ${quantity.label}` },
    ...items,
  );
  arrowKeys(list);
  return [el("span", { class: "quiet", text: quantity.label }), list];
}

function filterOn(state, quantity) {
  return state.now.filters.find((filter) => filter.what === quantity.key && fits(quantity, filter));
}

// Add a name to the filter or remove it; a filter without names is removed.
function flip(state, quantity, name) {
  const rest = state.now.filters.filter(({ what }) => what !== quantity.key);
  const filter = filterOn(state, quantity);
  const before = filter ? filter.among : [];
  const without = before.filter((other) => other !== name);
  const among = before.includes(name) ? without : [...before, name];
  state.change({ filters: among.length ? [...rest, { what: quantity.key, among }] : rest });
}

function scale(quantity, { low, high, colours }) {
  const plain = ["number", "correlation"].includes(quantity.kind) ? figure : percent;
  const text = quantity.text || plain;
  const strip = el("span", { class: "strip" });
  strip.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  return [
    el("span", { class: "quiet", text: quantity.label }),
    el("span", { text: text(low) }),
    strip,
    el("span", { text: text(high) }),
    ...(quantity.values.some(Number.isNaN) ? unknown() : []),
  ];
}

function unknown() {
  const dot = el("span", { class: `dot ${UNKNOWN}` });
  dot.style.background = colourOfName(GREY);
  return [dot, el("span", { class: "quiet", text: "unknown" })];
}
