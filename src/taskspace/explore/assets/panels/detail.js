// The panel of one task: its picture and values, who solves it, and the tasks around it.

import { rate, valuesOf, vectorOf } from "../data.js";
import { button, el, figure, percent, short } from "../dom.js";
import { fact } from "../facts.js";
import { colourOfName } from "../map/colours.js";
import { neighbourLists, picture } from "../tasks/cards.js";

const FEW = 12; // values are listed at once; more are folded away
const STABLE = 0.7; // rank correlation

export class Detail {
  constructor(app) {
    this.app = app;
    this.keys = ["task", "answers", "agent"];
    this.element = el("div");
  }

  update(now) {
    const focused = this.element.contains(document.activeElement);
    this.element.replaceChildren(...(now.task === null ? this.welcome() : this.about(now)));
    const heading = this.element.querySelector("h2");
    if (focused && heading) heading.focus(); // what had the focus is gone
  }

  welcome() {
    const { space } = this.app;
    const steps = [
      ["Hover", "over a point to see its task."],
      ["Click", "it for the tasks around it, and who solves it."],
      ["Quiz", "an agent: a few answers predict its success everywhere."],
      ["Select", "tasks by lasso or filter, compare two groups, save them."],
      ...(this.app.form ? [["New task", "shows where a task of your own would lie."]] : []),
    ];
    return [
      el("h2", { text: "A map of tasks" }),
      el("p", { text: space.description }),
      ...stability(space),
      el("p", { text: "A point is a task; the larger, the harder." }),
      el(
        "dl",
        { class: "steps" },
        ...steps.flatMap(([name, text]) => [el("dt", { text: name }), el("dd", { text })]),
      ),
      el("p", { class: "quiet", text: `Colours show ${space.clustersDescription}.` }),
    ];
  }

  about({ task }) {
    const { space, insight, go } = this.app;
    const drawn = picture(space, valuesOf(space, task));
    return [
      el("h2", { text: space.names[task], tabindex: -1, id: "task-name" }),
      cluster(space, task),
      ...(drawn ? [drawn] : []),
      facts(space, insight, task),
      ...values(space, task),
      this.whoSolves(task),
      ...neighbourLists(space, vectorOf(space, task), task, go),
      button("Unselect", () => this.app.state.change({ task: null }), { class: "plain" }),
    ];
  }

  whoSolves(task) {
    const rows = bySubpopulation(this.app.space, [task]);
    return el("section", { id: "who" }, el("h3", { text: "Who solves it" }), bars(rows));
  }
}

// Whether the map would be the same if it were learned again.
function stability({ agreement }) {
  if (agreement === null) return [];
  const again = "learned again from another seed, its similarities agree";
  const stable = agreement >= STABLE;
  const text = stable
    ? `Steady: ${again} to ${figure(agreement)} (rank correlation).`
    : `Not steady: ${again} to ${figure(agreement)} only (rank correlation). More agents, or more` +
      " attempts of each, would help.";
  return [el("p", { class: stable ? "quiet" : "fault", id: "stability", text })];
}

function cluster(space, task) {
  const index = space.clusters[task];
  const dot = el("span", { class: "dot" });
  dot.style.background = colourOfName(index);
  return el("p", { class: "cluster" }, dot, el("span", { text: space.clusterNames[index] }));
}

function facts(space, insight, task) {
  const rows = [
    ["difficulty", figure(space.difficulty[task])],
    ["success rate", percent(space.success[task])],
  ];
  if (insight.predicted) rows.push(["predicted success", percent(insight.predicted[task])]);
  if (insight.truth)
    rows.push([`true, ${space.agents[insight.agent]}`, percent(insight.truth[task])]);
  return el("dl", { class: "facts" }, ...rows.map(fact));
}

function values(space, task) {
  const rows = [...space.columns].map(([name, column]) => [name, figure(short(column[task]))]);
  if (!rows.length) return [];
  const list = el("dl", { class: "values" }, ...rows.map(fact));
  if (rows.length <= FEW) return [list];
  return [el("details", {}, el("summary", { text: `All ${rows.length} values` }), list)];
}

// -- subpopulations -------------------------------------------------------------------------------

// [{name, agents, mean}]: the mean success on some tasks of each subpopulation, then of all agents.
export function bySubpopulation(space, tasks) {
  const names = space.subpopulations || [];
  const totals = Array.from({ length: names.length + 1 }, () => ({ sum: 0, count: 0, agents: 0 }));
  for (let agent = 0; agent < space.agents.length; agent++) {
    const indices = [names.length];
    if (space.agentSubpopulations) indices.push(space.agentSubpopulations[agent]);
    for (const index of indices) totals[index].agents += 1;
    for (const task of tasks) {
      const found = rate(space, agent, task);
      if (Number.isNaN(found)) continue;
      for (const index of indices) {
        totals[index].sum += found;
        totals[index].count += 1;
      }
    }
  }
  return totals.map(({ sum, count, agents }, index) => ({
    name: index < names.length ? names[index] : "all agents",
    agents,
    mean: count ? sum / count : NaN,
  }));
}

function bars(rows) {
  return el(
    "ul",
    { class: "bars" },
    ...rows.map(({ name, agents, mean }) => {
      const fill = el("span", { class: "fill" });
      fill.style.width = `${100 * (mean || 0)}%`;
      const count = `${agents} agent${agents === 1 ? "" : "s"}`;
      return el(
        "li",
        { "data-group": name, title: count },
        el("span", { class: "name", text: name }),
        el("span", { class: "track" }, fill),
        el("span", { class: "value", text: percent(mean) }),
      );
    }),
  );
}
