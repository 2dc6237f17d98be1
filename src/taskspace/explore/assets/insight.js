// What follows from the state: predictions, the tasks that are shown, all that is known of a task.

import { nextQuestion, predictedSuccess, weights } from "./posterior.js";
import { GREY, quantities, truthOf } from "./quantities.js";
import { matching } from "./selection.js";

export class Insight {
  constructor(space) {
    this.space = space;
    // `truth` is what the loaded agent does, `predictedBefore` the prediction without any answer.
    Object.assign(this, { predicted: null, truth: null, predictedBefore: null, agent: null });
    Object.assign(this, { groups: null, shown: null });
  }

  update(now, changed) {
    const any = (...keys) => changed.has("all") || keys.some((key) => changed.has(key));
    if (any("answers", "agent")) this.predict(now);
    if (any("answers", "agent", "groups")) this.group(now);
    if (any("answers", "agent", "filters", "lasso"))
      this.shown = matching(this.space, this.quantities, now);
  }

  predict({ answers, agent }) {
    const { space } = this;
    if (agent !== this.agent) {
      const known = agent !== null;
      this.truth = known ? truthOf(space, agent) : null;
      this.predictedBefore = known ? this.expectedOf(weights(space.posterior, [], agent)) : null;
    }
    this.agent = agent;
    this.weights = space.posterior && weights(space.posterior, answers, agent);
    this.predicted = answers.length || agent !== null ? this.expectedOf(this.weights) : null;
  }

  expectedOf(given) {
    return this.space.posterior && predictedSuccess(this.space.posterior, given, this.space.count);
  }

  // The most informative task that was not asked yet, and is not one of those passed over.
  nextQuestion(answers, passed = []) {
    const asked = new Set(passed);
    for (const { task } of answers) asked.add(task);
    return nextQuestion(this.space.posterior, this.weights, this.space.count, asked);
  }

  // Two kept groups are something to colour by, too.
  group({ groups }) {
    this.groups = null;
    this.quantities = quantities(this.space, this); // without the groups as they were
    const members = ["A", "B"].map((name) => this.members(groups[name]));
    if (!members[0] && !members[1]) return;
    const values = new Uint16Array(this.space.count).fill(3);
    for (const task of members[0] || []) values[task] = 0;
    for (const task of members[1] || []) values[task] = values[task] === 0 ? 2 : 1;
    const names = ["A", "B", "both", "neither"];
    const palette = [0, 1, 2, GREY];
    this.groups = { key: "groups", label: "groups A and B", kind: "names", values, names, palette };
    this.quantities = quantities(this.space, this);
  }

  // The tasks of a kept group, or null.
  members(group) {
    return group && (matching(this.space, this.quantities, group) || [...this.space.names.keys()]);
  }

  quantity(key) {
    return this.quantities.find((quantity) => quantity.key === key) || null;
  }
}
