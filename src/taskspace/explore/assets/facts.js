// A name and its value, for a list of facts; some names have a tooltip.

import { el } from "./dom.js";

const TOOLTIPS = {
  difficulty: "Length of the task's vector. The longer it is, the fewer agents succeed.",
  "success rate": "Mean over all agents.",
  "expected success rate": "Mean predicted probability of success over all tasks.",
  "expected error rate":
    "How often the prediction would be wrong if it counted a task as solved above 50 %.",
  "accuracy on other tasks":
    "How often the prediction and the true success rate are on the same side of 50 %.",
  "accuracy without answers": "The same for the prediction before the first answer.",
  "mean absolute error": "Mean difference between the prediction and the true success rate.",
};

export function fact([name, text]) {
  const attributes = { "data-fact": name, title: TOOLTIPS[name] };
  return el("div", {}, el("dt", { text: name }), el("dd", { text, ...attributes }));
}
