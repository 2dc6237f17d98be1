// The state of the page: one plain object, which is also encoded in the address after its #.

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
  filters: [], // {what, low, high} or {what, among}
  lasso: null, // {view, axes, points: [[x, y], …]}
  selections: { A: null, B: null }, // each {filters, lasso}
  made: null, // values of the new task, in the order of the form, or {program, like}
  range: null, // the visible part of the map: [left, right, bottom, top]
};

const REST = 200; // milliseconds
const STEPS = new Set(["task", "tab", "view"]); // changes that the browser's Back undoes

export class State {
  constructor(space) {
    this.space = space;
    this.listeners = [];
    this.written = window.location.hash; // the address as this page knows it
    this.now = read(space, this.written);
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
    this.now = read(this.space, this.written);
    this.notify(new Set(Object.keys(EMPTY)));
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
  for (const key of ["task", "agent"]) if (now[key] !== null) words.set(key, now[key]);
  if (now.answers.length) {
    words.set("quiz", now.answers.map(({ task, result }) => `${task}:${result}`).join());
  }
  if (now.filters.length) words.set("filters", JSON.stringify(now.filters));
  if (now.lasso) words.set("lasso", JSON.stringify(now.lasso));
  for (const name of ["A", "B"]) {
    const selection = now.selections[name];
    if (selection) words.set(`group${name}`, JSON.stringify(selection));
  }
  if (Array.isArray(now.made)) words.set("made", now.made.join());
  else if (now.made) {
    words.set("program", now.made.program.trim().replace(/\s+/g, " "));
    words.set("like", now.made.like);
  }
  if (now.range) words.set("range", now.range.map((value) => value.toPrecision(7)).join());
  const text = words.toString().replace(/%(3D|28|29)/g, decodeURIComponent); // = ( )
  return text && `#${text}`;
}

const MADE_IN = { program: programIn }; // by the kind of form; all others have values

// Invalid parts of the address are ignored.
function read(space, hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const views = viewNames(space);
  const number = (key, count) => integerBelow(words.get(key), count);
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
    task: number("task", space.count),
    agent: number("agent", space.agents.length),
    answers: answersIn(words.get("quiz"), space.count),
    filters: filtersIn(json(words.get("filters"))),
    lasso: lassoIn(json(words.get("lasso")), space),
    selections: {
      A: selectionIn(json(words.get("groupA")), space),
      B: selectionIn(json(words.get("groupB")), space),
    },
    made: (MADE_IN[space.formKind] || valuesIn)(words, space),
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
function programIn(words, { count }) {
  const program = words.get("program");
  const like = integerBelow(words.get("like"), count);
  return program === null || like === null ? null : { program, like };
}

function answersIn(text, count) {
  const found = new Map(); // the last answer on a task counts
  for (const pair of (text || "").split(",")) {
    const [task, result] = pair.split(":");
    const index = integerBelow(task, count);
    const value = Number(result);
    if (index !== null && result && value >= 0 && value <= 1) found.set(index, value);
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
      (Array.isArray(filter.among) || (numeric(filter.low) && numeric(filter.high))),
  );
}

function lassoIn(given, space) {
  const pair = (values) => Array.isArray(values) && values.length === 2;
  const point = (values) => pair(values) && values.every(Number.isFinite);
  const axis = (value) => Number.isInteger(value) && value >= 0 && value < space.dimensions;
  const drawn = given && Array.isArray(given.points) && given.points.length > 2;
  if (!drawn || !given.points.every(point)) return null;
  const placed = pair(given.axes) && given.axes.every(axis);
  return placed && viewNames(space).includes(given.view) ? given : null;
}

function selectionIn(given, space) {
  return given && { filters: filtersIn(given.filters), lasso: lassoIn(given.lasso, space) };
}
