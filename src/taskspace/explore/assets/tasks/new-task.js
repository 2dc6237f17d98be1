// What the panel says about a new task whose position on the map is known.

import { el, figure, percent } from "../dom.js";
import { fact } from "../facts.js";
import { length, nearest } from "../similar.js";
import { neighbourLists } from "./cards.js";

// Its difficulty, how its neighbours fare, and the tasks around it.
export function newTaskFacts({ space, insight, go }, vector) {
  const near = nearest(space, vector);
  const guess = (values) => near.reduce((sum, { task, share }) => sum + share * values[task], 0);
  const facts = [
    ["difficulty", figure(length(vector))],
    ["success rate of its neighbours", percent(guess(space.success))],
  ];
  if (insight.predicted) facts.push(["predicted success there", percent(guess(insight.predicted))]);
  return [
    el("dl", { class: "facts" }, ...facts.map(fact)),
    ...neighbourLists(space, vector, -1, go),
  ];
}

export function faultLine(text) {
  return el("p", { class: "fault", text, role: "alert" });
}
