// What follows from the state: predictions, the tasks that are shown, all that is known of a task.

import { chances, proposal, weights } from "./posterior.js";
import { GREY, quantities, truthOf } from "./quantities.js";
import { matching } from "./selection.js";

export class Insight {
  constructor(space) {
    this.space = space;
    this.chances = this.truth = this.agent = this.groups = this.shown = null;
  }

  update(now, changed) {
    const any = (...keys) => changed.has("all") || keys.some((key) => changed.has(key));
    if (any("answers", "agent")) this.predict(now);
    if (any("answers", "agent", "groups")) this.quantities = quantities(this.space, this);
    if (any("groups")) this.group(now);
    if (any("answers", "agent", "filters", "lasso"))
      this.shown = matching(this.space, this.quantities, now);
  }

  predict({ answers, agent }) {
    const { space } = this;
    if (agent !== this.agent) this.truth = agent === null ? null : truthOf(space, agent);
    this.agent = agent;
    this.weights = space.posterior && weights(space.posterior, answers, agent);
    this.chances = answers.length || agent !== null ? this.expected() : null;
  }

  expected() {
    return this.space.posterior && chances(this.space.posterior, this.weights, this.space.count);
  }

  // What one would expect of the loaded agent before its first answer.
  unasked() {
    const { posterior, count } = this.space;
    return chances(posterior, weights(posterior, [], this.agent), count);
  }

  // The most informative task that was not asked yet.
  proposal(answers) {
    const asked = new Set(answers.map(({ task }) => task));
    return proposal(this.space.posterior, this.weights, this.space.count, asked);
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
