// The state of the page: one plain object, which is also encoded in the address after its #.
// In the address, tasks and agents have their names: row numbers would mean others in another table.

import { viewNames } from "./views.js";

const EMPTY = {
  view: null, // the name of a projection, or "axes"
  axes: [0, 1],
  colour: "cluster",
  by: null, // the label by which agents are grouped
  tab: "task",
  task: null, // the current task
  answers: [], // of the quiz: {task, result}
  agent: null, // the loaded agent
  who: null, // the agent that the panel of agents shows
  compared: [null, null], // two agents
  filters: [], // {what, low, high}, or {what, among} with names
  lassos: [], // each {view, axes, points: [[x, y], …]}; a task must lie inside one of them
  selections: { A: null, B: null }, // each {filters, lassos}
  made: null, // values of the new task, in the order of the form, or {program, like}
  range: null, // the visible part of the map: [left, right, bottom, top]
};

const REST = 200; // milliseconds
const COMPARED = ["first", "second"]; // in the address
const STEPS = new Set(["task", "tab", "view"]); // changes that the browser's Back undoes

export class State {
  constructor(space) {
    this.space = space;
    this.listeners = [];
    this.written = window.location.hash; // the address as this page knows it
    this.follow();
    window.addEventListener("hashchange", () => this.restore());
  }

  // Set new values and notify the listeners of the keys that changed.
  change(values) {
    const changed = Object.keys(values).filter((key) => values[key] !== this.now[key]);
    if (!changed.length) return;
    const step = changed.some((key) => STEPS.has(key));
    if (step) this.write(); // noted values belong to the previous history entry
    this.now = { ...this.now, ...values };
    this.write(step);
    this.notify(new Set(changed));
  }

  // Set values that the screen already shows. The address follows after a pause, because browsers
  // refuse to change it many times per second.
  note(values) {
    this.now = { ...this.now, ...values };
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      // A link that was followed meanwhile is not overwritten; its event arrives next.
      if (window.location.hash === this.written) this.write();
    }, REST);
  }

  restore() {
    if (window.location.hash === this.written) return;
    clearTimeout(this.resting);
    this.written = window.location.hash;
    this.follow();
    this.notify(new Set(Object.keys(EMPTY)));
  }

  // Take the state from the address; `unknown` are names in it that the map does not have.
  follow() {
    this.unknown = [];
    this.now = read(this.space, this.written, this.unknown);
  }

  notify(changed) {
    for (const listener of this.listeners) listener(this.now, changed);
  }

  write(step = false) {
    clearTimeout(this.resting);
    const before = this.written;
    this.written = written(this.space, this.now);
    const address = this.written || window.location.pathname + window.location.search;
    if (step && this.written !== before) window.history.pushState(null, "", address);
    else window.history.replaceState(null, "", address);
  }
}

// -- the address ----------------------------------------------------------------------------------

function written(space, now) {
  const words = new URLSearchParams();
  const first = firstView(space);
  if (now.view !== first) words.set("view", now.view);
  if (now.view === "axes" && now.axes.join() !== "0,1") words.set("axes", now.axes.join());
  for (const key of ["colour", "by", "tab"]) if (now[key] !== EMPTY[key]) words.set(key, now[key]);
  if (now.task !== null) words.set("task", space.names[now.task]);
  if (now.agent !== null) words.set("agent", space.agents[now.agent]);
  if (now.who !== null) words.set("who", space.agents[now.who]);
  for (const [at, agent] of now.compared.entries())
    if (agent !== null) words.set(COMPARED[at], space.agents[agent]);
  for (const { task, result } of now.answers)
    words.append("quiz", `${space.names[task]}:${result}`);
  if (now.filters.length) words.set("filters", JSON.stringify(now.filters));
  if (now.lassos.length) words.set("lassos", JSON.stringify(now.lassos));
  for (const name of ["A", "B"]) {
    const selection = now.selections[name];
    if (selection) words.set(`group${name}`, JSON.stringify(selection));
  }
  if (Array.isArray(now.made)) words.set("made", now.made.join());
  else if (now.made) {
    words.set("program", now.made.program.trim().replace(/\s+/g, " "));
    words.set("like", space.names[now.made.like]);
  }
  if (now.range) words.set("range", now.range.map((value) => value.toPrecision(7)).join());
  const text = words.toString().replace(/%(3D|28|29)/g, decodeURIComponent); // = ( )
  return text && `#${text}`;
}

