// The panel of the quiz: the user answers for an agent, and the page predicts all other tasks.

import { rate, valuesOf } from "../data.js";
import { button, el, figure, percent } from "../dom.js";
import { fact } from "../facts.js";
import { meanOf } from "../quantities.js";
import { resultOf, returnOf, shown, words } from "../results.js";
import { picture } from "../tasks/cards.js";
import { agentFinder } from "./find-agent.js";
import { FullScore } from "./full-score.js";
import { scatter } from "./scatter.js";

const LOADED = 10; // questions to an agent of the population
const LOADING =
  `Asks an agent of the population ${LOADED} questions and compares the prediction with its` +
  " observed results. Its other results are not used for the prediction.";
const COMPARED =
  "Each point is a task that was not asked. The thick line is the mean. On the dashed line," +
  " prediction and truth agree.";
const OF_QUIZ = new Set(["predicted", "true", "missed"]); // colours that need a quiz

export class QuizPanel {
  constructor(app) {
    this.app = app;
    this.keys = ["task", "answers", "agent"];
    this.loading = null; // the agent that is being asked
    this.question = el("section", { class: "question", "aria-live": "polite" });
    this.summary = el("dl", { class: "facts" });
    this.score = new FullScore(app);
    this.list = el("ol", { class: "answers", "aria-label": "Answers" });
    this.comparison = el("section", { id: "comparison" });
    this.loaded = el("p", { id: "loaded" });
    const load = (agent) => this.load(agent);
    const finder = agentFinder(app.space, "loadable", "Load an agent", load).element;
    this.over = button("Start over", () => this.clear(), { id: "clear-quiz", class: "plain" });
    this.element = el(
      "div",
      {},
      el("h2", { text: "Quiz an agent" }),
      el("p", {
        text: app.space.returns
          ? "Enter the returns of an agent. The map shows its expected return on all tasks."
          : "Enter what an agent solves. The map shows its probability of success on all tasks.",
      }),
      ...omissions(app.space),
      this.question,
      this.summary,
      this.score.element,
      el("h3", { text: "Load an agent" }),
      el("p", { class: "quiet", text: LOADING }),
      finder,
      this.loaded,
      this.comparison,
      el("div", { class: "head" }, el("h3", { text: "Answers" }), this.over),
      this.list,
    );
  }

  clear() {
    this.loading = null;
    const { state } = this.app;
    const colour = OF_QUIZ.has(state.now.colour) ? "cluster" : state.now.colour;
    state.change({ answers: [], agent: null, task: null, colour });
  }

  update(now, changed) {
    this.question.replaceChildren(...this.asked(now));
    if (changed.size === 1 && changed.has("task")) return; // nothing else changes
    this.summary.replaceChildren(...this.summaryOf());
    this.score.update(now);
    this.list.replaceChildren(...now.answers.map((answer) => this.answered(answer)));
    this.over.disabled = !now.answers.length && now.agent === null;
    this.loaded.replaceChildren(...(now.agent === null ? [] : this.loadedLine(now.agent)));
    this.comparison.replaceChildren(...this.comparisonOf(now));
  }

  loadedLine(agent) {
    const name = this.app.space.agents[agent];
    const unload = button("×", () => this.clear(), {
      class: "plain",
      id: "unload",
      "aria-label": `Unload ${name}`,
    });
    return ["Loaded: ", el("strong", { text: name }), unload];
  }

  asked(now) {
    const { space } = this.app;
    const propose = button(
      now.answers.length ? "Suggest another" : "Suggest a question",
      () => this.propose(),
      { id: "propose" },
    );
    if (now.task === null) {
      return [
        propose,
        el("p", {
          class: "quiet",
          text: "Suggests the most informative question. You can also click any point.",
        }),
      ];
    }
    const given = now.answers.find(({ task }) => task === now.task);
    const choice = (text, result, kind) =>
      button(text, () => this.answer(now.task, result), {
        class: `answer ${kind}`,
        "data-result": result,
        "aria-pressed": String(given?.result === result),
      });
    return [
      el(
        "p",
        { class: "head" },
        el("strong", { text: space.names[now.task], id: "question-name" }),
        propose,
      ),
      ...[picture(space, valuesOf(space, now.task))].filter(Boolean),
      space.returns
        ? this.entry(now.task, given)
        : el(
            "div",
            { class: "choice", role: "group", "aria-label": "Does the agent solve it?" },
            choice("✓ Solved", 1, "yes"),
            choice("✗ Not solved", 0, "no"),
          ),
    ];
  }

  // A field for the return of the agent; Enter answers.
  entry(task, given) {
    const { returns } = this.app.space;
    const range = `${figure(returns.low[task])} to ${figure(returns.high[task])}`;
    const [min, max] = [returns.low[task], returns.high[task]]; // beyond, candidates say nothing
    const field = el("input", { type: "number", step: "any", id: "return", min, max });
    if (given) field.value = String(returnOf(returns, task, given.result));
    const answer = (event) => {
      event.preventDefault();
      if (field.value !== "") this.answer(task, resultOf(returns, task, Number(field.value)));
    };
    return el(
      "form",
      { class: "choice", onsubmit: answer },
      el("label", {}, `Return, known agents ${range} `, field),
      el("button", { type: "submit", class: "answer", text: "Answer" }),
    );
  }

