// The data file: fetched from the server, or in the page itself. Checked once, here.

const KINDS = { float32: Float32Array, uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array };
const NOT_TRIED = 255;
const EXPORTED = "exported-data";

// What is wrong with the data, in one sentence.
export class Fault extends Error {}

export async function load() {
  const exported = document.getElementById(EXPORTED);
  return readData(await (exported ? decompress(exported.textContent) : fetchData()));
}

// Whether the page is one file, without a server.
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
    throw new Fault("The data in this file is damaged. Please export the page again.");
  }
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault("The data is damaged: it is not the JSON that taskspace writes.");
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
    throw new Fault(`The data is damaged: ${what} should be an array of ${shape.join(" × ")}.`);
  }
  const values = new Kind(bytes(given.data).buffer);
  if (values.length !== given.shape.reduce((a, b) => a * b, 1)) {
    throw new Fault(`The data is damaged: ${what} is cut short.`);
  }
  return values;
}

// Everything that the page knows, with arrays unpacked.
function readData(given) {
  if (!given || given.format !== "taskspace explorer") {
    throw new Fault("This is no data of taskspace's explorer.");
  }
  if (given.version !== 1) {
    throw new Fault(`This data has version ${given.version}; this page reads version 1.`);
  }
  if (!given.tasks || !given.tasks.length) throw new Fault("There are no tasks in this data.");
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
    description: given.told,
    agreement: given.agreement ?? null,
    clustersDescription: given.clusters_told,
    count: n,
    dimensions: d,
    names: given.tasks,
    vectors: array(given.vectors, "vectors", n, d),
    difficulty: array(given.difficulty, "difficulty", n),
    success: array(given.success, "success", n),
    views: viewsOf(given, n),
    clusterNames: given.cluster_names,
    clusters: array(given.clusters, "clusters", n),
    columns,
    flags: flagsIn(columns),
    rows: given.rows && array(given.rows, "rows", n, null),
    rowWidth: given.rows && given.rows.shape[1],
    agents: given.agents,
    subpopulations: given.groups,
    agentSubpopulations:
      given.agent_groups && array(given.agent_groups, "agent_groups", given.agents.length),
    rates: array(given.rates, "rates", given.agents.length, n),
    drawing: given.drawing,
    formKind: given.form_kind,
    form: given.form,
    network: given.network,
  };
  space.posterior = posteriorOf(given.posterior, n);
  return space;
}

function viewsOf(given, n) {
  const views = new Map();
  for (const [name, both] of Object.entries(given.views)) {
    const flat = array(both, name, n, 2);
    const x = new Float32Array(n);
    const y = new Float32Array(n);
    for (let i = 0; i < n; i++) [x[i], y[i]] = [flat[2 * i], flat[2 * i + 1]];
    views.set(name, { x, y });
  }
  return views;
}

function columnsOf(given, n) {
  return new Map(Object.entries(given.columns || {}).map(([k, v]) => [k, array(v, k, n)]));
}

// The names of columns that hold nothing but 0 and 1.
function flagsIn(columns) {
  const names = [...columns.keys()];
  return new Set(
    names.filter((name) => columns.get(name).every((value) => value === 0 || value === 1)),
  );
}

function posteriorOf(given, n) {
  if (!given) return null;
  const prior = array(given.prior, "prior", null);
  const profiles = array(given.profiles, "profiles", n, prior.length);
  const known = [...array(given.known, "known", given.agents)]; // the agents among the candidates
  return { profiles, prior, candidates: prior.length, known, temper: given.temper };
}

// -- asking it ------------------------------------------------------------------------------------

export function vectorOf(space, task) {
  return space.vectors.subarray(task * space.dimensions, (task + 1) * space.dimensions);
}

// An agent's success rate on a task, NaN where it was not tried.
export function rate(space, agent, task) {
  const found = space.rates[agent * space.count + task];
  return found === NOT_TRIED ? NaN : found / 200;
}

// The values that a task is drawn from, by the names of columns; long tasks have a row.
export function valuesOf(space, task) {
  const values = Object.create(null);
  for (const [name, column] of space.columns) values[name] = column[task];
  const row = space.rows && space.rows.subarray(task * space.rowWidth, (task + 1) * space.rowWidth);
  return { values, row };
}