const MADE_IN = { program: programIn }; // by the kind of form; all others have values

// Invalid parts of the address are ignored; names that nothing has are added to `unknown`.
function read(space, hash, unknown) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const views = viewNames(space);
  const numberIn = (numbers) => (name) => {
    const found = name === null ? null : (numbers.get(name) ?? null);
    if (name !== null && found === null) unknown.push(name);
    return found;
  };
  const taskOf = numberIn(space.numbers);
  const agentOf = numberIn(space.agentNumbers);
  const axes = numbers(words.get("axes")).filter(
    (axis) => integerBelow(axis, space.dimensions) !== null,
  );
  const range = numbers(words.get("range"));
  return {
    ...EMPTY,
    view: views.includes(words.get("view")) ? words.get("view") : firstView(space),
    axes: axes.length === 2 ? axes : EMPTY.axes,
    colour: words.get("colour") || EMPTY.colour,
    by: words.get("by"),
    tab: words.get("tab") || EMPTY.tab,
    task: taskOf(words.get("task")),
    agent: agentOf(words.get("agent")),
    who: agentOf(words.get("who")),
    compared: COMPARED.map((key) => agentOf(words.get(key))),
    answers: answersIn(words.getAll("quiz"), taskOf),
    filters: filtersIn(json(words.get("filters"))),
    lassos: lassosIn(json(words.get("lassos")), space),
    selections: {
      A: selectionIn(json(words.get("groupA")), space),
      B: selectionIn(json(words.get("groupB")), space),
    },
    made: (MADE_IN[space.formKind] || valuesIn)(words, space, taskOf),
    range: range.length === 4 ? range : null,
  };
}

function firstView(space) {
  return space.projections.keys().next().value;
}

function integerBelow(text, count) {
  const value = text === null || text === "" ? NaN : Number(text);
  return Number.isInteger(value) && value >= 0 && value < count ? value : null;
}

function numbers(text) {
  const found = (text || "").split(",").filter(Boolean).map(Number);
  return found.every(Number.isFinite) ? found : [];
}

function valuesIn(words, { form }) {
  const made = numbers(words.get("made"));
  return form && made.length === form.length ? made : null;
}

// A program, and the task in whose worlds it runs.
function programIn(words, space, taskOf) {
  const program = words.get("program");
  const like = taskOf(words.get("like"));
  return program === null || like === null ? null : { program, like };
}

// Each answer is name:result; a name may contain colons.
function answersIn(texts, taskOf) {
  const found = new Map(); // the last answer on a task counts
  for (const text of texts) {
    const colon = text.lastIndexOf(":");
    const [name, result] = [text.slice(0, colon), text.slice(colon + 1)];
    const value = Number(result);
    const task = taskOf(name);
    if (task !== null && result && value >= 0 && value <= 1) found.set(task, value);
  }
  return [...found].map(([task, result]) => ({ task, result }));
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function filtersIn(given) {
  const listed = Array.isArray(given) ? given : [];
  const numeric = (value) => value === null || Number.isFinite(value);
  return listed.filter(
    (filter) =>
      filter &&
      typeof filter.what === "string" &&
      (isNames(filter.among) || (numeric(filter.low) && numeric(filter.high))),
  );
}

function isNames(among) {
  return Array.isArray(among) && among.every((name) => typeof name === "string");
}

function lassosIn(given, space) {
  return Array.isArray(given) ? given.filter((lasso) => isLasso(lasso, space)) : [];
}

function isLasso(given, space) {
  const pair = (values) => Array.isArray(values) && values.length === 2;
  const point = (values) => pair(values) && values.every(Number.isFinite);
  const axis = (value) => Number.isInteger(value) && value >= 0 && value < space.dimensions;
  const drawn = given && Array.isArray(given.points) && given.points.length > 2;
  if (!drawn || !given.points.every(point)) return false;
  const placed = pair(given.axes) && given.axes.every(axis);
  return placed && viewNames(space).includes(given.view);
}

function selectionIn(given, space) {
  return given && { filters: filtersIn(given.filters), lassos: lassosIn(given.lassos, space) };
}
