// Quantities per task, by which the map is coloured and filtered, and selections are compared.

import { rate } from "./data.js";
import { CORRELATION } from "./information.js";
import { label, meanShown, words } from "./results.js";

export const GREY = 6; // its index among the colours of names
export const MISSING = "(missing)"; // the name of tasks without a label
export const OF_AGENT = "agent "; // begins the key of the results of an agent
export const DIFFERENCE = "compared"; // the key of the difference of two agents
export const REDUNDANT = "redundant"; // the key of groups of near-copies
const MAX_GROUPS = 12; // of agents, with a colour each

// A quantity has a key, a label, values (one per task) and a kind: "names" (with `names`, and
// optionally a `palette` of colour indices, and `muted` if they are not to be relied on), "number",
// "probability" (0 to 1), "rate" (the same, with colours for failure and success), "difference"
// (-1 to 1) or "correlation" (the same, not in percent). Those with too `many` names have neither
// colours nor filters. `text` is a function that shows a value, if its kind does not say how.
export function quantities(space, insight) {
  const of = words(space);
  const text = (value) => meanShown(space, value);
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
    { key: "success", label: label(space, of.mean), kind: "rate", values: space.success, text },
  ];
  if (space.informative) {
    const signed = space.measure === CORRELATION;
    const label = signed ? "correlation of two attempts" : "information (bits)";
    found.push({ key: "information", label, kind: "number", values: space.information });
  }
  if (insight.similarity) {
    const label = `correlation with ${space.names[insight.similarTo]}`;
    found.push({ key: "similarity", label, kind: "correlation", values: insight.similarity });
  }
  if (insight.predicted) {
    found.push({
      key: "predicted",
      label: label(space, of.predicted),
      kind: "rate",
      values: insight.predicted,
      text,
    });
  }
  if (insight.truth) found.push(...ofAgent(space, insight));
  found.push(...ofShown(space, insight));
  if (insight.selections) found.push(insight.selections);
  if (space.answers.redundant?.groups?.length) found.push(ofCopies(space));
  for (const [name, label] of space.labels) found.push(ofLabel(name, label));
  for (const [name, values] of space.columns) {
    const column = { key: `column ${name}`, label: name, values };
    const flag = { kind: "names", names: ["0", "1"], palette: [GREY, 0] };
    found.push({ ...column, ...(space.flags.has(name) ? flag : { kind: "number" }) });
  }
  return [...found, ...ofGroups(space, insight.grouping)];
}

// A label of tasks. Grey is for those without it.
function ofLabel(name, { texts, codes, coloured }) {
  const names = texts.map((text) => text || MISSING);
  const palette = texts.map((text, index) => (text ? spaced(index) : GREY));
  const label = { key: `label ${name}`, label: name, kind: "names" };
  return { ...label, values: codes, names, palette, many: !coloured };
}

// The group of near-copies of each task. Grey is for all other tasks.
function ofCopies(space) {
  const { groups } = space.answers.redundant;
  if (!OF_COPIES.has(groups)) {
    const values = new Uint16Array(space.count).fill(groups.length);
    for (const [index, tasks] of groups.entries()) for (const task of tasks) values[task] = index;
    const names = [...groups.map((_, index) => groupName(index)), "no near-copy"];
    const palette = names.map((_, index) => (index < groups.length ? spaced(index) : GREY));
    const many = groups.length > MAX_COPIES;
    const label = "redundant group";
    OF_COPIES.set(groups, { key: REDUNDANT, label, kind: "names", values, names, palette, many });
  }
  return OF_COPIES.get(groups);
}

export function groupName(index) {
  return `group ${index + 1}`;
}

const OF_COPIES = new WeakMap(); // quantities by groups
const MAX_COPIES = 1000; // groups in the legend

// The index of a colour that is not grey.
function spaced(index) {
  return index + Math.floor((index + 2) / 8);
}

const OF_GROUPS = new WeakMap(); // quantities by grouping

// The success rate of each group of agents.
function ofGroups(space, grouping) {
  if (!grouping || grouping.names.length > MAX_GROUPS) return [];
  if (!OF_GROUPS.has(grouping)) {
    const rates = grouping.titles.map((title, index) => ({
      key: `group ${title}`,
      label: label(space, `${words(space).of} ${title}`),
      kind: "rate",
      text: (value) => meanShown(space, value),
      values: meanRates(space, (agent) => grouping.ofAgents[agent] === index),
    }));
    OF_GROUPS.set(grouping, rates);
  }
  return OF_GROUPS.get(grouping);
}

// The mean success rate of some agents on every task; NaN where none of them tried it.
function meanRates(space, isAmong) {
  const [sums, counts] = [new Float64Array(space.count), new Float64Array(space.count)];
  for (let agent = 0; agent < space.agents.length; agent++) {
    if (!isAmong(agent)) continue;
    for (let task = 0; task < space.count; task++) {
      const found = rate(space, agent, task);
      if (Number.isNaN(found)) continue;
      sums[task] += found;
      counts[task] += 1;
    }
  }
  return Float32Array.from(sums, (sum, task) => sum / counts[task]);
}

function ofAgent(space, { predicted, truth, agent }) {
  const missed = truth.map((value, task) => predicted[task] - value);
  const name = label(space, `${words(space).observed} of ${space.agents[agent]}`);
  const text = (value) => meanShown(space, value);
  return [
    { key: "true", label: name, kind: "rate", values: truth, text },
    { key: "missed", label: "predicted − observed", kind: "difference", values: missed },
  ];
}

// The results of the agent by which the map is coloured, of two compared agents, and the difference.
function ofShown(space, { colourAgent, compared }) {
  const agents = new Set([colourAgent, ...compared].filter((agent) => agent !== null));
  const found = [...agents].map((agent) => resultsOf(space, agent));
  const [first, second] = compared;
  if (first === null || second === null || first === second) return found;
  const [one, other] = [truthOf(space, first), truthOf(space, second)];
  const values = one.map((value, task) => value - other[task]);
  const label = `${space.agents[first]} − ${space.agents[second]}`;
  return [...found, { key: DIFFERENCE, label, kind: "difference", values }];
}

function resultsOf(space, agent) {
  const name = space.agents[agent];
  return {
    key: `${OF_AGENT}${name}`,
    label: label(space, `${words(space).of} ${name}`),
    kind: "rate",
    values: truthOf(space, agent),
    text: (value) => meanShown(space, value),
  };
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
