// The full score of the agent that takes the quiz, with its interval, from the server.

import { isExported } from "../data.js";
import { el, percent, select } from "../dom.js";
import { post } from "../server.js";

const PAUSE = 150; // milliseconds without another answer
const LEVEL = 0.9;
const ALONE =
  "The full score with its interval needs the server: open this map with taskspace explore.";
const WHAT =
  "Mean success rate over all tasks, answered ones included, and its 90 % interval, estimated by" +
  " a regression on the known agents.";

const KNOWN =
  "This agent is one of the known agents, so the estimate is surer than it would be for a new one.";

export class FullScore {
  constructor(app) {
    this.app = app;
    this.by = null; // a label
    this.found = el("div", { "aria-live": "polite" });
    this.element = el("section", { id: "full-score" }, el("h3", { text: "Full score" }));
    if (isExported()) this.element.append(el("p", { class: "quiet", text: ALONE }));
    else this.element.append(...this.choice(), this.found);
  }

  // A menu of the labels that divide the tasks into groups.
  choice() {
    const labels = [...this.app.space.labels].filter(([, { coloured }]) => coloured);
    if (!labels.length || this.app.space.count < this.app.space.total) return [];
    const choices = [["", "over all tasks"], ...labels.map(([name]) => [name, `by ${name}`])];
    return [
      select("Full score", choices, "", (value) => {
        this.by = value || null;
        this.update(this.app.state.now, true);
      }),
    ];
  }

  update({ answers }, anew = false) {
    this.element.hidden = !answers.length;
    if (isExported() || (answers === this.answers && !anew)) return;
    this.answers = answers;
    clearTimeout(this.resting);
    if (answers.length) this.resting = setTimeout(() => this.ask(answers), PAUSE);
    else this.found.replaceChildren();
  }

  async ask(answers) {
    const { names } = this.app.space;
    const quiz = answers.map(({ task, result }) => ({ task: names[task], result }));
    const { by } = this;
    const { answer, fault } = await post("api/score", { quiz, by, level: LEVEL });
    if (this.answers !== answers || this.by !== by) return; // another answer was given meanwhile
    const known =
      this.app.state.now.agent === null ? [] : [el("p", { class: "quiet", text: KNOWN })];
    const warning = answer?.warning
      ? [el("p", { id: "score-warning", text: `Warning: ${answer.warning}.` })]
      : [];
    const shown = answer
      ? [...warning, ...this.shown(answer), ...known]
      : [el("p", { text: fault })];
    this.found.replaceChildren(...shown);
  }

  shown({ groups }) {
    const range = ({ low, high }) => `${percent(low)} to ${percent(high)}`;
    if (this.by === null) {
      const [all] = groups;
      return [
        el(
          "p",
          { class: "count" },
          el("strong", { text: percent(all.score), id: "score" }),
          ` (${range(all)})`,
        ),
        el("p", { class: "quiet", text: WHAT }),
      ];
    }
    const cells = (group) => [
      percent(group.score),
      range(group),
      `${group.answered} of ${group.tasks}`,
    ];
    const rows = groups.map((group) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", text: group.name }),
        ...cells(group).map((text) => el("td", { text })),
      ),
    );
    const heads = ["score", "90 % interval", "answered"].map((text) =>
      el("th", { scope: "col", text }),
    );
    return [
      el(
        "table",
        {},
        el("caption", { class: "quiet", text: WHAT }),
        el("thead", {}, el("tr", {}, el("td"), ...heads)),
        el("tbody", {}, ...rows),
      ),
    ];
  }
}
