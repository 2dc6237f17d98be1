// Reads the data file, from the server or from the page itself, and checks it.

import { dependenceOf } from "./dependence.js";

const KINDS = { float32: Float32Array, uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array };
const NOT_TRIED = 255;
const CERTAIN = 65535; // a probability of 1 in 16 bits
const EXPORTED = "exported-data";
const VERSION = 5; // of the data file

// An error whose message is shown to the user.
export class Fault extends Error {}

export async function load() {
  const exported = document.getElementById(EXPORTED);
  return readData(await (exported ? decompress(exported.textContent) : fetchData()));
}

// Whether the page is an exported file, without a server.
export function isExported() {
  return document.getElementById(EXPORTED) !== null;
}

async function fetchData() {
  let answer;
  try {
    answer = await fetch("data.json.gz");
  } catch {
    throw new Fault("The data could not be fetched. Is taskspace explore still running?");
  }
  if (!answer.ok)
    throw new Fault(`The data could not be fetched: the server answered ${answer.status}.`);
  return parseJson(await answer.text());
}

async function decompress(text) {
  try {
    const packed = new Blob([bytes(text.trim())]).stream();
    const plain = packed.pipeThrough(new DecompressionStream("gzip"));
    return parseJson(await new Response(plain).text());
  } catch {
    throw new Fault("The data in this file is damaged. Export the page again.");
  }
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault("The data is damaged: it is not valid JSON.");
  }
}

function bytes(base64) {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let index = 0; index < found.length; index++) found[index] = text.charCodeAt(index);
  return found;
}

function array(given, what, ...shape) {
  const Kind = given && KINDS[given.dtype];
  const fits = Kind && shape.every((size, axis) => size === null || given.shape[axis] === size);
  if (!fits || given.shape.length !== shape.length) {
    throw new Fault(`The data is damaged: ${what} must be an array of ${shape.join(" × ")}.`);
  }
  const values = new Kind(bytes(given.data).buffer);
  if (values.length !== given.shape.reduce((a, b) => a * b, 1)) {
    throw new Fault(`The data is damaged: ${what} is incomplete.`);
  }
  return values;
}

// All data of the page, with arrays unpacked.
function readData(given) {
  if (!given || given.format !== "taskspace explorer") {
    throw new Fault("The data must come from the taskspace explorer, got other data.");
  }
  if (given.version !== VERSION) {
    throw new Fault(`The data must have version ${VERSION}, got version ${given.version}.`);
  }
  if (!given.tasks || !given.tasks.length) throw new Fault("The data contains no tasks.");
  try {
    return spaceOf(given);
  } catch (error) {
    throw error instanceof Fault
      ? error
      : new Fault("The data is damaged: parts of it are missing.");
  }
}

function spaceOf(given) {
  const n = given.tasks.length;
  const d = given.vectors.shape[1];
  const columns = columnsOf(given, n);
  const space = {
    title: given.title,
    description: given.description,
    stability: given.stability ?? null,
    verdict: given.verdict ?? null, // {text, weak}
    clusterDescription: given.cluster_description,
    informative: given.informative, // an information map, otherwise an ordinal one
    measure: given.measure, // of similarity: "information", in bits, or "correlation"
    total: given.total, // tasks of the run, of which `count` are on the page
    count: n,
    dimensions: d,
    names: given.tasks,
    vectors: array(given.vectors, "vectors", n, d),
    difficulty: array(given.difficulty, "difficulty", n),
    success: array(given.success, "success", n),
    profiles: given.profiles && probabilities(given.profiles, "profiles", given.agents.length, n),
    projections: projectionsOf(given, n),
    axes: given.axes,
    clusterNames: given.cluster_names,
    clusters: array(given.clusters, "clusters", n),
    columns,
    flags: flagsIn(columns),
    labels: labelsOf(given, n), // texts about tasks; those that are numbers are columns
    rows: given.rows && array(given.rows, "rows", n, null),
    rowWidth: given.rows && given.rows.shape[1],
    agents: given.agents,
    groupings: groupingsOf(given), // of agents
    rates: array(given.rates, "rates", given.agents.length, n),
    drawing: given.drawing,
    formKind: given.form_kind,
    form: given.form,
    network: given.network && networkOf(given.network, given.agents.length),
  };
  space.numbers = new Map(space.names.map((name, task) => [name, task]));
  space.agentNumbers = new Map(space.agents.map((name, agent) => [name, agent]));
  space.answers = answersOf(given.answers, space);
  space.returns = given.returns ? returnsOf(given.returns, n, space.agents.length) : null; // otherwise successes
  space.posterior = posteriorOf(given.posterior, n, space.returns);
  space.omitted = given.omitted ?? null; // the share of the linear model in predictions
  space.information = space.informative ? squaredLengths(space) : null;
  space.points = space.informative ? directions(space) : space.vectors;
  return space;
}

