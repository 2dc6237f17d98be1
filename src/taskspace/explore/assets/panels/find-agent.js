// A box to find an agent by its name or its group.

import { groupingOf } from "../data.js";
import { combobox, ranked } from "./combobox.js";

export function agentFinder(space, id, label, choose) {
  const grouping = groupingOf(space, null);
  const groupOf = (agent) => grouping?.names[grouping.ofAgents[agent]] ?? null;
  const items = space.agents.map((name, agent) => [agent, name, groupOf(agent)]);
  const search = (words) =>
    ranked(items, words, (agent) => {
      const group = groupOf(agent);
      return group?.toLowerCase().includes(words) ? group : null;
    });
  return combobox({ id, label, search, choose, open: true });
}