  summaryOf() {
    const { space, insight } = this.app;
    if (!insight.predicted) return [];
    const all = [...space.names.keys()];
    const errors = insight.predicted.map((p) => Math.min(p, 1 - p));
    const expected = percent(meanOf(insight.predicted, all));
    if (space.returns) return [fact(["expected normalised return", expected])];
    const rows = [
      ["expected success rate", expected],
      ["expected error rate", percent(meanOf(errors, all))],
    ];
    return rows.map(fact);
  }

  answered({ task, result }) {
    const { space, state } = this.app;
    const name = space.names[task];
    const plain = result === 1 ? "✓" : result === 0 ? "✗" : percent(result);
    const symbol = space.returns ? shown(space, task, result) : plain;
    const kind = result >= 0.5 ? "yes" : "no";
    return el(
      "li",
      { "data-task": task },
      el("span", { class: `result ${kind}`, text: symbol }),
      button(name, () => state.change({ task }), { class: "link" }),
      button("×", () => this.remove(task), {
        class: "plain",
        "aria-label": `Remove the answer on ${name}`,
      }),
    );
  }

  remove(task) {
    const { state } = this.app;
    state.change({ answers: state.now.answers.filter((answer) => answer.task !== task) });
  }

  propose() {
    const { state, insight } = this.app;
    const asked = state.now.answers;
    const passed = state.now.task; // do not suggest it again
    const next = insight.nextQuestion(asked, passed === null ? [] : [passed]);
    if (next !== null) state.change({ task: next });
  }

  // Record an answer, colour the map by the prediction, and ask the next question.
  answer(task, result) {
    const { state, insight } = this.app;
    const focused = this.question.contains(document.activeElement);
    const rest = state.now.answers.filter((answer) => answer.task !== task);
    const answers = [...rest, { task, result }];
    state.change({ answers, colour: "predicted" });
    state.change({ task: insight.nextQuestion(answers) });
    const again = this.question.querySelector(`[data-result="${result}"], #return`);
    if (focused && again) again.focus(); // so that the keyboard can answer the next one
  }

  // Ask the most informative questions, answered with the agent's success rates.
  async load(agent) {
    const { space, state, insight } = this.app;
    this.loading = agent;
    state.change({ answers: [], agent, task: null, colour: "predicted" });
    const untried = [...space.names.keys()].filter((task) =>
      Number.isNaN(rate(space, agent, task)),
    );
    for (let asked = 0; asked < LOADED; asked++) {
      await new Promise((done) => setTimeout(done)); // let the page draw in between
      if (this.loading !== agent) return;
      const answers = state.now.answers;
      const task = insight.nextQuestion(answers, untried);
      if (task === null) break;
      state.change({ answers: [...answers, { task, result: rate(space, agent, task) }] });
    }
    this.loading = null;
    this.update(state.now, new Set(["agent"]));
  }

  comparisonOf(now) {
    if (now.agent === null) return [];
    if (this.loading === null) return this.compared(now);
    const progress = `Question ${now.answers.length + 1} of ${LOADED} …`;
    return [el("p", { class: "quiet", text: progress })];
  }

  compared(now) {
    const { insight, space } = this.app;
    const asked = new Set(now.answers.map(({ task }) => task));
    const tasks = [...space.names.keys()].filter(
      (task) => !asked.has(task) && !Number.isNaN(insight.truth[task]),
    );
    const mean = (of) => percent(meanOf(tasks.map(of), tasks.keys()));
    const { truth } = insight;
    const right = (predicted) => (task) => Number(predicted[task] > 0.5 === truth[task] > 0.5);
    const error = (predicted) => mean((task) => Math.abs(predicted[task] - truth[task]));
    const rows = space.returns
      ? [
          ["mean absolute error (of the range)", error(insight.predicted)],
          ["the same without answers", error(insight.predictedBefore)],
        ]
      : [
          ["accuracy on other tasks", mean(right(insight.predicted))],
          ["accuracy without answers", mean(right(insight.predictedBefore))],
          ["mean absolute error", error(insight.predicted)],
        ];
    const axes = space.returns
      ? ["predicted normalised return", "observed normalised return"]
      : [words(space).predicted, words(space).observed];
    return [
      el("dl", { class: "facts" }, ...rows.map(fact)),
      scatter(insight.predicted, truth, tasks, ...axes),
      el("p", { class: "quiet", text: COMPARED }),
    ];
  }
}

// What the page's predictions leave out, and by how much they differ from those of the library.
function omissions({ omitted }) {
  if (!omitted) return [];
  const text =
    "This page leaves out a part of the model (the linear model of the agents, with a weight of" +
    ` ${percent(omitted.share)}). After ten answers, its probabilities differ from those of` +
    ` taskspace predict by ${omitted.mean.toFixed(3)} on average and ${omitted.largest.toFixed(3)}` +
    " at most.";
  return [el("p", { class: "quiet", id: "omitted", text })];
}
