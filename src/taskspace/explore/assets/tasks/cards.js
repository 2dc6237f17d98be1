// Tasks as cards: a small picture, the name and some numbers. A click opens the task.

import { valuesOf } from "../data.js";
import { arrowKeys, el, figure, percent } from "../dom.js";
import { CORRELATION } from "../information.js";
import { knownTask, products, ranked, similarities } from "../similar.js";
import { shown, words } from "../results.js";
import { drawing } from "./drawing.js";

const SHOWN = 4;
const LISTS = [
  ["Most similar", null],
  ["Similar but harder", "harder", "more agents fail", "longer vectors"],
  ["Similar but easier", "easier", "fewer agents fail", "shorter vectors"],
];
const OPPOSITE = ["Opposite", "opposite", "agents that solve it tend to fail these"];
const OF_RETURNS = { harder: "more difficult", easier: "less difficult" };
const BITS =
  "Mutual information: how much the outcome on one task reveals about the outcome on the other.";
const SIGNED =
  "Correlation of the outcomes on the two tasks: negative if agents that solve one task tend to" +
  " fail the other.";
const PRODUCT = "Inner product of the two vectors, by which the map represents the similarity.";

// The three lists of tasks similar to a task, which may be new. On a map by correlation there is a
// fourth, of opposite tasks, if it has any.
export function neighbourLists(space, task, go) {
  const signed = space.measure === CORRELATION;
  const known = similarities(space, task);
  const onMap = products(space, task.vector);
  const by = known || onMap;
  const cards = (found) => found.map((at) => card(space, at, known && known[at], onMap[at], go));
  const alike = LISTS.map(([title, side, failing, lengths]) => {
    const found = ranked(space, task, by, SHOWN, side).filter((at) => by[at] > 0);
    const measured = signed ? "by correlation" : "by shared information";
    const harder = space.returns ? side && OF_RETURNS[side] : failing;
    const sides = space.informative ? harder : lengths;
    const subtitle = sides || (known ? measured : "by inner product");
    return list(title, side || "nearest", subtitle, cards(found));
  });
  if (!signed) return alike;
  const negative = by.map((value) => -value);
  const found = ranked(space, task, negative, SHOWN).filter((at) => by[at] < 0);
  return found.length ? [...alike, list(...OPPOSITE, cards(found))] : alike;
}

function list(title, name, subtitle, cards) {
  const listed = el("div", { class: "cards" }, ...cards);
  arrowKeys(listed, 2);
  const side = name === "nearest" ? "" : ` ${name}`;
  const none = el("p", { class: "quiet", text: `There is no similar${side} task.` });
  return el(
    "section",
    { "data-list": name },
    el("h3", { text: title }, el("span", { class: "quiet", text: subtitle })),
    cards.length ? listed : none,
  );
}

export function neighbours(space, index) {
  const task = knownTask(space, index);
  const by = similarities(space, task) || products(space, task.vector);
  return ranked(space, task, by, SHOWN);
}

function card(space, task, similarity, onMap, go) {
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
    similarity === null ? null : quiet(...stated(space, similarity)),
    quiet(`inner product ${figure(onMap)}`, PRODUCT),
    quiet(`difficulty ${space.informative ? percent(difficulty) : figure(difficulty)}`),
    space.informative ? null : quiet(`${words(space).mean} ${shown(space, task, success)}`),
  );
}

// A similarity in words, and what it is.
function stated({ measure }, similarity) {
  if (measure === CORRELATION) return [`correlation ${figure(similarity)}`, SIGNED];
  return [`similarity ${figure(similarity)} bits`, BITS];
}

// The picture in full size, with its caption.
export function picture(space, task) {
  const drawn = drawing(space, task);
  return drawn && el("figure", {}, drawn.picture, el("figcaption", { text: drawn.caption }));
}
