// Tasks as cards: a small picture, the name and three numbers. A click opens the task.

import { valuesOf, vectorOf } from "../data.js";
import { arrowKeys, el, figure, percent } from "../dom.js";
import { similar } from "../similar.js";
import { drawing } from "./drawing.js";

const SHOWN = 4;
const LISTS = [
  ["Most similar", null, "by inner product"],
  ["Similar but harder", "harder", "longer vectors"],
  ["Similar but easier", "easier", "shorter vectors"],
];
const SIMILARITY_TOOLTIP =
  "Inner product of the two vectors: large if success on one task predicts success on the other.";

// The three lists of tasks similar to a vector; `except` is the task itself, or -1.
export function neighbourLists(space, vector, except, go) {
  return LISTS.map(([title, side, subtitle]) => {
    const found = similar(space, vector, SHOWN, side, except).filter(({ score }) => score > 0);
    const cards = el(
      "div",
      { class: "cards" },
      ...found.map(({ task, score }) => card(space, task, score, go)),
    );
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

export function neighbours(space, task) {
  return similar(space, vectorOf(space, task), SHOWN, null, task).map((found) => found.task);
}

function card(space, task, score, go) {
  const drawn = drawing(space, valuesOf(space, task), true);
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
    el("span", { class: "quiet", text: `similarity ${figure(score)}`, title: SIMILARITY_TOOLTIP }),
    el("span", { class: "quiet", text: `difficulty ${figure(space.difficulty[task])}` }),
    el("span", { class: "quiet", text: `success rate ${percent(space.success[task])}` }),
  );
}

// The picture in full size, with its caption.
export function picture(space, task) {
  const drawn = drawing(space, task);
  return drawn && el("figure", {}, drawn.picture, el("figcaption", { text: drawn.caption }));
}
