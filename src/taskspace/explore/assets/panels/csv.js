// Tasks as a CSV table with all quantities.

import { el, short } from "../dom.js";
import { MISSING } from "../quantities.js";

export function csv(space, quantities, tasks) {
  const columns = quantities.map((quantity) => [
    columnName(quantity),
    (task) => value(quantity, task),
  ]);
  const rows = [["task", ...columns.map(([name]) => name)]];
  for (const task of tasks) rows.push([space.names[task], ...columns.map(([, of]) => of(task))]);
  return lines(rows);
}

// Save a table as a file.
export function download(rows, name) {
  save(lines(rows), name);
}

export function save(text, name) {
  const link = el("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function lines(rows) {
  return rows.map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function columnName({ key, label }) {
  const names = {
    success: "success",
    information: "information",
    similarity: "correlation",
    predicted: "predicted",
    true: "observed",
    missed: "predicted-observed",
  };
  return names[key] || label;
}

function value({ kind, values, names }, task) {
  if (kind === "names") return names[values[task]] === MISSING ? "" : names[values[task]];
  return Number.isNaN(values[task]) ? "" : short(values[task], 6);
}

// Spreadsheets would run a text that looks like a formula, unless it begins with a quote.
function quoted(given) {
  const formula = typeof given === "string" && /^[=+\-@\t\r]/.test(given);
  const text = formula ? `'${given}` : String(given);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
