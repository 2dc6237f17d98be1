// Two selections of tasks side by side.

import { button, el, figure, percent } from "../dom.js";
import { meanOf } from "../quantities.js";
import { describeSelection } from "../selection.js";
import { bySubpopulation } from "./detail.js";

const MAX_COLUMNS = 8; // those in which the selections differ most
const MAX_TASKS = 2000; // for the means of subpopulations, which need no more

export function comparison({ insight, space, state }, selections) {
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
  const solving = some.map((tasks) => bySubpopulation(space, tasks));
  const rows = [["tasks", each((tasks) => figure(tasks.length))]];
  for (const { key, label, kind, values } of insight.quantities) {
    if (kind === "names" || key.startsWith("column ")) continue;
    const text = kind === "number" ? figure : percent;
    rows.push([label, each((tasks) => text(meanOf(values, tasks)))]);
  }
  for (const index of (space.subpopulations || []).keys()) {
    rows.push([
      `success rate of ${space.subpopulations[index]}`,
      solving.map((found) => percent(found[index].mean)),
    ]);
  }
  for (const [index, name] of space.clusterNames.entries()) {
    const share = each(
      (tasks) => tasks.filter((task) => space.clusters[task] === index).length / tasks.length,
    );
    if (share.some((value) => value > 0)) rows.push([`in cluster ${name}`, share.map(percent)]);
  }
  return [...rows, ...columnRows(space, members)];
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
