// The tasks that pass the filters and lie inside a lasso.

import { figure } from "./dom.js";
import { viewOf } from "./views.js";

// The numbers of the tasks that pass, or null if there is neither a filter nor a lasso. Of several
// lassos, a task must lie inside one.
export function matching(space, quantities, { filters, lassos }) {
  const tests = filters.map((filter) => testOf(quantities, filter)).filter(Boolean);
  const areas = lassos.map((lasso) => inside(space, lasso));
  if (areas.length) tests.push((task) => areas.some((isInside) => isInside(task)));
  if (!tests.length) return null;
  const found = [];
  for (let task = 0; task < space.count; task++)
    if (tests.every((test) => test(task))) found.push(task);
  return found;
}

// Whether a filter suits a quantity: lists for names, bounds for numbers.
export function fits(quantity, { among }) {
  return Boolean(quantity) && (quantity.kind === "names") === Array.isArray(among);
}

// Filters on quantities that no longer exist, e.g. a prediction, are ignored.
function testOf(quantities, filter) {
  const { what, low, high, among } = filter;
  const quantity = quantities.find(({ key }) => key === what);
  if (!fits(quantity, filter)) return null;
  const { values, names } = quantity;
  const chosen = among && names.map((name) => among.includes(name));
  if (among) return (task) => chosen[values[task]];
  return (task) => (low === null || values[task] >= low) && (high === null || values[task] <= high);
}

const INSIDE = new WeakMap(); // results by lasso

// Whether a task lies inside the lasso.
function inside(space, lasso) {
  if (!INSIDE.has(lasso)) INSIDE.set(lasso, insideAll(space, lasso));
  const within = INSIDE.get(lasso);
  return (task) => within[task] === 1;
}

// A point is inside if a ray to its right crosses the outline an odd number of times.
function insideAll(space, { view, axes, points }) {
  const { x, y } = viewOf(space, view, axes);
  const across = Float64Array.from(points, (point) => point[0]);
  const up = Float64Array.from(points, (point) => point[1]);
  const within = new Uint8Array(space.count);
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const slope = (across[j] - across[i]) / (up[j] - up[i]);
    for (let task = 0; task < within.length; task++) {
      const crosses = up[i] > y[task] !== up[j] > y[task];
      if (crosses && x[task] < slope * (y[task] - up[i]) + across[i]) within[task] ^= 1;
    }
  }
  return within;
}

// A filter in words.
function describeFilter(quantity, { low, high, among }) {
  const { label } = quantity;
  if (among) return `${label} is ${among.join(" or ")}`;
  if (low === null && high === null) return `any ${label}`;
  if (low === null) return `${label} at most ${figure(high)}`;
  if (high === null) return `${label} at least ${figure(low)}`;
  return `${label} ${figure(low)} to ${figure(high)}`;
}

// A selection in words.
export function describeSelection(insight, { filters, lassos }) {
  const known = filters
    .map((filter) => [insight.quantity(filter.what), filter])
    .filter(([quantity, filter]) => fits(quantity, filter));
  const parts = [
    ...(lassos.length ? [`inside ${lassos.length > 1 ? "a lasso" : "the lasso"}`] : []),
    ...known.map(([quantity, filter]) => describeFilter(quantity, filter)),
  ];
  return parts.join(", ") || "all tasks";
}
