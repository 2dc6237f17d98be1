// The panel of the agents: scores with intervals, strengths, and the most similar agents.

import { button, el, figure, percent } from "../dom.js";
import { OF_AGENT } from "../quantities.js";
import { agentCard } from "./agent-card.js";
import { interval } from "./interval.js";
import { commandLine } from "./redundant.js";

const SHOWN = 100; // agents
const WHAT =
  "The score of an agent is its mean success rate over all tasks; on tasks that it did not try," +
  " the success probability that its ability predicts counts.";
const CHOOSE = "Click an agent to see its strengths and to colour the map by its results.";
const STRENGTHS =
  "Strengths (+) and weaknesses (−) are groups of tasks on which an agent differs from what its" +
  " score predicts by more than chance. The most similar agent has the most similar results beyond" +
  " what both scores predict; the number is their correlation.";

export class AgentsPanel {
  // `load(agent)` loads an agent as the quiz does.
  constructor(app, load) {
    this.app = app;
    this.load = load;
    this.keys = ["who", "colour"];
    this.words = "";
    const { reason, summary, agents } = app.space.answers.agents;
    this.card = el("section", { "aria-live": "polite" });
    this.table = el("div");
    const box = el("input", {
      type: "search",
      placeholder: "Find an agent",
      "aria-label": "Find an agent",
      autocomplete: "off",
    });
    box.addEventListener("input", () => {
      this.words = box.value.trim().toLowerCase();
      this.list(app.state.now);
    });
    const parts = reason
      ? [el("p", { text: reason })]
      : [
          this.card,
          el("p", { text: summary }),
          el("p", { class: "quiet", text: CHOOSE }),
          ...(agents.length > 10 ? [el("div", { class: "row" }, box)] : []),
          this.table,
        ];
    const command = reason && !app.space.returns ? [commandLine("taskspace agents DIR")] : [];
    const what = reason ? [] : [el("p", { text: WHAT })];
    this.element = el("div", {}, el("h2", { text: "Agents" }), ...what, ...parts, ...command);
  }

  update(now) {
    if (this.app.space.answers.agents.reason) return;
    this.card.replaceChildren(...(now.who === null ? [] : agentCard(this.app, now.who, this)));
    this.list(now);
  }

  // Look at an agent, or at none: the map is coloured by its results.
  show(who) {
    const { state, space } = this.app;
    const colour = who === null ? "cluster" : `${OF_AGENT}${space.agents[who]}`;
    state.change({ who, colour, tab: "agents" });
    if (who !== null) document.getElementById("panels").scrollTop = 0;
  }

  list(now) {
    const { agents, level } = this.app.space.answers.agents;
    const focused = this.table.contains(document.activeElement) && document.activeElement.id;
    const found = agents.filter(({ agent }) => agent.toLowerCase().includes(this.words));
    const rows = found.slice(0, SHOWN).map((row) => this.row(row, now));
    const head = ["agent", "score", `${percent(level)} interval`].map((text) =>
      el("th", { scope: "col", text }),
    );
    this.table.replaceChildren(
      el(
        "table",
        { class: "agents" },
        el("caption", { class: "quiet", text: STRENGTHS }),
        el("thead", {}, el("tr", {}, ...head)),
        el("tbody", {}, ...rows),
      ),
      ...this.left(found.length),
    );
    if (focused) this.table.querySelector(`#${focused}`)?.focus();
  }

  left(count) {
    if (!count) return [el("p", { class: "quiet", text: "No agent found." })];
    if (count <= SHOWN) return [];
    const text = `The best ${SHOWN} of ${figure(count)}; find others by name.`;
    return [el("p", { class: "quiet", text })];
  }

  row(row, now) {
    const { space } = this.app;
    const number = space.agentNumbers.get(row.agent);
    const name = button(row.agent, () => this.show(number), {
      class: "link",
      id: `agent-${number}`,
      "aria-pressed": String(now.who === number),
    });
    const alike =
      row.most_similar && `most similar: ${row.most_similar} (${row.correlation.toFixed(2)})`;
    const notes = [
      row.strengths && `+ ${row.strengths}`,
      row.weaknesses && `− ${row.weaknesses}`,
      row.tried < space.total && `tried ${figure(row.tried)} of ${figure(space.total)} tasks`,
      alike,
    ].filter(Boolean);
    const lines = notes.map((text) => el("span", { class: "quiet", text }));
    return el(
      "tr",
      { "data-agent": row.agent },
      el("th", { scope: "row" }, name, ...lines),
      el("td", { text: row.score === null ? "–" : percent(row.score) }),
      el("td", {}, interval(row)),
    );
  }
}
