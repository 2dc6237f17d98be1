// The panel's description of a new task: {vector, difficulty, profile}.

import { el, percent } from "../dom.js";
import { fact, measures } from "../facts.js";
import { nearest, pointOf, squaredLength } from "../similar.js";
import { neighbourLists } from "./cards.js";

// Its difficulty, probabilities interpolated from the nearest tasks, and similar tasks.
export function newTaskFacts({ space, insight, go }, task) {
  const near = nearest(space, pointOf(space, task.vector));
  const mean = (values) => near.reduce((sum, { task: at, weight }) => sum + weight * values[at], 0);
  const facts = measures(space, task.difficulty, squaredLength(task.vector));
  if (!task.profile) facts.push(["success rate of nearest tasks", percent(mean(space.success))]);
  if (insight.predicted) facts.push(["predicted probability", percent(mean(insight.predicted))]);
  return [el("dl", { class: "facts" }, ...facts.map(fact)), ...neighbourLists(space, task, go)];
}

export function faultLine(text) {
  return el("p", { class: "fault", text, role: "alert" });
}
