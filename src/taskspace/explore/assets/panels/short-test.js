// The panel of the short test: a few tasks from which the full score of an agent is estimated.

import { isExported } from "../data.js";
import { button, el, percent, select } from "../dom.js";
import { post } from "../server.js";
import { download } from "./csv.js";
import { commandLine } from "./redundant.js";

const WHAT =
  "A short test is a fixed selection of tasks from which the full score of a new agent, its mean" +
  " success rate on all tasks, is estimated.";
const ALONE = "Tests of other sizes need the server: open this map with taskspace explore.";
const ERRORS =
  "Mean absolute error of the score for agents that took no part in the choice. Plain mean and" +
  " cluster weights are simpler estimates; all others use the same model.";

export class ShortTestPanel {
  constructor(app) {
    this.app = app;
    this.keys = ["task"];
    this.test = app.space.answers.subset; // or {reason}
    this.result = el("section", { "aria-live": "polite" });
    this.element = el(
      "div",
      {},
      el("h2", { text: "A short test" }),
      el("p", { text: WHAT }),
      isExported() ? el("p", { class: "quiet", text: ALONE }) : this.form(),
      this.result,
    );
    this.show();
  }

  // The tasks of the test, to be marked on the map.
  get marked() {
    return this.test.tasks ?? [];
  }

  form() {
    const { space } = this.app;
    const most = Math.min(space.count - 1, 1000);
    const size = this.test.tasks?.length ?? Math.min(30, Math.max(Math.floor(space.count / 4), 1));
    this.size = el("input", {
      type: "number",
      min: 1,
      max: most,
      step: 1,
      value: size,
      id: "test-size",
    });
    const labels = [...space.labels].filter(([, { coloured }]) => coloured).map(([name]) => name);
    this.label = "";
    const choices = [["", "the full score"], ...labels.map((name) => [name, `scores by ${name}`])];
    const by = select("Predict", choices, "", (value) => (this.label = value));
    this.choose = el("button", { type: "submit", text: "Choose", id: "choose-test" });
    const submit = (event) => {
      event.preventDefault();
      this.ask();
    };
    return el(
      "form",
      { class: "row test-form", onsubmit: submit },
      el("label", { class: "check" }, "Tasks", this.size),
      ...(labels.length ? [el("label", { class: "check" }, "for", by)] : []),
      this.choose,
    );
  }

  async ask() {
    const k = Number(this.size.value);
    const asked = (this.asked = {}); // only the last question counts
    this.choose.disabled = true;
    this.result.replaceChildren(el("p", { class: "quiet", text: "Choosing tasks …" }));
    const { answer, fault } = await post("api/subset", { k, by: this.label || null });
    if (this.asked !== asked) return;
    this.choose.disabled = false;
    const { numbers } = this.app.space;
    this.test = answer
      ? { ...answer, tasks: answer.tasks.map((name) => numbers.get(name)) }
      : { reason: `${fault} The command has no time limit:`, k };
    this.show();
    this.app.draw();
  }

  update() {}

  show() {
    const { reason, verdict, note, tasks, k } = this.test;
    if (reason) {
      const size = k ?? (isExported() ? 30 : this.size.value);
      const line = commandLine(`taskspace subset DIR -k ${size}`);
      this.result.replaceChildren(el("p", { text: reason }), line);
      return;
    }
    const copies = this.test.near_copies.map(([first, second]) => `${first} and ${second}`);
    this.result.replaceChildren(
      el("p", { text: verdict, id: "test-verdict" }),
      ...(note ? [el("p", { class: "quiet", text: note })] : []),
      ...(copies.length ? [el("p", { text: `Near-copies: ${copies.join("; ")}.` })] : []),
      el("p", { class: "quiet", text: "Circles on the map mark the tasks of the test." }),
      el(
        "div",
        { class: "row" },
        button("Save as CSV", () => this.save(), { id: "save-test" }),
      ),
      el("h3", { text: "Expected error" }),
      this.errors(),
      el("h3", { text: `The ${tasks.length} tasks` }),
      el("ol", { class: "test-tasks" }, ...tasks.map((task, index) => this.task(task, index))),
    );
  }

  errors() {
    const { errors } = this.test;
    const sizes = [...new Set(errors.map(({ tasks }) => tasks))];
    const methods = [...new Set(errors.map(({ method }) => method))];
    const cell = (method, size) => {
      const row = errors.find((each) => each.method === method && each.tasks === size);
      return el("td", { text: row.error.toFixed(3) });
    };
    const heads = sizes.map((size) => el("th", { scope: "col", text: size }));
    return el(
      "table",
      { class: "errors" },
      el("caption", { class: "quiet", text: ERRORS }),
      el("thead", {}, el("tr", {}, el("th", { scope: "row", text: "tasks" }), ...heads)),
      el(
        "tbody",
        {},
        ...methods.map((method) =>
          el(
            "tr",
            {},
            el("th", { scope: "row", text: method }),
            ...sizes.map((size) => cell(method, size)),
          ),
        ),
      ),
    );
  }

  task(task, index) {
    const { space, go } = this.app;
    const success = this.test.success[index];
    const rate = success === null ? "" : ` ${percent(success)} success`;
    return el(
      "li",
      {},
      button(space.names[task], () => go(task), { class: "link" }),
      el("span", { class: "quiet", text: rate }),
    );
  }

  // As `taskspace subset` prints it: with 1 as the result of the intercept, a score is the sum of
  // weight x result.
  save() {
    const { space } = this.app;
    const { tasks, success, scores } = this.test;
    const weight = ({ name }, index) => (index ? `weight:${name}` : "weight");
    const rows = [
      ["task", "success", ...scores.map(weight)],
      ["(intercept)", "", ...scores.map(({ intercept }) => intercept)],
      ...tasks.map((task, at) => [
        space.names[task],
        success[at] ?? "",
        ...scores.map(({ weights }) => weights[at]),
      ]),
    ];
    download(rows, `${space.title.replace(/\W+/g, "-")}-short-test.csv`);
  }
}