// Probabilities that are stored in 16 bits.
function probabilities(given, what, ...shape) {
  return Float32Array.from(array(given, what, ...shape), (value) => value / CERTAIN);
}

// The network with its weights unpacked: objects with a `weight` are layers.
function networkOf(given, agents) {
  const unpacked = (part) => {
    if (part === null || typeof part !== "object") return part;
    if (part.weight) return { weight: plain(part.weight), bias: plain(part.bias) };
    if (Array.isArray(part)) return part.map(unpacked);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, unpacked(value)]));
  };
  const { landmarks, weights, ...rest } = given;
  const network = unpacked(rest);
  if (!landmarks) return network;
  return {
    ...network,
    landmarks: probabilities(landmarks, "landmarks", agents, null),
    weights: array(weights, "weights", landmarks.shape[1], null),
  };
}

function plain(given) {
  return array(given, "network", ...given.shape);
}

function squaredLengths({ vectors, dimensions, count }) {
  const found = new Float32Array(count);
  for (let at = 0; at < vectors.length; at++)
    found[Math.floor(at / dimensions)] += vectors[at] ** 2;
  return found;
}

// Vectors scaled to length 1; those of length 0 stay 0.
function directions({ vectors, dimensions, information }) {
  const lengths = information.map((squared) => Math.sqrt(squared) || 1);
  return vectors.map((value, at) => value / lengths[Math.floor(at / dimensions)]);
}

function projectionsOf(given, n) {
  const projections = new Map();
  for (const [name, both] of Object.entries(given.projections)) {
    const flat = array(both, name, n, 2);
    const x = new Float32Array(n);
    const y = new Float32Array(n);
    for (let i = 0; i < n; i++) [x[i], y[i]] = [flat[2 * i], flat[2 * i + 1]];
    projections.set(name, { x, y });
  }
  return projections;
}

function columnsOf(given, n) {
  return new Map(Object.entries(given.columns || {}).map(([k, v]) => [k, array(v, k, n)]));
}

// By name: the different texts, the one of each task, and whether they have colours and filters.
function labelsOf(given, n) {
  const unpacked = ({ texts, codes, coloured }, name) => ({
    texts,
    codes: array(codes, name, n),
    coloured,
  });
  const labels = Object.entries(given.labels);
  return new Map(labels.map(([name, label]) => [name, unpacked(label, name)]));
}

// By name: the names of groups of agents, their titles, which are clear without the name of the
// grouping, and the group of each agent; one in no group has the number after the last name.
function groupingsOf(given) {
  const groups = (names, titles, of) => {
    return { names, titles, ofAgents: array(of, "groups", given.agents.length) };
  };
  const kinds = given.subpopulations;
  if (kinds) return new Map([["subpopulation", groups(kinds, kinds, given.agent_subpopulations)]]);
  const found = Object.entries(given.agent_labels).map(([label, { names, of_agents }]) => {
    const titles = names.map((name) => `${label} ${name}`);
    return [label, groups(names, titles, of_agents)];
  });
  return new Map(found);
}

