// A name and its value, for a list of facts; some names have a tooltip.

import { el, figure, percent } from "./dom.js";
import { CORRELATION } from "./information.js";

const TOOLTIPS = {
  information:
    "Squared length of the task's vector: the information that two attempts at the task by the" +
    " same agent share.",
  "correlation of two attempts":
    "Squared length of the task's vector: the correlation of two attempts at the task by the same" +
    " agent.",
  "success rate": "Mean over all agents.",
  "expected success rate": "Mean predicted probability of success over all tasks.",
  "expected error rate":
    "How often the prediction would be wrong if it counted a task as solved above 50 %.",
  "accuracy on other tasks":
    "How often the prediction and the observed success rate are on the same side of 50 %.",
  "accuracy without answers": "The same for the prediction before the first answer.",
  "mean absolute error": "Mean difference between the prediction and the observed success rate.",
};

const LENGTH = "Length of the task's vector. The longer it is, the fewer agents succeed.";
const FAILURE = "Probability that an agent of the population fails.";

// The difficulty of a task and, on an information map, its information.
export function measures({ informative, measure }, difficulty, information) {
  if (!informative) return [["difficulty", figure(difficulty), LENGTH]];
  return [
    ["difficulty", percent(difficulty), FAILURE],
    measure === CORRELATION
      ? ["correlation of two attempts", figure(information)]
      : ["information", `${figure(information)} bits`],
  ];
}

export function fact([name, text, title = TOOLTIPS[name]]) {
  const attributes = { "data-fact": name, title };
  return el("div", {}, el("dt", { text: name }), el("dd", { text, ...attributes }));
}
