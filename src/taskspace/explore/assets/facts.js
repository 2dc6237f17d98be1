// A name and its value, for a list of facts; some names have a word of explanation.

import { el } from "./dom.js";

const TOOLTIPS = {
  difficulty: "The length of the task's vector: the longer, the more agents fail.",
  "success rate": "The mean over all agents.",
  "expected wrong guesses": "How often one would be wrong to guess solved above 50 %, else not.",
  "right on other tasks": "How often the prediction is on the right side of 50 %.",
  "without any answer": "The same with what is known of all agents together.",
  "mean difference": "Between the predicted and the true success rate.",
};

export function fact([name, text]) {
  const attributes = { "data-fact": name, title: TOOLTIPS[name] };
  return el("div", {}, el("dt", { text: name }), el("dd", { text, ...attributes }));
}
