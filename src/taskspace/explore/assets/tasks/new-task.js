// The panel's description of a new task: {vector, difficulty, profile}.

import { el } from "../dom.js";
import { fact, measures } from "../facts.js";
import { label, meanShown, words } from "../results.js";
import { nearest, pointOf, squaredLength } from "../similar.js";
import { neighbourLists } from "./cards.js";

// Its difficulty, probabilities interpolated from the nearest tasks, and similar tasks.
export function newTaskFacts({ space, insight, go }, task) {
  const near = nearest(space, pointOf(space, task.vector));
  const mean = (values) => near.reduce((sum, { task: at, weight }) => sum + weight * values[at], 0);
  const facts = measures(space, task.difficulty, squaredLength(task.vector));
  const text = (values) => meanShown(space, mean(values));
  if (!task.profile)
    facts.push([label(space, `${words(space).mean} of nearest tasks`), text(space.success)]);
  if (insight.predicted)
    facts.push([label(space, words(space).predicted), text(insight.predicted)]);
  return [el("dl", { class: "facts" }, ...facts.map(fact)), ...neighbourLists(space, task, go)];
}

export function faultLine(text) {
  return el("p", { class: "fault", text, role: "alert" });
}