// Answers about agents and, of a table of successes, about tasks, with the numbers of tasks in place
// of their names. An answer that there is not is {reason}.
function answersOf({ redundant, subset, agents, doctor }, { numbers, agents: names }) {
  const numbered = (names) => names.map((name) => numbers.get(name));
  const pair = (each) => ({
    ...each,
    first: numbers.get(each.first),
    second: numbers.get(each.second),
  });
  const found = { agents: { ...agents, groups: groupScores(agents.groups, names.length) }, doctor };
  if (!redundant) return found;
  return {
    ...found,
    redundant: redundant.reason
      ? redundant
      : {
          ...redundant,
          groups: redundant.groups.map(numbered),
          pairs: redundant.pairs.map(pair),
        },
    subset: subset.reason ? subset : { ...subset, tasks: numbered(subset.tasks) },
  };
}

// The scores of each agent by group of tasks, with arrays of agents × groups; null if there are none.
function groupScores(given, agents) {
  if (!given) return null;
  const unpacked = (key) => array(given[key], key, agents, given.names.length);
  const keys = ["scores", "expected", "tried", "marked"];
  return { names: given.names, ...Object.fromEntries(keys.map((key) => [key, unpacked(key)])) };
}

// The names of columns whose values are all 0 or 1.
function flagsIn(columns) {
  const names = [...columns.keys()];
  return new Set(
    names.filter((name) => columns.get(name).every((value) => value === 0 || value === 1)),
  );
}

function returnsOf(given, n, agents) {
  const [low, high] = [array(given.low, "low", n), array(given.high, "high", n)];
  const { values, reliability } = given.scores;
  const scores = {
    values: array(values, "scores", n, agents),
    reliability: reliability && array(reliability, "reliability", n),
  };
  return { ...given, low, high, scores };
}

function posteriorOf(given, n, returns) {
  if (!given) return null;
  const prior = array(given.prior, "prior", null);
  const profiles = array(given.profiles, "profiles", n, prior.length);
  const known = [...array(given.known, "known", given.agents)]; // agents among the candidates
  const { pairs, covariances, variances } = given.dependence;
  const dependence = dependenceOf(
    array(pairs, "pairs", null, 2),
    array(covariances, "covariances", null),
    array(variances, "variances", null),
  );
  const candidates = prior.length;
  const { temper, noise = 1 } = given;
  const { shift = 0, stretch = 1 } = returns || {}; // from results to those of the candidates
  return { profiles, prior, candidates, known, temper, noise, shift, stretch, dependence };
}

// -- access ---------------------------------------------------------------------------------------

export function vectorOf(space, task) {
  return space.vectors.subarray(task * space.dimensions, (task + 1) * space.dimensions);
}

// The success probability of every agent on a task, if there is a success model.
export function profileOf({ profiles, agents, count }, task) {
  return profiles && Float32Array.from(agents, (_, agent) => profiles[agent * count + task]);
}

// An agent's success rate on a task, NaN where it was not tried.
export function rate(space, agent, task) {
  const found = space.rates[agent * space.count + task];
  return found === NOT_TRIED ? NaN : found / 200;
}

// The grouping of agents with this name, or else the first one; null if there is none.
export function groupingOf({ groupings }, name) {
  return groupings.get(name) || groupings.values().next().value || null;
}

// The labels of a task that are texts: [name, text], without missing ones.
export function labelsOfTask(space, task) {
  const all = [...space.labels].map(([name, { texts, codes }]) => [name, texts[codes[task]]]);
  return all.filter(([, text]) => text);
}

// The values of a task by column; tasks without columns have a row of bytes.
export function valuesOf(space, task) {
  const values = Object.create(null);
  for (const [name, column] of space.columns) values[name] = column[task];
  const row = space.rows && space.rows.subarray(task * space.rowWidth, (task + 1) * space.rowWidth);
  return { values, row };
}
