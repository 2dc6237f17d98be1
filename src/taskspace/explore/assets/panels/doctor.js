// The panel of the population: whether its results support a map, and what would improve it.

import { el, figure } from "../dom.js";
import { commandLine } from "./redundant.js";

const WHAT =
  "Whether these agents and results are good enough for a map of tasks. Reliability: 0 is chance;" +
  " at 1, more agents of the same kind would change nothing.";

export class DoctorPanel {
  constructor(app) {
    this.keys = [];
    const { reason, verdict, sample, advice, figures } = app.space.answers.doctor;
    const parts = reason
      ? [el("p", { text: reason }), commandLine("taskspace doctor DIR")]
      : [
          el("p", {}, el("strong", { text: verdict, id: "doctor-verdict" })),
          ...(sample ? [el("p", { class: "quiet", text: `The figures are ${sample}.` })] : []),
          ...(advice.length ? [el("h3", { text: "What would help" }), list(advice)] : []),
          el("h3", { text: "Figures" }),
          table(figures),
        ];
    this.element = el(
      "div",
      {},
      el("h2", { text: "Is the population good enough?" }),
      el("p", { text: WHAT }),
      ...parts,
    );
  }

  update() {}
}

function list(sentences) {
  return el("ul", { class: "advice" }, ...sentences.map((text) => el("li", { text })));
}

function table(figures) {
  const heads = ["figure", "value", "compare with"].map((text) => el("th", { scope: "col", text }));
  const rows = figures.map(({ figure: name, value, compare }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", text: name }),
      el("td", { text: figure(value) }),
      el("td", { class: "quiet", text: compare }),
    ),
  );
  return el(
    "table",
    { class: "figures-table" },
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
}
