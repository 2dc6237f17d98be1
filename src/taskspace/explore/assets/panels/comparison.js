// Two selections of tasks side by side.

import { button, el, figure, percent } from "../dom.js";
import { meanOf } from "../quantities.js";
import { describeSelection } from "../selection.js";
import { byGroup, groupingChoice } from "./detail.js";

const MAX_COLUMNS = 8; // those in which the selections differ most
const MAX_TEXTS = 12; // of a label
const MAX_TASKS = 2000; // for the means of groups of agents, which need no more

export function comparison(app, selections) {
  const { insight, space, state } = app;
  const filled = ["A", "B"].filter((name) => selections[name]);
  const lines = filled.map((name) =>
    el(
      "p",
      { class: "compared-selection" },
      el("strong", { text: name }),
      el("span", { text: describeWithCount(insight, selections[name]) }),
      button("×", () => state.change({ selections: { ...selections, [name]: null } }), {
        class: "plain",
        "aria-label": `Remove selection ${name}`,
      }),
    ),
  );
  if (filled.length < 2) return lines;
  const members = filled.map((name) => insight.members(selections[name]));
  const head = el(
    "tr",
    {},
    el("td"),
    ...filled.map((name) => el("th", { text: name, scope: "col" })),
  );
  const rows = rowsOf(space, insight, members).map(([name, cells]) =>
    el(
      "tr",
      { "data-row": name },
      el("th", { text: name, scope: "row" }),
      ...cells.map((text) => el("td", { text })),
    ),
  );
  const same =
    members[0].length === members[1].length &&
    members[0].every((task, index) => task === members[1][index]);
  if (same) lines.push(el("p", { class: "fault", text: "A and B contain the same tasks." }));
  if (space.groupings.size > 1)
    lines.push(el("p", { text: "Success rates " }, ...groupingChoice(app)));
  return [
    ...lines,
    el(
      "table",
      { id: "compared" },
      el("caption", { class: "quiet", text: "Means over the tasks of each selection." }),
      el("thead", {}, head),
      el("tbody", {}, ...rows),
    ),
  ];
}

function describeWithCount(insight, selection) {
  const count = insight.members(selection).length;
  const tasks = `${figure(count)} task${count === 1 ? "" : "s"}`;
  return `${describeSelection(insight, selection)}: ${tasks}`;
}

function rowsOf(space, insight, members) {
  const each = (of) => members.map(of);
  const some = members.map((tasks) =>
    tasks.filter((_, index) => index % Math.ceil(tasks.length / MAX_TASKS) === 0),
  );
  const solving = some.map((tasks) => byGroup(space, insight.grouping, tasks));
  const rows = [["tasks", each((tasks) => figure(tasks.length))]];
  for (const { key, label, kind, values } of insight.quantities) {
    if (kind === "names" || /^(column|group) /.test(key)) continue;
    const text = ["number", "correlation"].includes(kind) ? figure : percent;
    rows.push([label, each((tasks) => text(meanOf(values, tasks)))]);
  }
  for (const [index, title] of (insight.grouping?.titles || []).entries()) {
    rows.push([`success rate of ${title}`, solving.map((found) => percent(found[index].mean))]);
  }
  for (const { label, names, values } of [insight.quantity("cluster"), ...labelsOf(insight)])
    rows.push(...shareRows(label, names, values, members));
  return [...rows, ...columnRows(space, members)];
}

// The labels with few texts.
function labelsOf({ choices }) {
  return choices.filter(({ key, names }) => key.startsWith("label ") && names.length <= MAX_TEXTS);
}

function shareRows(label, names, values, members) {
  const shares = [...names.entries()].map(([index, name]) => {
    const share = members.map(
      (tasks) => tasks.filter((task) => values[task] === index).length / tasks.length,
    );
    return [`in ${label} ${name}`, share];
  });
  const present = shares.filter(([, share]) => share.some((value) => value > 0));
  return present.map(([name, share]) => [name, share.map(percent)]);
}

function columnRows(space, members) {
  const found = [...space.columns].map(([name, values]) => {
    const means = members.map((tasks) => meanOf(values, tasks));
    return { name, means, apart: Math.abs(means[0] - means[1]) / (spread(values) || Infinity) };
  });
  found.sort((a, b) => b.apart - a.apart);
  return found.slice(0, MAX_COLUMNS).map(({ name, means }) => [name, means.map(figure)]);
}

function spread(values) {
  const mean = meanOf(values, values.keys());
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
