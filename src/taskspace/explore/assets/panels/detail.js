// The panel of one task: its picture and features, results of agents, and similar tasks.

import { labelsOfTask, rate, valuesOf } from "../data.js";
import { button, el, figure, select, short } from "../dom.js";
import { fact, measures } from "../facts.js";
import { colourOfName } from "../map/colours.js";
import { shown, words } from "../results.js";
import { knownTask } from "../similar.js";
import { neighbourLists, picture } from "../tasks/cards.js";

const FEW = 12; // features are listed openly; more are folded
const STABLE = 0.7; // Spearman correlation

const OF_TABLES = [
  ["Redundant", "tasks that measure the same thing twice."],
  ["Short test", "of a few tasks that predict the full score."],
];

export class Detail {
  constructor(app) {
    this.app = app;
    this.keys = ["task", "answers", "agent", "by"];
    this.element = el("div");
  }

  update(now) {
    const focused = this.element.contains(document.activeElement);
    this.element.replaceChildren(...(now.task === null ? this.welcome() : this.about(now)));
    const heading = this.element.querySelector("h2");
    if (focused && heading) heading.focus(); // the focused element was replaced
  }

  welcome() {
    const { space } = this.app;
    const steps = [
      ["Hover", "over a point to see its task."],
      ["Click", "a point to see its results and similar tasks."],
      ["Quiz", "an agent: a few answers predict its results on all tasks."],
      ["Select", "tasks with a lasso or filters, compare two selections, save a table."],
      ["Agents", "with scores and strengths, and who is like whom."],
      ["Compare", "two agents: where they differ."],
      ...(space.answers.redundant ? OF_TABLES : []),
      ["Doctor", "says whether the population is good enough."],
      ...(this.app.form ? [["New task", "shows where your own task lies on the map."]] : []),
    ];
    return [
      el("h2", { text: "A map of tasks" }),
      el("p", { text: space.description }),
      ...stability(space),
      el("p", { text: "Each point is a task. The larger the point, the harder the task." }),
      el(
        "dl",
        { class: "steps" },
        ...steps.flatMap(([name, text]) => [el("dt", { text: name }), el("dd", { text })]),
      ),
      el("p", { class: "quiet", text: `Colours show ${space.clusterDescription}.` }),
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
      ...features(space, task),
      el("dl", { class: "texts" }, ...labelsOfTask(space, task).map(fact)),
      this.successRates(task),
      ...neighbourLists(space, knownTask(space, task), go),
      button("Close", () => this.app.state.change({ task: null }), { class: "plain" }),
    ];
  }

  successRates(task) {
    const { space, insight } = this.app;
    const title = el("h3", { text: words(space).title }, ...groupingChoice(this.app));
    const text = (mean) => shown(space, task, mean);
    return el("section", {}, title, bars(byGroup(space, insight.grouping, [task]), text));
  }
}

// Whether a map learned with another seed has the same similarities.
function stability(space) {
  if (space.stability === null) return [];
  const stable = space.stability >= STABLE;
  const correlation = `${figure(space.stability)} (Spearman correlation of similarities)`;
  const text = stable
    ? `Stable across seeds: ${correlation}.`
    : `Not stable across seeds: ${correlation}.` +
      " More agents, or more attempts per agent and task, would help.";
  return [el("p", { class: stable ? "quiet" : "fault", id: "stability", text })];
}

function cluster(space, task) {
  const index = space.clusters[task];
  const dot = el("span", { class: "dot" });
  dot.style.background = colourOfName(index, space.verdict?.weak);
  return el("p", { class: "cluster" }, dot, el("span", { text: space.clusterNames[index] }));
}

function facts(space, insight, task) {
  const rows = [
    ...measures(space, space.difficulty[task], space.information?.[task]),
    [words(space).mean, shown(space, task, space.success[task])],
  ];
  if (insight.predicted)
    rows.push([words(space).predicted, shown(space, task, insight.predicted[task])]);
  if (insight.truth) {
    const name = `observed ${space.returns ? "return" : "rate"} of ${space.agents[insight.agent]}`;
    rows.push([name, shown(space, task, insight.truth[task])]);
  }
  return el("dl", { class: "facts" }, ...rows.map(fact));
}

function features(space, task) {
  const rows = [...space.columns].map(([name, column]) => [name, figure(short(column[task]))]);
  if (!rows.length) return [];
  const list = el("dl", { class: "values" }, ...rows.map(fact));
  if (rows.length <= FEW) return [list];
  return [el("details", {}, el("summary", { text: `All ${rows.length} features` }), list)];
}

// -- groups of agents -----------------------------------------------------------------------------

// "by" and the name of the grouping, or a menu of the groupings.
export function groupingChoice({ space: { groupings }, insight, state }) {
  const names = [...groupings.keys()];
  if (!names.length) return [];
  const chosen = names.find((name) => groupings.get(name) === insight.grouping);
  if (names.length === 1) return [`by ${chosen}`];
  const choices = names.map((name) => [name, name]);
  return ["by", select("Groups of agents", choices, chosen, (by) => state.change({ by }))];
}

// [{name, agents, mean}]: mean success rates on tasks, per group and of all agents.
export function byGroup(space, grouping, tasks) {
  const names = grouping ? grouping.names : [];
  const totals = Array.from({ length: names.length + 1 }, () => ({ sum: 0, count: 0, agents: 0 }));
  for (let agent = 0; agent < space.agents.length; agent++) {
    const indices = [names.length];
    const group = grouping ? grouping.ofAgents[agent] : names.length;
    if (group < names.length) indices.push(group);
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

function bars(rows, text) {
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
        el("span", { class: "value", text: text(mean) }),
      );
    }),
  );
}
