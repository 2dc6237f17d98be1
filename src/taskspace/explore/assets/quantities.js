// Quantities per task, by which the map is coloured and filtered, and selections are compared.

import { rate } from "./data.js";

export const GREY = 6; // its index among the colours of names

// A quantity has a key, a label, values (one per task) and a kind: "names" (with `names`, and
// optionally a `palette` of colour indices, and `muted` if they are not to be relied on), "number",
// "probability" (0 to 1), "rate" (the same, with colours for failure and success) or "difference"
// (-1 to 1).
export function quantities(space, insight) {
  const found = [
    {
      key: "cluster",
      label: "cluster",
      kind: "names",
      values: space.clusters,
      names: space.clusterNames,
      muted: space.verdict?.weak,
    },
    {
      key: "difficulty",
      label: "difficulty",
      kind: space.informative ? "probability" : "number",
      values: space.difficulty,
    },
    { key: "success", label: "success rate", kind: "rate", values: space.success },
  ];
  if (space.informative) {
    const label = "information (bits)";
    found.push({ key: "information", label, kind: "number", values: space.information });
  }
  if (insight.predicted) {
    found.push({
      key: "predicted",
      label: "predicted probability",
      kind: "rate",
      values: insight.predicted,
    });
  }
  if (insight.truth) found.push(...ofAgent(space, insight));
  if (insight.selections) found.push(insight.selections);
  for (const [name, values] of space.columns) {
    const column = { key: `column ${name}`, label: name, values };
    const flag = { kind: "names", names: ["0", "1"], palette: [GREY, 0] };
    found.push({ ...column, ...(space.flags.has(name) ? flag : { kind: "number" }) });
  }
  return found;
}

function ofAgent(space, { predicted, truth, agent }) {
  const missed = truth.map((value, task) => predicted[task] - value);
  const label = `observed success rate of ${space.agents[agent]}`;
  return [
    { key: "true", label, kind: "rate", values: truth },
    { key: "missed", label: "predicted − observed", kind: "difference", values: missed },
  ];
}

// An agent's success rate on every task; NaN where it was not tried.
export function truthOf(space, agent) {
  return Float32Array.from({ length: space.count }, (_, task) => rate(space, agent, task));
}

export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

export function meanOf(values, tasks) {
  let [sum, count] = [0, 0];
  for (const task of tasks) {
    if (Number.isNaN(values[task])) continue;
    sum += values[task];
    count += 1;
  }
  return count ? sum / count : NaN;
}
