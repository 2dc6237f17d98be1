// The panel's description of a new task whose vector is known.

import { el, figure, percent } from "../dom.js";
import { fact } from "../facts.js";
import { length, nearest } from "../similar.js";
import { neighbourLists } from "./cards.js";

// Its difficulty, success rates interpolated from the nearest tasks, and similar tasks.
export function newTaskFacts({ space, insight, go }, vector) {
  const near = nearest(space, vector);
  const mean = (values) => near.reduce((sum, { task, weight }) => sum + weight * values[task], 0);
  const facts = [
    ["difficulty", figure(length(vector))],
    ["success rate of nearest tasks", percent(mean(space.success))],
  ];
  if (insight.predicted) facts.push(["predicted probability", percent(mean(insight.predicted))]);
  return [
    el("dl", { class: "facts" }, ...facts.map(fact)),
    ...neighbourLists(space, vector, -1, go),
  ];
}

export function faultLine(text) {
  return el("p", { class: "fault", text, role: "alert" });
}
