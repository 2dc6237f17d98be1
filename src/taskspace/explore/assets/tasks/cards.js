// Tasks as cards: a small picture, the name and some numbers. A click opens the task.

import { valuesOf } from "../data.js";
import { arrowKeys, el, figure, percent } from "../dom.js";
import { knownTask, products, ranked, similarities } from "../similar.js";
import { shown, words } from "../results.js";
import { drawing } from "./drawing.js";

const SHOWN = 4;
const LISTS = [
  ["Most similar", null],
  ["Similar but harder", "harder", "more agents fail", "longer vectors"],
  ["Similar but easier", "easier", "fewer agents fail", "shorter vectors"],
];
const BITS =
  "Mutual information: how much the outcome on one task reveals about the outcome on the other.";
const PRODUCT = "Inner product of the two vectors, by which the map represents the similarity.";

// The three lists of tasks similar to a task, which may be new.
export function neighbourLists(space, task, go) {
  const bits = similarities(space, task);
  const onMap = products(space, task.vector);
  const by = bits || onMap;
  return LISTS.map(([title, side, failing, lengths]) => {
    const found = ranked(space, task, by, SHOWN, side).filter((at) => by[at] > 0);
    const cards = el(
      "div",
      { class: "cards" },
      ...found.map((at) => card(space, at, bits && bits[at], onMap[at], go)),
    );
    const harder = space.returns ? side && `${side} by the difficulty of returns` : failing;
    const sides = space.informative ? harder : lengths;
    const subtitle = sides || (bits ? "by shared information" : "by inner product");
    arrowKeys(cards, 2);
    const none = found.length
      ? null
      : el("p", { class: "quiet", text: `There is no similar${side ? ` ${side}` : ""} task.` });
    return el(
      "section",
      { "data-list": side || "nearest" },
      el("h3", { text: title }, el("span", { class: "quiet", text: subtitle })),
      none || cards,
    );
  });
}

export function neighbours(space, index) {
  const task = knownTask(space, index);
  const by = similarities(space, task) || products(space, task.vector);
  return ranked(space, task, by, SHOWN);
}

function card(space, task, bits, onMap, go) {
  const drawn = drawing(space, valuesOf(space, task), true);
  const quiet = (text, title) => el("span", { class: "quiet", text, title });
  const [difficulty, success] = [space.difficulty[task], space.success[task]];
  return el(
    "button",
    {
      type: "button",
      class: "card",
      "data-task": task,
      onclick: () => go(task),
      title: space.names[task],
    },
    drawn ? drawn.picture : null,
    el("span", { class: "name", text: space.names[task] }),
    bits === null ? null : quiet(`similarity ${figure(bits)} bits`, BITS),
    quiet(`inner product ${figure(onMap)}`, PRODUCT),
    quiet(`difficulty ${space.informative ? percent(difficulty) : figure(difficulty)}`),
    space.informative ? null : quiet(`${words(space).mean} ${shown(space, task, success)}`),
  );
}

// The picture in full size, with its caption.
export function picture(space, task) {
  const drawn = drawing(space, task);
  return drawn && el("figure", {}, drawn.picture, el("figcaption", { text: drawn.caption }));
}
