// What follows from the state: predictions, the tasks that are shown, and all quantities per task.

import { groupingOf } from "./data.js";
import { CORRELATION } from "./information.js";
import { after, nextQuestion, predictedSuccess, weights } from "./posterior.js";
import { GREY, OF_AGENT, quantities, truthOf } from "./quantities.js";
import { matching } from "./selection.js";
import { knownTask, similarities } from "./similar.js";

export class Insight {
  constructor(space) {
    this.space = space;
    // `truth`: success rates of the loaded agent; `predictedBefore`: prediction without answers.
    Object.assign(this, { predicted: null, truth: null, predictedBefore: null, agent: null });
    Object.assign(this, { selections: null, shown: null, grouping: null });
    // On a map by correlation: those of all tasks with the task `similarTo`.
    Object.assign(this, { similarity: null, similarTo: null });
    // Agents whose results can be coloured: the one that is chosen, and two that are compared.
    Object.assign(this, { colourAgent: null, compared: [null, null] });
  }

  update(now, changed) {
    const any = (...keys) => changed.has("all") || keys.some((key) => changed.has(key));
    if (any("answers", "agent")) this.predict(now);
    this.grouping = groupingOf(this.space, now.by);
    let moved = this.space.measure === CORRELATION && any("task");
    if (moved) this.correlate(now);
    if (any("colour", "compared") && this.choose(now)) moved = true;
    if (moved || any("answers", "agent", "by", "selections")) this.compare(now);
    if (moved || any("answers", "agent", "by", "filters", "lassos"))
      this.shown = matching(this.space, this.quantities, now);
  }

  predict({ answers, agent }) {
    const { space } = this;
    if (agent !== this.agent) {
      const known = agent !== null;
      this.truth = known ? truthOf(space, agent) : null;
      this.predictedBefore = known ? this.expected([], agent) : null;
    }
    this.agent = agent;
    this.predicted = answers.length || agent !== null ? this.expected(answers, agent) : null;
  }

  // Note the agents whose results are shown; whether they are others than before.
  choose({ colour, compared }) {
    const named = colour.startsWith(OF_AGENT) ? colour.slice(OF_AGENT.length) : null;
    const agent = this.space.agentNumbers.get(named) ?? null;
    const same = agent === this.colourAgent && compared.join() === this.compared.join();
    Object.assign(this, { colourAgent: agent, compared });
    return !same;
  }

  correlate({ task }) {
    const { space } = this;
    this.similarTo = task;
    this.similarity = task === null ? null : similarities(space, knownTask(space, task));
  }

  // The predicted probability of success on every task, given answers.
  expected(answers, agent) {
    const { posterior, count } = this.space;
    if (!posterior) return null;
    const known = after(posterior, answers);
    return predictedSuccess(posterior, weights(posterior, answers, agent), count, known);
  }

  // The most informative task that has not been asked and is not one of `passed`.
  nextQuestion(answers, passed = []) {
    const { posterior, count } = this.space;
    const given = weights(posterior, answers, this.agent);
    const known = after(posterior, answers);
    return nextQuestion(posterior, given, count, known, answers, new Set(passed));
  }

  // The selections A and B are also a quantity to colour by.
  compare({ selections }) {
    this.selections = null;
    this.quantities = quantities(this.space, this); // without the previous selections
    const members = ["A", "B"].map((name) => this.members(selections[name]));
    if (!members[0] && !members[1]) return;
    const values = new Uint16Array(this.space.count).fill(3);
    for (const task of members[0] || []) values[task] = 0;
    for (const task of members[1] || []) values[task] = values[task] === 0 ? 2 : 1;
    const names = ["A", "B", "both", "neither"];
    const palette = [0, 1, 2, GREY];
    const label = "selections A and B";
    this.selections = { key: "groups", label, kind: "names", values, names, palette };
    this.quantities = quantities(this.space, this);
  }

  // The tasks of a selection, or null.
  members(selection) {
    if (!selection) return selection;
    return matching(this.space, this.quantities, selection) || [...this.space.names.keys()];
  }

  // The quantities that can be chosen for colours and filters.
  get choices() {
    return this.quantities.filter(({ many }) => !many);
  }

  quantity(key) {
    return this.quantities.find((quantity) => quantity.key === key) || null;
  }
}
