// Which tasks pass the filters and lie inside the lasso; and tables of them.

import { figure } from "./dom.js";
import { viewOf } from "./views.js";

// The numbers of the tasks that pass, or null if there is nothing to pass.
export function matching(space, quantities, { filters, lasso }) {
  const tests = filters.map((filter) => testOf(quantities, filter)).filter(Boolean);
  if (lasso) tests.push(inside(space, lasso));
  if (!tests.length) return null;
  const found = [];
  for (let task = 0; task < space.count; task++)
    if (tests.every((test) => test(task))) found.push(task);
  return found;
}

// A filter on what is not known any more, such as a prediction, holds for all.
function testOf(quantities, { what, low, high, among }) {
  const quantity = quantities.find(({ key }) => key === what);
  if (!quantity) return null;
  const { values } = quantity;
  if (among) return (task) => among.includes(values[task]);
  return (task) => !(low !== null && values[task] < low) && !(high !== null && values[task] > high);
}

// By how often a ray to the right of the point crosses the outline.
function inside(space, { view, axes, points }) {
  const known = view === "axes" || space.views.has(view);
  const { x, y } = viewOf(space, known ? view : space.views.keys().next().value, axes);
  return (task) => {
    let within = false;
    for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
      const [[xi, yi], [xj, yj]] = [points[i], points[j]];
      const crosses = yi > y[task] !== yj > y[task];
      if (crosses && x[task] < ((xj - xi) * (y[task] - yi)) / (yj - yi) + xi) within = !within;
    }
    return within;
  };
}

// A filter in words.
function told(quantity, { low, high, among }) {
  const { label, names } = quantity;
  if (among) return `${label} is ${among.map((place) => names[place]).join(" or ")}`;
  if (low === null && high === null) return `any ${label}`;
  if (low === null) return `${label} up to ${figure(high)}`;
  if (high === null) return `${label} from ${figure(low)}`;
  return `${label} ${figure(low)} to ${figure(high)}`;
}

// A kept group in words.
export function groupTold(insight, { filters, lasso }) {
  const known = filters
    .map((filter) => [insight.quantity(filter.what), filter])
    .filter(([quantity]) => quantity);
  const parts = [
    ...(lasso ? ["inside a lasso"] : []),
    ...known.map(([quantity, filter]) => told(quantity, filter)),
  ];
  return parts.join(", ") || "all tasks";
}

// -- CSV ------------------------------------------------------------------------------------------

export function csv(space, quantities, tasks) {
  const columns = quantities.map((quantity) => [
    columnName(quantity),
    (task) => value(quantity, task),
  ]);
  const rows = [["task", ...columns.map(([name]) => name)]];
  for (const task of tasks) rows.push([space.names[task], ...columns.map(([, of]) => of(task))]);
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function columnName({ key, label }) {
  const names = {
    success: "success",
    predicted: "predicted",
    true: "true",
    missed: "predicted-true",
  };
  return names[key] || label;
}

function value({ kind, values, names }, task) {
  if (kind === "names") return names[values[task]];
  return Number.isNaN(values[task]) ? "" : Number(values[task].toPrecision(6));
}

// Spreadsheets take a text that begins like a formula for one, unless a quote comes first.
function quoted(given) {
  const formula = typeof given === "string" && /^[=+\-@\t\r]/.test(given);
  const text = formula ? `'${given}` : String(given);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
