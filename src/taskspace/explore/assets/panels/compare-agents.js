// The panel that compares two agents: scores, where they differ by label, and on which tasks.

import { isExported } from "../data.js";
import { button, el, figure, percent, select } from "../dom.js";
import { DIFFERENCE } from "../quantities.js";
import { post } from "../server.js";
import { agentFinder } from "./find-agent.js";
import { interval } from "./interval.js";

const WHAT =
  "Choose two agents. The map shows where the first (blue) or the second (orange) is better.";
const ALONE = "The comparison by label needs the server: open this map with taskspace explore.";
const SHOWN = 20; // tasks
const GROUPS =
  "Mean results on the tasks that both tried. A difference is named if it is larger than chance by a" +
  " sign test over tasks, corrected for the number of rows.";

export class ComparePanel {
  constructor(app) {
    this.app = app;
    this.keys = ["compared", "colour"];
    this.by = null; // a label, or the first one
    this.asked = null; // what the last request was about
    this.chosen = [0, 1].map(() => el("div", { class: "chosen-agent" }));
    this.result = el("section", { "aria-live": "polite" });
    const side = (at) =>
      el(
        "div",
        {},
        agentFinder(app.space, `agent-${at + 1}`, at ? "Second agent" : "First agent", (agent) =>
          this.choose(at, agent),
        ).element,
        this.chosen[at],
      );
    this.element = el(
      "div",
      {},
      el("h2", { text: "Compare agents" }),
      el("p", { text: WHAT }),
      el("div", { class: "two" }, side(0), side(1)),
      this.result,
    );
  }

  choose(at, agent) {
    const { state } = this.app;
    const compared = state.now.compared.map((other, index) => (index === at ? agent : other));
    const colour = compared.includes(null) ? state.now.colour : DIFFERENCE;
    state.change({ compared, colour });
  }

  update({ compared }) {
    for (const [at, agent] of compared.entries())
      this.chosen[at].replaceChildren(...(agent === null ? [] : this.about(agent)));
    this.ask(compared);
  }

  about(agent) {
    const { agents, answers } = this.app.space;
    const row = answers.agents.agents?.find((each) => each.agent === agents[agent]);
    return [
      el("strong", { text: agents[agent] }),
      ...(row ? [el("span", { text: percent(row.score ?? NaN) }), interval(row)] : []),
    ];
  }

  async ask(compared) {
    const { agents } = this.app.space;
    const asked = JSON.stringify([compared, this.by]);
    if (asked === this.asked) return;
    this.asked = asked;
    if (compared.includes(null)) return this.result.replaceChildren();
    if (isExported()) return this.result.replaceChildren(el("p", { class: "quiet", text: ALONE }));
    const [first, second] = compared.map((agent) => agents[agent]);
    const { answer, fault } = await post("api/compare", { first, second, by: this.by });
    if (this.asked !== asked) return; // other agents were chosen meanwhile
    const shown = answer ? this.shown(answer, first, second) : [el("p", { text: fault })];
    this.result.replaceChildren(...shown);
  }

  shown({ summary, by, groups, tasks, different }, first, second) {
    return [
      el("p", { text: summary, id: "compared-summary" }),
      this.choice(by),
      table(GROUPS, [by || "tasks", first, second], groups.map(groupRow)),
      el("h3", { text: "Largest differences" }),
      different
        ? table(
            `${figure(different)} tasks with different results.`,
            ["task", first, second],
            [...tasks.slice(0, SHOWN).map((task) => this.taskRow(task))],
          )
        : el("p", { class: "quiet", text: "Both have the same result on every task." }),
    ];
  }

  // A menu of the labels that divide the tasks into groups.
  choice(by) {
    const labels = [...this.app.space.labels].filter(([, { coloured }]) => coloured);
    const names = [...new Set([...labels.map(([name]) => name), "cluster"])];
    const choices = names.map((name) => [name, `by ${name}`]);
    return select("Groups of tasks", choices, by, (value) => {
      this.by = value;
      this.ask(this.app.state.now.compared);
    });
  }

  taskRow({ task, first, second }) {
    const { space, go } = this.app;
    const number = space.numbers.get(task); // of a large map, only some tasks are on the page
    const name = number === undefined ? task : button(task, () => go(number), { class: "link" });
    return [[name], percent(first), percent(second)];
  }
}

function groupRow({ group, tasks, first, second, better }) {
  const count = `${figure(tasks)} task${tasks === 1 ? "" : "s"}`;
  const note = better ? `${count}; ${better} is better` : count;
  const name = [group, el("span", { class: better ? "better" : "quiet", text: note })];
  return [name, percent(first ?? NaN), percent(second ?? NaN)];
}

function table(caption, heads, rows) {
  return el(
    "table",
    { class: "compared-agents" },
    el("caption", { class: "quiet", text: caption }),
    el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col", text })))),
    el(
      "tbody",
      {},
      ...rows.map(([name, ...cells]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, ...name),
          ...cells.map((text) => el("td", { text })),
        ),
      ),
    ),
  );
}
