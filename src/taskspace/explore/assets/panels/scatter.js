// A small scatter plot of two rates; points on the diagonal agree.

import { svg } from "../dom.js";
import { evenly } from "../posterior.js";
import { meanOf } from "../quantities.js";

const SHOWN = 1500; // more points would not be distinguishable
const BINS = 10; // for the line of means
const FEW = 5; // fewer points per bin leave a gap in the line

export function scatter(across, up, tasks, acrossLabel, upLabel) {
  const single = tasks.every((task) => up[task] === 0 || up[task] === 1); // attempts, not rates
  const points = evenly(tasks.length, SHOWN).map((index) => {
    const task = tasks[index];
    // Jitter, so that equal rates do not hide each other.
    const aside = (((index * 0.618034) % 1) * 2 - 1) * (single ? 4 : 1);
    return svg("circle", { cx: 100 * across[task], cy: 100 - 100 * up[task] + aside, r: 0.9 });
  });
  const ticks = [0, 50, 100].flatMap((at) => [
    label(at, 106.5, `${at} %`),
    label(-3, 101.5 - at, `${at} %`, "end"),
  ]);
  return svg(
    "svg",
    {
      viewBox: "-24 -6 134 124",
      class: "scatter",
      role: "img",
      "aria-label": `${upLabel} against ${acrossLabel}`,
    },
    svg("path", { d: "M0 0V100H100", class: "axis" }),
    svg("path", { d: "M0 100L100 0", class: "diagonal" }),
    svg("g", { class: "points" }, ...points),
    svg("path", { class: "mean", d: meanLine(across, up, tasks) }),
    ...ticks,
    label(50, 115, acrossLabel),
    svg("text", {
      transform: "translate(-19 50) rotate(-90)",
      text: upLabel,
      "text-anchor": "middle",
    }),
  );
}

// The means of both rates per bin, from left to right, with gaps at bins with few points.
function meanLine(across, up, tasks) {
  const bins = Array.from({ length: BINS }, () => []);
  for (const task of tasks) bins[Math.min(Math.floor(BINS * across[task]), BINS - 1)].push(task);
  let begun = false;
  return bins
    .map((bin) => {
      const step = begun ? "L" : "M";
      begun = bin.length >= FEW;
      return begun ? `${step}${100 * meanOf(across, bin)} ${100 - 100 * meanOf(up, bin)}h0` : "";
    })
    .join("");
}

function label(x, y, text, anchor = "middle") {
  return svg("text", { x, y, text, "text-anchor": anchor });
}
